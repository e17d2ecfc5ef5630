#!/usr/bin/python3 -SEB
"""What inspect shows of tables of rare shapes: every type, what documents leave out, what cannot be read. inspect_rows.py ICEFSCK WORK [TEST...]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

OLD = "base plain-v1\n"
BASE = "base plain-v2\n"

# type of the column, schema of its partition value, the value, a bound of it in hex, both as they are shown
TYPES = [
    ("boolean", "boolean", True, "01", True, True),
    ("int", "int", -7, "f9ffffff", -7, -7),
    ("long", "long", 1 << 40, "0000000000010000", 1 << 40, 1 << 40),
    ("float", "float", 1.5, "0000c03f", 1.5, 1.5),
    ("double", "double", -0.25, "000000000000d0bf", -0.25, -0.25),
    ("date", {"type": "int", "logicalType": "date"}, 20148, "b44e0000", "2025-03-01", "2025-03-01"),
    ("time", {"type": "long", "logicalType": "time-micros"}, 3600000001, "01a493d600000000", "01:00:00.000001", "01:00:00.000001"),
    ("timestamp", {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": False}, 1000000, "40420f0000000000",
     "1970-01-01T00:00:01", "1970-01-01T00:00:01"),
    ("timestamptz", {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}, 1000000, "40420f0000000000",
     "1970-01-01T00:00:01+00:00", "1970-01-01T00:00:01+00:00"),
    ("timestamp_ns", {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": False}, 1, "0100000000000000",
     "1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000001"),
    ("timestamptz_ns", {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": True}, 1, "0100000000000000",
     "1970-01-01T00:00:00.000000001+00:00", "1970-01-01T00:00:00.000000001+00:00"),
    ("string", "string", "a", "61", "a", "a"),
    ("uuid", {"type": "fixed", "size": 16, "name": "uuid_fixed", "logicalType": "uuid"}, {"hex": "00" * 15 + "09"}, "00" * 15 + "09",
     "00000000-0000-0000-0000-000000000009", "00000000-0000-0000-0000-000000000009"),
    ("fixed[3]", {"type": "fixed", "size": 3, "name": "fixed_3"}, {"hex": "00ff01"}, "00ff01", "00ff01", "00ff01"),
    ("binary", "bytes", {"hex": "ff00"}, "ff00", "ff00", "ff00"),
    ("decimal(9, 2)", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}, {"hex": "ff85"}, "ff85", "-1.23", "-1.23"),
]
NAMES = ["p%d" % i for i in range(len(TYPES))]


def rows(t, what, *args, code=0, path="table"):
    return t.lines(t.run("inspect", what, path, "-f", "ndjson", *args, code=code).stdout)


def every_type(known=True):
    """A table with a column, a partition field and a bound of every type; m2 holds them. known: by metadata, else by the manifest alone."""
    columns = [{"id": 20 + i, "name": "c%d" % i, "required": False, "type": row[0]} for i, row in enumerate(TYPES)]
    spec = [{"source-id": 20 + i, "field-id": 2000 + i, "name": NAMES[i], "transform": "identity"} for i in range(len(TYPES))]
    tuple_fields = [{"name": NAMES[i], "type": ["null", row[1]], "default": None, "field-id": 2000 + i} for i, row in enumerate(TYPES)]
    bounds = [{"key": 20 + i, "value": {"hex": row[3]}} for i, row in enumerate(TYPES)]
    edit = "base plain-v3\n"
    if known:
        edit += "".join("json j3 add /schemas/1/fields/- %s\n" % json.dumps(column) for column in columns)
        edit += "json j3 set /partition-specs/1/fields %s\n" % json.dumps(spec)
    edit += "avro m2 schema set /fields/name=data_file/type/fields/name=partition/type/fields %s\n" % json.dumps(tuple_fields)
    values = {NAMES[i]: row[2] for i, row in enumerate(TYPES)}
    return edit + "avro m2 set /records/0/data_file/partition %s\navro m2 set /records/0/data_file/lower_bounds %s\n" % (json.dumps(values), json.dumps(bounds))


def file3(t, *args, what="files"):
    """The row of f3, which m2 lists first; snapshot 102 reads it."""
    return next(row for row in rows(t, what, "--snapshot", "102", *args) if row["file_path"].endswith("f3.parquet"))


def test_partitions_of_every_type(t):
    t.build(every_type())
    wanted = {NAMES[i]: row[4] for i, row in enumerate(TYPES)}
    t.equal(file3(t)["partition"], wanted)
    t.true(wanted in [row["partition"] for row in rows(t, "partitions", "--snapshot", "102")], "partitions")


def test_values_of_a_spec_that_metadata_lacks(t):
    """The manifest's own schema tells their types; they stand behind what metadata knows."""
    t.build(every_type(known=False))
    shown = file3(t)["partition"]
    t.equal({name: shown[name] for name in NAMES}, {NAMES[i]: row[4] for i, row in enumerate(TYPES)})
    t.equal([shown[name] for name in ("created_at_day", "customer", "id_bucket", "price")], [None] * 4)


