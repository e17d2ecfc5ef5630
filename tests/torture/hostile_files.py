#!/usr/bin/python3 -SEB
"""What a file system and a shell do to a run. hostile_files.py ICEFSCK SHIM WORK [TEST...]

Names that lead out, links, pipes and devices in the place of files, files that change while they are read, rights, full disks, limits,
clocks and languages. Calls are watched by strace where the word is that nothing was opened.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fault_runs
import harness

SHIM = os.path.abspath(sys.argv.pop(2))
IS_SANITIZED = bool(os.environ.get("ICEFSCK_SANITIZED"))
URI = fault_runs.URI


def shell(t, script, *args, **more):
    """A shell runs it, with the command as $0."""
    return subprocess.run(["bash", "-c", script, t.binary, *args], cwd=t.work, env=t.environment(**more), capture_output=True, text=True, timeout=60)


def traced(t, *args, calls="all", **more):
    """The finished process, and its calls: (name, arguments, result) of each."""
    log = os.path.join(t.work, ".strace")
    words = ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", "trace=" + calls, "-o", log, t.binary, *args]
    done = subprocess.run(words, cwd=t.work, env=t.environment(), capture_output=True, timeout=120, **more)
    with open(log, encoding="utf-8", errors="replace") as f:
        found = re.findall(r"^\d+ +(\w+)\((.*)\) += (.*)$", f.read(), re.M)
    os.remove(log)
    t.true(len(found) > 3, "strace saw nothing: %s" % done.stderr[-300:])
    return done, found


def opened(calls):
    """Paths of files that were opened, as the kernel resolved them."""
    return [m.group(1) for _, _, result in calls for m in [re.match(r"\d+<(/[^>]*)>", result)] if m]


SYSTEM = ("/lib", "/usr/lib", "/etc/ld.so", "/usr/share/", "/proc/", "/sys/", "/dev/null", "/etc/localtime")


# ---- paths, links, kinds of files ----


def with_list(t, uri):
    """A table whose last snapshot names the file uri as its manifest list."""
    table = t.table()
    path = os.path.join(table, "metadata", "v3.metadata.json")
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    document["snapshots"][-1]["manifest-list"] = uri
    with open(path, "w", encoding="utf-8") as f:
        json.dump(document, f)
    return table


def findings(t, *args, code=None, **more):
    lines = t.lines(t.check("table", "-f", "ndjson", "-S", "info", *args, code=code, **more).stdout)
    return {l["rule"] for l in lines if l["kind"] == "finding"}, lines[-1]


def test_paths_that_lead_out(t):
    """Nothing outside the table is opened, whatever a path says."""
    secret = t.write("secret/passwd", "secret")
    for uri in (URI + "/../../../../../../etc/passwd", URI + "/metadata/../../secret/passwd", URI + "/%2e%2e/%2e%2e/etc/passwd", "file:///etc/shadow",
                "file:/etc/shadow", "/etc/shadow", URI + "//etc/passwd", URI + "/metadata//snap-3.avro", URI + "/..\\..\\secret\\passwd", URI + "/a\0b",
                URI + "/" + "x/" * 2500, URI + "/" + "y" * 300, "s3://other/bucket/x", "../secret/passwd", secret, ""):
        with_list(t, uri)
        if IS_SANITIZED:
            code, paths = t.check("table", "-j", "1").returncode, []
        else:
            done, calls = traced(t, "check", "table", "--now", harness.NOW, "--no-config", calls="openat,openat2,open")
            code, paths = done.returncode, opened(calls)
        # .gcda: where a build that counts lines keeps its counts
        outside = [p for p in paths if not p.startswith((os.path.join(os.path.realpath(t.work), "table"),) + SYSTEM) and not p.endswith(".gcda")]
        t.equal(outside, [], "opened for %r" % uri[:80])
        t.true(code & 2 or uri.endswith("//snap-3.avro"), "%r: exit %d" % (uri[:80], code))
        shutil.rmtree(os.path.join(t.work, "table"))


def test_links(t):
    table = t.table()
    target = os.path.join(table, "metadata", "snap-3.avro")
    inside = os.path.join(table, "metadata", "kept.avro")
    os.rename(target, inside)
    shutil.copy(inside, os.path.join(t.work, "outside.avro"))
    for what, lead in (("kept.avro", None), (inside, None), ("../metadata/kept.avro", None), (os.path.join(t.work, "outside.avro"), "source.link"),
                       ("../../outside.avro", "source.link"), ("snap-3.avro", "source.link"), ("/etc/passwd", "source.link"), ("nowhere", "storage.manifest-list.missing")):
        os.symlink(what, target)
        rules, summary = findings(t)
        t.true(lead in rules and not summary["complete"] and summary["exit"] & 2 if lead else summary["complete"], "link to %s: %s" % (what, rules))
        os.remove(target)
    os.symlink("loop", os.path.join(table, "metadata", "loop"))
    os.symlink("loop", target)
    t.true("source.link" in findings(t)[0], "a loop of links")
    shutil.move(os.path.join(table, "metadata"), os.path.join(t.work, "elsewhere"))
    os.symlink("../elsewhere", os.path.join(table, "metadata"))
    t.true(t.check("table").returncode & 6, "the directory itself leads out")


def test_kinds_of_files(t):
    """None of them blocks: harness gives up after 60 s."""
    table = t.table()
    path = os.path.join(table, "metadata", "snap-3.avro")

    def make_socket():
        here = os.getcwd()
        os.chdir(os.path.dirname(path))
        socket.socket(socket.AF_UNIX).bind(os.path.basename(path))
        os.chdir(here)

    kinds = {"pipe": lambda: os.mkfifo(path), "socket": make_socket, "directory": lambda: os.mkdir(path)}
    if os.getuid() == 0:
        kinds["device"] = lambda: os.mknod(path, 0o20600, os.makedev(1, 5))
    os.remove(path)
    for kind, make in kinds.items():
        try:
            make()
        except PermissionError:
            print("not run: no %s can be made here" % kind)
            continue
        rules, summary = findings(t)
        t.true("source.type" in rules and summary["exit"] & 2, "%s: %s" % (kind, rules))
        done = t.run("dump", path, code=None)
        if kind != "device":
            t.true(done.returncode in (2, 0), "dump of a %s: %d" % (kind, done.returncode))
        os.rmdir(path) if kind == "directory" else os.remove(path)
    for name in ("v9.metadata.json", "version-hint.text"):
        where = os.path.join(table, "metadata", name)
        if os.path.exists(where):
            os.remove(where)
        os.mkfifo(where)
        t.true(t.check("table").returncode & 2, "a pipe in the place of %s" % name)
        os.remove(where)


def test_rights(t):
    """As nobody: what may not be read is said, all else is checked."""
    table = t.table()
    for name, rights in (("snap-2.avro", 0), ("m1.avro", 0), ("v3.metadata.json", 0), (".", 0o600), (".", 0)):
        path = os.path.join(table, "metadata", name)
        before = os.stat(path).st_mode & 0o777
        os.chmod(path, rights)
        words = [t.binary, "check", table, "--no-config", "--now", harness.NOW, "-f", "ndjson"]
        if os.getuid() == 0:
            if not shutil.which("setpriv"):
                raise harness.Failed("not run: setpriv lacks")
            words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + words
            probe = subprocess.run(words[:6] + ["test", "-x", t.binary, "-a", "-r", os.path.dirname(table)])
            if probe.returncode:
                print("not run: nobody may not reach %s" % t.binary)
                os.chmod(path, before)
                return
        done = subprocess.run(words, env=t.environment(), cwd="/", capture_output=True, text=True)
        os.chmod(path, before)
        t.true(done.returncode in (2, 3), "%s: exit %d %s" % (name, done.returncode, done.stderr))
        t.true("ermission denied" in done.stdout + done.stderr, "%s: no reason\n%s%s" % (name, done.stdout, done.stderr))
        if name.endswith("avro"):
            lines = t.lines(done.stdout)
            t.true("source.unreadable" in {l.get("rule") for l in lines}, done.stdout)
            t.true(lines[-1]["read"]["manifests"] >= 2, "other files are checked")


def test_files_that_change(t):
    """Between stat and read, and between reads: never a crash; sound, or said."""
    table = t.table()
    kept = os.path.join(t.work, "kept")
    shutil.copytree(table, kept)
    args = ["check", "table", "--now", harness.NOW, "--no-config", "-f", "ndjson", "-j", "1"]
    with fault_runs.Server(t, SHIM, args) as server:
        good = server.run()
        for file in ("v3.metadata.json", "snap-3.avro", "m2.avro", "d1.avro"):
            for event in ("shrink", "grow", "replace", "delete"):
                for nth in (1, 2, 3):
                    result = server.run(event=event, file=file, nth=nth)
                    what = "%s: %s before read %d: exit %d\n%s%s" % (file, event, nth, result.code, result.out.decode(), result.err.decode())
                    lines = t.lines(result.out.decode())
                    t.true(0 <= result.code <= 3 and lines[-1]["kind"] == "summary", what)
                    if result.out == good.out or result.hits == 0:
                        continue
                    rules = {l.get("rule") for l in lines}
                    told = {"source.changed", "scan.changed", "scan.unsettled", "json.trailing-data", "hint.dangling"} & rules or any(r and r.startswith("storage.") and "missing" in r for r in rules)
                    same = [l for l in lines if l["kind"] == "finding"] == [l for l in t.lines(good.out.decode()) if l["kind"] == "finding"]
                    t.true(told or same or result.code & 2, what)
                    shutil.rmtree(table)
                    shutil.copytree(kept, table)


def test_half_synced_copies(t):
    """A copy made while a commit was under way, or that broke off: what lacks is named, and that the copy may be incomplete."""
    steps = ("m3.avro", "d1.avro", "snap-3.avro", "v3.metadata.json", "version-hint.text")  # in the order in which the commit wrote them
    for lacking in steps:
        table = t.table()
        os.remove(os.path.join(table, "metadata", lacking))
        done = t.check("table", "-f", "ndjson", "-S", "info")
        lines = t.lines(done.stdout)
        found = [f for f in lines[:-1] if lacking in f["message"] or lacking in f["file"]]
        if lacking == "version-hint.text":
            t.equal(done.returncode, 0, "names tell which is the newest")
        elif lacking == "v3.metadata.json":
            t.equal([f["rule"] for f in lines[:-1] if f["severity"] == "error"], ["hint.dangling"], done.stdout)
        else:
            t.true(found and done.returncode == 3 and not lines[-1]["complete"], "%s: %s" % (lacking, done.stdout))
            t.has(t.check("table").stdout, "the copy that was checked is incomplete")
        shutil.rmtree(table)
    for cut in steps[:4]:
        table = t.table()
        path = os.path.join(table, "metadata", cut)
        os.truncate(path, os.path.getsize(path) // 2)
        done = t.check("table", "-f", "ndjson")
        t.true(done.returncode == 3 and cut in done.stdout, "half of %s: %s" % (cut, done.stdout))
        shutil.rmtree(table)


# ---- limits, targets, the environment ----


def test_limits_of_the_shell(t):
    t.table("damaged")
    wanted = t.check("table", "-f", "ndjson", code=3).stdout
    for limit in ("ulimit -n 16", "ulimit -s 128", "ulimit -n 16; ulimit -s 128", "ulimit -u 4000", "trap '' CHLD", "trap '' PIPE"):
        if IS_SANITIZED and "-s" in limit:
            continue
        for more in ("-j 1", "-j 64"):
            done = shell(t, '%s; exec "$0" check table -f ndjson --now %s %s' % (limit, harness.NOW, more))
            t.equal((done.returncode, done.stdout), (3, wanted), limit + done.stderr)
    t.write("list", "table\n" * 40)
    wanted = t.run("batch", "--files-from", "list", "--now", harness.NOW).stdout
    for limit in ("ulimit -n 16", "ulimit -n 24", "trap '' CHLD"):
        done = shell(t, '%s; exec timeout -s KILL 50 "$0" batch --files-from list -j 64 --now %s' % (limit, harness.NOW))
        t.equal((done.returncode, done.stdout), (3, wanted), limit + done.stderr[-300:])


def test_report_targets(t):
    t.table("damaged")
    os.mkdir(os.path.join(t.work, "reports"))
    for script in ("ulimit -f 1; trap '' XFSZ", "ulimit -f 0"):
        t.write("reports/old", "old")
        done = shell(t, script + '; exec "$0" check table -f json -S info -o reports/old')
        t.equal((done.returncode & 8, t.read("reports/old")), (8, "old"), script + done.stderr)
        t.equal(os.listdir(os.path.join(t.work, "reports")), ["old"])
    t.true(t.check("table", "-o", "json:/dev/full").returncode & 8, "/dev/full")
    if os.getuid() == 0:
        small = os.path.join(t.work, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", small], capture_output=True).returncode:
            print("not run: no tmpfs can be mounted here")
        else:
            try:
                t.write("small/old", "old")
                done = t.check("table", "-f", "json", "-o", "small/old")
                t.equal((done.returncode & 8, t.read("small/old"), os.listdir(small)), (8, "old", ["old"]), done.stderr)
                done = t.check("table", "-f", "ndjson", env={"TMPDIR": small}, code=3)
                subprocess.run(["mount", "-o", "remount,ro", small], check=True)
                done = t.check("table", "-f", "json", "-o", "small/old")
                t.true(done.returncode & 8, done.stderr)
                t.has(done.stderr, "small/old")
                t.equal(t.read("small/old"), "old")
            finally:
                subprocess.run(["umount", small], check=True)


def test_clocks_and_languages(t):
    t.table("damaged")
    wanted = t.check("table", "-f", "json", code=3).stdout
    have = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower() if shutil.which("locale") else ""
    if "tr_tr" not in have:
        print("no locale tr_TR here: its name is set, and C's rules are used")
    for env in (dict(LC_ALL="tr_TR.UTF-8", LANG="tr_TR.UTF-8"), dict(LC_ALL="C"), dict(LC_ALL="C.UTF-8"), dict(TZ="Asia/Kathmandu"), dict(TZ=":/nowhere"),
                dict(TZ="XXX-25:61"), dict(COLUMNS="20"), dict(SOURCE_DATE_EPOCH="1")):
        t.equal(t.check("table", "-f", "json", env=env, code=3).stdout, wanted, str(env))
    epoch = {"SOURCE_DATE_EPOCH": "1767225600"}
    dated = t.run("check", "table", "-f", "json", env=epoch).stdout
    t.equal(dated, wanted, "SOURCE_DATE_EPOCH is --now")
    if shutil.which("faketime") and not IS_SANITIZED:
        done = subprocess.run(["faketime", "2031-05-05 05:05:05", t.binary, "check", "table", "-f", "json", "--now", harness.NOW], cwd=t.work, env=t.environment(),
                              capture_output=True, text=True)
        t.equal(done.stdout, wanted, "the clock is not looked at: " + done.stderr)
    else:
        print("not run: faketime lacks, or a sanitizer is in the way")


harness.main(dict(globals()))
