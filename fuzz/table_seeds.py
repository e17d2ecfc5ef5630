#!/usr/bin/python3 -SEB
"""Seeds of fuzz/table.c from the base tables: table_seeds.py FIXTURES_BASE OUT (see few_files.h for the layout)."""

import os
import sys

# as in few_files.h
NAMES = ["metadata/v3.metadata.json", "metadata/snap-3.avro", "metadata/m3.avro", "metadata/m1.avro",
         "metadata/d1.avro", "metadata/version-hint.text", "metadata/v2.metadata.json",
         "metadata/v3.gz.metadata.json", "metadata/snap-1.avro", "metadata/m2.avro"]
SETS = {"all": ["metadata/version-hint.text", "metadata/v3.metadata.json", "metadata/snap-3.avro",
                "metadata/m3.avro", "metadata/m1.avro", "metadata/d1.avro", "metadata/snap-1.avro"],
        "list": ["metadata/v3.metadata.json", "metadata/snap-3.avro"],
        "metadata": ["metadata/v3.metadata.json"],
        "two": ["metadata/v2.metadata.json", "metadata/v3.metadata.json", "metadata/version-hint.text"]}


def seed(table, names):
    names = [n for n in names if os.path.exists(os.path.join(table, n))]
    out = bytes([len(names)])
    for name in names:
        with open(os.path.join(table, name), "rb") as f:
            data = f.read()
        if len(data) > 0xFFFF:
            return None
        out += bytes([NAMES.index(name)]) + len(data).to_bytes(2, "little") + data
    return out


def main(args):
    if len(args) != 3:
        print(__doc__, file=sys.stderr)
        return 4
    os.makedirs(args[2], exist_ok=True)
    n = 0
    for base in sorted(os.listdir(args[1])):
        if not base.startswith("plain-") or base.endswith(".md"):
            continue
        for kind, names in SETS.items():
            data = seed(os.path.join(args[1], base), names)
            if data is None:
                continue
            with open(os.path.join(args[2], "%s-%s" % (base, kind)), "wb") as f:
                f.write(data)
            n += 1
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
