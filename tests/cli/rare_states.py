#!/usr/bin/python3 -SEB
"""diff, history, rescue and orphans where documents lack what others have, or disagree. rare_states.py ICEFSCK WORK [TEST...]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import listings

BASE = "base plain-v2\n"
NOW = ["--now", "2025-03-05T00:00:00Z"]


def diff(t, *args, code=None, path="table"):
    """Rows by section."""
    out = {}
    for line in t.lines(t.run("diff", path, *args, "-f", "ndjson", code=code).stdout):
        out.setdefault(line["section"], []).append(line)
    return out


def details(found, section, name=None):
    return [row["detail"] for row in found.get(section, []) if name is None or row["name"] == name]


# ---- diff ----


def test_ancestors_that_no_file_describes(t):
    """The line breaks before it meets the older state: what is known of the order is said, and nothing more."""
    broken = BASE + "delete j2\njson j3 set /snapshots/2/parent-snapshot-id 555\n"
    t.build(broken)
    found = diff(t, "--from", "v1", code=3)
    t.equal([row["name"] for row in found["relation"]], ["unknown"])
    t.has(details(found, "relation")[0], "came 2 moves of main later by the snapshot log")
    t.has(details(found, "unknown")[0], "breaks at snapshot 555")
    t.equal([row["snapshot_id"] for row in found["missed"]], [103])
    t.true("copy" in [row["name"] for row in found["next"]], found["next"])
    t.build(broken + "json j3 remove /snapshot-log\n", "no-log")
    t.has(details(diff(t, "--from", "v1", code=3, path="no-log"), "relation")[0], "whether from is an ancestor of to is not known")
    t.build(broken + "json j3 remove /snapshot-log/0/snapshot-id\n", "half-log")
    t.has(details(diff(t, "--from", "v1", code=3, path="half-log"), "relation")[0], "is not known")
    found = diff(t, "--from", "v3", "--to", "v1", code=3)
    t.has(details(found, "relation")[0], "is not known")
    t.equal([row["snapshot_id"] for row in found["missed"]], [101])


def test_a_cycle_of_parents(t):
    t.build(BASE + "delete j2\njson j3 set /snapshots/1/parent-snapshot-id 103\njson j1 remove /snapshot-log\n")
    found = diff(t, "--from", "v1", code=3)
    t.equal([row["name"] for row in found["relation"]], ["unknown"])
    t.equal([row["snapshot_id"] for row in found["missed"]][:1], [103])


def test_states_without_a_snapshot(t):
    t.build(BASE + "json j1 set /current-snapshot-id -1\njson j1 remove /refs\njson j1 set /snapshots []\n")
    found = diff(t, "--from", "v1", code=1)
    t.equal(found["relation"][0]["name"], "behind")
    t.has(details(found, "relation")[0], "the table before its first commit")
    found = diff(t, "--from", "v3", "--to", "v1", code=1)
    t.has(details(found, "relation")[0], "to has no snapshot, from has one")
    found = diff(t, "--from", "v1", "--to", "v1", code=0)
    t.equal(details(found, "relation"), ["both are at no snapshot"])
    t.has(t.run("diff", "table", "--from", "v1", "--listing", t.write("l.csv", "path,size\n"), code=1).stdout, "before its first commit")


def test_times_that_documents_lack(t):
    t.build(BASE + "json j3 remove /snapshots/1/timestamp-ms\njson j3 set /snapshots/0/timestamp-ms 1740960000500\n")
    for word in ("101", "102"):
        text = details(diff(t, "--from", word, code=1), "relation")[0]
        t.true(text.endswith("behind"), text)


def test_refs_and_properties(t):
    t.build(BASE + """json j2 set /refs/audit {"snapshot-id": 101, "type": "branch"}
