#!/usr/bin/python3 -SEB
"""icefsck batch: a line a table, whatever the input and whatever becomes of it. batch.py ICEFSCK WORK [TEST...]"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def batch(t, *args, **more):
    return t.run("batch", "--now", harness.NOW, *args, **more)


def tables_of(t, done):
    return [(line["summary"]["table"], line["summary"]["exit"], line["summary"]["complete"]) for line in t.lines(done.stdout)]


def reason(line):
    return [n["why"] for n in line["summary"]["not_evaluated"] if n["asked"]][0]


def warehouse(t, n=4):
    for i in range(n):
        t.table("plain-v2" if i % 2 else "plain-v3", "wh/db%d/t%d" % (i // 2, i))
    t.table("damaged", "bad")


def test_a_line_is_an_element_of_the_json_report(t):
    t.table("damaged", "bad")
    t.table()
    document = json.loads(t.check("bad", "table", "-f", "json", code=3).stdout)
    lines = t.lines(batch(t, "bad", "table", code=3).stdout)
    for line, path in zip(lines, ("bad", "table")):
        t.equal(line.pop("path"), path)
        t.equal(len(line.pop("key")), 32)
    t.equal(lines, document["tables"])


def test_inputs(t):
    warehouse(t)
    words = ["wh/db0/t0", "wh/db0/t1", "bad"]
    first = batch(t, *words, code=3)
    t.equal([line["path"] for line in t.lines(first.stdout)], words)
    for text, args in (("\n".join(words), []), ("\r\n".join(words) + "\r\n\r\n", []), ("\0".join(words) + "\0", ["--files-from", "-"])):
        t.equal(batch(t, *args, stdin=text, code=3).stdout, first.stdout, repr(text))
    t.write("list", "\n".join(words[1:]))
    t.equal(batch(t, words[0], "--files-from", "list", code=3).stdout, first.stdout)
    below = batch(t, "-r", "wh", code=0)
    t.equal([name for name, _, _ in tables_of(t, below)], ["db0/t0", "db0/t1", "db1/t2", "db1/t3"])
    t.equal(batch(t, "-r", stdin="wh\n", code=4).stdout, "", "-r wants a PATH")
    t.equal(batch(t, "-r", "--files-from", "-", stdin="wh\n", code=0).stdout, below.stdout)
    t.has(below.stderr, "4 tables, 0 with errors, 0 not wholly checked")
    t.equal(batch(t, "-q", "-r", "wh", code=0).stderr, "")


def test_objects(t):
    t.table("plain-v2", "a")
    t.table("plain-v3", "copy")
    line = {"table": "db.orders", "path": "a", "metadata": "2", "max_age": "6h", "map": {"s3://lake/wh/db/orders": "a"}}
    done = t.lines(batch(t, stdin=json.dumps(line)).stdout)[0]
    t.equal(done["summary"]["table"], "db.orders")
    t.equal(done["summary"]["metadata_file"], "metadata/v2.metadata.json")
    alone = t.lines(batch(t, stdin='{"metadata": "a/metadata/v2.metadata.json", "listing": null}').stdout)[0]
    t.equal(alone["summary"]["metadata_file"], "metadata/v2.metadata.json")
    old = [f["rule"] for f in t.lines(batch(t, stdin='{"path": "a", "max_age": "6h"}').stdout)[0]["findings"]]
    t.equal(old, [f["rule"] for f in t.lines(t.check("a", "--max-age", "6h", "-f", "ndjson").stdout)[:-1]])
    t.true(len(old) > 0, "max_age of the line counts")
    pointed = {"path": "a", "pointer": "t=s3://lake/wh/db/orders/metadata/v2.metadata.json"}
    t.equal(t.lines(batch(t, stdin=json.dumps(pointed)).stdout)[0]["summary"]["picked_by"], "pointer")
    t.write("glue.json", "{}")
    both = t.lines(batch(t, stdin='{"path": "a", "listing": "nosuch"}\na\n', code=2).stdout)
    t.equal([line["summary"]["complete"] for line in both], [False, True], "what one line asks for ends with it")


def test_lines_add_to_the_call(t):
    """Maps, pointers and listings of a line stand beside those of the call, for this table alone."""
    t.table("plain-v2", "a")
    line = json.dumps({"path": "a", "map": {"s3://lake/wh/db/orders": "a", "": "nowhere"}, "table": None})
    first = t.lines(batch(t, "a", code=0).stdout)[0]
    done = t.lines(batch(t, "--map", "s3://lake/wh/db/orders=a", "--map", "s3://lake/wh/db=.", stdin="  " + line + "\na\n", code=0).stdout)
    t.equal([(one["findings"], one["summary"]["exit"]) for one in done], [(first["findings"], 0)] * 2)
    t.write("l.csv", "path,size\nmetadata/v3.metadata.json,1\n")
    listed = json.dumps({"path": "a", "listing": "l.csv"})
    both = t.lines(batch(t, "--listing", "l.csv", "--base", "s3://lake/wh/db/orders", stdin=listed + "\na\n").stdout)
    t.equal([f["rule"] for f in both[0]["findings"]], [f["rule"] for f in both[1]["findings"]], "the same listing twice says nothing new")


def test_pointers_are_read_once(t):
    t.table("plain-v2", "a")
    t.table("plain-v3", "b")
    uri = "s3://lake/wh/db/%s/metadata/v2.metadata.json"
    lines = "".join('{"path": "%s", "map": {"s3://lake/wh/db/%s": "%s"}}\n' % (n, n, n) for n in "ab")
    names = ["a\t" + uri % "a", "b\t" + uri % "b"]
    t.write("list.tsv", "table\tmetadata_location\n" + "\n".join(names) + "\n")
    done = batch(t, "--pointer", "list.tsv", stdin=lines)
    t.equal([line["summary"]["picked_by"] for line in t.lines(done.stdout)], ["pointer", "pointer"], done.stdout)
    t.write("lines", lines)
    again = t.lines(batch(t, "--pointer", "-", "--files-from", "lines", stdin=t.read("list.tsv")).stdout)
    t.equal([line["findings"] for line in again], [line["findings"] for line in t.lines(done.stdout)])
    t.equal(batch(t, "--pointer", "list.tsv", "-j2", stdin=lines).stdout, done.stdout)
    own = lines.replace('"path"', '"pointer": "x=%s", "path"' % (uri % "a").replace("v2", "v1"), 1)
    got = t.lines(batch(t, "--pointer", "list.tsv", stdin=own).stdout)
    t.equal([line["summary"]["picked_by"] for line in got], ["pointer", "pointer"])
    t.equal(got[0]["summary"]["metadata_file"][-16:], "v1.metadata.json", "what the line says is nearer")


def test_a_bad_line_is_one_line(t):
    t.table()
    bad = [("nosuch", "No such file"), ("{", "no JSON object"), ('{"path": "table"', "no JSON object"), ('{"path": "table", "path": "x"}', "duplicate"),
           ('{"tabel": "x", "path": "table"}', "did you mean table"), ('{"zzzzzzzz": 1}', "unknown key"), ('{"table": "x"}', "path"),
           ('{"path": 1}', "text"), ('{"path": ""}', "text"), ('{"path": "a\\u0000b"}', "no JSON object"), ('{"path": "table", "map": 1}', "FROM: TO"),
           ('{"path": "table", "max_age": "soon"}', "duration"), ('{"path": "table", "metadata": "99"}', "there is no metadata file"),
           ("s3://lake/wh/t", "in the cloud"), ("-", "standard input"), ('{"path": "table"} x', "no JSON object"), ("[" * 100, "No such file"),
           ("{" + '"a":{' * 3000, "no JSON object"), ('{"path": "table", "listing": 1}', "text"), ('{"path": "table", "pointer": ""}', "text"),
           ('{"path": "table", "max_age": 6}', "text"), ('{"path": "table", "max_age": "6"}', "duration"), ('{"path": "table", "map": {"a": 1}}', "text"),
           ('{"path": "table", "metadata": 3}', "text"), ('{"path": "table", "table": {}}', "text"), ('{"metadata": "v3.metadata.json"}', "path"),
           ('{"tabel": "x", "tabels": "y"}', "did you mean table"), (' {"path": 7, "table": "x"}', "text")]
    text = "".join("%s\ntable\n" % line for line, _ in bad)
    for args in ([], ["--isolate"]):
        done = batch(t, *args, stdin=text, code=2)
        lines = t.lines(done.stdout)
        t.equal(len(lines), 2 * len(bad))
        for (given, why), line, sound in zip(bad, lines[::2], lines[1::2]):
            t.equal((line["summary"]["complete"], line["summary"]["exit"], line["findings"]), (False, 2, []), given)
            t.has(reason(line), why)
            t.true("key" not in line, "it is tried again")
            t.equal(sound["summary"]["exit"], 0)
        t.has(done.stderr, "%d tables, 0 with errors, %d not wholly checked" % (2 * len(bad), len(bad)))
        t.equal(done.stderr.count("\n"), 1, done.stderr)


def test_long_lines(t):
    t.table()
    done = batch(t, stdin="x" * (17 << 20) + "\ntable\n" + "y" * (40 << 20), code=2)
    lines = t.lines(done.stdout)
    t.equal([line["summary"]["exit"] for line in lines], [2, 0, 2])
    t.has(reason(lines[0]), "16 MiB")


def test_usage(t):
    t.table()
    t.usage("batch", "-r", has=["PATH"])
    t.usage("batch", "--files-from", "nosuch", has=["nosuch"])
    t.usage("batch", "table", "--resume", "nosuch", has=["nosuch"])
    for shard in ("1", "2/2", "-1/2", "0/0", "a/b", "/", "1/"):
        t.usage("batch", "table", "--shard", shard, has=["I/N"])
    t.usage("batch", "table", "-f", "human", has=["ndjson"])
    t.usage("batch", "table", "--list-files", has=["does not belong"])
    t.usage("batch", "--pointer", "-", has=["once"])
    t.usage("batch", "table", "--listing", "-", has=["once"])
    t.usage("check", "table", "--isolate", has=["does not belong"])
    t.equal(batch(t, "table", "-f", "ndjson", code=0).stdout, batch(t, "table", code=0).stdout)
    # what made the list may have failed; a shard may be empty
    done = batch(t, stdin="", code=2)
    t.equal(done.stdout, "")
    t.has(done.stderr, "no tables: the list is empty")
    shards = [batch(t, "--shard", shard, stdin="nosuch\n", code=None).returncode for shard in ("0/2", "1/2")]
    t.equal(sorted(shards), [0, 2])


def test_children_give_the_same_lines(t):
    warehouse(t, 6)
    words = ["wh/db%d/t%d" % (i // 2, i) for i in range(6)] + ["bad", "nosuch", "wh"] * 3
    first = batch(t, *words, code=3)
    for args in (["--isolate"], ["-j", "2"], ["-j", "5"], ["-j0"], ["-j1"], ["-j", "999"]):
        done = batch(t, *args, *words, code=3)
        t.equal(done.stdout, first.stdout, str(args))
        t.equal(done.stderr, first.stderr, str(args))


def limited(**limits):
    """Sets limits of a process to be: its names behind RLIMIT_."""
    def limit():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    return limit


def test_children_anywhere(t):
    """Whatever limits and place of temporary files they inherit, children give the same lines."""
    warehouse(t)
    words = ["wh/db0/t0", "bad", "wh/db1/t3"]
    first = batch(t, *words, code=3).stdout
    for tmpdir in ("", "/proc", "nosuch", None):
        t.equal(batch(t, "--isolate", *words, env={"TMPDIR": tmpdir}, code=3).stdout, first, "TMPDIR %s" % tmpdir)
    for most in ("256M", "17592186044415M"):
        got = batch(t, "--isolate", "--max-memory", most, *words, code=3).stdout
        t.equal(re.sub('"key":"[0-9a-f]*"', "", got), re.sub('"key":"[0-9a-f]*"', "", first), most)
    for limits in ({"NOFILE": 14}, {"NOFILE": 20}, {"NOFILE": 100}) + (() if os.environ.get("ICEFSCK_SANITIZED") else ({"AS": 900 << 20},)):
        t.equal(batch(t, "-j", "8", *words, preexec_fn=limited(**limits), code=3).stdout, first, str(limits))


def on_terminal(t, *args, stdin=None):
    """What a person sees who runs it in a terminal; its exit code."""
    master, slave = os.openpty()
    child = subprocess.Popen([t.binary, "batch", "--now", harness.NOW, *args], cwd=t.work, env=t.environment(TERM="xterm"), stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    text = b""
    while True:
        try:
            more = os.read(master, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        text += more
    os.close(master)
    return text.decode(), child.wait(timeout=60 * harness.PATIENCE)


def test_terminal(t):
    """Where a person watches, the totals say how long it took, and no input is asked for in silence."""
    t.table()
    text, code = on_terminal(t, "table", "table")
    t.equal(code, 0)
    t.true(re.search(r"2 tables, 0 with errors, 0 not wholly checked.*, \d+\.\d s, \d+ tables/s", text), text)
    t.equal(text.count('"kind":"summary"'), 2)
    text, code = on_terminal(t)
    t.equal(code, 4)
    t.has(text, "no tables: give PATHs, --files-from FILE, or lines on standard input")


def children_of(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def hit_children(t, number, *args):
    """Send a signal to some children of a long batch; its finished process, its lines, and how many were hit."""
    t.table()
    n = 300
    t.write("list", "table\n" * n)
    with open(os.path.join(t.work, "out"), "w") as out:
        child = subprocess.Popen([t.binary, "batch", "--files-from", "list", "--now", harness.NOW, *args], cwd=t.work, env=t.environment(),
                                 stdout=out, stderr=subprocess.PIPE)
        hit, deadline = 0, time.monotonic() + 60
        while child.poll() is None and hit < 8 and time.monotonic() < deadline:
            for pid in children_of(child.pid):
                try:
                    os.kill(pid, number)
                    hit += 1
                except OSError:
                    pass
            time.sleep(0.005)
        err = child.communicate(timeout=100 * harness.PATIENCE)[1].decode()
    lines = t.lines(t.read("out"))
    t.equal(len(lines), n, err)
    t.equal(child.returncode, 2, err)
    bad = [line for line in lines if not line["summary"]["complete"]]
    t.true(len(bad) > 0, "%d were hit, one is told" % hit)
    t.equal({line["path"] for line in bad}, {"table"})
    return bad, hit


def test_a_child_that_dies_is_one_line(t):
    bad, hit = hit_children(t, signal.SIGKILL, "-j2")
    t.true(len(bad) <= hit, "no other one")
    for line in bad:
        t.has(reason(line), "signal 9")


def test_a_child_that_is_late_is_one_line(t):
    bad, _ = hit_children(t, signal.SIGSTOP, "-j2", "--timeout", "1s")
    for line in bad:
        t.has(reason(line), "took longer than 1000 ms")


def test_shards_part_the_tables(t):
    warehouse(t, 12)
    words = ["wh/db%d/t%d" % (i // 2, i) for i in range(12)]
    every = [line["path"] for n in range(3) for line in t.lines(batch(t, "--shard", "%d/3" % n, *words, code=0).stdout)]
    t.equal(sorted(every), sorted(words))
    some = {line["path"] for line in t.lines(batch(t, "--shard", "1/3", *words, code=0).stdout)}
    less = {line["path"] for line in t.lines(batch(t, "--shard", "1/3", *words[::2], code=0).stdout)}
    t.equal(less, some & set(words[::2]), "a table stays in its shard when the list changes")
    t.equal(batch(t, "--shard", "0/1", *words, code=0).stdout, batch(t, *words, code=0).stdout)
    slashed = {line["path"].rstrip("/") for line in t.lines(batch(t, "--shard", "1/3", *(word + "//" for word in words), code=0).stdout)}
    t.equal(slashed, some, "a slash behind the name changes nothing")
    named = '{"table": "db.x", "path": "wh/db0/t%d"}'
    t.equal(sum(len(t.lines(batch(t, "--shard", "%d/7" % n, stdin=named % 0 + "\n" + named % 1, code=0).stdout)) == 2 for n in range(7)), 1,
            "it goes by the name, where there is one")


def test_resume(t):
    warehouse(t)
    words = ["wh/db0/t0", "bad", "wh/db0/t1", "nosuch"]
    first = batch(t, *words, code=3).stdout
    t.write("old", first)
    done = batch(t, "--resume", "old", *words, code=3)
    t.equal([line["path"] for line in t.lines(done.stdout)], ["nosuch"], "what could not be checked is tried again")
    t.has(done.stderr, "1 table, 0 with errors, 1 not wholly checked, 3 were there already")
    t.equal(batch(t, "--resume", "old", *words[:3], code=3).stdout, "", "the exit code is over all")
    t.equal(batch(t, "--resume", "old", *words[:1], code=0).stdout, "")
    for args in (["--depth", "list"], ["--only", "list.*"], ["-S", "info"], ["--severity", "hint.stale=off"]):
        t.equal(len(t.lines(batch(t, "--resume", "old", *args, *words[:3]).stdout)), 3, str(args))
    for args in (["-j2"], ["-q"], ["--isolate"], ["-v"], ["--timeout", "1m"]):
        t.equal(batch(t, "--resume", "old", *args, *words[:3], code=3).stdout, "", str(args))
    os.rename(os.path.join(t.work, "wh/db0/t0/metadata/v3.metadata.json"), os.path.join(t.work, "wh/db0/t0/metadata/v4.metadata.json"))
    t.equal([line["path"] for line in t.lines(batch(t, "--resume", "old", *words[:3]).stdout)], ["wh/db0/t0"], "another metadata file is current")


def test_resume_while_inputs_change(t):
    """What a verdict rests on beside the table: listings, pointers, and the clock where an age is asked."""
    table = t.table("plain-v2", "t")
    names = [os.path.join(folder, name) for folder, _, found in os.walk(table) for name in found]
    listing = "bucket,key,size\n" + "".join("lake,wh/db/orders/%s,%d\n" % (os.path.relpath(name, table), os.path.getsize(name)) for name in sorted(names))
    lists = [line for line in listing.splitlines(True) if "snap-1.avro" not in line]
    for name, args, stdin in (("shared", ["t", "--listing", "l.csv"], None), ("own", [], '{"path": "t", "listing": "l.csv"}\n')):
        for more in ([], ["--isolate"]):
            t.write("l.csv", listing)
            t.write("old", batch(t, *args, *more, stdin=stdin).stdout)
            t.equal(batch(t, *args, *more, "--resume", "old", stdin=stdin).stdout, "", name)
            os.utime(os.path.join(t.work, "l.csv"), (1, 1))
            t.equal(batch(t, *args, *more, "--resume", "old", stdin=stdin).stdout, "", "a copy of it is the same")
            t.write("l.csv", "".join(lists))
            found = t.lines(batch(t, *args, *more, "--resume", "old", stdin=stdin).stdout)
            t.true(any(f["rule"] == "storage.manifest-list.missing" for f in found[0]["findings"]), name)
    t.write("old", batch(t, "t", "--max-age", "6h").stdout)
    t.equal(batch(t, "t", "--max-age", "6h", "--resume", "old").stdout, "")
    later = t.run("batch", "t", "--max-age", "6h", "--resume", "old", "--now", "2026-01-02T00:00:00Z")
    t.equal(len(t.lines(later.stdout)), 1, "it is a day older")
    said = t.run("batch", "t", "--max-age", "6h", "--resume", "old", code=4).stderr
    t.has(said, "--max-age depends on the clock: give --now to both runs, or leave out --resume")
    stdin = '{"path": "t", "max_age": "6h"}\n'
    t.write("old", t.run("batch", stdin=stdin).stdout)
    t.equal(len(t.lines(t.run("batch", "--resume", "old", stdin=stdin).stdout)), 1, "its own age, without --now")
    t.usage("batch", "t", "--storage", "local", "--resume", "old", has=["come and go", "leave out --resume"])
    t.usage("batch", "t", "--pointer", ".", "--resume", "old", has=["no regular file"])


def test_resume_of_many_lines(t):
    """Lines of others, and those whose key is none, are no lines of ours."""
    t.table("plain-v2", "t")
    names = ["n%d" % i for i in range(150)]
    lines = "".join('{"path": "t", "table": "%s"}\n' % name for name in names)
    whole = batch(t, stdin=lines, code=0).stdout
    t.write("old", whole)
    t.equal(batch(t, "--resume", "old", stdin=lines, code=0).stdout, "")
    first = json.loads(whole.splitlines()[0])
    for key in (None, 7, "", "g" * 32, first["key"][:-1], first["key"] + "0", first["key"].upper() + "x"):
        t.write("old", json.dumps(dict(first, key=key)) + "\n" + json.dumps({"key": first["key"], "summary": {"exit": "0"}}) + "\n")
        t.equal(len(t.lines(batch(t, "--resume", "old", stdin=lines, code=0).stdout)), 150, repr(key))
    t.write("old", "")
    t.equal(len(t.lines(batch(t, "--resume", "old", stdin=lines, code=0).stdout)), 150)
    t.usage("batch", "t", "--resume", ".", has=["directory"])


def test_resume_of_a_torn_file(t):
    warehouse(t)
    words = ["wh/db0/t0", "wh/db0/t1", "wh/db1/t2"]
    whole = batch(t, *words, code=0).stdout
    lines = whole.splitlines(True)
    for torn in (lines[0] + lines[1][:-1], lines[0] + lines[1][:70], lines[0] + "\n\n{}\n[]\nnull\n7\n\"x\"\n{\"key\":1}\n" + lines[1][5:]):
        t.write("out", torn)
        with open(os.path.join(t.work, "out"), "a") as out:
            batch(t, "--resume", "out", *words, stdout=out, code=0)
        good = []
        for line in t.read("out").split("\n"):
            try:
                good.append(json.loads(line)["path"])
            except (ValueError, KeyError, TypeError):
                pass
        t.equal(good[-2:], words[1:], torn)
        t.equal(sorted(set(good)), words)
    t.write("out", "")
    with open(os.path.join(t.work, "out"), "w") as out:
        t.has(batch(t, "--resume", "out", words[0], stdout=out, code=0).stderr, ">>")


def test_interrupt(t):
    for args in ([], ["--isolate"], ["-j2"]):
        t.table("plain-v2", "t%d" % len(args[0:1] + args))
        t.write("list", ("t%d\n" % len(args[0:1] + args)) * 100000)
        child = subprocess.Popen([t.binary, "batch", "--files-from", "list", *args], cwd=t.work, env=t.environment(), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, bufsize=0)  # no more is read than the one line: the rest is communicate's
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60 * harness.PATIENCE)
        t.equal(child.returncode, 130, err)
        for line in t.lines(out.decode()):
            t.true(line["summary"]["interrupted"] == ("key" not in line), "what was interrupted is made again")
        t.equal(err.count(b"\n"), 1, err)
        import shutil

        shutil.rmtree(os.path.join(t.work, "t%d" % len(args[0:1] + args)))


def test_progress(t):
    t.table()
    for args, word in (([], "table "), (["-j2"], "tables done: ")):
        n, took = 100, 0
        while took < 1.5:  # it is shown from one second on
            n *= 2
            t.write("list", "table\n" * n)
            started = time.monotonic()
            done = batch(t, "--files-from", "list", "--progress", "on", *args, code=0)
            took = time.monotonic() - started
        t.has(done.stderr, word)
        t.equal(len(t.lines(done.stdout)), n)
        t.true(done.stderr.endswith("0 infos\n"), "the totals stand behind it")


def test_output_that_cannot_be_written(t):
    t.table()
    with open("/dev/full", "w") as full:
        t.has(batch(t, "table", stdout=full, code=8).stderr, "cannot be written")
    for args in ([], ["-j2"]):
        read, write = os.pipe()
        os.close(read)
        done = batch(t, "table", "table", *args, stdout=write, code=141)
        os.close(write)
        t.equal(done.stderr, "")


def test_reports_beside_the_lines(t):
    """-o F:FILE says what check says of the same tables, from children too, and stdout is as it was."""
    warehouse(t)
    words = ["bad", "wh/db0/t0", "wh/db0/t1"]
    lines = batch(t, *words, "-S", "info", code=3).stdout
    for args in ([], ["-j", "2"], ["--isolate"]):
        formats = [a for f in ("human", "short", "json", "ndjson") for a in ("-o", "%s:out.%s" % (f, f))]
        t.equal(batch(t, *words, "-S", "info", *args, *formats, code=3).stdout, lines, str(args))
        for name in ("human", "short", "json"):
            t.equal(t.read("out." + name), t.check(*words, "-S", "info", "-f", name, code=3).stdout, name)
        t.equal(t.read("out.ndjson"), lines)
    t.equal(sorted(f for f in os.listdir(t.work) if f.startswith("out.")), ["out.human", "out.json", "out.ndjson", "out.short"])
    t.usage("batch", "bad", "-o", "page", has=["-o html:"])
    t.usage("batch", "bad", "-o", "tsv:page", has=["no format tsv"])


def test_reports_hold_tables_of_an_earlier_run(t):
    """In the order of the input, whatever was there already."""
    warehouse(t)
    words = ["wh/db0/t0", "bad", "wh/db0/t1", "wh/db1/t2"]
    batch(t, *words, "-S", "info", "-o", "json:whole", code=3)
    t.write("results", batch(t, "bad", "wh/db1/t2", "-S", "info", code=3).stdout)
    for args in ([], ["-j", "3"]):
        done = batch(t, *words, "-S", "info", "--resume", "results", "-o", "json:page", *args, code=3)
        t.equal(t.read("page"), t.read("whole"), str(args))
        t.equal([line["path"] for line in t.lines(done.stdout)], ["wh/db0/t0", "wh/db0/t1"])
    t.usage("batch", "bad", "--resume", "results", "--write-baseline", "b", has=["leave out --resume"])


harness.main(dict(globals()))
