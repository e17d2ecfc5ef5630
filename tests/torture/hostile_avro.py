#!/usr/bin/python3 -SEB
"""Avro that other readers die of, hang on or misread: each as a manifest list and as a manifest, with the verdict that the catalogue demands.

    hostile_avro.py LIMITED_CHECK WORK values|containers|bombs|cuts [CASE...]

A case tells which rule speaks (None: nothing of groups avro and limit above info), and so the exit bits: error 3, limit or codec 2, else 0. Whatever
it is: within memory, and never complete without a rule that says why not.
"""

import bz2
import lzma
import os
import resource
import shutil
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from limits import extra_field, stored_deflate  # noqa: E402
from tables import LIST, MANIFEST, ONE_IN, Checker, Table, avro, encode_long  # noqa: E402

LEAST, MOST = -(1 << 63), (1 << 63) - 1
SYNC = b"0123456789abcdef"
FEW = 1 << 20  # bytes of memory beyond a harmless table's, and as often its size: for what hangs on values
CODEC = 12 << 20  # ... for the windows and tables of a codec
SCHEMA = 24  # bytes of memory a byte of schema; nodes are limited
MUCH = 300 << 20  # ... of a bomb, of the process


def long(*values):
    return b"".join(encode_long(v) for v in values)


def raw_varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


# ---- one more column: (name, type, value, rule) ----

ARRAY = '{"type": "array", "items": %s, "element-id": 9001}'
MAP = '{"type": "map", "values": %s, "key-id": 9001, "value-id": 9002}'
NODE = '{"type": "record", "name": "node", "fields": [{"name": "next", "type": %s, "field-id": 9001}]}'
INT, LONG, NULL = '"int"', '"long"', '"null"'
FIXED = '{"type": "fixed", "name": "%s", "size": %d}'


def nest(text, n, leaf='"int"'):
    return text.split("%s")[0] * n + leaf + text.split("%s")[1] * n


def nested_records(n):
    return "".join('{"type": "record", "name": "r%d", "fields": [{"name": "f", "type": ' % i for i in range(n)) + '"int"' + "}]}" * n


