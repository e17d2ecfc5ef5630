#!/usr/bin/python3 -SEB
"""The command pointers, and check by pointers alone. pointers.py ICEFSCK WORK [TEST...]"""

import gzip
import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

BASE = "s3://lake/wh/db/orders"
MAP = ["--map", "s3://lake/wh/db=."]


def uri(version, table="orders"):
    return "s3://lake/wh/db/%s/metadata/v%d.metadata.json" % (table, version)


def glue(name="orders", current=None, previous=None, **more):
    """One table as `aws glue get-table` prints it."""
    parameters = {"table_type": "ICEBERG"}
    if current is not None:
        parameters["metadata_location"] = current
    if previous is not None:
        parameters["previous_metadata_location"] = previous
    parameters.update(more.pop("parameters", {}))
    return {"Name": name, "DatabaseName": "db", "UpdateTime": "2026-11-29T20:40:59.615000+00:00", "Parameters": parameters, **more}


def rows(t, *args, code=None, **more):
    """(rows, rules found, not evaluated) of a call in ndjson."""
    lines = t.lines(t.run("pointers", *args, "--now", harness.NOW, "-f", "ndjson", code=code, **more).stdout)
    return ([l for l in lines if l["kind"] == "pointer"], sorted(l["rule"] for l in lines if l["kind"] == "finding"),
            [n for l in lines if l["kind"] == "summary" for n in l["not_evaluated"] if n["asked"]])


def states(found):
    return {row["name"]: row["state"] for row in found[0]}


def test_states(t):
    t.table(name="orders")
    for current, state, code in ((uri(3), "current", 0), (uri(2), "stale", 1), (uri(9), "dangling", 1), (None, "absent", 3)):
        t.write("glue.json", json.dumps({"Table": glue(current=current)}))
        for args in (["glue.json", "orders"], ["glue.json"] + MAP, ["--pointer", "glue.json", "orders"]):
            if current is None and len(args) == 3 and args[-1] == MAP[-1]:
                continue  # an entry without a location leads nowhere
            t.equal(states(rows(t, *args, code=code)), {"db.orders": state}, args)


def test_row(t):
    t.table(name="orders")
    t.write("glue.json", json.dumps({"Table": glue(current=uri(2), previous=uri(1), VersionId="7")}))
    (row,), rules, lacking = rows(t, "glue.json", *MAP, code=1)
    t.equal(rules, ["catalog.pointer.stale"])
    t.equal(lacking, [])
    wanted = {"kind": "pointer", "source": "glue.json", "namespace": ["db"], "table": "orders", "metadata_location": uri(2),
              "previous_metadata_location": uri(1), "version": 7, "time": "2026-11-29T20:40:59.615Z", "table_type": "ICEBERG",
              "state": "stale", "current": "v2.metadata.json", "newest": "v3.metadata.json", "behind": 1, "recreated": False}
    t.equal({key: row[key] for key in wanted}, wanted)


def metadata(t, version, table="orders"):
    return json.loads(t.read("%s/metadata/v%d.metadata.json" % (table, version)))


def put(t, name, document):
    t.write(name, json.dumps(document))


def test_forked_foreign_recreated(t):
    t.table(name="orders")
    side = metadata(t, 3)
    put(t, "orders/metadata/00003-7d4a16ab-52f5-4a08-9c3b-0d8f29f1c3a1.metadata.json", side)
    put(t, "glue.json", {"Table": glue(current=uri(3))})
    t.equal(states(rows(t, "glue.json", "orders", code=1)), {"db.orders": "forked"})
    side["table-uuid"] = "00000000-0000-4000-8000-000000000009"
    put(t, "orders/metadata/00003-7d4a16ab-52f5-4a08-9c3b-0d8f29f1c3a1.metadata.json", side)
    (row,), rules, _ = rows(t, "glue.json", "orders", code=1)
    t.equal((row["state"], row["recreated"]), ("current", True))
    t.true("history.foreign-table" in rules, rules)
    put(t, "glue.json", {"Table": glue(current=uri(3), IcebergTableMetadata={"TableUuid": "00000000-0000-4000-8000-000000000008"})})
    found = rows(t, "glue.json", "orders", code=1)
    t.equal(states(found), {"db.orders": "foreign"})
    t.true("catalog.pointer.uuid" in found[1], found[1])