def test_bounds_of_every_type(t):
    t.build(every_type())
    wanted = {str(20 + i): row[5] for i, row in enumerate(TYPES)}
    t.equal(file3(t, "--readable-bounds")["lower_bounds"], wanted)
    t.equal(file3(t)["lower_bounds"], {str(20 + i): row[3] for i, row in enumerate(TYPES)})
    for length in (9, 17):  # no value of a type of fixed size has it
        t.build(every_type() + "".join("avro m2 set /records/0/data_file/lower_bounds/%d/value {\"hex\": \"%s\"}\n" % (i, "ab" * length) for i in range(13)), "long")
        shown = t.lines(t.run("inspect", "files", "long", "--snapshot", "102", "--readable-bounds", "-f", "ndjson", code=0).stdout)
        bounds = next(row for row in shown if row["file_path"].endswith("f3.parquet"))["lower_bounds"]
        t.equal({bounds[str(20 + i)] for i in range(11)} | {bounds["32"]}, {"ab" * length})


def oracle(t, *args, code=0, path="table"):
    return json.loads(t.run("inspect", "live", path, "-f", "oracle", *args, code=code).stdout)


def test_oracle_of_every_type(t):
    t.build(every_type())
    files = {f["path"]: f for s in oracle(t)["snapshots"] if s["snapshot_id"] == 102 for f in s["live_files"]}
    shown = next(f for path, f in files.items() if path.endswith("f3.parquet"))["partition"]
    t.equal(list(shown), [str(2000 + i) for i in range(len(TYPES))])
    t.equal([shown[str(2000 + i)] for i in (0, 1, 2, 11, 14)], [True, -7, 1 << 40, "a", "ff00"])
    t.equal([s["snapshot_id"] for s in oracle(t, "--snapshot", "v1.0")["snapshots"]], [101])


def test_oracle_of_what_lacks(t):
    t.build(BASE + """json j3 set /refs/broken {"type": "branch"}
json j3 remove /current-snapshot-id
avro m2 schema remove /fields/name=data_file/type/fields/name=partition/type/fields/0/field-id
avro m2 set /records/0/data_file/file_format "ORC"
""")
    document = oracle(t)
    t.equal((document["verdict"], document["table"]["current_snapshot_id"], sorted(document["table"]["refs"])), ("accept", None, ["audit", "main", "v1.0"]))
    first = [f for s in document["snapshots"] for f in s["live_files"] if f["path"].endswith("f3.parquet")][0]
    t.equal((first["format"], "created_at_day" in first["partition"]), ("orc", True))
    t.build(BASE + "json j3 set /current-snapshot-id -1\n", "none")
    t.equal(oracle(t, path="none")["table"]["current_snapshot_id"], None)