COLUMNS = [
    # arrays and maps
    ("array-of-null-2-31", ARRAY % NULL, long(1 << 31, 0), "limit.items"),
    ("array-of-null-most", ARRAY % NULL, long(MOST, 0), "limit.items"),
    ("array-of-null-twice-half", ARRAY % NULL, long(40000) * 2 + long(0), "limit.items"),
    ("array-of-empty-records", ARRAY % '{"type": "record", "name": "e", "fields": []}', long(1 << 40, 0), "limit.items"),
    ("array-of-empty-fixed", ARRAY % (FIXED % ("f", 0)), long(1 << 40, 0), "limit.items"),
    ("array-of-long-2-40", ARRAY % LONG, long(1 << 40) + b"\2", "avro.block.count"),
    ("array-of-long-most", ARRAY % LONG, long(MOST) + b"\2", "avro.block.count"),
    ("array-negative", ARRAY % LONG, long(-2, 2, 1, 2, 0), None),
    ("array-negative-two-pieces", ARRAY % LONG, long(-1, 1, 7) + long(1, 8) + long(-1, 1, 9) + long(0), None),
    ("array-negative-size-10-12", ARRAY % LONG, long(-2, 10**12, 1, 2, 0), "avro.block.count"),
    ("array-negative-size-short", ARRAY % LONG, long(-2, 1, 1, 2, 0), "avro.block.count"),
    ("array-negative-size-minus-1", ARRAY % LONG, long(-2, -1, 1, 2, 0), "avro.block.count"),
    ("array-least", ARRAY % LONG, long(LEAST, 0, 0), "avro.varint.range"),
    ("array-minus-most", ARRAY % LONG, long(-MOST, 2, 1, 0), "avro.block.count"),
    ("map-2-40", MAP % NULL, long(1 << 40) + long(0) * 3, "avro.block.count"),
    ("map-least", MAP % NULL, long(LEAST, 0, 0), "avro.varint.range"),
    ("map-key-minus-1", MAP % NULL, long(1, -1), "avro.length"),
    # lengths
    ("string-minus-1", '"string"', long(-1), "avro.length"),
    ("string-minus-2", '"string"', long(-2), "avro.length"),
    ("string-least", '"string"', long(LEAST), "avro.length"),
    ("string-2-31", '"string"', long(1 << 31), "avro.length"),
    ("string-most", '"string"', long(MOST), "avro.length"),
    ("bytes-minus-1", '"bytes"', long(-1), "avro.length"),
    ("bytes-2-31", '"bytes"', long(1 << 31) + b"xx", "avro.length"),
    ("bytes-most", '"bytes"', long(MOST), "avro.length"),
    ("bytes-least", '"bytes"', long(LEAST), "avro.length"),
    # numbers
    ("varint-11-bytes", LONG, b"\xff" * 11 + b"\1", "avro.varint.overlong"),
    ("varint-10th-byte-2", LONG, b"\xff" * 9 + b"\2", "avro.varint.overlong"),
    ("varint-most", LONG, long(MOST), None),
    ("varint-least", LONG, long(LEAST), None),
    ("int-2-31", INT, long(1 << 31), "avro.varint.range"),
    ("int-2-40", INT, long(1 << 40), "avro.varint.range"),
    ("int-most", INT, long((1 << 31) - 1), None),
    ("int-least", INT, long(-(1 << 31)), None),
    ("not-shortest", LONG, b"\x80\0", "avro.varint.not-shortest"),
    # indexes
    ("enum-99", '{"type": "enum", "name": "e", "symbols": ["A"]}', long(99), "avro.enum"),
    ("enum-minus-1", '{"type": "enum", "name": "e", "symbols": ["A"]}', long(-1), "avro.enum"),
    ("boolean-2", '"boolean"', b"\2", "avro.boolean"),
    ("boolean-255", '"boolean"', b"\xff", "avro.boolean"),
    ("union-minus-1", '["null", "int"]', long(-1), "avro.union"),
    ("union-2", '["null", "int"]', long(2), "avro.union"),
    ("union-7", '["null", "int"]', long(7), "avro.union"),
    ("union-most", '["null", "int"]', long(MOST), "avro.union"),
    # depth of data
    ("list-deep", NODE % '["null", "node"]', long(1) * 1_000_000 + long(0), "limit.depth"),
    ("list-of-three", NODE % '["null", "node"]', long(1) * 3 + long(0), None),
    ("array-deep", NODE % (ARRAY % '"node"'), long(1) * 500_000 + long(0), "limit.depth"),
    ("map-deep", NODE % (MAP % '"node"'), long(1, 0) * 300_000 + long(0), "limit.depth"),
    # depth and size of schemas
    ("schema-arrays-200", nest(ARRAY, 200), long(0), "limit.depth"),
    ("schema-arrays-3000", nest(ARRAY, 3000), long(0), "limit.depth"),
    ("schema-arrays-200000", nest(ARRAY, 200_000), long(0), "limit.depth"),
    ("schema-records-900", nested_records(900), long(0), "limit.depth"),
    ("schema-union-20000", nest(ARRAY, 30, "[%s]" % ", ".join(FIXED % ("f%d" % i, 1) for i in range(20000))), long(0), None),
    ("schema-union-200000", "[%s]" % ", ".join(FIXED % ("f%d" % i, 1) for i in range(200000)), long(0) + b"x", "limit.schema"),
    ("schema-enum-200000", '{"type": "enum", "name": "e", "symbols": [%s]}' % ", ".join('"S%d"' % i for i in range(200000)), long(0), "limit.schema"),
    ("schema-name-10-mb", '{"type": "record", "name": "%s", "fields": []}' % ("a" * 10_000_000), b"", "limit.schema"),
    # records that need themselves
    ("self-record", NODE % '"node"', b"", "avro.schema.infinite"),
    ("self-mutual", '{"type": "record", "name": "a", "fields": [{"name": "b", "type": {"type": "record", "name": "b", "fields": [{"name": "a", "type": "a"}]}}]}', b"",
     "avro.schema.infinite"),
    ("self-in-null-union-only", NODE % '["node"]', b"", "avro.schema.infinite"),
    # illegal schemas
    ("fixed-minus-2", FIXED % ("f", -2), b"", "avro.schema.invalid"),
    ("fixed-most", FIXED % ("f", MOST), b"", "avro.schema.invalid"),
    ("fixed-4-gib", FIXED % ("f", 1 << 32), b"", "avro.schema.invalid"),
    ("fixed-sum", '{"type": "record", "name": "r", "fields": [%s]}' % ", ".join('{"name": "f%d", "type": %s}' % (i, FIXED % ("x%d" % i, 1 << 62)) for i in range(4)), b"",
     "avro.schema.invalid"),
    ("fixed-sum-below", '{"type": "record", "name": "r", "fields": [%s]}' % ", ".join('{"name": "f%d", "type": %s}' % (i, FIXED % ("x%d" % i, (1 << 31) - 1)) for i in range(9)),
     b"", "avro.block.count"),
    ("fixed-text", '{"type": "fixed", "name": "f", "size": "9"}', b"", "avro.schema.invalid"),
    ("fixed-no-size", '{"type": "fixed", "name": "f"}', b"", "avro.schema.invalid"),
    ("union-in-union", '[["null", "int"], "string"]', b"\0", "avro.schema.invalid"),
    ("union-two-nulls", '["null", "null"]', b"\0", "avro.schema.invalid"),
    ("union-two-arrays", "[%s, %s]" % (ARRAY % INT, ARRAY % LONG), b"\0\0", "avro.schema.invalid"),
    ("union-empty", "[]", b"", "avro.schema.invalid"),
    ("enum-empty", '{"type": "enum", "name": "e", "symbols": []}', b"\0", "avro.schema.invalid"),
    ("enum-numbers", '{"type": "enum", "name": "e", "symbols": [1]}', b"\0", "avro.schema.invalid"),
    ("enum-twice", '{"type": "enum", "name": "e", "symbols": ["A", "A"]}', b"\0", "avro.schema.invalid"),
    ("record-no-fields", '{"type": "record", "name": "r"}', b"", "avro.schema.invalid"),
    ("record-fields-object", '{"type": "record", "name": "r", "fields": {}}', b"", "avro.schema.invalid"),
    ("record-field-twice", '{"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "long"}]}', b"\0\0", "avro.schema.invalid"),
    ("record-name-number", '{"type": "record", "name": 1, "fields": []}', b"", "avro.schema.invalid"),
    ("record-no-name", '{"type": "record", "fields": []}', b"", "avro.schema.invalid"),
    ("record-namespace-null", '{"type": "record", "name": "r", "namespace": null, "fields": []}', b"", None),
    ("record-redefined", '{"type": "record", "name": "r", "fields": [{"name": "a", "type": %s}]}' % (FIXED % ("r", 1)), b"x", "avro.schema.invalid"),
    ("name-unknown", '"zzz"', b"", "avro.schema.invalid"),
    ("name-with-nul", '{"type": "record", "name": "r\\u0000x", "fields": []}', b"", "avro.name.illegal"),
    ("type-number", "5", b"", "avro.schema.invalid"),
    ("type-null", "null", b"", "avro.schema.invalid"),
    ("type-object-empty", "{}", b"", "avro.schema.invalid"),
]

