"""inspect -f arrow: the stream is read here by the format's own description, without Arrow, and must hold the rows of
-f json. (python/tests reads it with Arrow itself.)"""

import datetime
import json
import struct

import harness

TABLES = ("history metadata_log_entries snapshots refs entries files data_files delete_files manifests partitions all_files"
          " all_manifests schemas specs sort_orders properties statistics live").split()
BASES = ("spark-v2-partitioned", "java-v3-dv", "duckdb-v2-part", "spark-v2-empty", "spark-v3-stats", "flink-v2-upsert", "java-0.7-v1")


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


def plain(column, value):
    if value is None or column.type not in (TIMESTAMP, BINARY):
        return value
    if column.type == BINARY:
        return value.hex()
    time = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=value)
    return time.isoformat(timespec="milliseconds") + "Z"


def test_rows_are_those_of_json(t):
    n_rows = 0
    for base in BASES:
        place = t.table(base, base)
        for what in TABLES:
            for more in ([], ["--readable-bounds"]):
                arrow = t.run("inspect", what, place, "-f", "arrow", *more, code=0, text=False).stdout
                expected = json.loads(t.run("inspect", what, place, "-f", "json", *more, code=0).stdout)
                columns, rows = read(arrow)
                got = [{c.name: plain(c, row[c.name]) for c in columns} for row in rows]
                t.equal(got, expected, "%s of %s" % (what, base))
                n_rows += len(rows)
    assert n_rows > 500, n_rows


def test_columns_are_told_without_rows_and_picked(t):
    place = t.table("spark-v2-empty")
    columns, rows = read(t.run("inspect", "files", place, "-f", "arrow", "--columns", "record_count,column_sizes", code=0, text=False).stdout)
    t.equal(([c.name for c in columns], rows), (["record_count", "column_sizes"], []), "columns")
    t.equal(t.run("inspect", "files", place, "-f", "tsv", "--columns", "record_count,content", code=0).stdout, "record_count\tcontent\n", "head")
    t.run("inspect", "files", place, "-f", "arrow", "--columns", "nix", code=4, text=False)


def test_rows_of_any_command(t):
    _, rows = read(t.run("rules", "-f", "arrow", code=0, text=False).stdout)
    t.equal(rows, json.loads(t.run("rules", "-f", "json", code=0).stdout)["rules"], "rules")


def test_damage_is_told_and_the_other_rows_come(t):
    place = t.table("damaged", "damaged")
    done = t.run("inspect", "all_files", place, "-f", "arrow", text=False)
    json_done = t.run("inspect", "all_files", place, "-f", "json")
    t.equal(done.returncode, json_done.returncode, "exit code")
    t.equal(done.stderr.decode(), json_done.stderr, "messages")
    t.equal(len(read(done.stdout)[1]), len(json.loads(json_done.stdout)), "rows")


if __name__ == "__main__":
    harness.main(dict(globals()))
