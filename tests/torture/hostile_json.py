#!/usr/bin/python3 -SEB
"""JSON that readers disagree about, in metadata.json: what the grammar leaves open and what we make of it, and no cut that passes.

    hostile_json.py LIMITED_CHECK WORK cases|cuts

The grammar case by case is tests/unit/json/test_json_cases.c.
"""

import gzip
import json
import os
import re
import shutil
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tables import CURRENT, ONE_IN, ROOT, Checker, Table  # noqa: E402

GZ = "metadata/v3.gz.metadata.json"
MANY = 1_000_000

# What RFC 8259 leaves to the reader: (value of an unknown property, verdict, why). None: taken without a word.
LEFT_OPEN = [
    ("1e400", None, "a number is its text here; what a field makes of it is the field's rule"),
    ("-1e400", None, "the same"),
    ("1e-400", None, "the same"),
    ("0.4e006699999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999", None, "the same"),
    ("-123123123123123123123123123123", None, "the same"),
    ("100000000000000000000", None, "the same"),
    ("1." + "0" * 500, None, "below the limit of a token"),
    ("9" * 1025, "limit.token", "longer than any number that a writer of tables has"),
    ('"\\ud800"', "json.string.lone-surrogate", "Jackson keeps it, others put U+FFFD or refuse: readers see different texts"),
    ('"\\udc00"', "json.string.lone-surrogate", "the same"),
    ('"\\ud800\\ud800"', "json.string.lone-surrogate", "the same"),
    ('"\\udc00\\ud800"', "json.string.lone-surrogate", "the same: a pair the wrong way round"),
    ('"\\ud800\\n"', "json.string.lone-surrogate", "the same"),
    ('"\\ud83d\\ude00"', None, "a pair"),
    ('"\\uffff"', None, "no character, but legal"),
    ('"\\u0000"', None, "NUL is named in keys, names and paths, where programs cut the text; a value of an unknown field is none"),
    (b'"\xff"', "json.encoding.not-utf8", "RFC 8259: UTF-8"),
    (b'"\xc0\xaf"', "json.encoding.not-utf8", "overlong"),
    (b'"\xe0\x80\xaf"', "json.encoding.not-utf8", "overlong"),
    (b'"\xed\xa0\x80"', "json.encoding.not-utf8", "a surrogate as bytes"),
    (b'"\xf4\x90\x80\x80"', "json.encoding.not-utf8", "above U+10FFFF"),
    (b'"\xe6\x97"', "json.encoding.not-utf8", "cut"),
    (b'"\x80"', "json.encoding.not-utf8", "begins in the middle"),
    (b'"\xf8\x88\x80\x80\x80"', "json.encoding.not-utf8", "five bytes"),
    ("[" * 100 + "]" * 100, None, "below the limit of depth"),
    ("[" * 500 + "]" * 500, "limit.depth", "128 levels; a table's metadata needs some ten, Jackson stops at 1000"),
    ('{"a": 1, "a": 2}', "json.key.duplicate", "a warning only, in an object that no reader looks into"),
]


def whole(text):
    """The metadata file is this text."""
    t = Table()
    t.files[CURRENT] = text.encode() if isinstance(text, str) else text
    return t


def original():
    return Table().files[CURRENT]


def field(pattern, value):
    """The first match of the pattern's group in the file becomes this text."""
    t = Table()
    text = t.files[CURRENT].decode()
    match = re.search(pattern, text)
    t.files[CURRENT] = (text[: match.start(1)] + value + text[match.end(1) :]).encode("utf-8", "surrogatepass")
    return t


def gz(data, name=GZ):
    t = Table()
    del t.files[CURRENT]
    t.files[name] = data
    return t


