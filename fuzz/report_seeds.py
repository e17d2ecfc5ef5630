#!/usr/bin/python3 -SEB
"""Seeds of the target report: report_seeds.py BASE OUT

Strings that end the place which a format gives them, or that move a terminal; see report.c for the layout.
"""
import os
import sys

HOSTILE = [b"\x1b]0;x\x07\x1b[2J", "‮gpj.exe".encode(), "\u0085 \u2028 \u2029".encode(), b"\xff\xfe\xc3\x28 \xed\xa0\x80", b"a\nb\tc\rd",
           b"</script><img src=x onerror=alert(1)>", b"\"><svg/onload=alert(1)>", b"{{x}} ${x} `x` **x** [x](javascript:x)", b"]]>", b"::error::x",
           b"=cmd()", b"%0A%0D::warning file=x,line=1::y", b"a:1:1: error: x [y]", b"\0nul", b"| a | b |\n|---|---|", b"s3://b/t/data/a.parquet", b"",
           b"<!--", b"&lt;&amp;#x3c;", b"'\"\\", "﻿￾￿".encode(), "⁦⁩؜".encode(), b"x" * 200]


def text(data):
    return bytes([len(data)]) + data


def seed(strings, shape):
    """Four findings, each string in every slot in turn."""
    at, out = 0, bytes([4 + 5 * 14])  # four findings, all formats

    def deal():
        nonlocal at
        at += 1
        return text(strings[at % len(strings)])

    out += deal()
    for finding in range(4):
        mine = (shape + 67 * finding) & 0xFF
        out += bytes([shape, finding, mine])
        for _ in range((4 if mine & 64 else 2) + 1 + 4):
            out += deal()
    for _ in range(6 + 3):
        out += deal()
    for _ in range(2):
        out += deal() + deal() + bytes([shape]) + deal()
    return out


def main():
    out = sys.argv[2]
    os.makedirs(out, exist_ok=True)
    for i, string in enumerate(HOSTILE):
        for shape in (i, 0x7F - i, 0xC0 + i):
            with open(os.path.join(out, "%02d-%d" % (i, shape)), "wb") as f:
                f.write(seed([string], shape))
    for shape in range(0, 256, 5):
        with open(os.path.join(out, "mixed-%03d" % shape), "wb") as f:
            f.write(seed(HOSTILE, shape))


main()
