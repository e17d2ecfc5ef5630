#!/usr/bin/python3 -SEB
"""Every limit at N, N + 1 and 100 N: taken; told by its rule with exit bit 2; and at no more memory than N + 1.

    limits.py LIMITED_CHECK WORK [LIMIT...|work]

ROWS has a row for each member of src/base/limits.def (tests/meta/limits.py compares them), OTHERS what else the table of limits promises.
"""

import gzip
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tables import CURRENT, LIST, MANIFEST, Checker, Table, avro, encode_long

PATH = "s3://lake/wh/db/orders/"
SLACK = 64 << 10  # inflate_ratio


# ---- what is bounded, n of it ----


def json_depth(n):
    """The root and the properties count."""
    t = Table()
    t.property("[" * (n - 2) + "]" * (n - 2))
    return t


def json_string(n):
    t = Table()
    t.property('"' + "a" * n + '"')
    return t


def json_key(n):
    t = Table()
    t.property('"v"', '"' + "k" * n + '"')
    return t


def json_number(n):
    """Of a field that this version does not know: any number will do."""
    t = Table()
    t.files[CURRENT] = t.files[CURRENT].replace(b"{", b'{"x-number": ' + b"1" * n + b",", 1)
    return t


def list_with(change, path=LIST):
    t = Table()
    c = t.container(path)
    change(c)
    t.files[path] = c.encode()
    return t


def extra_field(c, type_, value):
    """One more column, its type as JSON text, with the same encoded value in every record."""
    rows = [c.encode_rows([row]) + value for row in c.all_rows()]
    text = c.header.get(b"avro.schema")
    end = text.rindex(b"]")
    field = '{"name": "x", "type": %s, "field-id": 9000}' % type_
    c.header.set(b"avro.schema", text[:end] + b", " + field.encode() + text[end:])
    c.blocks = [avro.Block(b"".join(rows), None, len(rows))]


def avro_schema_depth(n):
    """The record of the list counts."""
    arrays = n - 1
    type_ = '{"element-id": 9001, "type": "array", "items": ' * arrays + '"int"' + "}" * arrays
    return list_with(lambda c: extra_field(c, type_, b"\0"))


def avro_datum_depth(n):
    """A linked list in a column that nobody reads: records count, unions do not."""
    node = '{"type": "record", "name": "node", "fields": [{"name": "next", "type": ["null", "node"], "field-id": 9001}]}'
    return list_with(lambda c: extra_field(c, node, b"\x02" * (n - 1) + b"\0"))


def avro_schema_bytes(n):
    """Blanks behind the schema."""

    def change(c):
        text = c.header.get(b"avro.schema")
        c.header.set(b"avro.schema", text + b" " * (n - len(text)))

    return list_with(change)


OWN_NODES = 32  # that the list's own schema counts; found by the test below


def avro_schema_nodes(n):
    fields = ", ".join('{"name": "w%d", "type": "null", "field-id": %d}' % (i, 9001 + i) for i in range(n - OWN_NODES))
    return list_with(lambda c: extra_field(c, '{"type": "record", "name": "wide", "fields": [%s]}' % fields, b""))


def avro_header_keys(n):
    def change(c):
        for i in range(n - len(c.header.items())):
            c.header.add(b"k%d" % i, b"v")

    return list_with(change)


def avro_header_bytes(n):
    """From the magic to the end of the map, without the byte that ends it."""

    def change(c):
        c.header.add(b"k", b"")
        size = 4 + len(c.header.encode()) - 1 - 1  # with an empty value
        for width in (1, 2, 3, 4, 5):
            length = n - size - width
            if len(encode_long(length)) == width:
                c.header.set(b"k", b"v" * length)
        assert 4 + len(c.header.encode()) - 1 == n

    return list_with(change)


def block_bytes(n):
    """A deflate block that inflates to n bytes, most of them in one column of one record."""

    def change(c):
        c.blocks = [avro.Block(None, c.all_rows()[:1])]
        extra_field(c, '"bytes"', filler(n, len(c.encode_rows(c.blocks[0].rows))))
        assert len(c.blocks[0].stored) == n
        c.header.set(b"avro.codec", b"deflate")
        c.blocks[0].stored = stored_deflate(c.blocks[0].stored)

    return list_with(change)


def filler(n, bare, fill=b"x"):
    """A value of type bytes that makes n bytes of `bare`."""
    length = next(n - bare - width for width in range(1, 7) if len(encode_long(n - bare - width)) == width)
    return encode_long(length) + fill * length


