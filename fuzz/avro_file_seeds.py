#!/usr/bin/python3 -SEB
"""Seeds of the target avro_file: avro_file_seeds.py BASE OUT

The Avro files of the base tables without compression, so that mutations reach the records, and
the hostile inputs that other readers die or hang of.
"""
import os
import sys
import zlib

SYNC = b"0123456789abcdef"


def long(n):
    n = ((n << 1) ^ (n >> 63)) & (1 << 64) - 1
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def text(b):
    b = b if isinstance(b, bytes) else b.encode()
    return long(len(b)) + b


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def long(self):
        bits = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            bits |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (bits >> 1) ^ -(bits & 1)

    def bytes(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


def container(header, blocks):
    out = b"Obj\1" + long(len(header))
    for key, value in header:
        out += text(key) + text(value)
    out += long(0) + SYNC
    for count, data in blocks:
        out += long(count) + long(len(data)) + data + SYNC
    return out


def uncompressed(data):
    """The same file with codec null; None for a codec that is not deflate."""
    c = Cursor(data)
    if c.bytes(4) != b"Obj\1":
        return None
    header = []
    while (n := c.long()) != 0:
        if n < 0:
            n = -n
            c.long()
        header += [(c.bytes(c.long()), c.bytes(c.long())) for _ in range(n)]
    codec = dict(header).get(b"avro.codec", b"null")
    if codec not in (b"null", b"deflate"):
        return None
    c.bytes(16)
    blocks = []
    while c.at < len(data):
        count = c.long()
        block = c.bytes(c.long())
        blocks.append((count, zlib.decompressobj(-15).decompress(block) if codec == b"deflate" else block))
        c.bytes(16)
    return container([(k, v) for k, v in header if k != b"avro.codec"], blocks)


def record(kind):
    return '{"type":"record","name":"r","fields":[{"name":"x","type":%s}]}' % kind


def hostile():
    def one(name, kind, data, count=1, codec="null"):
        yield name, container([("avro.schema", record(kind)), ("avro.codec", codec)], [(count, data)])

    array, mapping = '{"type":"array","items":%s}', '{"type":"map","values":%s}'
    yield from one("array-null-2-31", array % '"null"', long(2**31) + long(0))
    yield from one("array-null-most", array % '"null"', long(2**63 - 1) + long(0))
    yield from one("array-least", array % '"long"', long(-2**63) + long(0) + long(0))
    yield from one("array-2-40", array % '"long"', long(2**40) + b"\2")
    yield from one("array-negative", array % '"long"', long(-2) + long(2) + b"\2\4\0")
    yield from one("array-wrong-size", array % '"long"', long(-2) + long(10**12) + b"\2\4\0")
    yield from one("map-empty-keys", mapping % '"null"', long(3) + text("") * 3 + long(0))
    yield from one("map-2-40", mapping % '"null"', long(2**40) + text("") * 3)
    for n in (-1, -2, -2**63, 2**31, 2**63 - 1):
        yield from one("bytes-%d" % n, '"bytes"', long(n) + b"xx")
    yield from one("count-negative", '"int"', b"\2", -5)
    yield from one("count-large-null", '"null"', b"", 2**62)
    yield from one("count-over", '"int"', b"\2", 100)
    yield from one("bytes-left", '"int"', b"\2\4\6")
    yield from one("varint-11", '"long"', b"\xff" * 10 + b"\1")
    yield from one("varint-range", '"int"', long(2**40))
    yield from one("varint-padded", '"long"', b"\x82\0")
    yield from one("union-7", '["null","int"]', long(7))
    yield from one("enum-99", '{"type":"enum","name":"e","symbols":["A"]}', long(99))
    yield from one("boolean-2", '"boolean"', b"\2")
    yield from one("self", '"r"', b"")
    yield from one("deep", '["null","r"]', b"\2" * 1000 + b"\0")
    yield from one("deep-array", array % '"r"', b"\2" * 1000 + b"\0")
    yield from one("bad-utf8", '"string"', b"\2\xff")
    yield from one("deflate-garbage", '"int"', b"\xff\xfe\xfd", codec="deflate")
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    yield from one("deflate-bomb", '"bytes"', bomb.compress(bytes(1 << 22)) + bomb.flush(), codec="deflate")
    yield from one("snappy-claim", '"bytes"', b"\xff\xff\xff\xff\x0f\0a\0\0\0\0", codec="snappy")
    yield from one("snappy-crc", '"int"', b"\1\0\2\0\0\0\0", codec="snappy")
    yield from one("zstd-window", '"int"', b"\x28\xb5\x2f\xfd\0\xff\x09\0\0x", codec="zstandard")
    good = container([("avro.schema", record('"int"'))], [(3, b"\2\4\6"), (1, b"\x08")])
    yield "good", good
    yield "twice", good + good
    yield "marker", good[:-1] + b"x"
    yield "cut", good[:-17]
    head = container([("avro.schema", record('"int"'))], [])
    for n in (-1, -2**63, 2**40, 2**63 - 1):
        yield "size-%d" % n, head + long(1) + long(n) + b"\2" + SYNC
    yield "header-count", b"Obj\1" + long(2**40) + text("avro.schema")
    yield "header-least", b"Obj\1" + long(-2**63) + long(10)
    yield "header-twins", container([("avro.schema", record('"int"'))] * 2, [(1, b"\2")])


def main():
    base, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    for name, data in hostile():
        with open(os.path.join(out, "hostile-" + name), "wb") as f:
            f.write(data)
    number = 0
    for folder, folders, files in os.walk(base):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(".avro"):
                continue
            with open(os.path.join(folder, name), "rb") as f:
                plain = uncompressed(f.read())
            if plain is not None:
                number += 1
                with open(os.path.join(out, "plain-%03d" % number), "wb") as f:
                    f.write(plain)


main()
