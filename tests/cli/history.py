#!/usr/bin/python3 -SEB
"""The story of a table over its metadata files. history.py ICEFSCK WORK [TEST...] [--bless]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

# a rollback to 101 in v4, a commit 104 on top of it in v5; 103 goes with an expiry in v6
STORY = """base plain-v2
copy j3 metadata/v4.metadata.json
alias j4 metadata/v4.metadata.json
json j4 set /current-snapshot-id 101
json j4 set /refs/main/snapshot-id 101
json j4 set /last-updated-ms 1741046400000
json j4 add /metadata-log/- {"timestamp-ms": 1740960000000, "metadata-file": "@j3@"}
json j4 add /snapshot-log/- {"timestamp-ms": 1741046400000, "snapshot-id": 101}
copy j4 metadata/v5.metadata.json
alias j5 metadata/v5.metadata.json
json j5 copy /snapshots/0 /snapshots/-
json j5 set /snapshots/3/snapshot-id 104
json j5 set /snapshots/3/parent-snapshot-id 101
json j5 set /snapshots/3/sequence-number 4
json j5 set /snapshots/3/timestamp-ms 1741132800000
json j5 set /snapshots/3/summary {"operation": "append", "engine-name": "spark", "engine-version": "3.5.8", "spark.app.id": "local-1", "added-data-files": "2", "added-records": "18", "total-records": "36"}
json j5 set /current-snapshot-id 104
json j5 set /refs/main/snapshot-id 104
json j5 set /last-sequence-number 4
json j5 set /last-updated-ms 1741132800000
json j5 add /metadata-log/- {"timestamp-ms": 1741046400000, "metadata-file": "@j4@"}
json j5 add /snapshot-log/- {"timestamp-ms": 1741132800000, "snapshot-id": 104}
copy j5 metadata/v6.metadata.json
alias j6 metadata/v6.metadata.json
json j6 remove /snapshots/2
json j6 set /properties/owner "etl"
json j6 set /last-updated-ms 1741219200000
json j6 add /metadata-log/- {"timestamp-ms": 1741132800000, "metadata-file": "@j5@"}
write hint "6"
"""
COLUMNS = "time,metadata_file,snapshot_id,parent_id,operation,added_records,writer,refs,changes,flags"


def test_story(t):
    t.build(STORY)
    t.expected("history.graph", t.run("history", "table", "--graph", code=0).stdout)
    for name in ("table", "tsv", "json", "ndjson"):
        done = t.run("history", "table", "-f", name, "--columns", COLUMNS, code=0)
        t.expected("history." + name, done.stdout)
    rows = t.lines(t.run("history", "table", "-f", "ndjson", "--snapshot", "audit", code=0).stdout)
    t.equal([row["snapshot_id"] for row in rows], [101, 102])


def test_reports_in_files(t):
    t.build(STORY)
    for command in ("history", "rescue"):
        plain = t.run(command, "table", "-f", "ndjson", "--now", harness.NOW, code=0).stdout
        t.run(command, "table", "-o", "ndjson:rows.ndjson", "-f", "table", "--now", harness.NOW, code=0)
        t.equal(t.read("rows.ndjson"), plain)


def test_files_that_lack(t):
    t.build(STORY + "delete j4\ncut j2 -20\n")
    done = t.run("history", "table", "--graph", code=2)
    t.expected("history-lacking.graph", done.stdout)
    t.has(done.stderr, "v2.metadata.json")
    t.has(done.stderr, "a metadata file of the log is not in the directory, v4.metadata.json")


def test_files_that_the_writer_took_off_the_log(t):
    """previous-versions-max and delete-after-commit: a sound table, of which check says nothing either."""
    trimmed = "json j3 remove /metadata-log/0\ndelete j1\n"
    t.build("base plain-v2\n" + trimmed)
    done = t.run("history", "table", "-f", "ndjson", code=0)
    t.equal([row["metadata_file"] for row in t.lines(done.stdout)], ["v1.metadata.json", "v2.metadata.json", "v3.metadata.json"])
    t.has(done.stderr, "note: 1 older metadata file that the log no longer keeps is not here, the newest is v1.metadata.json")
    t.check("table", "--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v3.metadata.json", code=0)
    # a file of the log that is not here is lacking, whoever removed it
    t.build("base plain-v2\ndelete j1\n", "kept")
    done = t.run("history", "kept", code=2)
    t.has(done.stderr, "a metadata file of the log is not in the directory, v1.metadata.json")
    # between files that are here: the writer began late to remove what it takes off
    t.build("base plain-v2\njson j3 set /metadata-log []\ndelete j2\n", "hole")
    t.run("history", "hole", code=0)


def test_files_that_storage_has(t):
    t.build(STORY + "delete j4\ndelete j1\n")
    key = "wh/db/orders/metadata/%s.metadata.json"
    old = {"Key": key % "v1", "Size": 9, "VersionId": "x", "IsLatest": False, "LastModified": "2025-03-01T00:00:00Z"}
    gone = {"Key": key % "v1", "VersionId": "y", "IsLatest": True, "LastModified": "2025-03-05T00:00:00Z"}
    there = dict(old, Key=key % "v4", IsLatest=True)
    t.write("versions.json", json.dumps({"Versions": [old, there], "DeleteMarkers": [gone]}))
    rows = t.lines(t.run("history", "table", "--listing", "versions.json", "-f", "ndjson", code=2).stdout)
    flags = {row["metadata_file"]: row["flags"] for row in rows}
    t.equal(flags["v1.metadata.json"], "absent, recoverable")
    t.equal(flags["v4.metadata.json"], "absent, in-storage")
    t.has(rows[0]["changes"], "fetch it back: aws s3api get-object --bucket lake")
    t.run("history", "table", "--listing", "none.json", code=4)


def test_current_file_is_cut(t):
    t.build(STORY + "cut j6 -20\n")
    done = t.run("history", "table", "-f", "ndjson", code=2)
    t.has(done.stderr, "v6.metadata.json")
    rows = t.lines(done.stdout)
    t.equal([row["metadata_file"] for row in rows if "current" in (row["flags"] or "")], ["v5.metadata.json"])
    t.equal([row["metadata_file"] for row in rows if "unreadable" in (row["flags"] or "")], ["v6.metadata.json"])
    # of which line it is nobody knows; its number tells where it stands
    t.equal((rows[-1]["metadata_file"], rows[-1]["flags"]), ("v6.metadata.json", "unreadable"))
    graph = t.run("history", "table", "--graph", code=2).stdout
    t.true(graph.startswith("o time unknown  v6.metadata.json  [unreadable]\n"), graph)


def test_two_writers(t):
    t.build(STORY + """copy j6 metadata/v7.metadata.json