def test_oracle_of_broken_tables(t):
    for name, edit in (("cut", "cut j1 1\ncut j2 1\ncut j3 1\n"), ("list", "delete list3\n"), ("manifest", "cut m1 -20\n"), ("version", "json j3 set /format-version 9\n")):
        t.build(BASE + edit, name)
        document = oracle(t, path=name, code=2)
        t.equal(document["verdict"], "reject", name)
        places = document["errors"] + [e for s in document["snapshots"] for e in s["errors"]]
        t.true(len(places) > 0 and (name != "cut" or document["table"] is None), document)
    done = t.run("inspect", "live", "list/metadata/snap-1.avro", "-f", "oracle", code=4)
    t.has(done.stderr, "live needs a table")
    t.run("inspect", "live", "nowhere", "-f", "oracle", code=2)


def test_oracle_of_version_1(t):
    """Manifests listed in the snapshot itself: no list, no sequence numbers."""
    t.table("java-0.13-v1-inline")
    document = oracle(t)
    t.equal({m["sequence_number"] for s in document["snapshots"] for m in s["manifests"]}, {0})
    t.true(all(f["spec_id"] == 0 for s in document["snapshots"] for f in s["live_files"]), document)
    lost = sorted(n for n in os.listdir(os.path.join(t.work, "table", "metadata")) if n.endswith(".avro"))[0]
    os.remove(os.path.join(t.work, "table", "metadata", lost))
    t.equal(oracle(t, code=2)["verdict"], "reject")


def test_schemas_as_they_stand(t):
    t.build("base plain-v3\n" + r"""json j3 set /schemas/1/fields/1/initial-default "a \"b\" c\\"
json j3 set /schemas/1/fields/1/write-default "d"
json j3 set /schemas/1/fields/1/doc "who buys"
json j3 remove /schemas/1/fields/3/required
json j3 text s '"d"' ' \t\r\n "d e"'
""")
    shown = {row["name"]: row for row in rows(t, "schemas") if row["schema_id"] == 1}
    t.equal([shown["customer"][k] for k in ("initial_default", "write_default", "doc")], ['a "b" c\\', "d e", "who buys"])
    t.equal((shown["price"]["required"], shown["id"]["required"]), (None, True))
    # defaults of nested types are documents: blanks between their parts go, those inside strings stay
    t.build("base plain-v3\njson j3 set /schemas/1/fields/8/initial-default {\"a \": [1, 2,\t\"x \\\\\\\" y\"]}\n", "nested")
    done = t.run("inspect", "schemas", "nested", "-f", "tsv", "--columns", "name,initial_default", code=0).stdout
    t.has(done, '{"a ":[1,2,"x')
    t.lacks(done, "[1, 2")


def test_old_documents(t):
    """Version 1 with schema and partition-spec alone, and none of the lists that came later."""
    t.build(OLD + "json j3 remove /schemas\njson j3 remove /current-schema-id\njson j3 remove /partition-specs\njson j3 remove /default-spec-id\n"
            "json j3 remove /sort-orders\njson j3 remove /default-sort-order-id\njson j3 remove /refs\njson j3 remove /metadata-log\n")
    t.true(len(rows(t, "schemas")) >= 12, "schemas")
    t.equal({row["spec_id"] for row in rows(t, "specs")}, {0})
    t.equal([(row["name"], row["snapshot_id"]) for row in rows(t, "refs")], [("main", 103)])
    t.equal(rows(t, "sort_orders"), [])
    t.equal([row["file"] for row in rows(t, "metadata_log_entries")], ["s3://lake/wh/db/orders/metadata/v3.metadata.json"])
    t.true(rows(t, "files") != [], "files")


def test_specs_and_orders_of_several_columns(t):
    t.build("base plain-v3\n" + """json j3 set /partition-specs/1/fields/2 {"source-ids": [1, 99, 2], "field-id": 1002, "name": "many", "transform": "bucketV2[4]"}
json j3 remove /partition-specs/1/fields/3/source-id
json j3 remove /partition-specs/1/fields/3/transform
json j3 set /sort-orders/1/fields/0/source-id 99
json j3 remove /sort-orders/1/fields/1/source-id
json j3 remove /sort-orders/1/fields/1/direction
json j3 remove /sort-orders/1/fields/1/null-order
""")
    specs = {row["field_id"]: row for row in rows(t, "specs")}
    t.equal((specs[1002]["source_ids"], specs[1002]["source_name"]), ([1, 99, 2], "id,,customer"))
    t.equal((specs[1003]["source_ids"], specs[1003]["source_name"], specs[1003]["transform"]), (None, None, None))
    orders = [row for row in rows(t, "sort_orders") if row["order_id"] == 1]
    t.equal([(row["source_ids"], row["source_name"], row["direction"], row["null_order"]) for row in orders], [([99], None, "asc", "nulls-first"), (None, None, None, None)])