def gzip_bomb(gib, byte):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(byte * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + piece * (gib << 10) + b"\1\0\0\xff\xff" + b"\0" * 8


def packed():
    return gzip.compress(original(), 6, mtime=0)


COLUMN_ID = r'"last-column-id": (\d+)'
SNAPSHOT = r'"current-snapshot-id": (\d+)'
TIME = r'"last-updated-ms": (\d+)'
PATH = r'"manifest-list": "(s3://lake/wh/db/orders/metadata/snap-3.avro)"'

# (name, table, rule or None, bits of the exit that must be set, bits that must not)
CASES = [
    ("as-it-is", lambda: whole(original()), None, 0, 3),
    ("open-brackets", lambda: whole('{"x":' + "[" * MANY), "limit.depth", 2, 1),
    ("open-brackets-at-the-root", lambda: whole("[" * MANY), "json.root.not-object", 3, 0),
    ("open-objects", lambda: whole('{"a":' * MANY), "limit.depth", 2, 1),
    ("open-both", lambda: whole('{"a":[' * MANY), "limit.depth", 2, 1),
    ("too-many-closers", lambda: whole("[]" + "]" * MANY), None, 1, 0),
    ("only-closers", lambda: whole("]" * MANY), "json.syntax.invalid", 3, 0),
    ("closers-behind-the-root", lambda: whole(original() + b"}" * MANY), "json.trailing-data", 0, 3),
    ("empty", lambda: whole(""), "json.truncated", 3, 0),
    ("blanks", lambda: whole(" \n" * MANY), "json.truncated", 3, 0),
    ("null", lambda: whole("null"), "json.root.not-object", 1, 0),
    ("text", lambda: whole('"x"'), "json.root.not-object", 1, 0),
    ("two-documents", lambda: whole(original() * 2), "json.trailing-data", 0, 3),
    ("garbage-behind", lambda: whole(original() + b"\0\xff"), "json.trailing-data", 0, 3),
    ("digits", lambda: whole('{"x": ' + "1" * MANY + "}"), "limit.token", 2, 1),
    ("key-1-mb", lambda: whole('{"%s": 1}' % ("k" * MANY)), "limit.token", 2, 1),
    ("many-keys", lambda: whole(original().replace(b"{", b"{" + b"".join(b'"k%d": 1, ' % i for i in range(MANY // 5)), 1)), "json.field.unknown", 0, 3),
    ("equal-keys", lambda: whole(original().replace(b"{", b"{" + b'"k": 1, ' * MANY, 1)), "json.key.duplicate", 0, 3),
    ("many-empty-objects", lambda: whole(original().replace(b'"properties": {', b'"x": [' + b"{}, " * MANY + b'0], "properties": {', 1)), "json.field.unknown", 0, 3),
    # keys
    ("key-twice-differs", lambda: field(SNAPSHOT, '103, "current-snapshot-id": 102'), "json.key.duplicate", 1, 2),
    ("key-twice-equal", lambda: field(SNAPSHOT, '103, "current-snapshot-id": 103'), "json.key.duplicate", 0, 3),
    ("key-twice-escaped", lambda: field(SNAPSHOT, '102, "current-snapshot-\\u0069d": 103'), "json.key.duplicate", 1, 2),
    # encodings
    ("bom", lambda: whole(b"\xef\xbb\xbf" + original()), "json.encoding.bom", 0, 3),
    ("utf-16-le", lambda: whole(original().decode().encode("utf-16-le")), "json.encoding.not-utf8", 3, 0),
    ("utf-16-be", lambda: whole(original().decode().encode("utf-16-be")), "json.encoding.not-utf8", 3, 0),
    ("utf-16-bom", lambda: whole(original().decode().encode("utf-16")), "json.encoding.not-utf8", 3, 0),
    ("utf-32", lambda: whole(original().decode().encode("utf-32")), "json.encoding.not-utf8", 3, 0),
    ("raw-control", lambda: field(r'"location": "(.*?)"', "s3://\x01"), "json.syntax.invalid", 3, 0),
    ("raw-newline", lambda: field(r'"location": "(.*?)"', "s3://\n"), "json.syntax.invalid", 3, 0),
    ("nul-in-a-key", lambda: field(r'"(last-column-id)"', "last-column-id\\u0000"), "json.string.nul", 1, 0),
    ("nul-in-a-path", lambda: field(PATH, "s3://lake/wh/db/orders/metadata/snap-3.avro\\u0000x"), "source.path", 2, 0),
    ("nul-in-a-path-is-said", lambda: field(PATH, "s3://lake/wh/db/orders/metadata/snap-3.avro\\u0000x"), "json.string.nul", 2, 0),
    # numbers
    ("long-most-and-1", lambda: field(SNAPSHOT, "9223372036854775808"), "json.number.out-of-range", 1, 0),
    ("long-least-less-1", lambda: field(TIME, "-9223372036854775809"), "json.number.out-of-range", 1, 0),
    ("int-most-and-1", lambda: field(COLUMN_ID, "2147483648"), "json.number.out-of-range", 1, 0),
    ("exponent", lambda: field(COLUMN_ID, "1e3"), "json.number.not-integer", 1, 0),
    ("fraction", lambda: field(COLUMN_ID, "13.0"), "json.number.not-integer", 1, 0),
    ("long-with-exponent", lambda: field(SNAPSHOT, "4.59e18"), "json.number.not-integer", 1, 0),
    ("minus-zero", lambda: field(r'"schema-id": (0)', "-0"), None, 0, 3),
    # gzip
    ("gzip", lambda: gz(packed()), None, 0, 3),
    ("gzip-cut", lambda: gz(packed()[:-20]), "metadata.file.gzip.corrupt", 3, 0),
    ("gzip-no-trailer", lambda: gz(packed()[:-8]), "metadata.file.gzip.corrupt", 3, 0),
    ("gzip-crc", lambda: gz(packed()[:-8] + b"\0\0\0\0" + packed()[-4:]), "metadata.file.gzip.corrupt", 3, 0),
    ("gzip-size", lambda: gz(packed()[:-4] + b"\0\0\0\1"), "metadata.file.gzip.corrupt", 3, 0),
    ("gzip-two-members", lambda: gz(gzip.compress(original()[:500], mtime=0) + gzip.compress(original()[500:], mtime=0)), None, 0, 3),
    ("gzip-zeros-behind", lambda: gz(packed() + b"\0" * 1000), None, 0, 3),
    ("gzip-bytes-behind", lambda: gz(packed() + b"xyz"), "json.trailing-data", 0, 3),
    # deflate cannot be packed denser than limit.bomb allows: what stops these is limit.file, and for zeros the grammar
    ("gzip-1-gib-of-zeros", lambda: gz(gzip_bomb(1, b"\0")), "json.syntax.invalid", 3, 0),
    ("gzip-1-gib-of-blanks", lambda: gz(gzip_bomb(1, b" ")), "limit.file", 2, 1),
    ("gzip-of-nothing", lambda: gz(gzip.compress(b"", mtime=0)), "json.truncated", 3, 0),
    ("gzip-name-plain", lambda: gz(original()), "metadata.file.gzip.name-mismatch", 1, 2),
    ("plain-name-gzip", lambda: whole(packed()), "metadata.file.gzip.name-mismatch", 1, 2),
]

# As they are written, to the last digit: (value, summary's current_snapshot_id)
IDS = ["9007199254740993", "9223372036854775807", "3051729675574597004"]


class Json:
    def __init__(self, checker, work):
        self.checker, self.work, self.n, self.bad = checker, work, 0, 0
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def expect(self, truth, what, run):
        self.n += 1
        if not truth:
            self.bad += 1
            print("FAILED %s: %s" % (what, run))

    def run(self, table, **options):
        return self.checker.check(table.write(os.path.join(self.work, "t")), **options)


def cases(j):
    for value, rule, why in LEFT_OPEN:
        t = Table()
        text = value if isinstance(value, bytes) else value.encode()
        t.files[CURRENT] = t.files[CURRENT].replace(b"{", b'{"x-open": ' + text + b",", 1)
        run = j.run(t)
        told = {r for r in run.rules if r.startswith(("json.", "limit."))} - {"json.field.unknown"}
        unread = rule in ("json.encoding.not-utf8", "limit.token", "limit.depth")
        j.expect(told == ({rule} if rule else set()) and run.complete != unread, "%r (%s)" % (value[:40], why), run)
    for name, make, rule, bits, not_bits in CASES:
        t = make()
        run = j.run(t, **({"file_bytes": 16 << 20} if rule == "limit.file" else {}))
        j.expect(rule is None or rule in run.rules, "%s: not %s" % (name, rule), run)
        j.expect(run.exit & bits == bits and not run.exit & not_bits, "%s: exit %d" % (name, run.exit), run)
        j.expect(run.complete == (run.exit & 2 == 0), "%s: complete" % name, run)
        size = max(len(data) for data in t.files.values())
        j.expect(run.count["peak"] < (4 << 20) + 16 * size, "%s: %d bytes of memory for %d" % (name, run.count["peak"], size), run)
        j.expect(sum(run.summary["counts"].values()) == sum(1 + f["more"] for f in run.findings), "%s: counts" % name, run)
        if rule == "json.truncated":
            offsets = [f["offset"] for f in run.findings if f["rule"] == rule]
            j.expect(offsets == [size if "gzip" not in name and "empty" not in name else 0], "%s: cut at %s, not %d" % (name, offsets, size), run)
    for number in IDS:
        run = j.run(field(SNAPSHOT, number))
        j.expect(run.summary["current_snapshot_id"] == number, number, run.summary)
    # whatever the hash tables begin with, the same bytes
    t = whole(original().replace(b"{", b"{" + b"".join(b'"k%d": %d, ' % (i % 3000, i) for i in range(6000)), 1))
    place = t.write(os.path.join(j.work, "t"))
    reports = [(run.findings, run.summary) for run in (j.checker.check(place, seed=seed, findings_per_file=1 << 40) for seed in (1, 2, 77))]
    j.expect(len(reports[0][0]) > 1000 and reports[0] == reports[1] == reports[2], "the report hangs on the seed of hash tables", "")


REAL = ["java-0.7-v1/metadata/v1.metadata.json", "java-v3-dv/metadata/v2.metadata.json",
        "pyiceberg-v2-codecs/metadata/00001-fd3aac50-325d-44e9-a6d5-feff83f890d8.metadata.json",
        "duckdb-v3-delete/metadata/00000-dde00017-28b2-4aa8-8ef6-704139250fe7.metadata.json",
        "rust-v2-partitioned/metadata/00000-01511cd8-ec2d-4bb7-9f41-9573de0379ee.metadata.json",
        "rust-v3-gzip/metadata/00001-56d5d756-43d5-49be-82f6-c4be19542067.gz.metadata.json"]


def cuts(j):
    """At every byte of real files: truncated, at that byte, and never clean."""
    for path in REAL:
        with open(os.path.join(ROOT, "fixtures", "base", path), "rb") as f:
            data = f.read()
        t = Table()
        t.files = {"metadata/" + os.path.basename(path): data}
        usual = j.run(t, depth="metadata")
        j.expect(not usual.exit & 2, path, usual)
        packed_ = ".gz." in path
        end = len(data) if packed_ else len(data.rstrip())
        for size in range(0, end, ONE_IN):
            t.files["metadata/" + os.path.basename(path)] = data[:size]
            run = j.run(t, depth="metadata")
            rules = {"metadata.file.gzip.corrupt", "json.truncated"} if packed_ else {"json.truncated"}
            if packed_ and size == 1:  # not even the mark of gzip
                rules = {"json.syntax.invalid"}
            told = [f for f in run.findings if f["rule"] in rules and f["severity"] == "error"]
            j.expect(told and run.exit == 3 and not run.complete, "%s cut at %d" % (path, size), run)
            j.expect(packed_ or not told or told[0]["offset"] == size, "%s cut at %d: place" % (path, size), told)


PARTS = {part.__name__: part for part in (cases, cuts)}


def main():
    checker = Checker(os.path.abspath(sys.argv[1]), is_tight=sys.argv[3] != "cuts")  # of small files
    j = Json(checker, sys.argv[2])
    PARTS[sys.argv[3]](j)
    j.expect(checker.close() == 0, "the checker did not end well", "")
    shutil.rmtree(j.work, ignore_errors=True)
    print("%d expectations, %d failed" % (j.n, j.bad))
    return 1 if j.bad else 0


if __name__ == "__main__":
    sys.exit(main())
