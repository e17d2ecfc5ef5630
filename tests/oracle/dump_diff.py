#!/usr/bin/env python3
"""Compare `icefsck dump` with two other readers, record by record, for every Avro file of the base tables.

dump_diff.py --icefsck BIN [--avrocat avrocat] [--base DIR]

The readers: tools/lib/avro.py, and Avro C's avrocat where it is installed (it has no zstandard and no bzip2, cuts
bytes at their first NUL when it prints them, and cannot print NaN). Exit 0 all agree, 1 they differ.
"""

import glob
import json
import math
import os
import shutil
import struct
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import avro
import golden


def number(t, value):
    """A float or double of any of the three readers."""
    if isinstance(value, dict):
        raw = avro.to_bytes(value)
        value = struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0]
    value = float(value)
    return "NaN" if math.isnan(value) else value


def plain(t, value, c_form=False):
    """The value in one form. `c_form`: as avrocat prints it, unions as {"type": value}, bytes as Latin-1."""
    if t.kind == "record":
        return {name: plain(ft, value[name], c_form) for name, ft, _ in t.fields}
    if t.kind == "union":
        if value is None:
            return None
        if c_form:
            ((name, value),) = value.items()
            branch = next(b for b in t.branches if name in (b.kind, b.name))
        else:
            branch = next(b for b in t.branches if b.kind != "null")
        return plain(branch, value, c_form)
    if t.kind == "array":
        return [plain(t.items, v, c_form) for v in value]
    if t.kind in ("float", "double"):
        return number(t, value)
    if t.kind in ("bytes", "fixed"):
        return value.encode("latin-1") if c_form else avro.to_bytes(value)
    return value


def same(a, b, cut):
    """Equality; `cut`: b's bytes may end before the first NUL of a's."""
    if isinstance(a, bytes) and isinstance(b, bytes):
        return a == b or (cut and a.split(b"\0")[0] == b)
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[k], b[k], cut) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, cut) for x, y in zip(a, b))
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def first_difference(ours, theirs, cut=False):
    if len(ours) != len(theirs):
        return "%d records, the other has %d" % (len(ours), len(theirs))
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if not same(a, b, cut):
            return "record %d: %.600r\nis for the other: %.600r" % (i, a, b)
    return None


def compare(path, binary, avrocat):
    """(difference or None, whether avrocat took part)"""
    with open(path, "rb") as f:
        try:
            got = avro.Container.parse(f.read())
            rows = [plain(got.schema, row) for row in got.all_rows()]
        except avro.AvroError:
            return None, False  # damaged: the golden tests judge it
    run = subprocess.run([binary, "dump", path], capture_output=True, timeout=60, check=False)
    if run.returncode:
        return "icefsck dump: exit %d: %s" % (run.returncode, run.stderr.decode("utf-8", "replace")[:400]), False
    doc = json.loads(run.stdout)
    if list(doc) != ["header", "records"]:
        return "the document holds %s" % list(doc), False
    ours = [plain(got.schema, row) for row in doc["records"]]
    text = first_difference(ours, rows)
    if text or not avrocat:
        return text and "our own reader: " + text, False
    run = subprocess.run([avrocat, path], capture_output=True, timeout=60, check=False)
    if run.returncode or b"Error converting" in run.stderr:
        return None, False
    rows = [plain(got.schema, json.loads(line), True) for line in run.stdout.decode("utf-8").splitlines()]
    text = first_difference(ours, rows, cut=True)
    return text and "Avro C: " + text, True


def main(args):
    o = golden.options(args, ("--icefsck", "--avrocat", "--base"))
    if "--icefsck" not in o:
        print(__doc__, file=sys.stderr)
        return 4
    avrocat = o.get("--avrocat") or shutil.which("avrocat")
    paths = sorted(glob.glob(os.path.join(o.get("--base", os.path.join(ROOT, "fixtures", "base")), "*", "metadata", "*.avro")))
    bad = by_c = 0
    for path in paths:
        text, used = compare(path, os.path.abspath(o["--icefsck"]), avrocat)
        by_c += used
        if text:
            bad += 1
            print("%s: %s" % (os.path.relpath(path, ROOT), text))
    print("%d files, %d of them by Avro C too%s; %d differ" % (len(paths), by_c, "" if avrocat else " (no avrocat)", bad))
    return 1 if bad or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
