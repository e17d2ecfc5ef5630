"""Measuring for tools/bench: CPU, wall time and peak memory of processes, in pairs of one run each, so that what disturbs the
machine disturbs both sides."""

import os
import statistics
import subprocess
import sys
import tempfile
import time


class Cost:
    def __init__(self, cpu, wall, peak, out):
        self.cpu, self.wall, self.peak, self.out = cpu, wall, peak, out


def run(command, codes=(0,), keep=False):
    """One process: CPU seconds (user and system), wall seconds, peak KiB. keep: its standard output too."""
    said = tempfile.TemporaryFile()
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE if keep else subprocess.DEVNULL, stderr=said)
    out = child.stdout.read() if keep else b""
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.stdout:
        child.stdout.close()
    if child.returncode not in codes:
        said.seek(0)
        sys.exit("bench: %s ended with %d: %s" % (" ".join(command), child.returncode, said.read().decode("utf-8", "replace")[-1000:]))
    said.close()
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss, out)


class Spread:
    """Median, least and most of what was measured several times."""

    def __init__(self, values):
        self.median, self.least, self.most = statistics.median(values), min(values), max(values)

    def of(self, scale):
        return Spread([self.least * scale, self.median * scale, self.most * scale])


def pairs(one, other, repeat):
    """one and other: functions that give a Cost. Run in turn, after one of each that only warms the page cache."""
    one(), other()
    return [(one(), other()) for _ in range(repeat)]


def instructions(command, codes=(0,)):
    """Of one run: what the processor counted, else what valgrind did; None where there is neither."""
    try:
        done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        fields = done.stderr.decode().strip().splitlines()[-1].split(",")
        if done.returncode in codes and fields[0].isdigit():
            return int(fields[0])
    except (OSError, IndexError):
        pass
    try:
        done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError:
        return None
    for line in done.stderr.decode().splitlines():
        if "I   refs:" in line or "I refs:" in line:
            return int(line.split(":")[1].strip().replace(",", ""))
    return None
