#!/usr/bin/env python3
"""Compare `icefsck inspect live -f oracle` with what json and fastavro read, for every base table.

oracle_diff.py --icefsck BIN --oracle DIR [--python PYTHON] [--base DIR] [--table NAME]

DIR holds oracle.py; PYTHON (default: $ORACLE_PYTHON, else this one) must have fastavro. Exit 0 all agree, 1 they
differ, 77 the oracle or fastavro is not there: nothing was compared, and the output says so.
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import golden

SKIPPED = 77


def bases(folder):
    """(name, table directory, current metadata file, location) of every base that is a table."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "aliases")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as f:
            rows = {r[0]: r[1:] for r in (line.rstrip("\n").split("\t") for line in f)}
        if "list1" in rows or "m1" in rows or "empty" in name:
            yield name, os.path.join(folder, name), rows["current"][0], rows["location"][1]


def run(args, out):
    with open(out, "wb") as f:
        return subprocess.run(args, stdout=f, stderr=subprocess.PIPE, timeout=120, check=False)


def compare(o, python, oracle, table, work):
    """What differs for one table, as text; empty when nothing does, None when the oracle cannot read it."""
    name, folder, current, location = table
    metadata = os.path.join(folder, current)
    place = ["--map", "%s=%s" % (location, folder)]
    got = run([python, oracle, "run", metadata, *place, "--engine", "raw", "--out", work], os.path.join(work, "log"))
    raw = os.path.join(work, "raw.json")
    if not os.path.exists(raw):
        return "the oracle gave no dump: %s" % got.stderr.decode("utf-8", "replace")[-400:]
    with open(raw, encoding="utf-8") as f:
        if "supported but you need to install" in f.read():
            return None
    ours = os.path.join(work, "ours.json")
    args = [o["--icefsck"], "inspect", "live", metadata, *place, "-f", "oracle"]
    got = run(args, ours)
    if got.returncode != 0:
        return "%s: exit %d\n%s" % (" ".join(args), got.returncode, got.stderr.decode("utf-8", "replace")[-800:])
    diff = os.path.join(work, "diff")
    got = run([python, oracle, "diff", raw, ours], diff)
    if got.returncode == 0:
        return ""
    with open(diff, encoding="utf-8", errors="replace") as f:
        return f.read()[:2000] + got.stderr.decode("utf-8", "replace")[-400:]


def main(args):
    o = golden.options(args, ("--icefsck", "--oracle", "--python", "--base", "--table"))
    if "--icefsck" not in o or "--oracle" not in o:
        print(__doc__, file=sys.stderr)
        return 4
    o["--icefsck"] = os.path.abspath(o["--icefsck"])
    oracle = os.path.join(o["--oracle"], "oracle.py")
    python = o.get("--python") or os.environ.get("ORACLE_PYTHON") or sys.executable
    if not os.path.exists(oracle):
        print("skipped: no oracle in %s" % o["--oracle"])
        return SKIPPED
    if subprocess.run([python, "-c", "import fastavro"], capture_output=True, check=False).returncode:
        print("skipped: %s has no fastavro; ORACLE_PYTHON names another Python" % python)
        return SKIPPED
    bad = n = 0
    for table in bases(os.path.abspath(o.get("--base", os.path.join(ROOT, "fixtures", "base")))):
        if o.get("--table", table[0]) != table[0]:
            continue
        with tempfile.TemporaryDirectory(prefix="icefsck-oracle-") as work:
            text = compare(o, python, oracle, table, work)
        if text is None:
            print("%s: skipped, the oracle lacks a codec" % table[0])
            continue
        n += 1
        bad += text != ""
        print("%s: %s" % (table[0], "differs\n" + text if text else "equal"), flush=True)
    print("%d tables, %d differ" % (n, bad))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
