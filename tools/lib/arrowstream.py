"""Reads an Arrow IPC stream by the description of the format, without Arrow: for tests of what icefsck writes."""

import json
import struct


class Flat:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.vtable)[0]

    def place(self, slot):
        entry = 4 + 2 * slot
        offset = struct.unpack_from("<H", self.data, self.vtable + entry)[0] if entry < self.size else 0
        return self.at + offset if offset else None

    def number(self, slot, form="<i", default=0):
        at = self.place(slot)
        if at is None:
            return default
        assert at % struct.calcsize(form) == 0, "a number is not aligned"
        return struct.unpack_from(form, self.data, at)[0]

    def target(self, slot):
        at = self.place(slot)
        return None if at is None else at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, slot):
        return Flat(self.data, self.target(slot))

    def text(self, slot):
        at = self.target(slot)
        size = struct.unpack_from("<I", self.data, at)[0]
        assert self.data[at + 4 + size] == 0, "a string does not end with NUL"
        return self.data[at + 4:at + 4 + size].decode()

    def tables(self, slot):
        at = self.target(slot)
        n = struct.unpack_from("<I", self.data, at)[0] if at is not None else 0
        places = [at + 4 + 4 * i for i in range(n)]
        return [Flat(self.data, place + struct.unpack_from("<I", self.data, place)[0]) for place in places]

    def pairs(self, slot):
        at = self.target(slot)
        n = struct.unpack_from("<I", self.data, at)[0]
        assert (at + 4) % 8 == 0, "a vector of longs is not aligned"
        return [struct.unpack_from("<qq", self.data, at + 4 + 16 * i) for i in range(n)]


INT, FLOAT, BINARY, UTF8, BOOL, TIMESTAMP, LIST, STRUCT, MAP = 2, 3, 4, 5, 6, 10, 12, 13, 17


def messages(data):
    """(header type, header, body) of each message; the stream must end with its mark."""
    at = 0
    while True:
        mark, size = struct.unpack_from("<II", data, at)
        assert mark == 0xFFFFFFFF and size % 8 == 0, "no message at %d" % at
        if size == 0:
            assert at + 8 == len(data), "bytes behind the end"
            return
        meta = data[at + 8:at + 8 + size]
        message = Flat(meta, struct.unpack_from("<I", meta)[0])
        assert message.number(0, "<h") == 4, "not version V5"
        body = at + 8 + size
        at = body + message.number(3, "<q")
        yield message.number(1, "<B"), message.table(2), data[body:at]


class Column:
    def __init__(self, field):
        self.name, self.type = field.text(0), field.number(2, "<B")
        self.children = [Column(child) for child in field.tables(5)]
        metadata = {pair.text(0): pair.text(1) for pair in field.tables(6)}
        self.is_json = metadata.get("ARROW:extension:name") == "arrow.json"
        self.is_wide = self.type != INT or field.table(3).number(0) == 64
        if self.type == TIMESTAMP:
            assert (field.table(3).number(0, "<h"), field.table(3).text(1)) == (1, "UTC")


class Batch:
    def __init__(self, header, body):
        self.length = header.number(0, "<q")
        self.nodes, self.buffers, self.body = iter(header.pairs(1)), iter(header.pairs(2)), body

    def buffer(self):
        offset, size = next(self.buffers)
        assert offset % 8 == 0 and offset + size <= len(self.body), "a buffer beyond the body"
        return self.body[offset:offset + size]

    def values(self, column):
        length, n_nulls = next(self.nodes)
        validity = self.buffer()
        null = [bool(n_nulls) and not validity[i // 8] >> i % 8 & 1 for i in range(length)]
        assert sum(null) == n_nulls, "nulls are not counted right"
        values = self.read(column, length)
        return [None if is_null else value for is_null, value in zip(null, values)]

    def offsets(self, length):
        data = self.buffer()
        out = struct.unpack_from("<%di" % (length + 1), data)
        assert out[0] == 0 and list(out) == sorted(out), "offsets do not grow"
        return out

    def read(self, column, length):
        if column.type == BOOL:
            bits = self.buffer()
            return [bool(bits[i // 8] >> i % 8 & 1) for i in range(length)]
        if column.type == STRUCT:
            return list(zip(*[self.values(child) for child in column.children]))
        if column.type in (LIST, MAP):
            offsets = self.offsets(length)
            items = self.values(column.children[0])
            assert len(items) == offsets[-1], "items that no list has"
            lists = [items[offsets[i]:offsets[i + 1]] for i in range(length)]
            return [{str(k): v.hex() if isinstance(v, bytes) else v for k, v in one} for one in lists] if column.type == MAP else lists
        if column.type in (UTF8, BINARY):
            offsets, data = self.offsets(length), self.buffer()
            pieces = [data[offsets[i]:offsets[i + 1]] for i in range(length)]
            return pieces if column.type == BINARY else [json.loads(p or b"null") if column.is_json else p.decode() for p in pieces]
        form = {INT: "q" if column.is_wide else "i", TIMESTAMP: "q", FLOAT: "d"}[column.type]
        return list(struct.unpack_from("<%d%s" % (length, form), self.buffer()))


def read(data):
    """Rows as dicts, values as in -f json but for times (ms) and bytes outside maps."""
    columns, rows = None, []
    for kind, header, body in messages(data):
        if columns is None:
            assert kind == 1 and not body, "the schema comes first"
            columns = [Column(field) for field in header.tables(1)]
            continue
        assert kind == 3
        batch = Batch(header, body)
        values = [batch.values(column) for column in columns]
        assert all(len(one) == batch.length for one in values)
        rows += [dict(zip([c.name for c in columns], row)) for row in zip(*values)]
    return columns, rows