def test_columns_that_only_old_schemas_have(t):
    t.build(BASE + "json j3 remove /schemas/1/fields/1\njson j3 set /partition-specs/1/fields/1/name \"price\"\njson j3 set /partition-specs/1/fields/2/transform \"void\"\n"
            "json j3 add /partition-specs/- {\"spec-id\": 2, \"fields\": [{\"source-id\": 2, \"field-id\": 1001, \"name\": \"client\", \"transform\": \"void\"}]}\n")
    specs = {(row["spec_id"], row["field_id"]): row["source_name"] for row in rows(t, "specs")}
    t.equal(specs[1, 1001], "customer")
    shown = file3(t)["partition"]
    t.equal((shown["client"], shown["id_bucket"], shown["price"]), ("acme", 2, 9.5), "the newest name; void drops no value that is there")
    t.build(BASE + "json j3 set /partition-specs/1/fields/1/name \"price\"\n", "twins")
    shown = next(row for row in rows(t, "files", path="twins") if row["file_path"].endswith("f3.parquet"))["partition"]
    t.equal((shown["price"], shown["price_1003"]), ("acme", 9.5), "keys are told apart by the field id")


def test_logs_and_refs_that_lack(t):
    t.build(BASE + """json j3 remove /refs/main
json j3 remove /refs/audit/snapshot-id
json j3 remove /snapshot-log/0/snapshot-id
json j3 remove /snapshot-log/1/timestamp-ms
json j3 set /snapshot-log/2/snapshot-id 999
json j3 remove /snapshots/0/summary
json j3 remove /snapshots/1/timestamp-ms
json j3 remove /metadata-log/0/metadata-file
json j3 remove /metadata-log/1/timestamp-ms
json j3 remove /statistics/0/blob-metadata/0/type
json j3 remove /statistics/0/blob-metadata/0/snapshot-id
json j3 remove /statistics/0/blob-metadata/0/sequence-number
""")
    t.equal([(row["name"], row["snapshot_id"]) for row in rows(t, "refs")], [("v1.0", 101), ("audit", None), ("main", 103)])
    history = rows(t, "history")
    t.equal([(row["snapshot_id"], row["parent_id"], row["is_current_ancestor"]) for row in history], [(None, None, False), (102, 101, True), (999, None, False)])
    t.equal(history[1]["made_current_at"], None)
    first = rows(t, "snapshots")[0]
    t.equal((first["operation"], first["summary"]), (None, None))
    log = rows(t, "metadata_log_entries")
    t.equal([row["file"] for row in log][0], None)
    t.equal(log[1]["timestamp"], None)
    blob = rows(t, "statistics")[0]
    t.equal(blob["blob_metadata"], [{"fields": [1], "properties": {"ndv": "41"}}])


def test_no_current_snapshot(t):
    t.build(BASE + "json j3 remove /current-snapshot-id\njson j3 set /refs {}\n")
    t.equal(rows(t, "refs"), [])
    t.equal([row["is_current_ancestor"] for row in rows(t, "history")], [False] * 3)
    for what in ("files", "entries", "manifests", "partitions", "delete_files"):
        t.equal(rows(t, what), [], what)
    t.true(rows(t, "all_files") != [] and rows(t, "snapshots") != [], "what is kept is there")