json j2 set /refs/old {"snapshot-id": 102, "type": "tag"}
json j3 set /refs/late {"snapshot-id": 103, "type": "tag"}
json j3 set /properties {"commit.retry.num-retries": "5", "owner": "etl"}
""")
    found = diff(t, "--from", "v2", code=1)
    t.equal(sorted(details(found, "changes", "ref")), ["audit is now at 102, was at 101", "late is new, at 103", "old is gone, was at 102"])
    t.equal(sorted(details(found, "changes", "property")),
            ["commit.retry.num-retries is now '5', was '4'", "owner is new: 'etl'", "write.format.default is gone, was 'parquet'"])


def test_more_than_is_compared(t):
    place = t.build(BASE)
    path = os.path.join(place, "metadata", "v3.metadata.json")
    with open(path) as f:
        document = json.load(f)
    document["properties"] = {"p%d" % i: "x" for i in range(2001)}
    document["refs"] = dict({"r%d" % i: {"snapshot-id": 101, "type": "tag"} for i in range(2001)}, main={"snapshot-id": 103, "type": "branch"})
    with open(path, "w") as f:
        json.dump(document, f)
    found = diff(t, "--from", "v2", code=3)
    t.equal([text[:24] for text in details(found, "unknown")], ["more than 2000 propertie", "more than 2000 refs: the"])
    found = diff(t, "--from", "v3", "--to", "v2", code=3)
    t.equal(len(details(found, "unknown")), 2)
    rows = t.lines(t.run("history", "table", "-f", "ndjson", code=0).stdout)
    t.lacks(rows[-1]["changes"] or "", "p2000")


def test_specs_orders_and_columns(t):
    t.build(BASE + """json j3 set /default-spec-id 0
