#!/usr/bin/python3 -SEB
"""Progress on a terminal: a percentage that grows, and how long it still takes. progress.py ICEFSCK GEN_TABLE WORK [TEST...]"""

import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

GEN = os.path.abspath(sys.argv.pop(2))


def big_table(t):
    subprocess.run([GEN, "-n", "60000", "-m", "60", "-k", "60", "-c", "snappy", os.path.join(t.work, "table")], check=True)


def read_all(terminal):
    out = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return out.decode()
        if not piece:
            return out.decode()
        out += piece


def start(t, *args, stderr=subprocess.DEVNULL):
    return subprocess.Popen([t.binary, "check", "table", "--now", harness.NOW, *args], cwd=t.work, env=t.environment(TERM="xterm"), stdout=subprocess.PIPE,
                            stderr=stderr)


def slowly(t, *args, stderr):
    """The command, with as many rests that it takes seconds on any machine; what it said on a pipe."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start(t, *args).communicate(timeout=60 * harness.PATIENCE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    piece = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 60
    child = start(t, *args, stderr=stderr)
    for _ in range(300):
        time.sleep(piece)
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.11)
        child.send_signal(signal.SIGCONT)
        if child.poll() is not None:
            break
    out = child.communicate(timeout=60 * harness.PATIENCE)
    t.equal(child.returncode, 0)
    return out


def on_terminal(t, *args):
    ours, theirs = pty.openpty()
    slowly(t, *args, stderr=theirs)
    os.close(theirs)
    shown = read_all(ours)
    os.close(ours)
    return shown


def test_percentage_and_time_left_on_a_terminal(t):
    big_table(t)
    for jobs in "12":
        shown = on_terminal(t, "-j", jobs)
        parts = [int(found) for found in re.findall(r"manifests [^\r]* (\d+) %", shown)]
        t.true(len(parts) > 2, "some are shown: %r" % shown)
        t.equal(parts, sorted(parts))
        t.true(parts[0] < 100 and parts[-1] <= 100 and parts[-1] > parts[0], "it grows: %s" % parts)
        t.true(re.search(r" \d+ s left", shown), "and how long it takes: %r" % shown)
        t.true(shown.endswith("\r\033[K"), "the line is cleared at the end")


def test_none_where_nobody_watches(t):
    big_table(t)
    _, said = slowly(t, stderr=subprocess.PIPE)
    t.equal(said, b"")
    shown = on_terminal(t, "--progress", "off")
    t.equal(shown, "")
    _, said = slowly(t, "--progress", "on", stderr=subprocess.PIPE)
    t.has(said.decode(), " % ")


harness.main(dict(globals()))