def test_bounds_of_summaries(t):
    """Years, months and hours as Iceberg prints them; hex where the field is not known."""
    shown = []
    for transform, number, text in (("year", 55, "2025"), ("month", -1, "1969-12"), ("month", 662, "2025-03"), ("hour", -1, "1969-12-31-23"), ("day", 20148, "2025-03-01")):
        place = t.build(BASE + "json j3 set /partition-specs/1/fields/0/transform \"%s\"\navro list3 set /records/@m2@/partitions/0/lower_bound {\"int\": %d}\n".replace("@m2@", "@m3@") % (transform, number),
                        "%s%d" % (transform, number))
        row = rows(t, "manifests", path=os.path.basename(place))[0]
        shown.append((row["partition_summaries"][0]["lower_bound"] == text) or (transform, row["partition_summaries"][0]))
    t.equal(shown, [True] * 5)
    t.build(BASE + "avro list3 set /records/@m3@/partition_spec_id 9\n", "unknown")
    t.equal(rows(t, "manifests", path="unknown")[0]["partition_summaries"][0]["lower_bound"], "b54e0000")


def test_sums_that_grow_too_big(t):
    t.build(BASE + "avro m1 set /records/0/data_file/record_count 9223372036854775807\navro m1 set /records/1/data_file/record_count 9223372036854775807\n")
    t.equal(max(row["record_count"] for row in rows(t, "partitions", "--snapshot", "101")), 9223372036854775807)


def test_places_of_the_metadata_file(t):
    """The last row of the log is the file that was read: below the location, under the name that it has here, or as it was given."""
    t.build(BASE + "json j3 set /location \"s3://lake/wh/db/orders//\"\n")
    t.equal(rows(t, "metadata_log_entries")[-1]["file"], "s3://lake/wh/db/orders/metadata/v3.metadata.json")
    full = os.path.join(t.work, "table", "metadata", "v3.metadata.json")
    t.has(rows(t, "metadata_log_entries", path=full)[-1]["file"], "v3.metadata.json")
    t.build(BASE + "json j3 remove /location\n", "nowhere")
    t.equal(rows(t, "metadata_log_entries", path="nowhere")[-1]["file"], "metadata/v3.metadata.json")


def test_what_is_no_table(t):
    t.table("spark-view")
    t.has(t.run("inspect", "snapshots", "table", code=2).stderr, "view")
    t.build(BASE + "delete m1\n", "lost")
    done = t.run("inspect", "files", "lost", "-f", "ndjson", code=2)
    t.equal(len(t.lines(done.stdout)), 4, "what could be read is shown")
    t.has(done.stderr, "m1.avro")
    t.build(BASE + "write m1 \"PAR1....PAR1\"\n", "parquet")
    t.has(t.run("inspect", "files", "parquet", code=2).stderr, "Parquet")



def test_bounds_of_a_lone_manifest(t):
    """The schema in its own header tells the types; of a column that it lacks the bytes are shown."""
    t.build(BASE + "avro m2 set /records/0/data_file/lower_bounds/0/key 99\n")
    row = next(row for row in rows(t, "files", "--readable-bounds", path="table/metadata/m2.avro") if row["file_path"].endswith("f3.parquet"))
    t.equal((row["lower_bounds"]["2"], row["lower_bounds"]["5"]), ("acme", "2025-03-01"))
    t.true("99" in row["lower_bounds"] and len(row["lower_bounds"]["99"]) == 16, row["lower_bounds"])


def test_specs_that_disagree(t):
    """Two fields of one id in a spec, the same in another, one of several sources, one without; a tuple without ids."""
    t.build(BASE + """json j3 set /partition-specs/1/fields/3/field-id 1002
json j3 add /partition-specs/- {"spec-id": 2, "fields": [{"source-id": 1, "field-id": 1002, "name": "twin", "transform": "bucket[8]"}]}
json j3 add /partition-specs/- {"spec-id": 0, "fields": [{"source-id": 1, "field-id": 1002, "name": "older", "transform": "bucket[2]"}]}
""")
    t.equal(set(file3(t)["partition"]), {"created_at_day", "customer", "twin", "price"}, "the newest name; price is told by the manifest alone")
    t.build("base plain-v3\n" + """json j3 set /partition-specs/1/fields/0 {"source-ids": [6, 5], "field-id": 1000, "name": "created_at_day", "transform": "day"}
json j3 remove /partition-specs/1/fields/1/source-id
""", "sources")
    shown = next(row for row in rows(t, "files", path="sources") if row["file_path"].endswith("f3.parquet"))["partition"]
    t.equal((shown["created_at_day"], shown["customer"]), ("2025-03-02", "acme"))
    t.build(BASE + "avro m3 schema remove /fields/name=data_file/type/fields/name=partition/type/fields/1/field-id\n", "no-id")
    shown = next(row for row in rows(t, "files", path="no-id") if row["file_path"].endswith("f3.parquet"))["partition"]
    t.equal(shown["customer"], "acme")
    t.build(BASE + "json j3 set /partition-specs [{\"spec-id\": 0, \"fields\": []}, {\"spec-id\": 1, \"fields\": []}]\n", "unknown")
    shown = next(row for row in rows(t, "files", path="unknown") if row["file_path"].endswith("f3.parquet"))["partition"]
    t.equal((shown["customer"], shown["price"]), ("acme", 9.5))


