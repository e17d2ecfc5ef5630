#!/usr/bin/python3 -SEB
"""Pipes, full disks, closed files, signals, terminals, reports put in place. process.py ICEFSCK WORK [TEST...]"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def test_full_disk(t):
    t.table()
    for args in (["check", "table"], ["check", "table", "-f", "json"], ["inspect", "files", "table"], ["dump", "table/metadata/m1.avro"],
                 ["diff", "table", "--from", "v3"], ["rules"], ["--help"], ["version"], ["explain", "hint.stale"]):
        with open("/dev/full", "w") as full:
            done = t.run(*args, stdout=full, code=8)
        t.has(done.stderr, "standard output: cannot be written")
        t.equal(done.stderr.count("\n"), 1, done.stderr)


def test_closed_pipe(t):
    t.table()
    for args in (["check", "table", "-f", "ndjson"], ["inspect", "files", "table"], ["diff", "table", "--from", "v1"],
                 ["dump", "table/metadata/m1.avro"], ["rules"]):
        read, write = os.pipe()
        os.close(read)
        done = t.run(*args, stdout=write, code=141)
        os.close(write)
        t.equal(done.stderr, "", str(args))


def test_closed_standard_files(t):
    t.table()
    for redirect in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"):
        script = '"$0" check table -f ndjson -o json:out --now %s %s' % (harness.NOW, redirect)
        done = subprocess.run(["sh", "-c", script, t.binary], cwd=t.work, env=t.environment(), capture_output=True, text=True)
        t.equal(done.returncode, 0, redirect + done.stderr)
        json.loads(t.read("out"))
        os.remove(os.path.join(t.work, "out"))


def test_reports_are_put_in_place(t):
    t.table("damaged")
    t.write("old.json", "old")
    os.chmod(os.path.join(t.work, "old.json"), 0o604)
    done = t.check("table", "-o", "json:old.json", "-o", "ndjson:new.ndjson", code=3)
    t.has(done.stdout, "not checked")
    t.equal(len(json.loads(t.read("old.json"))["tables"]), 1)
    t.equal(os.stat(os.path.join(t.work, "old.json")).st_mode & 0o777, 0o604)
    t.equal(t.lines(t.read("new.ndjson"))[-1]["kind"], "summary")
    done = t.check("table", "-f", "short", "-o", "only.txt", code=3)
    t.equal(done.stdout, "", "-o without a format takes the place of stdout")
    t.has(t.read("only.txt"), ": error: ")
    done = t.run("inspect", "snapshots", "table", "-f", "tsv", "-o", "rows.tsv")
    t.has(t.read("rows.tsv"), "snapshot_id")
    t.equal(sorted(n for n in os.listdir(t.work) if "." in n and n != "table.built"), ["new.ndjson", "old.json", "only.txt", "rows.tsv"], "nothing is left behind")


def test_report_that_cannot_be_written(t):
    t.table()
    done = t.check("table", "-o", "json:nosuch/out.json", code=8)
    t.has(done.stderr, "nosuch/out.json")
    t.equal(done.stdout, "")
    t.check("table", "-o", "json:/dev/full", code=8)
    t.write("old", "old")
    script = 'ulimit -f 0; exec "$0" check table -f json -o old'
    limited = t.environment(TMPDIR="nosuch")  # where ThreadSanitizer would write a file before main
    done = subprocess.run(["sh", "-c", script, t.binary], cwd=t.work, env=limited, capture_output=True, text=True)
    t.equal(done.returncode, 8, done.stderr)
    t.equal(t.read("old"), "old", "the old report is untouched")
    t.equal(sorted(os.listdir(t.work)), ["old", "table"])


def start_long(t, *args):
    t.table()
    t.write("list", "table\n" * 200000)
    child = subprocess.Popen([t.binary, "check", "--files-from", "list", "-f", "ndjson", *args], cwd=t.work, env=t.environment(),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    select.select([child.stdout], [], [], 60)
    return child


def test_interrupt(t):
    for number in (signal.SIGINT, signal.SIGTERM):
        child = start_long(t)
        child.send_signal(number)
        out, err = child.communicate(timeout=60 * harness.PATIENCE)
        t.equal(child.returncode, 130, err)
        t.equal(t.lines(out.decode())[-1]["kind"], "summary")
        t.equal(err, b"")
        import shutil

        shutil.rmtree(os.path.join(t.work, "table"))


def test_second_interrupt_ends_at_once(t):
    child = subprocess.Popen([t.binary, "check", "-", "-o", "json:out"], cwd=t.work, env=t.environment(), stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not any(n.startswith("out") for n in os.listdir(t.work)) and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    time.sleep(0.1)
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    t.equal(child.wait(timeout=30 * harness.PATIENCE), 130)
    t.equal(os.listdir(t.work), [], "no half report is left")
    child.stdin.close()
    child.stdout.close()
    child.stderr.close()


def on_terminal(t, *args, **env):
    """What the command writes to a terminal."""
    child, fd = pty.fork()
    if child == 0:
        os.chdir(t.work)
        os.execve(t.binary, [t.binary, *args], t.environment(**env))
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(fd)
    os.waitpid(child, 0)
    return out.decode()


def test_terminal(t):
    t.table("damaged")
    shown = on_terminal(t, "check", "table", TERM="xterm")
    t.has(shown, "\033[1;31merror")
    t.has(shown, "checked in ")
    t.lacks(on_terminal(t, "check", "table", TERM="xterm", NO_COLOR="1"), "\033[1")
    t.has(on_terminal(t, "check", "table", TERM="xterm", NO_COLOR=""), "\033[1")
    t.lacks(on_terminal(t, "check", "table", TERM="dumb"), "\033[1")
    t.lacks(on_terminal(t, "check", "table", "--color", "never", TERM="xterm"), "\033[1")
    t.lacks(on_terminal(t, "check", "table", "-f", "short", TERM="xterm"), "\033")
    t.lacks(t.check("table").stdout, "checked in")


def test_few_files_and_little_stack(t):
    t.table("damaged")
    first = t.check("table", "-f", "ndjson").stdout
    for limit in ("ulimit -n 16", "ulimit -s 256"):
        script = limit + '; exec "$0" check table -f ndjson --now ' + harness.NOW
        done = subprocess.run(["sh", "-c", script, t.binary], cwd=t.work, env=t.environment(), capture_output=True, text=True)
        t.equal(done.stdout, first, limit + done.stderr)


def test_nothing_is_written_into_a_table(t):
    table = t.table("damaged")

    def state():
        return sorted((os.path.join(w, n), os.stat(os.path.join(w, n)).st_mtime_ns) for w, _, names in os.walk(table) for n in names)

    before = state()
    for args in (["check", "table"], ["inspect", "files", "table"], ["check", "table", "--list-files"], ["dump", "table/metadata/snap-1.avro"]):
        t.run(*args)
    t.equal(state(), before)


HOSTILE = "\x1b]0;x\x07\x1b[2J\u202e\u0085\u2028\n\t</script>]]>::error::x a:1:1: error: =cmd()%0A"
RAW = ["\x1b", "\x07", "\u202e", "\u0085", "\u2028", "\t"]


def poison(value):
    """Every string of a document gets the hostile text behind it."""
    if isinstance(value, dict):
        return {k: poison(v) for k, v in value.items()}
    if isinstance(value, list):
        return [poison(v) for v in value]
    return value + HOSTILE if isinstance(value, str) else value


def test_hostile_strings(t):
    table = t.table()
    path = os.path.join(table, "metadata", "v3.metadata.json")
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    for key in list(document):
        hostile = dict(document)
        hostile[key] = poison(document[key])
        hostile["x" + HOSTILE] = 1
        with open(path, "w", encoding="utf-8") as f:
            json.dump(hostile, f)
        for args in (["check", "table", "-S", "info"], ["check", "table", "-S", "info", "-f", "short"], ["check", "table", "-q"],
                     ["check", "table", "-vv"], ["inspect", "snapshots", "table"], ["inspect", "properties", "table"],
                     ["check", "table", "--list-files"], ["diff", "table", "--from", "v2"], ["diff", "table", "--from", "v3", "--to", "v1", "--storage", "local"]):
            done = t.run(*args)
            t.true(done.returncode in (0, 1, 2, 3), "%s with %s: exit %d: %s" % (args, key, done.returncode, done.stderr))
            for raw in RAW:
                t.lacks(done.stdout + done.stderr, raw)
        lines = t.lines(t.check("table", "-S", "info", "-f", "ndjson").stdout)
        t.true(any(line.get("args", {}).get("field") == "x" + HOSTILE or HOSTILE in line.get("message", "") for line in lines),
               "the value comes back whole: %s" % key)
        for name in ("snapshots", "refs", "properties", "schemas"):
            t.lines(t.run("inspect", name, "table", "-f", "ndjson").stdout)


harness.main(dict(globals()))
