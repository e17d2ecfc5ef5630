#!/usr/bin/python3 -SEB
"""Seeds of the target answers: answers_seeds.py FIXTURES_BASE OUT; tables of table_seeds.py for each answer (see answers.c)."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import table_seeds

ANSWERS = 64


def main(args):
    os.makedirs(args[2], exist_ok=True)
    n = 0
    for base in sorted(os.listdir(args[1])):
        if not base.startswith("plain-") or base.endswith(".md"):
            continue
        for kind in ("all", "two"):
            data = table_seeds.seed(os.path.join(args[1], base), table_seeds.SETS[kind])
            for which in range(ANSWERS if kind == "all" else 8):
                with open(os.path.join(args[2], "%s-%s-%02d" % (base, kind, which)), "wb") as f:
                    f.write(bytes([which]) + data)
                n += 1
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