def test_unregistered(t):
    t.table(name="orders")
    t.table(name="old")
    put(t, "glue.json", {"TableList": [glue(current=uri(3))]})
    found = rows(t, "glue.json", "orders", code=0)
    t.equal(states(found), {"db.orders": "current"})
    for name in os.listdir(os.path.join(t.work, "old", "metadata")):
        if name.endswith(".json"):
            t.write("old/metadata/" + name, t.read("old/metadata/" + name).replace("db/orders", "db/old").replace("c0ffee00", "c0ffee01"))
    t.equal(states(rows(t, "glue.json", "orders", "old", code=0)), {"db.orders": "current", "old": "unregistered"})
    put(t, "glue.json", {"TableList": [glue(current=uri(3))], "NextToken": "x"})
    t.equal(states(rows(t, "glue.json", "orders", "old", code=0))["old"], "current", "a page says nothing of what is not on it: the hint does")


def test_table_types(t):
    """What SHOW TABLES leaves out is told; what is no Iceberg table is passed over, and counted by -v."""
    t.table(name="orders")
    other = {"Name": "csv", "DatabaseName": "db", "Parameters": {"classification": "csv"}}
    put(t, "glue.json", {"TableList": [glue(current=uri(3), parameters={"table_type": "EXTERNAL"}), other]})
    found = rows(t, "glue.json", "orders", code=1)
    t.equal((states(found), found[1]), ({"db.orders": "current"}, ["catalog.table-type"]))
    t.has(t.run("pointers", "glue.json", "-v").stderr, "tables: 1, no Iceberg tables: 1")


def test_empty_exports(t):
    t.table(name="orders")
    put(t, "glue.json", {"TableList": []})
    done = t.run("pointers", "glue.json", code=0)
    t.has(done.stderr, "Lake Formation")
    t.equal(done.stderr.count("\n"), 1)
    done = t.run("pointers", "glue.json", "orders", code=2)
    t.has(done.stdout, "unregistered")
    for command in (["check"], ["check", "orders"]):
        done = t.run(*command, "--pointer", "glue.json", code=2)
        t.has(done.stdout + done.stderr, "region")


def test_nothing_to_compare(t):
    """Names without pointers, or a listing alone: no answer that could pass for a good one."""
    put(t, "list-tables.json", {"identifiers": [{"namespace": ["db"], "name": "orders"}]})
    t.has(t.run("pointers", "list-tables.json", code=2).stderr, "names alone")
    t.write("ls.csv", "path,size\ns3://lake/wh/db/orders/metadata/v1.metadata.json,1000\n")
    for args in (["ls.csv"], ["--listing", "ls.csv"]):
        done = t.run("pointers", *args)
        t.true(done.returncode in (2, 4), done)
        t.true(done.stderr != "", args)
    t.has(t.run("pointers", "ls.csv", code=2).stderr, "a listing alone names no current file")


