"""A small, lossless reader and writer of Avro container files; values are those of avrovalue.py.

What is not touched keeps its bytes: the header map in its pieces, and every block as it was stored.
"""

import json

import blockcodec
from avrovalue import AvroError, Cursor, convert, decode, encode, encode_long, parse_schema, write_long
from avrovalue import LONG_MAX, LONG_MIN, hexed, to_bytes, zero  # noqa: F401 for users of this module
from blockcodec import CodecError  # noqa: F401

MAGIC = b"Obj\x01"


class Block:
    """`stored`: compressed bytes, or None when `rows` has to be encoded. Others: declared values that differ."""

    __slots__ = ("stored", "rows", "n", "count", "size", "sync")

    def __init__(self, stored=None, rows=None, n=0):
        self.stored = stored
        self.rows = rows
        self.n = n
        self.count = self.size = self.sync = None


class Header:
    """The key/value map: pieces as written, each a list of [key, value] (bytes) and whether it has a byte size."""

    def __init__(self):
        self.pieces = []

    def items(self):
        return [pair for _, pairs in self.pieces for pair in pairs]

    def get(self, key):
        found = None
        for k, v in self.items():
            if k == key:
                found = v
        return found

    def text(self, key):
        raw = self.get(key)
        return None if raw is None else raw.decode("utf-8", "surrogateescape")

    def set(self, key, value):
        for pair in self.items():
            if pair[0] == key:
                pair[1] = value
                return
        self.add(key, value)

    def add(self, key, value):
        if not self.pieces:
            self.pieces.append((False, []))
        self.pieces[-1][1].append([key, value])

    def remove(self, key):
        hit = False
        for _, pairs in self.pieces:
            for pair in [p for p in pairs if p[0] == key]:
                pairs.remove(pair)
                hit = True
        return hit

    def encode(self):
        out = bytearray()
        for sized, pairs in self.pieces:
            if not pairs:
                continue
            body = bytearray()
            for key, value in pairs:
                write_long(body, len(key))
                body += key
                write_long(body, len(value))
                body += value
            write_long(out, -len(pairs) if sized else len(pairs))
            if sized:
                write_long(out, len(body))
            out += body
        out.append(0)
        return bytes(out)


class Container:
    """One Avro file. Change `rows()` lists and call touch(i), or change header pairs; write with encode()."""

    def __init__(self):
        self.magic = MAGIC
        self.header = Header()
        self.sync = b"\0" * 16
        self.blocks = []
        self.tail = b""
        self.sized = False
        self._schema = None

    @classmethod
    def parse(cls, data, lenient=False):
        """Read a file. `lenient`: what follows the last sound block is kept in `tail` instead of an error."""
        self = cls()
        cursor = Cursor(data)
        self.magic = bytes(cursor.take(4))
        if self.magic != MAGIC:
            raise AvroError("no Avro file: it starts with %s" % self.magic.hex())
        while True:
            n = cursor.long()
            if n == 0:
                break
            sized = n < 0
            if sized:
                cursor.long()
            pairs = []
            for _ in range(abs(n)):
                key = bytes(cursor.take(cursor.long()))
                pairs.append([key, bytes(cursor.take(cursor.long()))])
            self.header.pieces.append((sized, pairs))
        self.sync = bytes(cursor.take(16))
        while cursor.at < len(data):
            start = cursor.at
            try:
                count = cursor.long()
                block = Block(bytes(cursor.take(cursor.long())), None, count)
                sync = bytes(cursor.take(16))
                if sync != self.sync:
                    if not lenient:
                        raise AvroError("sync marker differs at %d" % (cursor.at - 16))
                    block.sync = sync
            except AvroError:
                if not lenient:
                    raise
                self.tail = data[start:]
                break
            self.blocks.append(block)
        return self

    @property
    def codec(self):
        return self.header.text(b"avro.codec") or "null"

    @property
    def schema(self):
        if self._schema is None:
            text = self.header.text(b"avro.schema")
            if text is None:
                raise AvroError("no avro.schema in the header")
            self._schema = parse_schema(json.loads(text))
        return self._schema

    def set_schema(self, schema):
        """Replace avro.schema by a JSON value and carry all records over."""
        old = self.schema
        new = parse_schema(schema)
        for i in range(len(self.blocks)):
            self.blocks[i].rows = [convert(row, old, new) for row in self.rows(i)]
            self.touch(i)
        text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        self.header.set(b"avro.schema", text.encode("utf-8", "surrogatepass"))
        self._schema = new

    def datum(self, i):
        return blockcodec.decompress(self.codec, self.blocks[i].stored)

    def rows(self, i):
        block = self.blocks[i]
        if block.rows is None:
            cursor = Cursor(self.datum(i))
            block.rows = [decode(self.schema, cursor) for _ in range(block.n)]
            if cursor.at != len(cursor.data):
                raise AvroError("block %d: %d bytes behind its records" % (i, len(cursor.data) - cursor.at))
            self.sized = self.sized or cursor.odd
        return block.rows

    def touch(self, i):
        self.rows(i)
        self.blocks[i].stored = None

    def all_rows(self):
        return [row for i in range(len(self.blocks)) for row in self.rows(i)]

    def place(self, n):
        """(block, row in it) of record n; the place behind the last record is in the last block."""
        for i in range(len(self.blocks)):
            rows = self.rows(i)
            if n < len(rows):
                return i, n
            n -= len(rows)
        if n == 0 and self.blocks:
            return len(self.blocks) - 1, len(self.blocks[-1].rows)
        raise AvroError("no such record")

    def reblock(self, size):
        rows = self.all_rows()
        self.blocks = [Block(None, rows[at : at + size]) for at in range(0, len(rows), size)]

    def recode(self, codec):
        for i in range(len(self.blocks)):
            self.touch(i)
        self.header.set(b"avro.codec", codec.encode())

    def encode_rows(self, rows, start=0):
        out = bytearray()
        for n, row in enumerate(rows):
            encode(self.schema, row, out, "/records/%d" % (start + n), self.sized)
        return bytes(out)

    def encode(self):
        out = bytearray(self.magic + self.header.encode() + self.sync)
        start = 0
        for block in self.blocks:
            n = block.n if block.rows is None else len(block.rows)
            if block.stored is None:
                block.stored = blockcodec.compress(self.codec, self.encode_rows(block.rows, start))
            write_long(out, n if block.count is None else block.count)
            write_long(out, len(block.stored) if block.size is None else block.size)
            out += block.stored
            out += self.sync if block.sync is None else block.sync
            start += n
        return bytes(out) + self.tail


def make(schema, rows, header, codec="null", sync=None, schema_text=None):
    """A new container: header is a list of (key, text) behind avro.schema and avro.codec."""
    out = Container()
    text = schema_text or json.dumps(schema, separators=(",", ":"))
    for key, value in [("avro.schema", text), ("avro.codec", codec)] + list(header):
        out.header.add(key.encode(), value.encode("utf-8"))
    out.sync = sync or b"\0" * 16
    if rows:
        out.blocks = [Block(None, rows)]
    return out
