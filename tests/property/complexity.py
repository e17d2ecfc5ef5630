"""Work grows with the input, not with its square: instructions of a check at N and 2N of one thing.

    complexity.py ICEFSCK GEN_TABLE WORK

What an empty table costs is taken off both. valgrind counts; without it nothing is run, and the exit is 77.
"""
import json
import os
import re
import shutil
import subprocess
import sys

MOST = 2.3
NOW = 1764000000000


def field(i, name=None):
    return {"id": i, "name": name or "c%d" % i, "required": False, "type": "long"}


def empty():
    return {"format-version": 2, "table-uuid": "8fb8e0a7-22f8-4202-a73f-b5c0c9bdc71d", "location": "s3://b/t", "last-sequence-number": 0,
            "last-updated-ms": NOW, "last-column-id": 3, "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": [field(1), field(2), field(3)]}],
            "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}], "last-partition-id": 999, "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}], "properties": {}, "refs": {}, "snapshots": [], "snapshot-log": [], "metadata-log": []}


def snapshots(n):
    """With what comes with each: a log entry, a file of statistics."""
    m = empty()
    for i in range(n):
        one = {"sequence-number": i + 1, "snapshot-id": 10**15 + i * 7919, "timestamp-ms": NOW - 10**9 + i * 1000, "schema-id": 0,
               "summary": {"operation": "append", "added-data-files": "1", "total-data-files": str(i + 1)},
               "manifest-list": "s3://b/t/metadata/snap-%d-1-5a568596-f13e-4eab-a37d-5ed4a8%06x.avro" % (10**15 + i * 7919, i)}
        if i > 0:
            one["parent-snapshot-id"] = 10**15 + (i - 1) * 7919
        m["snapshots"].append(one)
        m["snapshot-log"].append({"timestamp-ms": one["timestamp-ms"], "snapshot-id": one["snapshot-id"]})
    if n > 0:
        m["current-snapshot-id"] = m["snapshots"][-1]["snapshot-id"]
        m["refs"]["main"] = {"snapshot-id": m["current-snapshot-id"], "type": "branch"}
        m["last-sequence-number"] = n
    return m


def logs_and_refs(n):
    m = snapshots(min(n, 2))
    for i in range(n):
        name = "s3://b/t/metadata/%05d-5a568596-f13e-4eab-a37d-5ed4a8%06x.metadata.json" % (i, i)
        m["metadata-log"].append({"timestamp-ms": NOW - 10**9 + i, "metadata-file": name})
        m["refs"]["r%d" % i] = {"snapshot-id": 10**15, "type": "tag"}
    return m


def schemas(n):
    m = snapshots(n)
    m["schemas"] += [{"type": "struct", "schema-id": i + 1, "fields": [field(1), field(2), field(3, "n%d" % i)]} for i in range(n)]
    for i, one in enumerate(m["snapshots"]):
        one["schema-id"] = i
    return m


def columns(n):
    m = empty()
    m["schemas"][0]["fields"] = [field(i + 1) for i in range(n + 3)]
    m["last-column-id"] = n + 3
    m["properties"] = {"write.metadata.metrics.column.c%d" % (i + 1): "full" for i in range(n)}
    return m


def equal_columns(n):
    m = columns(n)
    for one in m["schemas"][0]["fields"][3:]:
        one["name"] = "same"
    return m


def equal_layouts(n):
    m = empty()
    m["partition-specs"] += [{"spec-id": 1, "fields": [{"name": "p", "transform": "bucket[4]", "source-id": 1, "field-id": 1000}]}] * n
    m["sort-orders"] += [{"order-id": 1, "fields": [{"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-first"}]}] * n
    m["schemas"] += [dict(m["schemas"][0], **{"schema-id": 1})] * n
    m["last-partition-id"] = 1000
    return m


def partition_fields(n):
    m = empty()
    m["partition-specs"][0]["fields"] = [{"name": "p%d" % i, "transform": "bucket[%d]" % (i + 1), "source-id": 1 + i % 3, "field-id": 1000 + i}
                                         for i in range(n)]
    m["last-partition-id"] = 999 + n
    return m


def geo_columns(n):
    """Each names a property for its crs."""
    m = empty()
    m.update({"format-version": 3, "next-row-id": 0, "last-column-id": n + 3})
    m["schemas"][0]["fields"] += [dict(field(i + 4), type="geometry(projjson:p%d)" % i) for i in range(n)]
    m["properties"] = {"p%d" % i: "{}" for i in range(n)}
    return m


def spec_ids(n):
    """One field under ever new ids."""
    m = empty()
    m["partition-specs"] += [{"spec-id": i + 1, "fields": [{"name": "p", "transform": "identity", "source-id": 1, "field-id": 1000 + i}]} for i in range(n)]
    m["last-partition-id"] = 999 + n
    return m


class Complexity:
    def __init__(self, icefsck, gen_table, work):
        self.icefsck, self.gen_table, self.work, self.bad = icefsck, gen_table, work, 0

    def count(self, *arguments):
        """Instructions of one check."""
        run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                              self.icefsck, "check", "-j1", "--now", "2026-01-01T00:00:00Z", *arguments],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        found = re.search(rb"I\s+refs:\s+([\d,]+)", run.stderr)
        if found is None:
            sys.exit("valgrind counted nothing: %s" % run.stderr.decode(errors="replace")[-400:])
        return int(found.group(1).replace(b",", b""))

    def of_metadata(self, make, n):
        path = os.path.join(self.work, "table")
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(os.path.join(path, "metadata"))
        with open(os.path.join(path, "metadata", "v1.metadata.json"), "w") as out:
            json.dump(make(n), out, separators=(",", ":"))
        return self.count("--depth", "metadata", path)

    def of_table(self, options, n):
        path = os.path.join(self.work, "table")
        shutil.rmtree(path, ignore_errors=True)
        subprocess.run([self.gen_table, *[str(option(n)) if callable(option) else option for option in options], path], check=True)
        return self.count(path)

    def compare(self, name, count, n, least):
        base, one, two = count(least), count(n), count(2 * n)
        ratio = (two - base) / (one - base)
        print("%-18s %6d: %11d, %6d: %11d, ratio %.2f" % (name, n, one - base, 2 * n, two - base, ratio))
        if ratio > MOST:
            print("%s: twice as many take %.2f times the instructions, more than %.1f" % (name, ratio, MOST))
            self.bad += 1


def main():
    icefsck, gen_table, work = sys.argv[1:]
    if shutil.which("valgrind") is None:
        print("not run: there is no valgrind to count instructions")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    c = Complexity(icefsck, gen_table, work)
    # from some 1500 schemas on their number is a finding, whose line a second reading looks for
    c.compare("schemas", lambda n: c.of_metadata(schemas, n), 2000, 0)
    for make in (snapshots, logs_and_refs, columns, equal_columns, equal_layouts, partition_fields, geo_columns, spec_ids):
        c.compare(make.__name__, lambda n, make=make: c.of_metadata(make, n), 1000, 0)
    c.compare("files", lambda n: c.of_table(["-n", lambda n: n, "-m", "2", "-k", "2"], n), 1000, 10)
    c.compare("manifests", lambda n: c.of_table(["-n", lambda n: 2 * n, "-m", lambda n: n, "-k", "2"], n), 150, 5)
    c.compare("commits", lambda n: c.of_table(["-n", "400", "-m", "10", "-k", lambda n: n], n), 150, 5)
    shutil.rmtree(work, ignore_errors=True)
    return 1 if c.bad else 0


sys.exit(main())