json j3 set /default-sort-order-id 0
json j3 add /schemas/- {"type": "struct", "schema-id": 2, "identifier-field-ids": [1, 2], "fields": [{"id": 1, "name": "id", "required": true, "type": "long"}, {"id": 2, "name": "customer", "required": true, "type": "string"}]}
json j3 set /current-schema-id 2
json j3 set /snapshots/2/schema-id 2
""")
    found = diff(t, "--from", "v2", code=1)
    changes = "\n".join("%s %s" % (row["name"], row["detail"]) for row in found["changes"])
    for words in ("spec", "order", "identifier", "customer (id 2) is now required"):
        t.has(changes, words)
    risks = [row["name"] for row in found["risks"]]
    t.true(len(risks) > 0, found)
    back = diff(t, "--from", "v3", "--to", "v2", code=1)
    t.has("\n".join(details(back, "changes")), "customer (id 2) is now optional")
    # the columns of a spec that no schema has are named by their ids
    t.build(BASE + "json j3 set /partition-specs/1/fields/1/source-id 99\njson j3 set /default-spec-id 1\njson j2 set /default-spec-id 0\n", "ids")
    t.has("\n".join(details(diff(t, "--from", "v2", code=1, path="ids"), "changes")), "column 99")


def test_schemas_that_documents_lack(t):
    t.build(BASE + "json j3 set /current-schema-id 9\njson j3 remove /snapshots/2/schema-id\n")
    found = diff(t, "--from", "v2", code=3)
    t.true(any("schema" in text for text in details(found, "unknown")), found)
    back = diff(t, "--from", "v3", "--to", "v2", code=3)
    t.true(any("schema" in text for text in details(back, "unknown")), back)


def test_partitions_by_their_words(t):
    fields = [{"name": name, "type": ["null", kind], "default": None, "field-id": 1000 + i} for i, (name, kind) in enumerate((("flag", "boolean"), ("customer", "string")))]
    edit = BASE + "avro m2 schema set /fields/name=data_file/type/fields/name=partition/type/fields %s\n" % json.dumps(fields)
    edit += "json j3 set /partition-specs/1/fields %s\n" % json.dumps([
        {"source-id": 20, "field-id": 1000, "name": "flag", "transform": "identity"}, {"source-id": 2, "field-id": 1001, "name": "customer", "transform": "identity"}])
    edit += "json j3 add /schemas/1/fields/- {\"id\": 20, \"name\": \"flag\", \"required\": false, \"type\": \"boolean\"}\n"
    for i, values in enumerate(((True, "a"), (False, "a"), (None, None))):
        edit += "avro m2 set /records/%d/data_file/partition %s\n" % (i, json.dumps({"flag": values[0], "customer": values[1]}))
    t.build(edit)
    for words, files in ((["flag=true"], 1), (["flag=false"], 1), (["flag=null"], 1), (["customer=a"], 2), (["customer=a", "flag=false"], 1), (["flag=maybe"], 0)):
        args = [word for pair in words for word in ("--partition", pair)]
        found = diff(t, "--from", "101", "--to", "102", *args, code=1)
        t.equal([row["files_added"] for row in found["effect"]], [files], words)
    t.has(t.run("diff", "table", "--from", "101", "--partition", "colour=red", code=4).stderr, "no partition field 'colour'")
    t.table("spark-v2-codecs", "whole")
    done = t.run("diff", "whole", "--from", "main", "--to", "main", "--partition", "a=b")
    t.true(done.returncode == 4 or "partition" in done.stdout, done)


def test_numbers_that_grow_too_big(t):
    t.build(BASE + "".join("avro m2 set /records/%d/data_file/record_count 9223372036854775807\n" % i for i in range(3)))
    found = diff(t, "--from", "101", "--to", "102", code=1)
    t.equal(found["effect"][0]["records_added"], 9223372036854775807)


# ---- the state at a time ----


def at(t, when, path="table", code=1, **more):
    done = t.run("diff", path, "--from", when, "-f", "ndjson", code=code)
    rows = [line for line in t.lines(done.stdout) if line["section"] == "states"]
    return (rows[0]["snapshot_id"], rows[0]["detail"]) if rows else done.stderr


def test_times_by_each_log(t):
    t.build(BASE)
    snapshot, why = at(t, "2025-03-02T12:00Z")
    t.equal(snapshot, 102)
    t.has(why, "by the metadata log of")
    t.equal(at(t, "2025-03-04T12:00Z", code=0)[0], 103)
    t.has(at(t, "2025-02-01T12:00Z", code=4), "the earliest time known is 2025-03-01")
    t.build(BASE + "json j3 remove /last-updated-ms\n", "open")
    snapshot, why = at(t, "2025-03-02T12:00Z", "open")
    t.has(why, "current from 2025-03-02T00:00:00.000Z on, by the metadata log")
    t.build(BASE + "json j3 remove /metadata-log\n", "files")
    snapshot, why = at(t, "2025-03-02T12:00Z", "files")
    t.equal(snapshot, 102)
    t.has(why, "last-updated-ms")
    t.build(BASE + "json j3 remove /metadata-log\ndelete j2\n", "snapshots")
    snapshot, why = at(t, "2025-03-02T12:00Z", "snapshots")
    t.equal(snapshot, 102)
    t.has(why, "by the snapshot log of")
    t.build(BASE + "delete j2\n", "gone")
    t.has(at(t, "2025-03-02T12:00Z", "gone")[1], "the metadata file of then, v2.metadata.json, is not here")
    t.build(BASE + "delete j2\ndelete j1\njson j3 remove /snapshots/1\n", "lost")
    snapshot, why = at(t, "2025-03-02T12:00Z", "lost", code=3)
    t.equal(snapshot, 102)
    t.has(why, "no metadata file here describes it")
    t.build(BASE + "json j3 remove /metadata-log/1/metadata-file\njson j3 remove /metadata-log/0/timestamp-ms\njson j3 remove /snapshot-log/1/timestamp-ms\njson j3 remove /snapshot-log/0/snapshot-id\n", "holes")
    t.equal(at(t, "2025-03-02T12:00Z", "holes")[0], 102)
    t.has(at(t, "2025-02-01T12:00Z", "holes", code=4), "the earliest time known is")
    t.build("base plain-v1\ndelete j1\ndelete j2\njson j3 remove /last-updated-ms\njson j3 remove /metadata-log\njson j3 remove /snapshot-log\n", "silent")
    t.has(at(t, "2025-02-01T12:00Z", "silent", code=4), "nothing here tells what was current at")


def test_a_ref_as_a_state(t):
    t.build(BASE + "json j3 set /refs/lost {\"snapshot-id\": 999, \"type\": \"tag\"}\njson j3 set /refs/none {\"type\": \"tag\"}\n")
    t.equal(at(t, "v1.0")[0], 101)
    t.equal(at(t, "lost", code=3)[0], 999)
    t.run("diff", "table", "--from", "none", code=4)
    t.build(BASE + "json j3 remove /refs\n", "old")
    t.equal(at(t, "main", "old", code=0)[0], 103)
    t.build(BASE + "json j3 remove /snapshots/0\ndelete j1\ndelete j2\n", "logged")
    snapshot, _ = at(t, "101", "logged", code=3)
    t.equal(snapshot, 101)


# ---- history ----


def test_history_of_what_changed(t):
    t.build(BASE + """json j3 add /schemas/- {"type": "struct", "schema-id": 2, "fields": []}
