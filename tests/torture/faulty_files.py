#!/usr/bin/python3 -SEB
"""Faults that the kernel brings, through a file system of our own. faulty_files.py ICEFSCK WORK FAULTY_FS

Every file of a table, and its directories, fail in turn: at stat, open, listing, and at reads from several offsets on. A run ends with the report of the
undisturbed run, or says by exit bit 2 that something could not be read, names it, and finds no error for it. Short reads change nothing.
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402

FAULTY_FS = os.path.abspath(sys.argv.pop(3))
TABLES = "plain-v2", "java-v1-zstd", "java-v3-dv", "rust-v3-gzip", "pyiceberg-v2-codecs", "spark-v3-stats"
COMMANDS = tuple(words.split() for words in (
    "check TABLE -S info -f ndjson", "check TABLE --storage local --depth puffin -f ndjson", "history TABLE -f json", "inspect files TABLE"))


class Mounted:
    """The table shown by a file system with the faults that the words name."""

    def __init__(self, t, table, **faults):
        self.place = os.path.join(t.work, "mounted")
        os.makedirs(self.place, exist_ok=True)
        environment = dict(t.environment(), SOURCE=os.path.join(harness.ROOT, "fixtures", "base", table), **{k: str(v) for k, v in faults.items()})
        self.server = subprocess.Popen([FAULTY_FS, self.place, "-f"], env=environment, stderr=subprocess.DEVNULL)

    def __enter__(self):
        until = time.monotonic() + 20
        while not os.path.ismount(self.place):
            if self.server.poll() is not None or time.monotonic() > until:
                raise harness.Failed("nothing was mounted: exit %s" % self.server.poll())
            time.sleep(0.002)
        return self.place

    def __exit__(self, *_):
        subprocess.run(["fusermount3", "-u", self.place], check=True)
        self.server.wait(20)


def run(t, place, command):
    done = t.run(*(place if word == "TABLE" else word for word in command))
    t.true(0 <= done.returncode < 8, "%s: exit %d" % (command, done.returncode))
    return done.returncode, done.stdout, done.stderr


def entries(root):
    """(path from the root on, size) of every file and directory; a directory has no size."""
    for folder, _, names in os.walk(root):
        yield os.path.relpath(folder, root), None
        for name in names:
            path = os.path.join(folder, name)
            yield os.path.relpath(path, root), os.path.getsize(path)


def faults(root):
    for path, size in entries(root):
        name = {"FAIL_NAME": os.path.basename(path) if path != "." else ""}
        if path != ".":  # that would be no mount
            yield {"FAIL_CALL": "getattr", **name}
        if size is None:
            yield {"FAIL_CALL": "readdir", **name}
            continue
        yield {"FAIL_CALL": "open", **name}
        for at in sorted({0, 1, size // 2, max(size - 1, 0)}):
            yield {"FAIL_CALL": "read", "FAIL_AT": at, **name}


def errors(out):
    return {(f["rule"], f["args"].get("path")) for f in harness.Test.lines(out) if f.get("severity") == "error"}


def judge(t, command, fault, plain, got):
    """Whether the fault was met."""
    if got == plain:
        return False
    said = "%s %s\n%s%s" % (command, fault, got[1][-1500:], got[2][-500:])
    t.true(got[0] & 2 or got[0] == 4, "exit %d: %s" % (got[0], said))
    t.true(any(word in (got[1] + got[2]).lower() for word in ("input/output error", "source.unreadable", "cannot be listed", "cannot be opened")), said)
    if command[-1] == "ndjson" and got[0] != 4:
        t.true(errors(got[1]) <= errors(plain[1]), said)
    return True


def test_reads_that_fail(t):
    runs = met = 0
    for table in TABLES:
        with Mounted(t, table) as place:
            plain = [run(t, place, command) for command in COMMANDS]
        for fault in faults(os.path.join(harness.ROOT, "fixtures", "base", table)):
            with Mounted(t, table, **fault) as place:
                for command, whole in zip(COMMANDS, plain):
                    met += judge(t, command, fault, whole, run(t, place, command))
                    runs += 1
    t.true(met > runs // 4, "%d of %d runs met a fault" % (met, runs))
    print("%d runs over %d tables, %d of which met a fault of the file system" % (runs, len(TABLES), met))


def test_short_reads(t):
    for table in TABLES:
        with Mounted(t, table) as place:
            plain = [run(t, place, command) for command in COMMANDS]
        for short in (7, 100):
            with Mounted(t, table, SHORT=short) as place:
                t.equal([run(t, place, command) for command in COMMANDS], plain, "%s by %d bytes" % (table, short))


harness.main(globals())