# ---- the schema as a whole: (name, text, rule) ----

SCHEMAS = [
    ("null", "null", "avro.schema.unparseable"),
    ("number", "5", "avro.schema.unparseable"),
    ("empty", "", "avro.schema.unparseable"),
    ("cut", '{"type": "record", "name": "r", "fields": [', "avro.schema.unparseable"),
    ("int", '"int"', "avro.schema.unparseable"),
    ("union", '["null", "int"]', "avro.schema.unparseable"),
    ("two", '{"type": "record", "name": "r", "fields": []} {}', "avro.schema.unparseable"),
    ("not-utf8", b'{"type": "record", "name": "\xff", "fields": []}', "avro.schema.unparseable"),
    ("arrays-10-6", '{"type": "array", "items": ' * 300_000, "limit.depth"),
    ("brackets-10-6", "[" * 1_000_000, "limit.depth"),
]


# ---- the container: (name, change of the container or of its bytes, rule) ----


def with_block(count=None, size=None, stored=None, sync=None):
    def change(c):
        block = c.blocks[0]
        c.encode()
        block.count, block.size, block.sync = count, size, sync
        block.stored = block.stored if stored is None else stored
        return c.encode()

    return change


def with_codec(codec, body, n=None):
    def change(c):
        data = c.encode_rows(c.all_rows())
        rows = len(c.all_rows())
        c.header.set(b"avro.codec", codec.encode())
        c.blocks = [avro.Block(body(data) if callable(body) else body, None, rows if n is None else n)]
        return c.encode()

    return change


def header_map(*pieces):
    """The header map as these bytes; the rest as it is."""

    def change(c):
        rest = c.sync + b"".join(encode_block(c, b) for b in c.blocks)
        return b"Obj\1" + b"".join(pieces) + rest

    return change