def test_what_cannot_be_read(t):
    text = json.dumps({"Table": glue(current=uri(3))})
    refused = (("utf16", text.encode("utf-16"), "UTF-16"), ("empty", "", "empty"), ("yaml", "Table:\n  Name: orders\n  Parameters:\n    metadata_location: x\n", "--output json"),
               ("text", "TABLE\tdb\torders\nPARAMETERS\tICEBERG\ts3://x/1.metadata.json\n", "--output json"),
               ("table", "----------\n|  GetTable  |\n+--------+\n||  metadata_location |  s3://x/1.metadata.json  ||\n", "--output json"),
               ("cut", text[:-20], "cut.in"), ("other", '{"a": 1}', "Glue"), ("zip", b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaa", "unpack"))
    for name, content, words in refused:
        t.write(name + ".in", content)
        done = t.run("pointers", name + ".in", code=2)
        t.has(done.stderr, words)
        t.equal(done.stderr.count("\n"), 1, name)
    t.has(t.run("pointers", "nosuch", code=2).stderr, "no such file")
    t.usage("pointers", has=["glue-tables.json"])
    t.usage("pointers", "-", "--listing", "-", has=["once"])
    t.usage("pointers", "x", "--at", "soon", has=["time"])


@harness.needs("sqlite")
def test_sqlite(t):
    t.table(name="orders")
    db = sqlite3.connect(os.path.join(t.work, "iceberg_tables.db"))
    db.execute("create table iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, previous_metadata_location, iceberg_type)")
    for name, location, kind in (("orders", uri(2), "TABLE"), ("v", uri(1), "VIEW"), ("gone", uri(1, "gone"), None)):
        db.execute("insert into iceberg_tables values ('prod', 'db', ?, ?, null, ?)", (name, location, kind))
    db.commit()
    db.close()
    found = rows(t, "iceberg_tables.db", *MAP, code=3)
    t.equal(states(found), {"db.orders": "stale", "db.gone": "unknown"})
    t.has([row["why"] for row in found[0] if row["name"] == "db.gone"][0], "not copied")
    t.equal(states(rows(t, "iceberg_tables.db", "orders", code=1)), {"db.orders": "stale", "db.gone": "unknown"}, "nobody asked for the other")


def test_own_output_is_an_input(t):
    t.table(name="orders")
    put(t, "glue.json", {"Table": glue(current=uri(2), previous=uri(1), VersionId="7")})
    first = t.run("pointers", "glue.json", *MAP, "--now", harness.NOW, "-f", "ndjson", code=1).stdout
    t.write("again.ndjson", first)
    second = t.run("pointers", "again.ndjson", *MAP, "--now", harness.NOW, "-f", "ndjson", code=1).stdout
    t.equal([dict(l, source=None) for l in t.lines(second) if l["kind"] == "pointer"], [dict(l, source=None, table_type=None) for l in t.lines(first) if l["kind"] == "pointer"])


def test_formats(t):
    t.table(name="orders")
    put(t, "glue.json", {"Table": glue(current=uri(2))})
    args = ["pointers", "glue.json", *MAP, "--now", harness.NOW]
    t.expected("pointers.txt", t.run(*args, code=1).stdout)
    document = json.loads(t.run(*args, "-f", "json", code=1).stdout)
    t.equal((document["schema"], document["rows"][0]["state"]), ("icefsck-pointers/1", "stale"))
    t.equal(document["report"]["tables"][0]["findings"][0]["rule"], "catalog.pointer.stale")
    done = t.run(*args, "-f", "tsv", "--columns", "name,state", code=1)
    t.equal(done.stdout, "name\tstate\ndb.orders\tstale\n")
    t.has(done.stderr, "[catalog.pointer.stale]")
    t.run(*args, "-o", "json:out.json", "-o", "ndjson:out.ndjson", code=1)
    t.equal(json.loads(t.read("out.json")), document)
    t.expected("pointers.ndjson", t.read("out.ndjson"))
    t.equal(t.run(*args, "--fail-on", "error", code=0).returncode, 0)


def history(t, ages_h, operations, name="orders"):
    """Rewrite the current file: snapshots so many hours before NOW, each with its operation."""
    now = 1767225600000
    document = metadata(t, 3, name)
    snapshots = document["snapshots"]
    out, parent = [], None
    for n, (age, operation) in enumerate(zip(ages_h, operations)):
        snapshot = dict(snapshots[0], **{"snapshot-id": 201 + n, "sequence-number": n + 1, "timestamp-ms": now - int(age * 3600000),
                        "manifest-list": snapshots[0]["manifest-list"]})
        snapshot["summary"] = {"operation": operation, "added-data-files": "1", "added-records": "5", "total-data-files": "1"}
        if parent is not None:
            snapshot["parent-snapshot-id"] = parent
        parent = 201 + n
        out.append(snapshot)
    document.update({"snapshots": out, "current-snapshot-id": parent, "refs": {"main": {"snapshot-id": parent, "type": "branch"}}, "snapshot-log": [],
                     "statistics": [], "partition-statistics": [], "last-updated-ms": now - 3600000, "last-sequence-number": len(out)})
    put(t, "%s/metadata/v3.metadata.json" % name, document)


def test_freshness(t):
    """Rows changed 26 h ago and usually every hour; compacted an hour ago."""
    t.table(name="orders")
    history(t, [29, 28, 27, 26, 1], ["append"] * 4 + ["replace"])
    put(t, "glue.json", {"Table": glue(current=uri(3))})
    (row,), rules, _ = rows(t, "glue.json", "orders", "--max-age", "6h", code=1)
    t.true("catalog.pointer.freshness" in rules, rules)
    t.equal([row[k] for k in ("age", "age_ms", "usual", "usual_ms", "last_change")], ["26 h", 26 * 3600000, "1 h", 3600000, "2025-12-30T22:00:00.000Z"])
    (row,), rules, _ = rows(t, "glue.json", "orders", "--max-age", "27h", code=0)
    t.equal(rules, [])
    history(t, [29, 28, 27, 26, 1], ["append"] * 5)
    (row,), rules, _ = rows(t, "glue.json", "orders", "--max-age", "6h", code=0)
    t.equal((rules, row["age"]), ([], "1 h"))
    history(t, [30, 1], ["replace", "replace"])
    (row,), rules, _ = rows(t, "glue.json", "orders", "--max-age", "6h", code=1)
    t.equal((rules, row["age"], row["last_change"]), (["catalog.pointer.freshness"], "at least 30 h", None))


def s3_versions(*items):
    return {"Versions": [{"Key": "wh/db/orders/metadata/" + name, "VersionId": "%s-%d" % (name[:2], n), "Size": 100, "IsLatest": latest,
                          "LastModified": time} for n, (name, time, latest) in enumerate(items)]}


def test_listing(t):
    """Names alone, without a tree."""
    put(t, "glue.json", {"Table": glue(current=uri(2))})
    def objects(*versions):
        return {"Contents": [{"Key": "wh/db/orders/metadata/v%d.metadata.json" % v, "Size": 9, "LastModified": "2026-11-30T00:00:00Z"} for v in versions]}
    for listed, state, code in ((objects(1, 2), "current", 0), (objects(1, 2, 3), "stale", 1), (objects(1, 3), "dangling", 1), (objects(1), "dangling", 1)):
        put(t, "l.json", listed)
        t.equal(states(rows(t, "glue.json", "l.json", code=code)), {"db.orders": state}, state)
        t.equal(states(rows(t, "glue.json", "--listing", "l.json", code=code)), {"db.orders": state}, state)
    put(t, "l.json", dict(objects(1), NextToken="x"))
    found = rows(t, "glue.json", "l.json", code=2)
    t.equal(states(found), {"db.orders": "unknown"}, "a partial listing proves nothing")
    put(t, "l.json", objects(1))
    put(t, "glue.json", {"Table": dict(glue(current=uri(2)), UpdateTime="2026-12-01T00:00:00Z")})
    t.equal(states(rows(t, "glue.json", "l.json", code=2)), {"db.orders": "unknown"}, "the listing is older than the pointer")
    t.write("l.json", "")
    done = t.run("pointers", "glue.json", "--listing", "l.json", code=2)
    t.has(done.stderr, "mistyped prefix")
    put(t, "l.json", {"Contents": [{"Key": "other/metadata/v1.metadata.json", "Size": 9, "LastModified": "2026-11-30T00:00:00Z"}]})
    t.equal(len(rows(t, "glue.json", "l.json", code=2)[2]), 1, "nothing of the table is listed")


def test_the_copy_lacks_what_the_listing_has(t):
    """A pointer whose file was not copied is not dangling: no reader fails."""
    t.build("base plain-v2\ndelete j3\n")
    t.write("l.csv", "path,size\n" + "".join("s3://lake/wh/db/orders/metadata/v%d.metadata.json,5000\n" % n for n in (1, 2, 3)))
    for args in (["--pointer", "db.orders=" + uri(3)], []):
        done = t.run("pointers", "table", *args, "--listing", "l.csv", "-f", "ndjson", code=2)
        row = t.lines(done.stdout)[0]
        t.equal((row["state"], row["why"]), ("unknown", "the copy lacks the file, which the listing has: copy it and ask again"))
        t.lacks(done.stdout, "catalog.pointer.missing-file")
        t.lacks(done.stdout, "hint.dangling")
    t.write("l.csv", t.read("l.csv").replace("v3.", "v4."))
    done = t.run("pointers", "table", "--pointer", "db.orders=" + uri(3), "--listing", "l.csv", "-f", "ndjson", code=1)
    t.equal(t.lines(done.stdout)[0]["state"], "dangling")
    t.has(done.stdout, "catalog.pointer.missing-file")


def at(t, when, *args, code=0):
    lines = t.lines(t.run("pointers", *args, "--at", when, "--now", harness.NOW, "-f", "ndjson", code=code).stdout)
    return [(l["current"], l["since"], l["until"], l["snapshot_id"]) for l in lines if l["kind"] == "pointer"]


def test_at(t):
    t.table(name="orders")
    put(t, "versions.json", {"TableVersions": [{"VersionId": str(v), "Table": dict(glue(current=uri(v)), UpdateTime=1740787200 + 86400 * (v - 1) + 5)} for v in (2, 3, 1)]})
    one, two, three = "2025-03-01T00:00:00.000Z", "2025-03-02T00:00:00.000Z", "2025-03-03T00:00:00.000Z"
    t.equal(at(t, "2025-03-02T12:00Z", "versions.json", "orders"),
            [("v2.metadata.json", "2025-03-02T00:00:05.000Z", "2025-03-03T00:00:05.000Z", None), ("v2.metadata.json", two, three, 102)])
    t.equal(at(t, "2025-03-01T00:00:01Z", "versions.json", "orders"), [("v1.metadata.json", one, two, 101)])
    t.equal(at(t, "2025-02-01", "versions.json", "orders", code=2), [(None, None, None, None)])
    put(t, "objects.json", s3_versions(("v1.metadata.json", "2025-03-01T00:00:00Z", True), ("v2.metadata.json", "2025-03-02T00:00:00Z", True),
                                       ("version-hint.text", "2025-03-01T00:00:01Z", False), ("version-hint.text", "2025-03-02T00:00:01Z", True)))
    put(t, "glue.json", {"Table": dict(glue(current=uri(3)), UpdateTime="2025-03-03T00:00:05Z")})
    t.equal(at(t, "2025-03-02T00:00:00Z", "glue.json", "objects.json"),
            [("v1.metadata.json", "2025-03-01T00:00:01.000Z", "2025-03-02T00:00:01.000Z", None), ("v2.metadata.json", two, None, None)])
    t.equal(at(t, "2025-03-04", "glue.json"), [("v3.metadata.json", "2025-03-03T00:00:05.000Z", None, None)])
    t.expected("pointers-at.txt", t.run("pointers", "versions.json", "orders", "objects.json", "--at", "2025-03-02T12:00Z", code=0).stdout)


def test_at_of_a_failed_commit(t):
    """A file of a higher number that the log does not know was never current; one that the log knows later on was, by the objects' clock."""
    t.table(name="orders")
    put(t, "glue.json", {"Table": dict(glue(current=uri(3)), UpdateTime="2025-03-03T00:00:05Z")})
    times = (("v1.metadata.json", "2025-03-01T00:00:00Z", True), ("v2.metadata.json", "2025-03-02T00:00:00Z", True), ("v3.metadata.json", "2025-03-03T00:00:00Z", True))
    put(t, "objects.json", s3_versions(("v9.metadata.json", "2025-03-01T06:00:00Z", True), *times))
    args = "glue.json", "orders", "objects.json"
    found = at(t, "2025-03-02T12:00Z", *args)
    t.equal([row[0] for row in found], ["v2.metadata.json", "v2.metadata.json"], found)
    t.has(t.run("pointers", *args, "--at", "2025-03-02T12:00Z", code=0).stdout, "the log does not know v9.metadata.json, which has a higher number")
    put(t, "objects.json", s3_versions(*times[:2], ("v3.metadata.json", "2025-03-02T06:00:00Z", True)))
    t.equal([row[0] for row in at(t, "2025-03-02T12:00Z", *args)], ["v2.metadata.json", "v3.metadata.json"])


def test_at_without_a_zone(t):
    put(t, "glue.json", {"Table": glue(current=uri(3))})
    t.write("ls.txt", "".join("2025-03-0%d 00:00:00       100 wh/db/orders/metadata/v%d.metadata.json\n" % (v, v) for v in (1, 2, 3)))
    done = t.run("pointers", "glue.json", "ls.txt", "--at", "2025-03-02T12:00Z", code=0)
    t.true("v2.metadata.json" in done.stdout and "--listing-tz" in done.stdout, done.stdout)
    done = t.run("pointers", "glue.json", "ls.txt", "--at", "2025-03-02T12:00Z", "--listing-tz", "-13:00", code=0)
    t.true("v1.metadata.json" in done.stdout and "--listing-tz" not in done.stdout, done.stdout)


SECRET = "hidden-key-that-nobody-may-see"


def load_table(t, **more):
    return dict({"metadata-location": uri(3), "metadata": metadata(t, 3), "config": {"s3.secret-access-key": SECRET},
                 "storage-credentials": [{"prefix": "s3://", "config": {"s3.secret-access-key": SECRET}}]}, **more)


def test_document_inside_an_answer(t):
    t.table(name="orders")
    put(t, "load.json", load_table(t))
    for args in (["check", "--pointer", "load.json"], ["check", "--pointer", "load.json", "-f", "json"], ["pointers", "load.json"], ["pointers", "load.json", "-f", "json"],
                 ["check", "--pointer", "load.json", "-vv"]):
        done = t.run(*args, "--now", harness.NOW, code=0)
        t.lacks(done.stdout + done.stderr, SECRET)
        t.has(done.stdout, "load")
    with open(os.path.join(t.work, "load.json"), encoding="utf-8") as f:
        piped = t.run("check", "--pointer", "-", "--now", harness.NOW, "-f", "ndjson", stdin=f.read(), code=0)
    t.equal(t.lines(piped.stdout)[-1]["table_uuid"], metadata(t, 3)["table-uuid"])
    t.equal(t.lines(piped.stdout)[-1]["table"], "orders", "a pipe has no name, its table has")
    # with --map the lists and manifests are there
    done = t.lines(t.check("--pointer", "load.json", *MAP, "-f", "ndjson", code=0).stdout)[-1]
    t.equal((done["read"]["manifest_lists"], done["picked_by"], done["metadata_file"]), (3, "pointer", "metadata/v3.metadata.json"))
    # what is wrong in it stands at its place in the answer
    broken = load_table(t)
    broken["metadata"]["current-snapshot-id"] = 5
    t.write("load.json", json.dumps(broken, indent=1))
    done = t.lines(t.check("--pointer", "load.json", "-f", "ndjson", code=1).stdout)
    line = [l for l in done if l["kind"] == "finding" and l["severity"] == "error"][0]
    t.has(t.read("load.json").split("\n")[line["line"] - 1], "current-snapshot-id")
    two = load_table(t)
    t.write("two.json", json.dumps(two) + "\n" + json.dumps(dict(broken)) + "\n")
    t.equal([l["exit"] for l in t.lines(t.check("--pointer", "two.json", "-f", "ndjson", code=1).stdout) if l["kind"] == "summary"], [0, 1])


def test_list_files_says_what_inputs_are(t):
    t.table(name="orders")
    put(t, "glue.json", {"Table": glue(current=uri(3))})
    put(t, "load.json", load_table(t))
    t.write("hint", "3\n")
    t.write("l.csv", "path,size\n" + "s3://lake/wh/db/orders/data/f1.parquet,1\n")
    args = [w for name in ("glue.json", "load.json", "hint", "db.o=" + uri(3)) for w in ("--pointer", name)]
    done = t.check("orders", *args, "--listing", "l.csv", "--list-files", "-f", "tsv", code=0)
    t.equal([line.split("\t")[:2] for line in done.stdout.split("\n")[1:6]],
            [["glue.json", "Glue table export"], ["load.json", "LoadTableResult of a REST catalog"], ["hint", "version hint"],
             ["db.o=" + uri(3), "pointer of the command line"], ["l.csv", "listing of CSV or TSV with a header"]])
    t.has(done.stdout, "v3.metadata.json")
    t.has(t.check("--pointer", "load.json", "--list-files", code=0).stdout, "LoadTableResult")


def test_pipes(t):
    """<(command) of a shell can be read once, and does."""
    t.table(name="orders")
    put(t, "glue.json", {"Table": glue(current=uri(2))})
    put(t, "load.json", load_table(t))
    put(t, "l.json", {"Contents": [{"Key": "wh/db/orders/metadata/v3.metadata.json", "Size": 9, "LastModified": "2026-11-30T00:00:00Z"}]})
    for words, code in ((["pointers", "glue.json", "orders"], 1), (["pointers", "load.json", "-f", "ndjson"], 0), (["check", "--pointer", "load.json"], 0),
                        (["pointers", "glue.json", "--listing", "l.json"], 1)):
        ends = []
        args = list(words)
        for n, word in enumerate(words):
            if word.endswith(".json"):
                end, start = os.pipe()
                os.write(start, t.read(word).encode())
                os.close(start)
                ends.append(end)
                args[n] = "/dev/fd/%d" % end
        done = t.run(*args, "--now", harness.NOW, code=code, pass_fds=ends)
        for end in ends:
            os.close(end)
        t.has(done.stdout, "orders")
    os.mkfifo(os.path.join(t.work, "nobody"))
    t.has(t.run("pointers", "nobody", code=2).stderr, "empty")


def test_check_by_pointers_alone(t):
    t.table(name="orders")
    put(t, "glue.json", {"TableList": [glue(current=uri(3)), glue("elsewhere", current="s3://other/t/metadata/v1.metadata.json")]})
    done = t.check("--pointer", "glue.json", *MAP, "-f", "ndjson", code=0)
    t.equal([l["table"] for l in t.lines(done.stdout) if l["kind"] == "summary"], ["db.orders"])
    t.has(done.stderr, "1 of 2 tables were not checked")
    with open(os.path.join(t.work, "glue.json"), encoding="utf-8") as f:
        piped = t.check("--pointer", "-", *MAP, "-f", "ndjson", stdin=f.read(), code=0)
    t.equal(piped.stdout, done.stdout)
    t.has(t.check("--pointer", "glue.json", code=2).stderr, "2 of 2 tables")
    put(t, "glue.json", {"TableList": [glue(current=uri(2))]})
    t.has(t.check("--pointer", "glue.json", *MAP, code=0).stdout, "catalog.pointer.stale")
    t.has(t.check("--pointer", "glue.json", *MAP, "-v", code=0).stderr, "Glue table export")


def test_hint_as_a_pointer(t):
    """A version hint of elsewhere, by its number or by the name of a file: that file is judged; one that is not here is missed."""
    table = t.table("plain-v2")
    with open(os.path.join(table, "metadata/v2.metadata.json"), "rb") as f:
        packed = gzip.compress(f.read())
    for is_packed in (False, True):
        if is_packed:
            t.write("table/metadata/v2.gz.metadata.json", packed)
        for text, rule, picked_by, file in (("2", "stale", "pointer", "v2"), ("v2.metadata.json", "stale", "pointer", "v2"), ("3\n", None, "pointer", "v3"),
                                            ("9", "missing-file", "hint", "v3"), ("00001-x.metadata.json", "missing-file", "hint", "v3")):
            t.write("elsewhere/version-hint.text", text)
            lines = t.lines(t.run("check", "table", "--pointer", "elsewhere/version-hint.text", "-f", "ndjson", "--now", harness.NOW).stdout)
            rules = {one["rule"] for one in lines[:-1] if one["rule"].startswith("catalog.")}
            t.equal(rules, {"catalog.pointer." + rule} if rule else set(), text)
            t.equal((lines[-1]["picked_by"], lines[-1]["metadata_file"]), (picked_by, "metadata/%s.metadata.json" % file), text)


def test_pointer_that_leads_elsewhere(t):
    t.table(name="orders")
    done = t.check("orders", "--pointer", "db.orders=s3://new/orders/metadata/v9.metadata.json", "-f", "ndjson", code=2)
    t.true("source.unmapped" in done.stdout and "no entry" not in done.stdout, done.stdout)
    os.mkdir(os.path.join(t.work, "new"))
    done = t.check("orders", "--pointer", "db.orders=s3://new/orders/metadata/v9.metadata.json", "--map", "s3://new=new", *MAP, "-f", "ndjson", code=1)
    t.true("catalog.pointer.missing-file" in done.stdout, done.stdout)


def test_metadata_elsewhere_in_the_directory(t):
    t.table(name="orders")
    os.makedirs(os.path.join(t.work, "orders", "x"))
    os.rename(os.path.join(t.work, "orders", "metadata"), os.path.join(t.work, "orders", "x", "m"))
    put(t, "glue.json", {"Table": glue(current="s3://lake/wh/db/orders/x/m/v3.metadata.json", StorageDescriptor={"Location": "s3://lake/wh/db/orders"})})
    for args in ([], MAP):
        done = t.lines(t.check("orders", "--pointer", "glue.json", "--depth", "metadata", "-f", "ndjson", *args, code=0).stdout)[-1]
        t.equal(done["metadata_file"], "x/m/v3.metadata.json")
        t.equal(states(rows(t, "glue.json", "orders", *args, code=0)), {"db.orders": "current"})


if __name__ == "__main__":
    harness.main(globals())
