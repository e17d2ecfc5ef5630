#!/usr/bin/python3 -SEB
"""check --second-opinion: Avro C in a process of its own.  second_opinion.py ICEFSCK WORK"""

import json
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

NOW = "2026-12-31T00:00:00Z"


def summary_of(done):
    return json.loads(done.stdout.splitlines()[-1])


def opinion(t, path, *args, code=0):
    done = t.run("check", path, "--second-opinion", "-f", "ndjson", "--now", NOW, *args, code=code)
    return summary_of(done)


def number(n):
    n, out = n << 1, b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def container(t, name, schema, blocks):
    """An Avro file; blocks: [(number of records, their bytes)]."""
    sync, text = b"0123456789abcdef", json.dumps(schema).encode()
    path = os.path.join(t.work, name)
    with open(path, "wb") as f:
        f.write(b"Obj\x01\x02\x16avro.schema" + number(len(text)) + text + b"\x00" + sync)
        for n, data in blocks:
            f.write(number(n) + number(len(data)) + data + sync)
    return path


def dying(t):
    """Legal records, nested so deep that Avro C, which calls itself, runs out of stack; then one that is not."""
    schema = {"type": "record", "name": "node", "fields": [{"name": "next", "type": ["null", "node"]}]}
    deep, flat = b"\x02" * 90000 + b"\x00", b"\x00"
    return container(t, "deep.avro", schema, [(1, flat), (1, deep), (1, flat)])


@harness.needs("bzip2")
def test_same(t):
    """Every codec, and all that engines write: nothing to say, and so many records were compared."""
    for base, blocks, records in (("pyiceberg-v2-codecs", 14, 35), ("spark-v2-codecs", 8, 14), ("java-v1-zstd", 8, 13)):
        got = opinion(t, t.table(base, base))
        t.equal(got["second_opinion"], {"same_blocks": blocks, "same_records": records})
        t.equal(got["complete"], True)


def test_not_asked(t):
    t.equal("second_opinion" in summary_of(t.run("check", t.table(), "-f", "ndjson", "--now", NOW)), False)


def test_threads_and_cache(t):
    """The same report for any number of threads; what the cache knows is compared as well."""
    table, cache = t.table("spark-v2-partitioned"), os.path.join(t.work, "cache")
    want = opinion(t, table, "-j", "1")
    t.equal(opinion(t, table, "-j", "4"), want)
    for _ in range(2):
        t.equal(opinion(t, table, "--cache", cache), want)


def test_note(t):
    done = t.run("check", t.table(), "--second-opinion", "-v", "--now", NOW, code=0)
    t.equal("second opinion: 16 records of 7 blocks are read alike" in done.stderr, True)


def test_every_type(t):
    """Each type of Avro, also where one stands in another, is read alike, record by record; a schema may change between files."""
    types = {"n": "null", "b": "boolean", "i": "int", "l": "long", "f": "float", "d": "double", "s": "string", "y": "bytes",
             "x": {"type": "fixed", "name": "four", "size": 4}, "e": {"type": "enum", "name": "color", "symbols": ["RED", "BLUE"]},
             "u": ["null", "long", "string"], "a": {"type": "array", "items": "int"}, "m": {"type": "map", "values": ["null", "double"]},
             "r": {"type": "record", "name": "inner", "fields": [{"name": "q", "type": {"type": "array", "items": {"type": "map", "values": "bytes"}}}]}}
    schema = {"type": "record", "name": "all_types", "fields": [{"name": n, "type": ty} for n, ty in types.items()]}
    real = b"\x00\x00\x00\x00\x00\x00\xf8\x3f"
    one = (b"\x01" + number(7) + number(8) + b"\x00\x00\xc0\x3f" + real + number(2) + b"ab" + number(1) + b"\x00" + b"wxyz" + number(1) + number(2)
           + number(1) + b"z" + number(2) + number(1) + number(2) + b"\x00" + number(2) + number(1) + b"k" + number(1) + real + number(1) + b"l\x00" + b"\x00"
           + number(1) + number(1) + number(1) + b"k" + number(0) + b"\x00" + b"\x00")
    two = (b"\x00" + number(0) + number(0) + b"\x00" * 4 + b"\x00" * 8 + number(0) + number(0) + b"wxyz" + number(0) + number(0) + b"\x00" + b"\x00" + b"\x00")
    path = container(t, "types.avro", schema, [(2, one + two), (1, one), (0, b"")])
    got = opinion(t, path, "--only", "avro.*")
    t.equal(got["second_opinion"]["same_records"], 3)
    t.equal([line for line in got["not_evaluated"] if line["what"].startswith("avro")], [])