json j3 add /partition-specs/- {"spec-id": 2, "fields": []}
json j3 set /location "s3://lake/wh/db/moved"
json j3 set /refs {"main": {"snapshot-id": 103, "type": "branch"}, "a": {"snapshot-id": 101, "type": "tag"}, "b": {"snapshot-id": 101, "type": "tag"}, "c": {"type": "branch"}, "d": {"snapshot-id": 101, "type": "branch"}}
json j3 set /properties {"a": "1", "b": "1", "c": "1", "d": "1"}
""")
    rows = t.lines(t.run("history", "table", "-f", "ndjson", code=0).stdout)
    changes = rows[-1]["changes"]
    for words in ("1 schemas added", "1 partition specs added", "s3://lake/wh/db/moved", "tag a to 101", "branch c", "more refs moved", "property a set", "more properties changed"):
        t.has(changes, words)


def test_history_of_a_lost_commit(t):
    """Version 4 is made from 2 again: what 3 brought is gone without a rollback; and versions that no file has."""
    t.build(BASE + """copy j3 metadata/v9.metadata.json
alias j9 metadata/v9.metadata.json
json j9 set /snapshots/2/snapshot-id 204
json j9 set /current-snapshot-id 204
json j9 set /refs/main/snapshot-id 204
json j9 set /last-updated-ms 1741046400000
json j9 add /metadata-log/- {"timestamp-ms": 1740960000000, "metadata-file": "@j3@"}
json j9 add /snapshot-log/- {"timestamp-ms": 1741046400000, "snapshot-id": 204}
write hint "9"
""")
    rows = t.lines(t.run("history", "table", "-f", "ndjson", code=0).stdout)
    flags = {row["metadata_file"]: row["flags"] for row in rows if row["metadata_file"]}
    t.has(flags["v9.metadata.json"] or "", "lost-commit")
    t.has(flags["v9.metadata.json"] or "", "gap")
    t.has(rows[-1]["changes"], "main lost a commit, from 103 to 204")
    t.has(rows[-1]["changes"], "no file has version 4 to 8")
    t.run("history", "table", "--graph", code=0)


def test_history_beside_another_table(t):
    t.build(BASE + "copy j3 metadata/00003-22222222-2222-4222-8222-222222222222.metadata.json\nalias jx metadata/00003-22222222-2222-4222-8222-222222222222.metadata.json\n"
            "json jx set /table-uuid \"9c12d441-03fe-4693-9a96-a0705ddf69c1\"\n")
    rows = t.lines(t.run("history", "table", "-f", "ndjson", code=0).stdout)
    t.true(any("other-table" in (row["flags"] or "") for row in rows), rows)
    glue = {"Table": {"Name": "orders", "DatabaseName": "db", "VersionId": "7", "Parameters": {"table_type": "ICEBERG", "metadata_location": "s3://lake/wh/db/orders/metadata/v3.metadata.json"}}}
    t.write("glue.json", json.dumps(glue))
    rows = t.lines(t.run("history", "table", "--pointer", "glue.json", "-f", "ndjson", code=0).stdout)
    t.true(any("version 7" in (row["refs"] or "") for row in rows), rows)


# ---- rescue ----


def statements(t, *args, path="table", code=None):
    rows = t.lines(t.run("rescue", path, *args, *NOW, "-f", "ndjson", code=code).stdout)
    return {s["engine"]: s["statement"] for s in rows[0]["statements"]}


def test_statements_of_each_catalog(t):
    t.build(BASE + "cut j3 -40\n")
    current = "s3://lake/wh/db/orders/metadata/v3.metadata.json"
    t.write("rest.json", json.dumps({"metadata-location": current, "config": {}}))
    t.write("polaris.csv", "catalog,namespace,name,metadata_location\n")
    t.write("hive.txt", "db\tor`ders\tEXTERNAL_TABLE\tmetadata_location\t%s\n" % current)
    t.write("jdbc.csv", "catalog_name,table_namespace,table_name,metadata_location,previous_metadata_location\nprod,db,o'rders,%s,\n" % current)
    found = statements(t, "--pointer", "rest.json", code=2)
    t.has(found["REST catalog"], '"metadata-location":"s3://lake/wh/db/orders/metadata/v2.metadata.json"')
    found = statements(t, "--pointer", "jdbc.csv", code=2)
    t.has(found["JDBC catalog"], "WHERE table_namespace = 'db' AND table_name = 'o''rders' AND metadata_location = '%s'" % current)
    t.equal(len(found), 2)
    t.write("hint.text", "3")
    found = statements(t, "--pointer", "hint.text")
    t.true(found != {}, found)
    # of a catalog that is not known all are shown, with words in place of what is not known
    found = statements(t, "--pointer", "orders=" + current, code=2)
    t.has(found["AWS Glue"], "'DATABASE'")
    t.has(found["Hive"], "ALTER TABLE `DATABASE`.`")
    t.has(found["JDBC catalog"], "'NAMESPACE'")


def test_statements_are_not_written_for_hostile_names(t):
    t.build(BASE + "cut j3 -40\n")
    current = "s3://lake/wh/db/orders/metadata/v3.metadata.json"
    for name in ("or\nders", "or\x7fders"):
        t.write("glue.json", json.dumps({"Table": {"Name": name, "DatabaseName": "db", "Parameters": {"table_type": "ICEBERG", "metadata_location": current}}}))
        t.equal(statements(t, "--pointer", "glue.json", code=2), {})


def test_main_is_elsewhere(t):
    """The document names no current snapshot, but main; then neither, and the way back is to set it."""
    t.build(BASE + "json j3 remove /current-snapshot-id\n")
    rows = t.lines(t.run("rescue", "table", *NOW, "-f", "ndjson").stdout)
    t.true(rows[0]["state"] == "best", rows[0])
    t.build(BASE + "json j3 set /current-snapshot-id -1\njson j3 remove /refs\n", "none")
    rows = t.lines(t.run("rescue", "none", *NOW, "-f", "ndjson").stdout)
    ways = {row["way"] for row in rows}
    t.true("set current" in ways, rows)
    best = statements(t, path="none")
    t.true(best == {} or "set_current_snapshot" in best.get("Spark", "") or "Spark" not in best, best)


def test_a_side_branch_is_best(t):
    """What is current and what came before cannot be read; a snapshot beside the line can."""
    t.build(BASE + "json j3 remove /snapshots/2/parent-snapshot-id\ndelete list3\ndelete list1\ndelete j1\ndelete j2\n")
    found = t.lines(t.run("rescue", "table", *NOW, "-f", "ndjson").stdout)
    best = found[0]
    t.equal((best["state"], best["snapshot_id"], best["way"]), ("best", 102, "set current"))
    statement = {s["engine"]: s["statement"] for s in best["statements"]}
    t.has(statement["Spark"], "set_current_snapshot('orders', 102)")
    t.has(statement["REST catalog"], '"snapshot-id":103')


def test_register_and_roll_back(t):
    """The file that should be current is missing, and of the one before only an older snapshot is whole."""
    t.build(BASE + "delete j3\ndelete list2\n")
    best = t.lines(t.run("rescue", "table", *NOW, "-f", "ndjson", code=2).stdout)[0]
    t.equal((best["state"], best["metadata_file"], best["snapshot_id"], best["way"]), ("best", "v2.metadata.json", 101, "register, roll back"))
    engines = [s["engine"] for s in best["statements"]]
    t.equal((engines[0], engines[-1]), ("Spark, under another name to look at it first", "Spark"))


# ---- orphans ----


def orphans(t, *args, code=0, path="table"):
    done = t.run("orphans", path, *args, "-f", "ndjson", *NOW, code=code)
    return {line["file"]: line["reason"] for line in t.lines(done.stdout)}, done.stderr


def test_why_each_is_one(t):
    t.build(BASE + "json j3 set /location \"s3://lake/wh/db/orders/\"\n")
    files = listings.objects(t)
    files.update({"metadata/v2-old.metadata.json": 5, "metadata/00001-22222222-2222-4222-8222-222222222222.metadata.json": 5, "data/left.parquet": 7})
    t.write("l.csv", listings.csv(files, "2025-01-01T00:00:00Z"))
    found, _ = orphans(t, "--listing", "l.csv")
    t.equal(found["data/left.parquet"], "no snapshot names it")
    t.equal(found["metadata/00001-22222222-2222-4222-8222-222222222222.metadata.json"], "in no log of the current metadata file")
    t.write("l.csv", listings.csv(files).replace("2025-03-0", "2025-13-0"))
    t.run("orphans", "table", "--listing", "l.csv", *NOW)


def test_a_newer_file_than_the_one_that_is_judged(t):
    t.build(BASE)
    files = listings.objects(t)
    t.write("l.csv", listings.csv(files, "2025-01-01T00:00:00Z"))
    found, said = orphans(t, "--listing", "l.csv", "--metadata", "v2.metadata.json", code=2)
    t.equal(found["metadata/v3.metadata.json"], "newer than the metadata file that was judged: keep it")
    t.has(said, "since there is a newer metadata file")
    twin = "metadata/00003-22222222-2222-4222-8222-222222222222.metadata.json"
    t.write("l.csv", listings.csv(dict(files, **{twin: 9}), "2025-01-01T00:00:00Z"))
    found, _ = orphans(t, "--listing", "l.csv")
    t.equal(found[twin], "another file of the current version, of a commit that lost")


def test_a_missing_file_under_a_near_name(t):
    t.build(BASE)
    files = listings.objects(t)
    files["data/F1.parquet"] = files.pop("data/f1.parquet")
    t.write("l.csv", listings.csv(files, "2025-01-01T00:00:00Z"))
    found, _ = orphans(t, "--listing", "l.csv")
    t.equal(found.get("data/F1.parquet"), "a missing file has this name, but for encoding or letter case: keep it")


def test_two_files_that_may_be_current(t):
    t.build(BASE)
    t.write("l.csv", listings.csv(dict(listings.objects(t), **{"data/left.parquet": 7}), "2025-01-01T00:00:00Z"))
    uri = "s3://lake/wh/db/orders/metadata/v%d.metadata.json"
    t.write("glue.json", json.dumps({"TableList": [{"Name": "orders", "DatabaseName": "db", "Parameters": {"table_type": "ICEBERG", "metadata_location": uri % 2}},
                                                   {"Name": "twin", "DatabaseName": "db", "Parameters": {"table_type": "ICEBERG", "metadata_location": uri % 3}}]}))
    found, said = orphans(t, "--listing", "l.csv", "--pointer", "glue.json", code=2)
    t.equal(found, {})
    t.has(said, "no file can be called an orphan")


def test_a_higher_number_that_is_older(t):
    """Numbers begin anew where a table was dropped and made again: by uuid and time, not by number."""
    other = 'json side set /table-uuid "deadbeef-0000-4000-8000-000000000009"\n'
    late, early = (("json side set /last-updated-ms %d\n" % at) for at in (1740960000001, 1740959999999))
    copy = "copy j2 metadata/v9.metadata.json\nalias side metadata/v9.metadata.json\n"
    for edit, code, listed, part in ((copy + other + early, 2, True, "files of another table may be listed too"),
                                     (copy + other + late, 2, False, "there is a newer metadata file, metadata/v9"),
                                     (copy + early, 2, False, "there is a newer metadata file, metadata/v9"),  # clocks may be apart
                                     (copy, 0, True, ""),  # a day older
                                     (copy + "cut side 40\n", 2, False, "there is a newer metadata file, metadata/v9")):
        t.build(BASE + 'write hint "3"\n' + edit)
        t.write("l.csv", listings.csv(dict(listings.objects(t), **{"metadata/v9.metadata.json": 9}), "2025-01-01T00:00:00Z"))
        found, said = orphans(t, "--listing", "l.csv", code=code)
        t.equal(found.get("metadata/v9.metadata.json"), "of a higher number, but older: of a dropped table, or from before a move" if listed else None, edit)
        t.has(said, part)


def test_files_that_others_may_need(t):
    """A branch, a table that shares files, a second entry: what this state does not name may be needed."""
    def entry(name, version):
        location = "s3://lake/wh/db/orders/metadata/v%d.metadata.json" % version
        return {"Name": name, "DatabaseName": "db", "Parameters": {"table_type": "ICEBERG", "metadata_location": location}}

    def look(edit, *args, code):
        t.build(BASE + edit)
        t.write("l.csv", listings.csv(dict(listings.objects(t), **{"data/left.parquet": 7}), "2025-01-01T00:00:00Z"))
        return orphans(t, "--listing", "l.csv", *args, code=code)

    left = {"data/left.parquet": "no snapshot names it"}
    for value, code in (("true", 0), ("TRUE", 0), ("false", 2), ("no", 2)):  # Java: true is true, and nothing else
        found, said = look("json j3 set /properties/gc.enabled \"%s\"\n" % value, code=code)
        t.equal(found, left if code == 0 else {}, value)
        t.equal("gc.enabled is false" in said, code == 2, value)
    nessie = {"entries": [{"name": {"elements": ["db", "orders"]}, "type": "ICEBERG_TABLE", "content": {
        "type": "ICEBERG_TABLE", "metadataLocation": "s3://lake/wh/db/orders/metadata/v3.metadata.json"}}]}
    t.write("nessie.json", json.dumps(nessie))
    found, said = look("", "--pointer", "nessie.json", code=2)
    t.equal(found, {})
    t.has(said, "other branches of the catalog may need files that this one does not name")
    for tables, code in (([entry("orders", 3), entry("twin", 2)], 2), ([entry("orders", 3), entry("twin", 3)], 0), ([entry("orders", 3)], 0)):
        t.write("glue.json", json.dumps({"TableList": tables}))
        found, said = look("", "--pointer", "glue.json", code=code)
        t.equal(found, left if code == 0 else {}, tables)
        t.equal("another entry, with a state of its own, points in here, to v2.metadata.json" in said, code == 2, said)


# ---- more of rescue ----


def advice(t, *args, path="table", code=None):
    return t.run("rescue", path, *args, *NOW, code=code).stdout


def test_other_snapshots_are_broken(t):
    t.build(BASE + "delete list1\n")
    t.has(advice(t, code=0), "1 other snapshot that it keeps is broken: time travel there fails")
    t.build(BASE + "delete list1\ndelete list2\ndelete j1\ndelete j2\n", "two")
    t.has(advice(t, path="two"), "2 other snapshots that it keeps are broken")


def test_a_branch_or_tag_is_broken(t):
    """main is whole, and there is something to do."""
    t.build(BASE + "delete list1\n")
    done = advice(t, code=0)
    t.has(done, "Tag v1.0 leads to a broken snapshot, 101: readers of it fail.")
    t.lacks(done, "nothing to do")
    t.build(BASE + "delete list1\njson j3 remove /refs/v1.0\n", "no-ref")
    t.has(advice(t, path="no-ref", code=0), "nothing to do")


def test_the_best_state_is_of_a_branch(t):
    """All of main, and what was never in it: that is said, not a loss of nothing."""
    t.build(BASE + "delete list2\njson j3 set /current-snapshot-id 102\njson j3 set /refs/main/snapshot-id 102\njson j3 set /refs/audit/snapshot-id 103\n"
            "delete j2\n")
    done = advice(t, code=0)
    t.has(done, "The best state is snapshot 103")
    t.has(done, "No commit of main is lost. The state has commits of its own that were never in main")
    t.lacks(done, "loses 0 commits")


def test_errors_where_no_file_is_missing(t):
    t.build(BASE + "".join("json j%d set /schemas/0/fields/0/type \"longest\"\n" % n for n in (1, 2, 3)))
    text = advice(t, code=1)
    t.has(text, "No state that holds data is known to be whole.")
    t.has(text, "no file is missing or damaged, but icefsck check finds errors there")


def test_more_faults_than_are_kept(t):
    t.build(BASE + "".join("avro m3 set /records/%d/data_file/file_size_in_bytes -%d\n" % (n, n + 1) for n in range(3))
            + "".join("json j3 add /schemas/1/fields/- {\"id\": 1, \"name\": \"twin%d\", \"required\": false, \"type\": \"int\"}\n" % n for n in range(30)))
    rows = t.lines(t.run("rescue", "table", *NOW, "-f", "ndjson").stdout)
    kept = max(rows, key=lambda row: len(row["faults"] or []))
    t.equal(len(kept["faults"]), 20)
    t.true(rows[0]["metadata_file"] != "v3.metadata.json", rows[0])


def test_several_files_to_fetch_back(t):
    t.build(BASE + "delete m1\ndelete m3\ndelete d1\n")
    sizes = listings.objects(t)
    listed = [{"Key": "wh/db/orders/" + name, "Size": size, "VersionId": "v", "IsLatest": True, "LastModified": "2025-03-03T00:00:00Z"} for name, size in sizes.items()]
    deleted = []
    for name in ("m1.avro", "m3.avro", "d1.avro"):
        key = "wh/db/orders/metadata/" + name
        size = os.path.getsize(os.path.join(harness.ROOT, "fixtures", "base", "plain-v2", "metadata", name))
        listed.append({"Key": key, "Size": size, "VersionId": "old", "IsLatest": False, "LastModified": "2025-03-03T00:00:00Z"})
        deleted.append({"Key": key, "VersionId": "gone", "IsLatest": True, "LastModified": "2025-03-03T12:00:00Z"})
    t.write("versions.json", json.dumps({"Versions": listed, "DeleteMarkers": deleted}))
    done = t.run("rescue", "table", "--listing", "versions.json", "--base", "s3://lake/", *NOW, "-f", "ndjson")
    fetch = [f["file"] for f in t.lines(done.stdout)[0]["fetch"]]
    t.equal(sorted(fetch), ["metadata/d1.avro", "metadata/m1.avro", "metadata/m3.avro"])
    t.equal(len(fetch), len(set(fetch)), "each once, though several states need it")
    for name in fetch:
        t.has(done.stderr, "/%s --version-id" % name)


def test_statements_for_hive(t):
    """As the metastore's API gives a table; names in backquotes."""
    t.build(BASE + "cut j3 -40\n")
    current = "s3://lake/wh/db/orders/metadata/v3.metadata.json"
    t.write("hive.json", json.dumps({"dbName": "db", "tableName": "or`ders", "sd": {"cols": []}, "parameters": {"metadata_location": current, "table_type": "ICEBERG"}}))
    found = statements(t, "--pointer", "hive.json", code=2)
    t.equal(found["Hive"], "ALTER TABLE `db`.`or``ders` SET TBLPROPERTIES ('metadata_location'='s3://lake/wh/db/orders/metadata/v2.metadata.json')")


