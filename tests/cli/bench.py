#!/usr/bin/python3 -SEB
"""bench: what it reads and counts, and when its figures mean nothing. bench.py ICEFSCK WORK [TEST...]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def rows(t, *args, **more):
    done = t.run("bench", "table", "--repeat", "3", "-f", "json", *args, **more)
    return {row["step"]: row for row in json.loads(done.stdout)}, done


def avro_files(t, *args):
    listed = t.lines(t.check("table", "--list-files", "-f", "ndjson", *args).stdout)
    return [row for row in listed if row["kind"].startswith("manifest")]


def test_reads_what_a_check_reads(t):
    t.table()
    files = avro_files(t)
    found, _ = rows(t, code=0)
    t.equal(list(found), ["read", "inflate", "metadata", "check"])
    for step in ("read", "inflate"):
        t.equal(found[step]["files"], len(files))
        t.equal(found[step]["bytes"], sum(row["size"] for row in files))
    metadata = t.lines(t.check("table", "--list-files", "-f", "ndjson", "--depth", "metadata").stdout)
    t.equal(found["metadata"]["bytes"], sum(row["size"] for row in metadata if row["kind"] == "metadata"))
    t.equal(found["inflate"]["ratio"], 1)
    for row in found.values():
        assert row["cpu_seconds"] > 0 or row["step"] == "read", row
    check = found["check"]
    assert 0 < check["ratio_least"] <= check["ratio"] <= check["ratio_most"], check
    assert check["peak_kib"] > 0, check


def test_rounds(t):
    """Of an even number of rounds the two in the middle count, and one is enough."""
    t.table()
    for n in ("1", "2", "4"):
        found = json.loads(t.run("bench", "table", "--repeat", n, "-f", "json", code=0).stdout)
        check = found[-1]
        assert 0 < check["ratio_least"] <= check["ratio"] <= check["ratio_most"], check


def test_scope_and_depth(t):
    t.table()
    some, all_files = avro_files(t, "--snapshot", "main"), avro_files(t)
    assert len(some) < len(all_files), some
    t.equal(rows(t, "--snapshot", "main", code=0)[0]["read"]["files"], len(some))
    lists = avro_files(t, "--depth", "list")
    assert 0 < len(lists) < len(all_files), lists
    t.equal(rows(t, "--depth", "list", code=0)[0]["read"]["files"], len(lists))


def test_several_threads_read_the_same(t):
    t.table()
    one = rows(t, "-j", "1", code=0)[0]
    for jobs in ("2", "3", "64"):
        found = rows(t, "-j", jobs, code=0)[0]
        for step in one:
            t.equal((step, found[step]["files"], found[step]["bytes"]), (step, one[step]["files"], one[step]["bytes"]))


def test_a_cut_manifest_is_told(t):
    place = t.table()
    manifest = next(row["uri"] for row in avro_files(t) if row["kind"] == "manifest")
    path = os.path.join(place, "metadata", os.path.basename(manifest))
    os.truncate(path, 100)
    found, done = rows(t, code=2)
    t.equal(len(found), 4)
    assert "1 file could not be read whole" in done.stderr, done.stderr


def test_nothing_to_read(t):
    place = t.table()
    for name in os.listdir(os.path.join(place, "metadata")):
        if name.endswith(".avro"):
            os.remove(os.path.join(place, "metadata", name))
    done = t.run("bench", "table", code=2)
    assert "no manifest list or manifest" in done.stderr, done.stderr


def test_arguments(t):
    t.run("bench", code=4)
    t.run("bench", "a", "b", code=4)
    t.run("bench", "a", "--repeat", "0", code=4)
    t.run("bench", "s3://lake/wh/t", code=4)
    t.run("bench", "no-such-table", code=2)


if __name__ == "__main__":
    harness.main(dict(globals()))