def encode_block(c, block):
    return long(block.n, len(block.stored)) + block.stored + c.sync


def text(data):
    data = data.encode() if isinstance(data, str) else data
    return long(len(data)) + data


def pairs(c):
    return [(k, v) for k, v in c.header.items()]


def resized(c, stated):
    body = b"".join(text(k) + text(v) for k, v in pairs(c))
    return header_map(long(-len(pairs(c)), len(body) + stated), body, long(0))(c)


def cut(n):
    return lambda c: c.encode()[:n]


def extra_header(key, value):
    def change(c):
        c.header.add(key, value)
        return c.encode()

    return change


def without(key):
    def change(c):
        c.header.remove(key)
        return c.encode()

    return change


def raw_deflate(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def deflate_bomb(mib):
    """One piece that inflates to a mebibyte of zeros, again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first * mib + b"\1\0\0\xff\xff"


def zstd(*blocks, descriptor=b"\0\x58", checksum=b""):
    """A frame: (kind, size, bytes) each; kinds: 0 raw, 1 one byte repeated. Its window is 2 MiB if not told."""
    out = b"\x28\xb5\x2f\xfd" + descriptor
    for i, (kind, size, data) in enumerate(blocks):
        out += ((i == len(blocks) - 1) | kind << 1 | size << 3).to_bytes(3, "little") + data
    return out + checksum


def zstd_raw(data, **more):
    return zstd(*[(0, len(data[at : at + 131072]), data[at : at + 131072]) for at in range(0, len(data) or 1, 131072)], **more)


def snappy(data, crc=None):
    out = raw_varint(len(data))
    for at in range(0, len(data), 60):
        part = data[at : at + 60]
        out += bytes([len(part) - 1 << 2]) + part
    return out + (zlib.crc32(data) if crc is None else crc).to_bytes(4, "big")


SKIPPABLE = b"\x50\x2a\x4d\x18\4\0\0\0abcd"

CONTAINERS = [
    ("as-it-is", lambda c: c.encode(), None),
    # cut
    ("cut-0", cut(0), "avro.truncated"),
    ("cut-3", cut(3), "avro.truncated"),
    ("cut-magic", cut(4), "avro.truncated"),
    ("cut-header-10", cut(10), "avro.truncated"),
    ("cut-header-30", cut(30), "avro.truncated"),
    ("cut-marker-by-1", cut(-1), "avro.truncated"),
    ("cut-marker", cut(-16), "avro.truncated"),
    ("cut-block-by-1", cut(-17), "avro.truncated"),
    ("cut-behind-header", lambda c: b"Obj\1" + c.header.encode() + c.sync, None),
    # the magic
    ("magic-2", lambda c: b"Obj\2" + c.encode()[4:], "avro.magic"),
    ("magic-text", lambda c: b"hello, world", "avro.magic"),
    # the header
    ("header-no-schema", without(b"avro.schema"), "avro.schema.unparseable"),
    ("header-empty", header_map(long(0)), "avro.schema.unparseable"),
    ("header-two-schemas", extra_header(b"avro.schema", b'"string"'), "avro.header.key-duplicate"),
    ("header-two-codecs", extra_header(b"avro.codec", b"deflate"), "avro.header.key-duplicate"),
    ("header-codec-unknown", with_codec("brotli", b"x"), "avro.codec.unsupported"),
    ("header-codec-100-kb", with_codec("z" * 100_000, b"x"), "limit.header"),
    ("header-codec-empty", with_codec("", b"x"), "avro.codec.unsupported"),
    ("header-codec-with-nul", with_codec("null\0", b"x"), "avro.codec.unsupported"),
    ("header-negative", lambda c: resized(c, 0), None),
    ("header-negative-size-1-more", lambda c: resized(c, 1), "avro.header.malformed"),
    ("header-negative-size-most", lambda c: resized(c, 1 << 60), "avro.header.malformed"),
    ("header-count-least", header_map(long(LEAST, 10)), "avro.header.malformed"),
    ("header-count-2-40", header_map(long(1 << 40), text("avro.schema")), "limit.header"),
    ("header-count-minus-2-40", header_map(long(-(1 << 40), 10), text("avro.schema")), "limit.header"),
    ("header-size-minus-1", header_map(long(-1, -1), text("avro.schema")), "avro.header.malformed"),
    ("header-key-2-62", header_map(long(1, 1 << 62), b"x"), "avro.length"),
    ("header-key-minus-1", header_map(long(1, -1), b"x"), "avro.length"),
    ("header-key-2-31-less-1", header_map(long(1, (1 << 31) - 1), b"x"), "limit.header"),
    ("header-varint-11", header_map(b"\xff" * 11), "avro.varint.overlong"),
    # blocks
    ("block-size-minus-1", with_block(size=-1), "avro.block.size"),
    ("block-size-least", with_block(size=LEAST), "avro.block.size"),
    ("block-size-2-40", with_block(size=1 << 40), "avro.block.size"),
    ("block-size-most", with_block(size=MOST), "avro.block.size"),
    ("block-size-varint-11", lambda c: with_block()(c).replace(long(c.blocks[0].n, len(c.blocks[0].stored)), b"\2" + b"\xff" * 11, 1), "avro.varint.overlong"),
    ("block-count-minus-5", with_block(count=-5), "avro.block.count"),
    ("block-count-least", with_block(count=LEAST), "avro.varint.range"),
    ("block-count-most", with_block(count=MOST), "avro.block.count"),
    ("block-count-100", with_block(count=100), "avro.block.count"),
    ("block-count-0-with-bytes", with_block(count=0), "avro.block.count"),
    ("block-bytes-left-over", lambda c: with_block(stored=c.encode_rows(c.all_rows()) + b"\2\4\6")(c), "avro.block.count"),
    ("block-empty", lambda c: c.encode() + long(0, 0) + c.sync, None),
    ("sync-of-the-only-block", with_block(sync=b"\xff" * 16), "avro.sync-mismatch"),
    ("two-files", lambda c: c.encode() * 2, "avro.sync-mismatch"),
    ("bytes-behind", lambda c: c.encode() + b"x" * 100, "avro.sync-mismatch"),
    # codecs
    ("deflate", with_codec("deflate", raw_deflate), None),
    ("deflate-stored", with_codec("deflate", stored_deflate), None),
    ("deflate-with-zlib-header", with_codec("deflate", zlib.compress), "avro.codec.corrupt"),
    ("deflate-garbage", with_codec("deflate", b"\xff\xfe\xfd"), "avro.codec.corrupt"),
    ("deflate-empty", with_codec("deflate", b""), "avro.codec.corrupt"),
    ("deflate-ends-early", with_codec("deflate", lambda d: raw_deflate(d)[:-3]), "avro.codec.corrupt"),
    ("deflate-bytes-behind", with_codec("deflate", lambda d: raw_deflate(d) + b"x"), "avro.codec.corrupt"),
    ("zstd", with_codec("zstandard", zstd_raw), None),
    ("zstd-two-frames", with_codec("zstandard", lambda d: zstd_raw(d[:50]) + zstd_raw(d[50:])), None),
    ("zstd-skippable", with_codec("zstandard", lambda d: SKIPPABLE + zstd_raw(d) + SKIPPABLE), None),
    ("zstd-checksum-wrong", with_codec("zstandard", lambda d: zstd_raw(d, descriptor=b"\4\x58", checksum=b"\1\2\3\4")), "avro.codec.corrupt"),
    ("zstd-ends-early", with_codec("zstandard", lambda d: zstd_raw(d)[:-1]), "avro.codec.corrupt"),
    ("zstd-bytes-behind", with_codec("zstandard", lambda d: zstd_raw(d) + b"x"), "avro.codec.corrupt"),
    ("zstd-garbage", with_codec("zstandard", b"\xff" * 20), "avro.codec.corrupt"),
    ("zstd-empty", with_codec("zstandard", b""), "avro.codec.corrupt"),
    ("zstd-size-lies", with_codec("zstandard", lambda d: zstd_raw(d, descriptor=b"\xa0" + (len(d) + 1).to_bytes(4, "little"))), "avro.codec.corrupt"),
    ("snappy", with_codec("snappy", snappy), None),
    ("snappy-crc-wrong", with_codec("snappy", lambda d: snappy(d, 0)), "avro.codec.corrupt"),
    ("snappy-1-byte", with_codec("snappy", b"\1"), "avro.codec.corrupt"),
    ("snappy-3-bytes", with_codec("snappy", b"\0\0\0"), "avro.codec.corrupt"),
    ("snappy-empty", with_codec("snappy", b""), "avro.codec.corrupt"),
    ("snappy-no-crc", with_codec("snappy", lambda d: snappy(d)[:-4]), "avro.codec.corrupt"),
    ("snappy-copy-from-before", with_codec("snappy", b"\x10\x01\x05\0\0\0\0"), "avro.codec.corrupt"),
    ("bzip2", with_codec("bzip2", bz2.compress), "avro.codec.rare"),
    ("xz", with_codec("xz", lzma.compress), "avro.codec.rare"),
    ("bzip2-cut", with_codec("bzip2", lambda d: bz2.compress(d)[:-5]), "avro.codec.corrupt"),
    ("xz-cut", with_codec("xz", lambda d: lzma.compress(d)[:-5]), "avro.codec.corrupt"),
]

# few bytes that claim to be many: (name, codec, bytes, rule)
BOMBS = [
    ("deflate-4-gib", "deflate", deflate_bomb(4096), "limit.bomb"),
    ("zstd-4-gib", "zstandard", zstd(*[(1, 131072, b"\0")] * 32768), "limit.bomb"),
    ("zstd-window-2-gib", "zstandard", zstd((1, 131072, b"\0"), descriptor=b"\0\xa8"), "limit.window"),
    ("zstd-declares-2-60", "zstandard", zstd((1, 131072, b"\0"), descriptor=b"\xe0" + (1 << 60).to_bytes(8, "little")), "limit.bomb"),
    ("snappy-claims-4-gib", "snappy", raw_varint((1 << 32) - 1) + b"\0a\0\0\0\0", "limit.bomb"),
    ("snappy-claims-more", "snappy", raw_varint(1 << 40) + b"\0a\0\0\0\0", "avro.codec.corrupt"),
    ("bzip2-64-mib", "bzip2", bz2.compress(bytes(64 << 20)), "limit.bomb"),
    ("xz-64-mib", "xz", lzma.compress(bytes(64 << 20), preset=1), "limit.bomb"),
]


class Avro:
    def __init__(self, checker, work):
        self.checker, self.work, self.n, self.bad = checker, work, 0, 0
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        self.usual = self.check(LIST, Table().files[LIST]).count["peak"]

    def fail(self, what, run):
        self.bad += 1
        print("FAILED %s: %s" % (what, run))

    def check(self, path, data):
        t = Table()
        t.files[path] = data
        if path == MANIFEST:  # and a list that knows its length
            c = t.container(LIST)
            for row in c.all_rows():
                if row["manifest_path"].endswith(MANIFEST):
                    row["manifest_length"] = len(data)
            c.touch(0)
            t.files[LIST] = c.encode()
        return self.checker.check(t.write(os.path.join(self.work, "t")))

    def judge(self, what, run, rule, size, most):
        self.n += 1
        told = {f["rule"]: f["severity"] for f in run.findings if f["rule"].startswith(("avro.", "limit.")) and f["severity"] != "info"}
        notes = {f["rule"] for f in run.findings if f["severity"] == "info"}
        if rule in ("avro.codec.rare", "avro.varint.not-shortest") or rule is None:
            if not run.complete or (rule and rule not in set(told) | notes) or set(told) - {rule}:
                self.fail("%s: not taken" % what, run)
        else:
            if rule not in told:
                self.fail("%s: not %s" % (what, rule), run)
            elif rule.startswith("avro.name"):
                if not run.exit & 1:
                    self.fail("%s: no error" % what, run)
            elif run.complete or not run.exit & 2 or (rule.startswith("avro.") and not run.exit & 1):
                self.fail("%s: exit %d" % (what, run.exit), run)
            offsets = [f["offset"] for f in run.findings if f["rule"] == rule]
            if not rule.startswith("limit.") and rule == "avro.truncated" and None in offsets:
                self.fail("%s: no offset" % what, run)
        if run.count["peak"] > self.usual + most:
            self.fail("%s: %d bytes of memory for %d bytes" % (what, run.count["peak"], size), run)

    def everywhere(self, name, rule, change, fixed=FEW, each=6):
        for path in (LIST, MANIFEST):
            c = Table().container(path)
            data = change(c)
            data = c.encode() if data is None else data
            self.judge("%s, %s" % (name, path), self.check(path, data), rule, len(data), fixed + each * len(data))


def sync_in_the_middle(a):
    """Two records in two blocks, the marker between them wrong: reading goes on behind, and tells what it skipped."""
    t = Table()
    c = t.container(LIST)
    c.reblock(1)
    c.encode()
    c.blocks[0].sync = b"\xff" * 16
    run = a.check(LIST, c.encode())
    told = [f for f in run.findings if f["rule"] == "avro.sync-mismatch"]
    a.n += 1
    if not told or "skipped" not in told[0]["message"] or run.summary["read"]["manifests"] < 2:
        a.fail("sync-in-the-middle", "%s %s" % (run, told))


def seam(a):
    """Where a second file begins is said."""
    whole = Table().files[LIST]
    run = a.check(LIST, whole * 2)
    a.n += 1
    if not any(str(len(whole)) in f["message"] for f in run.findings if f["rule"] == "avro.sync-mismatch"):
        a.fail("seam", [f["message"] for f in run.findings])


def rows_so_far(a):
    """A list cut in its last block: the manifests before it are still read."""
    t = Table()
    c = t.container(LIST)
    c.reblock(1)
    data = c.encode()[:-20]
    run = a.check(LIST, data)
    a.n += 1
    if run.exit != 3 or run.summary["read"]["manifests"] < 3:
        a.fail("rows-so-far", run)


def every_cut(a):
    """At no length is a cut list or manifest clean, but where the file may end: behind the header, or behind a block."""
    for path in (LIST, MANIFEST):
        t = Table()
        c = t.container(path)
        c.reblock(1)
        whole = c.encode()
        ends = {4 + len(c.header.encode()) + 16}
        for block in c.blocks:
            ends.add(max(ends) + len(long(len(block.rows or []) or block.n, len(block.stored))) + len(block.stored) + 16)
        # inside the schema, which is much the same everywhere, a few will do
        schema = whole.index(c.header.get(b"avro.schema"))
        inside = range(schema + 100, schema + len(c.header.get(b"avro.schema")) - 100)
        for size in range(len(whole)):
            if (size in inside and size % 23 != 0) or size % ONE_IN != 0:
                continue
            run = a.check(path, whole[:size])
            a.n += 1
            if "avro.truncated" in run.rules and run.exit & 3 == 3 and not run.complete:
                continue
            if size not in ends:
                a.fail("%s cut at %d" % (path, size), run)
        if len(ends) != len(c.blocks) + 1 or max(ends) != len(whole):
            a.fail("%s: wrong ends %s of %d" % (path, ends, len(whole)), "")


def one_row(c):
    c.blocks = [avro.Block(None, c.all_rows()[:1])]
    return c


def values(a, wanted):
    for name, type_, value, rule in COLUMNS:
        if wanted(name):
            a.everywhere(name, rule, lambda c: extra_field(one_row(c), type_, value), each=SCHEMA if name.startswith("schema") else 6)
    for name, schema, rule in SCHEMAS:
        if wanted("schema-" + name):
            a.everywhere("schema-" + name, rule, lambda c: c.header.set(b"avro.schema", schema.encode() if isinstance(schema, str) else schema))


def containers(a, wanted):
    for name, change, rule in CONTAINERS:
        if wanted(name):
            a.everywhere(name, rule, change, CODEC if name.startswith(("zstd", "bzip2", "xz")) else FEW)
    for other in (sync_in_the_middle, seam, rows_so_far):
        if wanted(other.__name__):
            other(a)


def bombs(a, wanted):
    for name, codec, data, rule in BOMBS:
        if wanted(name):
            a.everywhere(name, rule, with_codec(codec, data, 1), MUCH - (16 << 20), 1)


def cuts(a, wanted):
    if wanted("every_cut"):
        every_cut(a)


PARTS = {part.__name__: part for part in (values, containers, bombs, cuts)}


def main():
    checker = Checker(os.path.abspath(sys.argv[1]), is_tight=sys.argv[3] != "cuts")  # of small files
    a = Avro(checker, sys.argv[2])
    only = sys.argv[4:]
    PARTS[sys.argv[3]](a, lambda name: not only or name in only)
    if checker.close() != 0:
        a.fail("the checker did not end well", "")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    if most > MUCH and not os.environ.get("ICEFSCK_SANITIZED"):
        a.fail("%d bytes resident" % most, "")
    shutil.rmtree(a.work, ignore_errors=True)
    print("%d checks, %d failed, at most %d MiB resident" % (a.n, a.bad, most >> 20))
    return 1 if a.bad or a.n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
