#!/usr/bin/python3 -SEB
"""The table that fuzz/run makes of its record: sums, what ran since a finding, what did not run, and records that are none."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "fuzz", "lib"))
import fuzzbuild
import fuzzdict
import fuzzpage
import fuzzrun

RUNS = (("table", "c1", 100, 2000, 30, 500, 900, 0), ("table", "c1", 50, 700, 31, 510, 910, 2), ("table", "c2", 7000, 1234567, 40, 600, 1000, 0),
        ("puffin", "c2", 60, 90, 5, 40, 41, 0))


def record(path, columns=fuzzrun.COLUMNS):
    with open(path, "w", encoding="ascii") as f:
        f.write("\t".join(columns) + "\n")
        for target, commit, *numbers in RUNS:
            cpu, inputs, corpus, edges, features, findings = numbers
            row = ("2026-01-01T00:00:00Z", target, commit, "libFuzzer", cpu, inputs, corpus, edges, features, findings)
            f.write("\t".join(str(v) for v in row) + "\n")


def main():
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "record.tsv")
        record(path)
        lines = fuzzpage.table(path, ["puffin", "table", "zoo"]).splitlines()
        assert lines[0].startswith("| target | CPU s | CPU s since a finding |"), lines[0]
        assert lines[2] == "| puffin | 60 | 60 | 90 | 5 | 40 | 41 | 0 | c2 |", lines[2]
        assert lines[3] == "| table | 7 150 | 7 000 | 1 237 267 | 40 | 600 | 1 000 | 0 | c2 |", lines[3]
        assert lines[4].startswith("| all | 7 210 | 7 060 | 1 237 357 |"), lines[4]
        assert lines[-1] == "Not run: zoo.", lines[-1]
        record(path, fuzzrun.COLUMNS[1:])
        run = os.path.join(ROOT, "fuzz", "run")
        for bad in (["report", work], ["report", work + "/nowhere"], ["no-such-target", "1"], ["table", "0"]):
            done = subprocess.run([sys.executable, "-S", "-E", "-B", run, *bad], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            assert done.returncode == 1 and done.stderr.startswith(b"run: "), (bad, done)
        for target in fuzzbuild.targets():
            kinds = [p for p in fuzzbuild.patterns()[target] if p.startswith("%")]
            words = fuzzdict.make(target, work)
            assert not kinds or (words and os.path.getsize(words) > 300), target
    names = set(fuzzbuild.targets())
    assert names == set(os.listdir(os.path.join(ROOT, "fuzz", "regress"))), names
    print("the record and its table are right")


main()
