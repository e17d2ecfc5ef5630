#!/usr/bin/python3 -SEB
"""check --second-opinion: Avro C in a process of its own.  second_opinion.py ICEFSCK WORK"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

NOW = "2026-12-31T00:00:00Z"


def summary_of(done):
    return json.loads(done.stdout.splitlines()[-1])


def opinion(t, path, *args, code=0):
    done = t.run("check", path, "--second-opinion", "-f", "ndjson", "--now", NOW, *args, code=code)
    return summary_of(done)


def dying(t):
    """Legal records, nested so deep that Avro C, which calls itself, runs out of stack; then one that is not."""
    schema = b'{"type":"record","name":"node","fields":[{"name":"next","type":["null","node"]}]}'
    sync = b"0123456789abcdef"

    def number(n):
        n, out = n << 1, b""
        while n > 127:
            out += bytes([n & 127 | 128])
            n >>= 7
        return out + bytes([n])

    deep, flat = b"\x02" * 90000 + b"\x00", b"\x00"
    path = os.path.join(t.work, "deep.avro")
    with open(path, "wb") as f:
        f.write(b"Obj\x01\x02\x16avro.schema" + number(len(schema)) + schema + b"\x00" + sync)
        for data in (flat, deep, flat):
            f.write(number(1) + number(len(data)) + data + sync)
    return path


@harness.needs("avro-c")
@harness.needs("bzip2")
def test_same(t):
    """Every codec, and all that engines write: nothing to say, and so many records were compared."""
    for base, blocks, records in (("pyiceberg-v2-codecs", 14, 35), ("spark-v2-codecs", 8, 14), ("java-v1-zstd", 8, 13)):
        got = opinion(t, t.table(base, base))
        t.equal(got["second_opinion"], {"same_blocks": blocks, "same_records": records})
        t.equal(got["complete"], True)


def test_not_asked(t):
    t.equal("second_opinion" in summary_of(t.run("check", t.table(), "-f", "ndjson", "--now", NOW)), False)


@harness.needs("avro-c")
def test_threads_and_cache(t):
    """The same report for any number of threads; what the cache knows is compared as well."""
    table, cache = t.table("spark-v2-partitioned"), os.path.join(t.work, "cache")
    want = opinion(t, table, "-j", "1")
    t.equal(opinion(t, table, "-j", "4"), want)
    for _ in range(2):
        t.equal(opinion(t, table, "--cache", cache), want)


@harness.needs("avro-c")
def test_note(t):
    done = t.run("check", t.table(), "--second-opinion", "-v", "--now", NOW, code=0)
    t.equal("second opinion: 16 records of 7 blocks are read alike" in done.stderr, True)


@harness.needs("avro-c")
def test_death(t):
    """A death of Avro C is a line of the report and exit bit 2; the next block has a process again."""
    got = opinion(t, dying(t), "--max-depth", "100000", code=2)
    lines = [line for line in got["not_evaluated"] if line["what"] == "avro.second-opinion"]
    t.equal(len(lines), 1)
    t.equal(lines[0]["why"].startswith(("Avro C died of signal ", "Avro C ended in its own process")), True)
    t.equal(lines[0]["asked"], True)
    t.equal(got["counts"], {"error": 0, "warn": 0, "info": 0})
    t.equal(got["second_opinion"], {"same_blocks": 2, "same_records": 2})


@harness.needs("avro-c")
def test_refused_schema(t):
    """What Avro C cannot do is not our finding: it takes no name with a dot."""
    table = t.build("base plain-v2\navro m1 schema set /fields/name=status/name \"st.atus\"\n")
    got = opinion(t, table, code=3)
    why = [line["why"] for line in got["not_evaluated"] if line["what"] == "avro.second-opinion"]
    t.equal(why, ["Avro C refuses the schema: Invalid Avro identifier"])


@harness.needs("avro-c")
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


@harness.needs("avro-c")
def test_version(t):
    t.equal("avro-c" in json.loads(t.run("version", "-f", "json", code=0).stdout)["libraries"], True)


def test_left_out(t):
    """A build without Avro C says what it lacks."""
    if not t.has_library("avro-c"):
        t.usage("check", t.table(), "--second-opinion", has=["--second-opinion", "libavro-dev"])


if __name__ == "__main__":
    harness.main(dict(globals()))