def stored_deflate(data):
    out = b""
    for at in range(0, len(data), 65535):
        part = data[at : at + 65535]
        out += bytes([at + 65535 >= len(data)]) + struct.pack("<HH", len(part), 65535 - len(part)) + part
    return out


def packed_bytes(n):
    """As stored: a deflate block blown up by empty pieces of five bytes each, and by a few bytes in a column."""

    def change(c):
        c.blocks = [avro.Block(None, c.all_rows()[:1])]
        bare = len(c.encode_rows(c.blocks[0].rows))
        rest = (n - bare - 5 - 1) % 5
        extra_field(c, '"bytes"', encode_long(rest) + b"x" * rest)
        body = stored_deflate(c.blocks[0].stored)
        c.header.set(b"avro.codec", b"deflate")
        c.blocks[0].stored = b"\0\0\0\xff\xff" * ((n - len(body)) // 5) + body
        assert len(c.blocks[0].stored) == n

    return list_with(change)


RATIO = 8


def inflate_ratio(n):
    """A block that inflates to n times its bytes and 64 KiB; RATIO + 1 is one byte more, not one time more."""

    def change(c):
        c.blocks = [avro.Block(None, c.all_rows()[:1])]
        row = c.encode_rows(c.blocks[0].rows)
        extra_field(c, '"bytes"', b"")
        for packed in range(8 << 10, 9 << 10):
            size = SLACK + (RATIO * packed + 1 if n == RATIO + 1 else n * packed)
            pack = zlib.compressobj(9, zlib.DEFLATED, -15)
            body = pack.compress(row + filler(size, len(row), b"\0")) + pack.flush(zlib.Z_FULL_FLUSH)
            pad = packed - len(body) - 5
            if pad >= 0 and pad % 5 == 0:
                break
        # empty stored pieces fill up to the packed size, the last one ends the stream
        body += b"\0\0\0\xff\xff" * (pad // 5) + b"\1\0\0\xff\xff"
        assert len(body) == packed and len(zlib.decompress(body, -15)) == size
        c.header.set(b"avro.codec", b"deflate")
        c.blocks = [avro.Block(body, None, 1)]

    return list_with(change)


def zstd_window(n):
    """A frame of one raw piece that asks for a window of 2^n bytes."""

    def change(c):
        data = c.encode_rows(c.all_rows())
        piece = (1 | len(data) << 3).to_bytes(3, "little") + data
        c.blocks = [avro.Block(b"\x28\xb5\x2f\xfd\0" + bytes([(n - 10) << 3]) + piece, None, len(c.all_rows()))]
        c.header.set(b"avro.codec", b"zstandard")

    return list_with(change)


def zero_size_items(n):
    return list_with(lambda c: extra_field(c, '{"type": "array", "items": "null", "element-id": 9001}', encode_long(n) + b"\0"))


def file_bytes(n):
    t = Table()
    t.files[CURRENT] += b" " * (n - len(t.files[CURRENT]))
    return t


def gzip_bytes(n):
    """As above, packed: with blanks and noise that do not make a bomb of it."""
    t = Table()
    noise = random.Random(1).randbytes(n // 8).hex().encode()
    text = t.files.pop(CURRENT)
    text = text.replace(b"{", b'{"x": "' + noise + b'", ', 1)
    t.files["metadata/v3.gz.metadata.json"] = gzip.compress(text + b" " * (n - len(text)), 1, mtime=0)
    return t


def path_bytes(n):
    """Of the URI; no such file is there."""
    t = Table()
    uri = (PATH + "metadata/" + ("d" * 99 + "/") * n)[: n - 6] + "x.avro"
    t.files[CURRENT] = t.files[CURRENT].replace((PATH + LIST).encode(), uri.encode())
    return t


def findings(n):
    t = Table()
    keys = b"".join(b'"x-%d": 1, ' % i for i in range(n))
    t.files[CURRENT] = t.files[CURRENT].replace(b"{", b"{" + keys, 1)
    return t


class Row:
    """limit: in place of the default, where that would take long. most: 100 N, where that does not exist. other: the rule that speaks first at 100 N.
    each: bytes that a unit beyond N may take, where it is no limit on what is read."""

    def __init__(self, rule, at, limit=None, options=None, most=None, other=None, each=0):
        self.rule, self.at, self.limit, self.options, self.most, self.other, self.each = rule, at, limit, options or {}, most, other, each


HEADER = {"avro_header_bytes": 256 << 10}
EVERY = {"findings_per_file": 1 << 40, "findings_per_rule": 1 << 40, "findings_per_table": 1 << 40}

ROWS = {
    "json_depth": [Row("limit.depth", json_depth)],
    "json_string_bytes": [Row("limit.token", json_string, 64 << 10)],
    "json_key_bytes": [Row("limit.token", json_key)],
    "json_number_bytes": [Row("limit.token", json_number)],
    "avro_depth": [Row("limit.depth", avro_schema_depth, each=200), Row("limit.depth", avro_datum_depth)],
    "avro_schema_bytes": [Row("limit.schema", avro_schema_bytes, 64 << 10, HEADER, other="limit.header")],
    "avro_schema_nodes": [Row("limit.schema", avro_schema_nodes, 1000, HEADER, other="limit.header")],
    "avro_header_keys": [Row("limit.header", avro_header_keys)],
    "avro_header_bytes": [Row("limit.header", avro_header_bytes, 64 << 10)],
    "block_packed_bytes": [Row("limit.block", packed_bytes, 64 << 10)],
    "block_bytes": [Row("limit.block", block_bytes, 64 << 10, {"block_packed_bytes": 128 << 10})],
    "inflate_ratio": [Row("limit.bomb", inflate_ratio, RATIO)],
    "zstd_window_log": [Row("limit.window", zstd_window, most=41)],
    "zero_size_items": [Row("limit.items", zero_size_items)],
    "file_bytes": [Row("limit.file", file_bytes, 64 << 10), Row("limit.file", gzip_bytes, 64 << 10)],
    "path_bytes": [Row("source.path", path_bytes, options={"json_string_bytes": 64 << 10}, other="limit.token")],
    "memory": [],  # see memory()
    # the keys of one object are kept, however many; findings are not
    "findings_per_file": [Row("limit.findings", findings, each=40)],
    "findings_per_rule": [Row("limit.findings", findings, None, {**EVERY, "findings_per_rule": 0}, each=40)],
    "findings_per_table": [Row("limit.findings", findings, 500, {**EVERY, "findings_per_table": 0}, each=40)],
}


class Limits:
    def __init__(self, binary, work):
        self.binary, self.work, self.n, self.bad = binary, work, 0, 0
        self.checker = Checker(binary)
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        listed = subprocess.run([binary, "limits"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.defaults = {line.split()[0]: int(line.split()[1]) for line in listed.splitlines()}

    def expect(self, truth, what, run=""):
        self.n += 1
        if not truth:
            self.bad += 1
            print("FAILED %s: %s" % (what, run))

    def run(self, table, options):
        return self.checker.check(table.write(os.path.join(self.work, "t")), **options)

    def told(self, what, run, rule):
        """By its rule, and not as clean."""
        self.expect(run.rules & {"limit.bomb", rule} == {rule}, "%s: not %s" % (what, rule), run)
        if rule == "limit.findings":  # whose counts stay exact
            total = sum(run.summary["counts"].values())
            self.expect(sum(1 + f["more"] for f in run.findings) == total and run.complete, "%s: findings were lost" % what, run)
        else:
            self.expect(run.exit & 2 and not run.complete, "%s: passed as complete" % what, run)
            asked = [one["why"] for one in run.summary["not_evaluated"] if one["asked"]]
            self.expect(any(rule in why for why in asked), "%s: %s is not why something was not evaluated" % (what, rule), run)

    def row(self, name, row):
        n = row.limit or self.defaults[name]
        options = {**row.options, name: row.limit or 0}
        what = "%s (%s)" % (name, row.at.__name__)
        at = self.run(row.at(n), options)
        self.expect(not at.rules & {row.rule, row.other}, "%s: %d is refused" % (what, n), at)
        self.expect(at.complete or name == "path_bytes", "%s: %d is not complete" % (what, n), at)
        above = self.run(row.at(n + 1), options)
        self.told("%s: %d" % (what, n + 1), above, row.rule)
        most = row.most or 100 * n
        far = self.run(row.at(most), options)
        self.told("%s: %d" % (what, most), far, row.other or row.rule)
        room = above.count["peak"] + (64 << 10) + row.each * (most - n)
        self.expect(far.count["peak"] <= room, "%s: %d takes %d bytes, not %d" % (what, most, far.count["peak"], room), far)
        self.expect(far.count["requests"] <= 2 * above.count["requests"], "%s: %d takes %d requests for memory, not %d"
                    % (what, most, far.count["requests"], above.count["requests"]), far)


    def default(self, name):
        """Of a lowered limit, where it costs but megabytes."""
        n, row = self.defaults[name], ROWS[name][0]
        at = self.run(row.at(n), {})
        self.expect(at.complete and row.rule not in at.rules, "%s: %d is refused" % (name, n), at)
        self.told("%s: %d" % (name, n + 1), self.run(row.at(n + 1), {}), row.rule)


# ---- rows of the table of limits that have no member of their own ----


def array_items(limits):
    """As many items of one byte or more as bytes are left in the block; none is stored before it is there."""
    type_ = '{"type": "array", "items": "int", "element-id": 9001}'
    for n, claimed, rule in ((100, 100, None), (100, 101, "avro.block.count"), (100, 1 << 40, "avro.block.count"), (100, (1 << 63) - 1, "avro.block.count")):
        run = limits.run(list_with(lambda c: extra_field(one_row(c), type_, encode_long(claimed) + b"\2" * n + b"\0" * (rule is None))), {})
        limits.expect((rule in run.rules and run.exit & 3 == 3) if rule else run.complete, "array_items: %d of %d" % (n, claimed), run)
        limits.expect(run.count["largest"] <= 256 << 10, "array_items: %d bytes for %d items" % (run.count["largest"], claimed), run)


def one_row(c):
    c.blocks = [avro.Block(None, c.all_rows()[:1])]
    return c


def block_records(limits):
    """A record takes a byte at least; of records without bytes 2^20 may stand in a file."""
    def claim(n):
        def change(c):
            c.blocks[0].count = n
        return list_with(change)
    rows = len(Table().container().all_rows())
    for n in (rows, rows + 1, 100 * rows, 1 << 62):
        run = limits.run(claim(n), {})
        limits.expect(("avro.block.count" in run.rules) == (n != rows) and bool(run.exit & 2) == (n != rows), "block_records: %d" % n, run)
        limits.expect(run.count["peak"] < 1 << 20, "block_records: %d take %d bytes" % (n, run.count["peak"]), run)

    def empty(*counts):
        def change(c):
            c.header.set(b"avro.schema", b'{"type": "record", "name": "r", "fields": []}')
            c.blocks = [avro.Block(b"", None, n) for n in counts]
        return list_with(change)
    half = 1 << 19
    for counts, refused in (((half, half), False), ((half, half, 1), True), ((2 * half,), False), ((2 * half + 1,), True), ((100 << 20,), True),
                            ((1 << 62,), True), ((2 * half,) * 1000, True)):
        run = limits.run(empty(*counts), {})
        what = "block_records: %d blocks of %d without bytes" % (len(counts), counts[0])
        limits.expect(("avro.block.count" in run.rules) == refused and run.exit & 3, what, run)
        limits.expect(run.count["peak"] < 2 << 20, "%s take %d bytes" % (what, run.count["peak"]), run)


def links(limits):
    """Links that lead to links: 8 are followed."""
    for n, refused in ((8, False), (9, True), (800, True)):
        place = Table().write(os.path.join(limits.work, "links-%d" % n))
        chain = os.path.join(place, "metadata")
        os.rename(os.path.join(place, LIST), os.path.join(chain, "l0"))
        for i in range(n):
            os.symlink("l%d" % i, os.path.join(chain, "l%d" % (i + 1) if i + 1 < n else os.path.basename(LIST)))
        run = limits.checker.check(place)
        limits.expect(("source.link" in run.rules) == refused and run.complete != refused, "links: %d" % n, run)


def leads_out(limits):
    """No part of a path may be `..`: not one, not a hundred."""
    for n in (0, 1, 100):
        t = Table()
        uri = PATH + "../" * n + LIST
        t.files[CURRENT] = t.files[CURRENT].replace((PATH + LIST).encode(), uri.encode())
        run = limits.run(t, {})
        limits.expect(("source.path" in run.rules) == (n > 0) and run.complete == (n == 0), "leads_out: %d" % n, run)


def default_file(limits):
    """2 GiB and a byte, which take no room on the disk: refused before they are read."""
    place = Table().write(os.path.join(limits.work, "sparse"))
    with open(os.path.join(place, CURRENT), "r+b") as f:
        f.truncate(limits.defaults["file_bytes"] + 1)
    run = limits.checker.check(place)
    limits.told("default_file", run, "limit.file")
    limits.expect(run.count["peak"] < 1 << 20, "default_file", run)


def declared_size(limits):
    """snappy and zstandard say how much they hold: too much is refused before a byte is unpacked."""
    for codec, body in (("snappy", bytes([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 97, 0, 0, 0, 0])),
                        ("zstandard", b"\x28\xb5\x2f\xfd\xe0" + (1 << 40).to_bytes(8, "little") + b"\1\0\0")):
        def change(c, codec=codec, body=body):
            c.header.set(b"avro.codec", codec.encode())
            c.blocks = [avro.Block(body, None, 1)]
        run = limits.run(list_with(change), {})
        limits.told("declared_size: " + codec, run, "limit.bomb")
        limits.expect(run.count["peak"] < 1 << 20, "declared_size: " + codec, run)


def memory(limits):
    """Whatever the limit: within it, and clean only with everything read."""
    t = findings(50)
    whole = limits.run(t, {})
    limits.expect(whole.complete, "memory: the default", whole)
    n_refused = 0
    for limit in (1, 1000, 10000, 100000, 200000, 300000, 350000, 400000, 450000, 500000, 600000, 1000000, whole.count["peak"] * 100):
        run = limits.run(t, {"memory": limit})
        limits.expect(run.count["peak"] <= limit + Checker.OWN, "memory: %d bytes" % limit, run)
        if run.summary is None:  # too little for any check
            limits.expect(run.count["status"] == ICE_ELIMIT and run.count["rule"] == "limit.memory", "memory: %d bytes: %s" % (limit, run.count))
            n_refused += 1
        elif run.complete:
            limits.expect(run.summary["counts"] == whole.summary["counts"], "memory: other findings with %d bytes" % limit, run)
        else:
            limits.told("memory: %d bytes" % limit, run, "limit.memory")
            n_refused += 1
    limits.expect(n_refused > 3, "memory: what is too little?")


def instructions(binary, path, options):
    """Of one check, starting included."""
    job = "\t".join([path] + ["%s=%s" % option for option in options.items()]) + "\n"
    run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", binary], input=job.encode(),
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    found = re.search(rb"I\s+refs:\s+([\d,]+)", run.stderr)
    if found is None:
        sys.exit("valgrind counted nothing: %s" % run.stderr.decode(errors="replace")[-400:])
    return int(found.group(1).replace(b",", b""))


def work(limits):
    """100 N costs what N + 1 does, and two instructions a byte where what is over a limit is stepped over."""
    if shutil.which("valgrind") is None:
        print("not run: there is no valgrind to count instructions")
        sys.exit(77)
    for name in WORK:
        row = ROWS[name][0]
        n, options = row.limit or limits.defaults[name], {**row.options, name: row.limit or 0}
        tables = [row.at(size) for size in (n + 1, 100 * n)]
        above, far = (instructions(limits.binary, t.write(os.path.join(limits.work, "t")), options) for t in tables)
        more = sum(map(len, tables[1].files.values())) - sum(map(len, tables[0].files.values()))
        print("%-20s N + 1: %10d, 100 N: %10d, %d bytes more" % (name, above, far, more))
        limits.expect(far <= above * 1.1 + 2 * more, "%s: 100 N takes %d instructions, N + 1 %d" % (name, far, above))


WORK = ("json_depth", "json_key_bytes", "block_packed_bytes", "zero_size_items")
ICE_ELIMIT = -7
CHEAP = ("json_string_bytes", "avro_schema_bytes", "avro_schema_nodes", "avro_header_bytes")
OTHERS = (array_items, block_records, links, leads_out, default_file, declared_size, memory)


def main():
    limits = Limits(os.path.abspath(sys.argv[1]), sys.argv[2])
    names = sys.argv[3:]
    if names == ["work"]:
        work(limits)
        shutil.rmtree(limits.work, ignore_errors=True)
        return 1 if limits.bad else 0
    if list(ROWS) != list(limits.defaults):
        limits.expect(False, "the rows are not the limits", list(limits.defaults))
    for name, rows in ROWS.items():
        for row in rows:
            if not names or name in names:
                limits.row(name, row)
    for name in CHEAP:
        if not names or name in names:
            limits.default(name)
    for other in OTHERS:
        if not names or other.__name__ in names:
            other(limits)
    limits.expect(limits.checker.close() == 0, "the checker did not end well")
    shutil.rmtree(limits.work, ignore_errors=True)
    print("%d limits, %d expectations, %d failed" % (len(ROWS), limits.n, limits.bad))
    return 1 if limits.bad else 0


if __name__ == "__main__":
    sys.exit(main())