def test_what_is_encrypted_or_parquet(t):
    """It is not read, and that is said."""
    for name, edit, said in (("list", 'write list3 {"hex": "41475331000010000102030405060708090a0b0c"}', "encrypted: nothing was read"),
                             ("manifest", 'write m3 {"hex": "41475331000010000102030405060708090a0b0c"}', "encrypted: nothing was read"),
                             ("parquet", 'write m3 {"hex": "5041523100000000000000005041523100"}', "this is a Parquet file: manifests of the v4 draft may be, and are not read")):
        t.build(BASE + edit + "\n", name)
        done = t.run("inspect", "files", name, "-f", "ndjson", code=2)
        t.has(done.stderr, said)
        t.equal(len(t.lines(done.stdout)), 0 if name == "list" else 3, name)


def told(t, what, edit, code, n_rows, has=""):
    t.build(BASE + edit, name="unread")
    done = t.run("inspect", what, "unread", "-f", "ndjson")
    t.equal((done.returncode, len(t.lines(done.stdout))), (code, n_rows), what + ": " + done.stderr)
    t.equal(done.stderr != "", code != 0, done.stderr)
    t.has(done.stderr, has)


def test_a_list_of_another_snapshot(t):
    """Its rows are given for no snapshot, and the files to copy are known to lack some."""
    t.build("base plain-v2\ncopy list2 metadata/snap-3.avro\n", "copied")
    for what, ids in (("manifests", []), ("all_manifests", [101, 102, 101]), ("files", []), ("live", [])):
        done = t.run("inspect", what, "copied", "-f", "ndjson", code=2)
        t.has(done.stderr, "snapshot 103: the former's list was copied over the latter's, whose own manifests are not in it")
        if what != "live":
            t.equal([row.get("added_snapshot_id") for row in t.lines(done.stdout)], ids)
    t.run("inspect", "files", "copied", "--snapshot", "102", code=0)
    for depth in ("manifest", "puffin"):
        done = t.check("copied", "--list-files", "--depth", depth, code=2)
        t.has(done.stderr, "the header says snapshot 102, metadata names this list for snapshot 103")
    # that of a later snapshot, told by the manifests of later commits
    t.build("base plain-v1\ncopy list3 metadata/snap-2.avro\n", "later")
    t.has(t.run("inspect", "files", "later", "--snapshot", "102", code=2).stderr, "the former's list was copied over the latter's")
    t.run("inspect", "files", "later", code=0)
    # what one commit wrote for another is read: the header alone is wrong
    t.build("base plain-v2\navro list3 set /header/snapshot-id 102\n", "header")
    t.run("inspect", "files", "header", code=0)
    t.check("header", "--list-files", code=0)


