#!/usr/bin/python3 -SEB
"""Seeds of the target roundtrip: roundtrip_seeds.py BASE OUT

Draws of a generator that is always the same: see roundtrip.c for what is drawn.
"""
import os
import random
import sys


def main():
    out = sys.argv[2]
    os.makedirs(out, exist_ok=True)
    for number in range(120):
        rng = random.Random(number)
        data = bytes(rng.randrange(256) for _ in range(4)) + bytes([number]) + bytes(rng.randrange(256) for _ in range(rng.choice((20, 200, 1500))))
        with open(os.path.join(out, "%03d" % number), "wb") as f:
            f.write(data)


main()