def test_names_that_are_no_versions(t):
    """Only what a crashed commit left, and names beside those of Hadoop tables."""
    t.build(BASE + "rename j3 metadata/22222222-2222-4222-8222-222222222222.metadata.json\ndelete j1\ndelete j2\ndelete hint\n")
    row = t.lines(t.run("pointers", "table", *NOW, "-f", "ndjson", code=0).stdout)[0]
    t.equal((row["state"], row["why"]), ("unknown", "no catalog and no hint says which file is current"))
    t.build(BASE + "rename j2 metadata/00002-22222222-2222-4222-8222-222222222222.metadata.json\ncut j3 -40\n", "mixed")
    found = statements(t, path="mixed", code=2)
    t.true("Hive" in found and "Hadoop tables" not in found, found)
    t.build(BASE + "rename j3 metadata/00003-22222222-2222-4222-8222-222222222222.gz.metadata.json\ngzip j3\ndelete hint\n", "gz")
    t.equal(t.lines(t.run("rescue", "gz", *NOW, "-f", "ndjson").stdout)[0]["state"], "best")


# ---- diff of two places ----


def test_gone_files_of_another_place(t):
    t.build(BASE, "old")
    t.build(BASE, "new")
    files = dict(listings.DATA)
    folder = os.path.join(t.work, "old", "metadata")
    files.update({"metadata/" + name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)})
    del files["data/f1.parquet"]
    t.write("l.csv", listings.csv(files))
    for words in (["old/metadata/v1.metadata.json", "new"], ["old/metadata/v1.metadata.json", "new/metadata/v3.metadata.json"], ["old", "new"]):
        found = {}
        for line in t.lines(t.run("diff", *words, "--listing", "l.csv", "-f", "ndjson", *NOW).stdout):
            found.setdefault(line["section"], []).append(line)
        t.true(any((row["file"] or "").endswith("data/f1.parquet") for row in found["gone"]), (words, found["gone"]))


def test_gone_is_not_known(t):
    """The state that is read is described nowhere, or its listing is a part."""
    t.build(BASE + "delete j1\ndelete j2\njson j3 remove /snapshots/0\n")
    t.write("l.csv", listings.csv(listings.objects(t)))
    found = diff(t, "--from", "v1.0", "--listing", "l.csv", code=3)
    t.true(any("described" in text or "describes" in text for text in details(found, "unknown")), found["unknown"])
    t.build(BASE, "part")
    t.write("l.json", json.dumps({"Contents": [], "NextToken": "x"}))
    found = diff(t, "--from", "v1", "--listing", "l.json", "--base", "s3://lake", code=3, path="part")
    t.true(found["unknown"] != [], found)
    done = t.run("diff", "part", "--from", "v1", "--to", "v2", "--partition", "customer=acme", "-f", "ndjson", code=1)
    t.has(done.stdout, '"effect"')


if __name__ == "__main__":
    harness.main(dict(globals()))