def test_what_the_metadata_file_does_not_give(t):
    """No row of a member that could not be read is a fault, and no row of a table without a snapshot is none."""
    for what in ("files", "entries", "data_files", "manifests", "partitions"):
        told(t, what, 'json j3 set /current-snapshot-id "103"\n', 2, 0, "current-snapshot-id could not be read (at /current-snapshot-id)")
        told(t, what, "json j3 remove /current-snapshot-id\n", 2, 0, "main names snapshot 103, but there is no current snapshot (at /refs/main/snapshot-id)")
        told(t, what, "json j3 remove /current-snapshot-id\njson j3 remove /refs/main\n", 0, 0)
    for what, pointer in (("snapshots", "snapshots"), ("live", "snapshots"), ("all_files", "snapshots"), ("all_manifests", "snapshots"),
                          ("refs", "refs"), ("schemas", "schemas"), ("specs", "partition-specs"), ("sort_orders", "sort-orders"),
                          ("properties", "properties"), ("metadata_log_entries", "metadata-log"), ("statistics", "statistics")):
        n_rows = {"refs": 1, "metadata_log_entries": 1, "statistics": 1}.get(what, 0)  # main, the file itself, and that of partitions
        told(t, what, 'json j3 set /%s "x"\n' % pointer, 2, n_rows, "%s could not be read (at /%s)" % (pointer, pointer))
        told(t, what, "json j3 set /%s null\n" % pointer, 2, n_rows, "%s is null" % pointer)
        is_required = pointer in ("schemas", "partition-specs", "sort-orders")
        told(t, what, "json j3 remove /%s\n" % pointer, 2 if is_required else 0, n_rows, "%s is missing" % pointer if is_required else "")
    t.build(BASE + 'json j3 set /current-snapshot-id "103"\n', name="unread")
    done = t.run("diff", "unread", "--from", "v2", code=3)
    t.equal(done.stderr.count("current-snapshot-id could not be read"), 1, "a state at no snapshot: " + done.stderr)
    told(t, "snapshots", "json j3 add /snapshots/- 5\n", 2, 3, "an element of snapshots could not be read")
    told(t, "snapshots", 'json j3 set /snapshots/0/snapshot-id "x"\n', 2, 3, "a part of snapshots could not be read")
    told(t, "live", 'json j3 set /snapshots/0/parent-snapshot-id "x"\n', 0, len(rows(t, "live", path=t.build(BASE, name="whole"))))
    told(t, "schemas", 'json j3 set /snapshots "x"\n', 0, len(rows(t, "schemas", path=t.build(BASE, name="whole2"))))


def test_what_a_file_does_not_give_to_others(t):
    """history, diff and --list-files of a member that is null or no list; of one that is left out they have nothing to say."""
    for pointer, value, why in (("snapshots", "null", "is null"), ("snapshots", "{}", "could not be read"), ("refs", "null", "is null"),
                                ("refs", "[]", "could not be read"), ("properties", "null", "is null")):
        t.build(BASE + "json j3 set /%s %s\n" % (pointer, value), name="unread")
        t.has(t.run("history", "unread", code=2).stderr, "%s %s" % (pointer, why))
        done = t.run("diff", "unread", "--from", "v2", "-f", "ndjson", code=3)
        t.equal(done.stderr.count("%s %s" % (pointer, why)), 1, done.stderr)
        t.has(done.stdout, "%s %s" % (pointer, why))
    t.build(BASE + "json j1 set /refs null\n", name="unread")
    t.has(t.run("history", "unread", code=2).stderr, "v1.metadata.json': refs is null")
    t.has(t.run("diff", "unread", "--from", "v1", code=3).stderr, "v1.metadata.json': refs is null")
    t.run("diff", "unread", "--from", "v2", code=1)
    for pointer in ("refs", "properties"):
        t.build(BASE + "json j3 remove /%s\n" % pointer, name="unread")
        t.equal((t.run("history", "unread", code=0).stderr, t.run("diff", "unread", "--from", "v2", code=1).stderr), ("", ""), pointer)
    for member, depth, code in (("snapshots", "manifest", 2), ("statistics", "puffin", 2), ("statistics", "manifest", 0), ("refs", "puffin", 0)):
        t.build(BASE + "json j3 set /%s null\n" % member, name="unread")
        done = t.run("check", "unread", "--list-files", "--depth", depth)
        t.equal((done.returncode, "%s is null" % member in done.stderr), (code, code == 2), "%s %s: %s" % (member, depth, done.stderr))


if __name__ == "__main__":
    harness.main(dict(globals()))
