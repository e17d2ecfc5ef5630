#!/usr/bin/python3 -SEB
"""pointers, logs of readers and --list-files where entries, listings and lines lack what others have. rare_pointers.py ICEFSCK WORK [TEST...]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
from pointers import at, glue, put, rows, s3_versions, states, uri

BASE = "base plain-v2\n"


# ---- hints and listings ----


def test_a_hint_that_is_behind(t):
    t.build(BASE + 'write hint "2"\n', "orders")
    (row,), rules, _ = rows(t, "orders", code=1)
    t.equal((row["state"], row["current"]), ("stale", "v2.metadata.json"))
    t.has(row["why"], "the hint says 2, and files go on behind it")
    t.build(BASE + 'write hint "9"\n', "far")
    (row,), rules, _ = rows(t, "far")
    t.equal(row["state"], "dangling")
    for text in ("", "latest"):
        t.build(BASE + 'write hint "%s"\n' % text, "no-number-" + text)
        (row,), rules, _ = rows(t, "no-number-" + text, code=1)
        t.equal((row["state"], row["why"]), ("unknown", "the hint holds no version number"))


def test_a_pointer_as_a_path(t):
    t.build(BASE, "orders")
    done = t.run("pointers", "db.orders=s3://lake/wh/db/orders/metadata/v3.metadata.json", "orders", code=4)
    t.has(done.stderr, "--pointer db.orders=s3://lake/wh/db/orders/metadata/v3.metadata.json")


def test_branches_of_nessie(t):
    """They share a directory: what another branch holds is neither newer, nor a fork, nor a state to go back to."""
    t.build(BASE + "delete hint\n" + "".join("json j3 text s 'v%d.metadata.json' '0000%d-a.metadata.json'\n" % (v, v) for v in (1, 2))
            + "json j2 text s 'v1.metadata.json' '00001-a.metadata.json'\n"
            + "".join("rename j%d metadata/0000%d-a.metadata.json\n" % (v, v) for v in (1, 2, 3)), "orders")
    for branch, version in (("main", 1), ("dev", 3)):
        content = {"type": "ICEBERG_TABLE", "metadataLocation": "s3://lake/wh/db/orders/metadata/0000%d-a.metadata.json" % version}
        put(t, branch + ".json", {"entries": [{"name": {"elements": ["db", "orders"]}, "type": "ICEBERG_TABLE", "content": content}],
                                  "effectiveReference": {"type": "BRANCH", "name": branch}})
    (row,), rules, _ = rows(t, "main.json", "orders", code=0)
    t.equal((row["state"], row["newest"], rules), ("current", "00001-a.metadata.json", ["catalog.pointer.other-branch"]))
    found, rules, _ = rows(t, "main.json", "dev.json", "orders", code=0)
    t.equal(([row["state"] for row in found], rules), (["current", "current"], []))
    for both in (False, True):
        done = t.check("orders", "--pointer", "main.json", *(["--pointer", "dev.json"] if both else []), "-f", "ndjson", code=0)
        skipped = [n["what"] for n in t.lines(done.stdout)[-1]["not_evaluated"]]
        t.equal(skipped, ["storage.*"] + ["other branches"] * both)
    lines = t.lines(t.run("history", "orders", "--pointer", "main.json", "-f", "ndjson", code=0).stdout)
    t.equal([line["flags"] for line in lines], ["current", "other-branch", "other-branch"])
    done = t.run("rescue", "orders", "--pointer", "main.json", "--now", harness.NOW, code=0).stdout
    t.has(done, "2 metadata files beside it may be of other branches or tags of the catalog: left out.")
    t.lacks(done, "00003-a")


def test_numbers_that_began_anew(t):
    """A listing shows higher numbers: of the table before it was registered elsewhere, or of one that was dropped."""
    one = "00001-0b2a6c9e-1111-4222-8333-444455557777.metadata.json"
    two = one.replace("00001", "00002")
    names = {"v3.metadata.json": "2025-03-03T00:00:00Z", one: "2025-03-06T00:00:00Z"}
    t.build(BASE + "copy j3 metadata/%s\nalias moved metadata/%s\njson moved set /last-updated-ms 1741219200000\n"
            'json moved add /metadata-log/- {"timestamp-ms": 1740960000000, "metadata-file": "s3://lake/wh/db/orders/metadata/v3.metadata.json"}\n' % (one, one), "orders")
    put(t, "glue.json", {"Table": glue(current="s3://lake/wh/db/orders/metadata/" + one)})
    for more, newer in (({}, None), ({"v7.metadata.json": "2025-03-07T00:00:00Z"}, None), ({two: "2025-03-07T00:00:00Z"}, two),
                        ({two: "2025-03-05T00:00:00Z"}, None), ({"00009-x.metadata.json": "2025-03-07T00:00:00Z", two: "2025-03-07T00:00:00Z"}, "00009-x.metadata.json")):
        listed = {"Contents": [{"Key": "wh/db/orders/metadata/" + name, "Size": 9, "LastModified": time} for name, time in {**names, **more}.items()]}
        put(t, "l.json", listed)
        for args in (["glue.json", "orders", "l.json"], ["glue.json", "l.json"]):
            # a tree of both kinds of names is hint.mixed-naming
            (row,), rules, _ = rows(t, *args, code=1 if newer or "orders" in args else 0)
            t.equal((row["state"], row["newest"]), ("stale" if newer else "current", newer or one), (more, args))
            t.equal("storage.orphan.metadata-newer" in rules, newer is not None, rules)


def test_a_table_made_anew_without_a_pointer(t):
    """By names alone two files of one version are an ordinary lost commit: few are opened, and uuid and time decide."""
    folder = os.path.join(t.table(name="orders"), "metadata")
    with open(os.path.join(folder, "v3.metadata.json"), encoding="utf-8") as f:
        current = json.load(f)
    for version in (1, 2, 3):
        os.remove(os.path.join(folder, "v%d.metadata.json" % version))
    os.remove(os.path.join(folder, "version-hint.text"))

    def write(version, name, uuid, updated):
        document = dict(current, **{"table-uuid": uuid, "last-updated-ms": updated, "metadata-log": []})
        t.write("orders/metadata/%05d-%s.metadata.json" % (version, name), json.dumps(document))

    uuid, other = current["table-uuid"], "deadbeef-0000-4000-8000-000000000009"
    for version in range(60):  # each with a loser, and those are late
        write(version, "a", uuid, current["last-updated-ms"] - 1000 + version)
        if version < 59:
            write(version, "b", uuid, current["last-updated-ms"] + 5000)
    write(30, "c", other, current["last-updated-ms"] + 1000)  # in the midst of them: not every file is opened
    lines = t.lines(t.check("orders", "-f", "ndjson", code=0).stdout)
    t.equal([line["rule"] for line in lines[:-1]], [])
    (skipped,) = [n for n in lines[-1]["not_evaluated"] if n["what"] == "catalog.*"]
    t.equal((skipped["why"], skipped["asked"]), ("no --pointer: the highest number was taken", False))
    for version in range(3):
        write(version, "c", other, current["last-updated-ms"] + 1000 + version)
    done = t.check("orders", "-f", "ndjson", code=0)
    found = [(line["rule"], line["args"]["name"], line["args"]["used"]) for line in t.lines(done.stdout)[:-1]]
    t.equal(found, [("catalog.pointer.other-table", "00000-c.metadata.json", "00059-a.metadata.json")])
    t.write("l.csv", "path,size\ndata/left.parquet,7\n")
    done = t.run("orphans", "orders", "--listing", "l.csv", "--base", "s3://lake/wh/db/orders", "-f", "ndjson", "--now", harness.NOW, code=2)
    t.equal(done.stdout, "")
    t.has(done.stderr, "another file may be the current one")


def objects(names, base="wh/db/orders/metadata/", time="2026-11-30T00:00:00Z"):
    return {"Contents": [{"Key": base + name, "Size": 9, "LastModified": time} for name in names]}


VERSIONS = ["v%d.metadata.json" % v for v in (1, 2, 3, 4)]


def test_a_listing_that_is_newer_than_the_copy(t):
    t.build(BASE + "json j3 set /location \"s3://lake/wh/db/orders//\"\n", "orders")
    put(t, "glue.json", {"Table": glue(current=uri(3))})
    put(t, "l.json", objects(VERSIONS))
    for args in (["glue.json", "orders", "l.json"], ["orders", "l.json"]):
        (row,), rules, _ = rows(t, *args, code=1)
        t.equal((row["state"], row["newest"]), ("stale", "v4.metadata.json"), args)
        t.true("storage.orphan.metadata-newer" in rules, rules)
    put(t, "l.json", objects(VERSIONS[:3]))
    t.equal(states(rows(t, "glue.json", "orders", "l.json", code=0)), {"db.orders": "current"})


def test_keys_of_listings(t):
    """Relative, with ./ before them, whole, of a sibling, and beside a file of another name."""
    put(t, "glue.json", {"Table": glue(current=uri(2))})
    head = "path,size,mtime\n"
    for name, place, state in (("relative", "metadata/", "stale"), ("dotted", "./metadata/", "stale"), ("whole", "s3://lake/wh/db/orders/metadata/", "stale"),
                               ("longer", "orders/metadata/", "stale"), ("sibling", "s3://lake/wh/db/orders2/metadata/", None), ("part", "rders/metadata/", None)):
        t.write(name + ".csv", head + "".join("%sv%d.metadata.json,9,2026-11-30T00:00:00Z\n" % (place, v) for v in (2, 3)))
        found = rows(t, "glue.json", name + ".csv")
        t.equal((found[0][0]["state"], found[2] != []), (state or "unknown", state is None), name)
    put(t, "l.json", objects(["22222222-2222-4222-8222-222222222222.metadata.json", VERSIONS[1]]))
    t.equal(states(rows(t, "glue.json", "l.json", code=0)), {"db.orders": "current"}, "a UUID alone tells no order")
    put(t, "versions.json", s3_versions(("v2.metadata.json", "2026-11-29T00:00:00Z", False), ("v2.metadata.json", "2026-11-30T00:00:00Z", True)))
    t.equal(states(rows(t, "glue.json", "versions.json", code=0)), {"db.orders": "current"})
    done = t.run("pointers", "glue.json", "l.json", "-v", code=0)
    t.has(done.stderr, "versions of metadata files: 2")


def test_entries_that_lack(t):
    t.table(name="orders")
    entry = glue(current=uri(3))
    for key in ("UpdateTime", "DatabaseName"):
        entry.pop(key)
    put(t, "glue.json", {"Table": entry})
    t.equal([row["state"] for row in rows(t, "glue.json", "orders", code=0)[0]], ["current"])
    t.build(BASE + "json j3 remove /current-snapshot-id\n", "none")
    (row,), _, _ = rows(t, "none")
    t.equal(row["snapshot_id"], None)
    t.build(BASE + "json j3 remove /table-uuid\n", "anonymous")
    put(t, "uuid.json", {"Table": glue(current=uri(3), IcebergTableMetadata={"TableUuid": "00000000-0000-4000-8000-000000000008"})})
    t.equal(rows(t, "uuid.json", "anonymous")[0][0]["state"], "current", "without a UUID there is nothing to compare")
    t.table("spark-view", "view")
    t.true(all(row["snapshot_id"] is None for row in rows(t, "view")[0]), "a view has no snapshot")


# ---- --at ----


def test_at_of_versions_that_lack(t):
    t.build(BASE + "json j3 remove /metadata-log/1/metadata-file\njson j3 remove /metadata-log/0/timestamp-ms\n", "orders")
    kept = [dict(glue(current=uri(v)), UpdateTime=1740787200 + 86400 * (v - 1) + 5) for v in (1, 2, 3)]
    kept[0].pop("UpdateTime")
    kept[2]["Parameters"].pop("metadata_location")
    put(t, "versions.json", {"TableVersions": [{"VersionId": str(n), "Table": table} for n, table in enumerate(kept)]})
    found = at(t, "2025-03-02T12:00Z", "versions.json", "orders", code=2)
    t.equal(found[0][0], "v2.metadata.json")
    t.build(BASE + "json j3 remove /last-updated-ms\n", "undated")
    t.equal(at(t, "2025-02-02T12:00Z", "undated", code=2), [(None, None, None, None)])
    put(t, "objects.json", s3_versions(("v1.metadata.json", "2025-03-01T00:00:00Z", True), ("version-hint.text", "2025-03-01T00:00:01Z", False),
                                       ("version-hint.text", "2025-03-03T00:00:01Z", False), ("version-hint.text", "2025-03-04T00:00:01Z", True)))
    put(t, "glue.json", {"Table": dict(glue(current=uri(3)), UpdateTime="2025-03-05T00:00:05Z")})
    found = at(t, "2025-03-02T00:00:00Z", "glue.json", "objects.json")
    t.equal(found[0], ("v1.metadata.json", "2025-03-01T00:00:01.000Z", "2025-03-03T00:00:01.000Z", None))
    found = at(t, "2025-02-02T00:00:00Z", "glue.json", "objects.json", code=2)
    t.equal(found[0][0], None)
    document = s3_versions(("v1.metadata.json", "2025-03-01T00:00:00Z", True), ("version-hint.text", "2025-03-01T00:00:01Z", False))
    document["DeleteMarkers"] = [{"Key": "wh/db/orders/metadata/version-hint.text", "VersionId": "x", "IsLatest": True, "LastModified": "2025-03-01T12:00:00Z"}]
    document["Versions"] += [{"Key": "other/metadata/version-hint.text", "VersionId": "y", "Size": 1, "IsLatest": True, "LastModified": "2025-03-01T12:00:00Z"}]
    put(t, "objects.json", document)
    t.equal([row[0] for row in at(t, "2025-03-02T00:00:00Z", "glue.json", "objects.json")], ["v1.metadata.json"], "the hint was deleted, the file was not")


# ---- what readers say ----

START = "26/03/01 09:00:00 INFO SparkContext: Running Spark version 3.5.3\n"
SCAN = "26/03/01 09:%02d:00 INFO SnapshotScan: Scanning table lake.db.%s snapshot %d created at 2025-03-01T00:00:00.000+00:00 with filter true\n"
EMPTY = "26/03/01 09:30:00 INFO BaseTableScan: Scanning empty table lake.db.orders\n"
LOADED = "26/03/01 09:00:30 INFO BaseMetastoreCatalog: Table loaded by catalog: lake.db.orders\n"
REFRESH = "26/03/01 09:00:20 INFO BaseMetastoreTableOperations: Refreshing table metadata from new version: %s\n"


def reads(t, text, path="orders", code=None):
    t.write("driver.log", START + text)
    lines = t.lines(t.run("pointers", "driver.log", path, "--now", harness.NOW, "-f", "ndjson", code=code).stdout)
    return [(line["state"], line["snapshot_id"], line["behind"]) for line in lines if line.get("source") == "driver.log"]


def test_logs_beside_a_table(t):
    t.build(BASE, "orders")
    t.equal(reads(t, SCAN % (1, "orders", 103)), [("current", 103, None)])
    t.equal(reads(t, SCAN % (1, "orders", 102)), [("stale", 102, 1)])
    t.equal(reads(t, SCAN % (1, "orders", 77)), [("stale", 77, None)])
    t.equal(reads(t, EMPTY), [("stale", None, None)])
    t.equal(len(reads(t, EMPTY + SCAN % (31, "orders", 101) + SCAN % (32, "orders", 101) + EMPTY)), 2)
    t.build(BASE + "json j3 remove /current-snapshot-id\njson j3 remove /refs\n", "empty")
    t.equal(reads(t, EMPTY, "empty"), [("current", None, None)])
    t.build(BASE + "json j3 remove /snapshots/2/parent-snapshot-id\n", "broken")
    t.write("driver.log", START + SCAN % (1, "broken", 101))
    done = t.run("pointers", "driver.log", "broken", "--now", harness.NOW, "-f", "ndjson")
    t.lacks(done.stdout, '"behind":1')


def test_more_states_than_are_kept(t):
    t.build(BASE, "orders")
    text = "".join(SCAN % (i % 60, "orders", 5000 + i) for i in range(1100))
    t.write("driver.log", START + text)
    done = t.run("pointers", "driver.log", "orders", "--now", harness.NOW, "-f", "ndjson")
    t.has(done.stderr, "the logs tell of more than 1000 states: the last are shown")
    ids = [line["snapshot_id"] for line in t.lines(done.stdout) if line.get("source") == "driver.log"]
    t.equal((len(ids), min(ids), max(ids)), (1000, 5100, 6099))


def test_a_session_in_any_order(t):
    t.build(BASE, "orders")
    line = "%s,s3://lake/wh/db/orders/metadata/v%d.metadata.json,%d,0,1\n"
    head = "timestamp,file,latest_snapshot_id,latest_schema_id,latest_sequence_number\n"
    for order in ((1, 2), (2, 1)):
        t.write("log.csv", head + "".join(line % ("2025-03-0%d 00:00:00" % v, v, 100 + v) for v in order))
        found = [row for row in t.lines(t.run("pointers", "log.csv", "orders", "--now", harness.NOW, "-f", "ndjson").stdout) if row.get("source") == "log.csv"]
        t.equal([(row["state"], row["snapshot_id"], row["behind"]) for row in found], [("stale", 102, 1)], order)
        t.has(found[0]["why"], "the newest row there, is of")


def from_log(t, text, path="orders", code=None):
    t.write("driver.log", START + text)
    return t.lines(t.run("diff", path, "--from", "driver.log", "-f", "ndjson", code=code).stdout)


def test_diff_by_a_log(t):
    t.build(BASE, "orders")
    found = from_log(t, EMPTY, code=1)
    t.equal([(row["name"], row["snapshot_id"]) for row in found if row["section"] == "states"], [("from", None), ("to", 103)])
    loaded = REFRESH % "s3://lake/wh/db/orders/metadata/v2.metadata.json" + LOADED
    found = from_log(t, loaded + SCAN % (1, "orders", 102), code=1)
    t.equal([row["file"] for row in found if row["section"] == "states"][0], "metadata/v2.metadata.json")
    # what was read is not current in the file that was loaded: the snapshot decides; a file that is not here tells nothing
    for location in ("metadata/v3.metadata.json", "metadata/v7.metadata.json"):
        found = from_log(t, REFRESH % ("s3://lake/wh/db/orders/" + location) + LOADED + SCAN % (1, "orders", 101), code=1)
        t.equal([row["snapshot_id"] for row in found if row["section"] == "states"], [101, 103], location)
    os.truncate(os.path.join(t.work, "orders", "metadata", "v2.metadata.json"), 100)
    found = from_log(t, loaded + SCAN % (1, "orders", 102))
    t.equal([row["snapshot_id"] for row in found if row["section"] == "states"], [102, 103], "the file is cut, and the newest one has the snapshot")
    for text, said in ((loaded, "of no scan of a table: let the logger org.apache.iceberg write at INFO"), (SCAN % (1, "items", 7) + SCAN % (2, "items", 8), "none of the 2 reads in it is of table orders, one is of lake.db.items")):
        t.write("driver.log", START + text)
        t.has(t.run("diff", "orders", "--from", "driver.log", code=4).stderr, said)


# ---- --list-files ----


def listed(t, *args, code=None, path="table"):
    done = t.check(path, "--list-files", "-f", "ndjson", *args, code=code)
    return {(line["uri"].rsplit("/", 1)[-1], line["kind"]): line["here"] for line in t.lines(done.stdout)}, done.stderr


def test_list_files_of_puffin(t):
    t.table("java-v3-dv")
    found, _ = listed(t, "--depth", "puffin")
    kinds = {kind for _, kind in found}
    t.true("deletion vectors" in kinds, kinds)
    t.equal({here for (_, kind), here in found.items() if kind == "deletion vectors"}, {True})
    vectors = [name for name, kind in found if kind == "deletion vectors"]
    for folder, _, names in os.walk(os.path.join(t.work, "table")):
        for name in names:
            if name == vectors[0]:
                os.remove(os.path.join(folder, name))
    found, _ = listed(t, "--depth", "puffin")
    t.equal(found[vectors[0], "deletion vectors"], False)
    t.build(BASE, "plain")
    found, _ = listed(t, "--depth", "puffin", path="plain")
    t.equal(found["103.stats", "statistics"], False)
    t.write("plain/metadata/103.stats", "x" * 600)
    t.equal(listed(t, "--depth", "puffin", path="plain")[0]["103.stats", "statistics"], True)
    t.build(BASE + 'json j3 add /statistics/- {"snapshot-id": 103, "statistics-path": "s3://lake/wh/db/orders/metadata/103.stats"}\n'
            'json j3 add /statistics/- {"snapshot-id": 102}\njson j3 set /statistics/0/statistics-path "s3://elsewhere/x.stats"\njson j3 remove /statistics/0/file-size-in-bytes\n', "odd")
    found, _ = listed(t, "--depth", "puffin", path="odd")
    t.equal((found["103.stats", "statistics"], found["x.stats", "statistics"]), (False, None))


def test_list_files_of_what_is_no_table(t):
    os.makedirs(os.path.join(t.work, "empty"))
    found, _ = listed(t, path="empty", code=0)
    t.true(("empty", "directory without metadata files") in found, found)
    t.build(BASE + "cut list3 -20\n")
    for path, kind in (("table/metadata/v3.metadata.json", "metadata"), ("table/metadata/snap-3.avro", "list"), ("table/metadata/m2.avro", "manifest")):
        found, _ = listed(t, path=path)
        t.true(any(kind in k for name, k in found if name == os.path.basename(path)), found)
    found, said = listed(t)
    t.has(said, "snap-3.avro")


if __name__ == "__main__":
    harness.main({name: value for name, value in globals().items() if name.startswith("test_")})