alias j7 metadata/v7.metadata.json
json j7 text s '"3.5.8"' '"3.5.9"'
rename j7 metadata/00006-22222222-2222-4222-8222-222222222222.metadata.json
json j7 set /snapshots/2/snapshot-id 204
json j7 set /current-snapshot-id 204
json j7 set /refs/main/snapshot-id 204
""")
    rows = t.lines(t.run("history", "table", "-f", "ndjson", code=0).stdout)
    lost = [row for row in rows if "lost" in (row["flags"] or "").split(", ")]
    t.equal([(row["snapshot_id"], row["flags"]) for row in lost], [(204, "fork, lost")])
    t.expected("history-fork.graph", t.run("history", "table", "--graph", code=0).stdout)


def test_logs_do_not_reach(t):
    """Files that no log names any more came before by what is known of their snapshots, and are no forks."""
    def flags(edit, code):
        t.build("base plain-v2\ndelete hint\n" + edit)
        rows = t.lines(t.run("history", "table", "-f", "ndjson", code=code).stdout)
        return [(row["metadata_file"], row["snapshot_id"], row["flags"]) for row in rows]

    # trimmed, and the file between is gone
    t.equal(flags("json j3 remove /metadata-log/0\ndelete j2\n", 2),
            [("v1.metadata.json", 101, None), ("v2.metadata.json", 102, "absent"), ("v3.metadata.json", 103, "current")])
    # never written
    t.equal(flags("json j3 set /metadata-log []\njson j2 set /metadata-log []\n", 0),
            [("v1.metadata.json", 101, None), ("v2.metadata.json", 102, None), ("v3.metadata.json", 103, "current")])
    # ... and named freely
    found = flags("json j3 set /metadata-log []\ndelete j2\nrename j1 metadata/one.metadata.json\n", 0)
    t.equal([row[2] for row in found if row[0] == "one.metadata.json"], ["not-in-log"])


def test_catalog_names_its_file(t):
    t.build(STORY)
    pointer = "db.orders=s3://lake/wh/db/orders/metadata/v5.metadata.json"
    rows = t.lines(t.run("history", "table", "--pointer", pointer, "-f", "ndjson", code=0).stdout)
    t.equal([row["metadata_file"] for row in rows if "argument" in (row["refs"] or "")], ["v5.metadata.json"])
    t.equal([row["metadata_file"] for row in rows if "newer" in (row["flags"] or "")], ["v6.metadata.json"])


def test_lone_file_and_misuse(t):
    t.build(STORY)
    rows = t.lines(t.run("history", "table/metadata/v6.metadata.json", "-f", "ndjson", code=0).stdout)
    t.equal([row["snapshot_id"] for row in rows], [101, 102, None, None, 104, None])
    t.usage("history", has=["history takes one PATH"])
    t.usage("history", "table", "table", has=["history takes one PATH"])
    t.usage("history", "table", "--columns", "nosuch", has=["no column", "snapshot_id"])
    t.usage("history", "table", "--graph", "-f", "json", has=["--graph"])


def test_current_file_missing(t):
    """What the hint names is not there: the newest that is may not be the last commit."""
    t.build("base plain-v2\ndelete j3\n")
    for command, code in (["history"], 2), (["history", "--graph"], 2), (["diff", "--from", "v1"], 3):
        done = t.run(command[0], "table", *command[1:], code=code)
        t.has(done.stderr, "the metadata file that should be current is missing")
    t.write("table/metadata/version-hint.text", "2")
    t.lacks(t.run("history", "table", code=0).stderr, "missing")
    t.lacks(t.run("diff", "table", "--from", "v1", code=1).stderr, "missing")


def test_which_file_is_current(t):
    """As check does, inspect and diff say that nobody named the file; not where a hint, a pointer or the call does. history shows all files."""
    t.table()
    commands = (["inspect", "refs", "table"], 0), (["diff", "table", "--from", "v1"], 1)
    said = "icefsck: note: v3.metadata.json was taken, which has the highest number: neither a hint nor a --pointer says that it is the current one\n"
    for command, code in commands:
        t.equal(t.run(*command, code=code).stderr, "")
    os.remove(os.path.join(t.work, "table", "metadata", "version-hint.text"))
    for command, code in commands:
        t.equal(t.run(*command, code=code).stderr, said)
    t.equal(t.run("inspect", "refs", "table", "--metadata", "v3.metadata.json", code=0).stderr, "")
    t.equal(t.run("history", "table", code=0).stderr, "")
    t.equal(t.run("diff", "table", "--from", "v1", "--to", "v2", code=1).stderr, "")
    pointer = "db.orders=s3://lake/wh/db/orders/metadata/v3.metadata.json"
    t.equal(t.run("history", "table", "--pointer", pointer, code=0).stderr, "")
    other = "db.other=s3://lake/wh/db/other/metadata/v3.metadata.json"
    t.has(t.run("history", "table", "--pointer", other, code=2).stderr, "--pointer names s3://lake/wh/db/other/metadata/v3.metadata.json, which no --map leads to")
    t.has(t.run("diff", "table", "--from", "v1", "--pointer", other, code=3).stderr, "which no --map leads to")
    t.write("other.json", json.dumps({"Table": {"DatabaseName": "db", "Name": "zzz", "Parameters": {
        "table_type": "ICEBERG", "metadata_location": "s3://lake/wh/db/zzz/metadata/v9.metadata.json"}}}))
    t.has(t.run("history", "table", "--pointer", "other.json", code=2).stderr, "no entry of --pointer names this table")


if __name__ == "__main__":
    harness.main(dict(globals()))
