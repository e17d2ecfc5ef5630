#!/usr/bin/python3 -SEB
"""Seeds of the target avro_schema_text: the header schemas of the base tables' Avro files, once each.

avro_schema_text_seeds.py BASE OUT
"""
import os
import sys


def long(data, at):
    bits = shift = 0
    while True:
        bits |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return (bits >> 1) ^ -(bits & 1), at


def schema_of(data):
    at = data.find(b"\x16avro.schema")
    if at < 0:
        return None
    size, at = long(data, at + 12)
    return data[at:at + size]


def main():
    base, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    found = set()
    for folder, _, files in os.walk(base):
        for name in files:
            if name.endswith(".avro"):
                with open(os.path.join(folder, name), "rb") as f:
                    found.add(schema_of(f.read(1 << 20)))
    for number, text in enumerate(sorted(t for t in found if t)):
        with open(os.path.join(out, "schema-%03d" % number), "wb") as f:
            f.write(text)


main()