def test_deep(t):
    """What is nested beyond what the child follows has no second opinion; the blocks around it do."""
    schema = {"type": "record", "name": "node", "fields": [{"name": "next", "type": ["null", "node"]}]}
    path = container(t, "deep.avro", schema, [(1, b"\x00"), (2, b"\x00" + b"\x02" * 200 + b"\x00"), (1, b"\x02\x00")])
    got = opinion(t, path, "--max-depth", "1000", code=2)
    lines = [line for line in got["not_evaluated"] if line["what"] == "avro.second-opinion"]
    t.equal(len(lines), 1)
    t.has(lines[0]["why"], "Avro C cannot hand out what it has read")
    t.equal(got["second_opinion"], {"same_blocks": 2, "same_records": 2})


def test_values_of_no_bytes(t):
    """The check steps over them, the digests count each: what is too many of them in a file has no second opinion."""
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": {"type": "array", "items": "null"}}]}
    path = container(t, "nulls.avro", schema, [(1, number(60000) + b"\x00")] * 1000)
    got = opinion(t, path, "--only", "avro.*", code=2)
    lines = [line for line in got["not_evaluated"] if line["what"] == "avro.second-opinion"]
    t.equal([line["why"] for line in lines], ["a block holds more values of no bytes than the limit"])
    t.equal(got["second_opinion"], {"same_blocks": 1, "same_records": 1})


def limited(**limits):
    """Sets limits of a process to be: its names behind RLIMIT_, and soft and hard limit."""
    def limit():
        for name, pair in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), pair)
    return limit


def test_no_process(t):
    """Where no pipe is to be had that is said, and all else is checked."""
    t.table()
    told = []
    for n in range(6, 10):
        done = t.run("check", "table", "--second-opinion", "-j", "1", "-f", "ndjson", "--now", NOW, "--no-config", preexec_fn=limited(NOFILE=(n, n)))
        whys = {line["why"] for line in summary_of(done)["not_evaluated"] if line["what"] == "avro.second-opinion"}
        t.equal(done.returncode, 2 if whys else 0)
        told += whys
    t.equal(set(told), {"the process for Avro C could not be started"})


def test_limits_of_the_caller(t):
    """A limit of time that is there already is kept to."""
    want = opinion(t, t.table())
    for pair in ((500, 1000), (5, 6)):
        done = t.run("check", t.table(name="table%d" % pair[0]), "--second-opinion", "-f", "ndjson", "--now", NOW, preexec_fn=limited(CPU=pair))
        t.equal(summary_of(done)["second_opinion"], want["second_opinion"])


def test_death(t):
    """A death of Avro C is a line of the report and exit bit 2; the next block has a process again."""
    got = opinion(t, dying(t), "--max-depth", "100000", code=2)
    lines = [line for line in got["not_evaluated"] if line["what"] == "avro.second-opinion"]
    t.equal(len(lines), 1)
    t.equal(lines[0]["why"].startswith(("Avro C died of signal ", "Avro C ended in its own process")), True)
    t.equal(lines[0]["asked"], True)
    t.equal(got["counts"], {"error": 0, "warn": 0, "info": 0})
    t.equal(got["second_opinion"], {"same_blocks": 2, "same_records": 2})


def test_refused_schema(t):
    """What Avro C cannot do is not our finding: it takes no name with a dot."""
    table = t.build("base plain-v2\navro m1 schema set /fields/name=status/name \"st.atus\"\n")
    got = opinion(t, table, code=3)
    why = [line["why"] for line in got["not_evaluated"] if line["what"] == "avro.second-opinion"]
    t.equal(why, ["Avro C refuses the schema: Invalid Avro identifier"])


def test_isolated(t):
    """In a batch each table's process has a second decoder of its own."""
    tables = "".join(t.table(base, base) + "\n" for base in ("plain-v1", "plain-v2", "plain-v3"))
    for args in ((), ("--isolate",), ("-j", "2")):
        done = t.run("batch", "--second-opinion", "--now", NOW, *args, stdin=tables, code=0)
        got = [json.loads(line)["summary"]["second_opinion"]["same_records"] for line in done.stdout.splitlines()]
        t.equal(got, [16, 16, 16])


def test_only(t):
    """Asked for by name without the option, the rule cannot be judged."""
    done = t.run("check", t.table(), "--only", "avro.second-opinion", "-f", "ndjson", "--now", NOW, code=2)
    t.equal([line["why"] for line in summary_of(done)["not_evaluated"] if line["asked"]],
          ["no second decoder: --second-opinion"])


def test_version(t):
    t.equal("avro-c" in json.loads(t.run("version", "-f", "json", code=0).stdout)["libraries"], True)


def test_left_out(t):
    """A build without Avro C says what it lacks."""
    if not t.has_library("avro-c"):
        t.usage("check", t.table(), "--second-opinion", has=["--second-opinion", "libavro-dev"])


WITHOUT = ("test_not_asked", "test_only", "test_left_out")

if __name__ == "__main__":
    # all others ask Avro C
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    harness.main({name: test if name in WITHOUT else harness.needs("avro-c")(test) for name, test in tests.items()})
