#!/usr/bin/python3 -SEB
"""The last good state of broken tables. rescue.py ICEFSCK WORK [TEST...] [--bless]

The worst that rescue can do is to advise a state that is broken itself: each test looks at
what it advises, and `check` must find no error in it.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

BASE = "base plain-v2\n"
NOW = "2025-03-04T00:00:00Z"


def rescue(t, *args, code):
    return t.run("rescue", "table", "--now", NOW, *args, code=code)


def rows(t, *args, code):
    return t.lines(rescue(t, *args, "-f", "ndjson", code=code).stdout)


def best(t, *args, code=0):
    """(metadata file, snapshot, way) of the state that is advised; check finds no error in it."""
    first = rows(t, *args, code=code)[0]
    t.equal(first["state"], "best", first)
    snapshot = ["--snapshot", str(first["snapshot_id"])] if first["snapshot_id"] is not None else []
    done = t.check("table", "--metadata", first["metadata_file"], *snapshot, *args, "-f", "json")
    summary = json.loads(done.stdout)["tables"][0]["summary"]
    t.equal(summary["counts"]["error"], 0, done.stdout)
    return first["metadata_file"], first["snapshot_id"], first["way"]


def csv(t, *leave, more=()):
    """A listing of all that the table names, but for some of it, and of what the copy lacks: more, lines."""
    lines = ["path,size"]
    sizes = [("f1", 4100), ("f2", 4200)]
    names = {"data/%s.parquet" % name: size for name, size in sizes}
    day = "data/created_at_day=2025-03-0%d/customer=%s/id_bucket=%d/price=%s/%s.parquet"
    names[day % (2, "acme", 2, "9.5", "f3")] = 4300
    names[day % (2, "null", 0, "12.25", "f4")] = 4400
    names[day % (3, "mono", 3, "0.5", "f5")] = 4500
    names[day % (3, "zeta", 1, "NaN", "f6")] = 4600
    names[day % (2, "acme", 2, "9.5", "x1-deletes")] = 1500
    names["metadata/103.stats"], names["metadata/partition-stats-103.parquet"] = 600, 900
    folder = os.path.join(t.work, "table", "metadata")
    for name in os.listdir(folder):
        names["metadata/" + name] = os.path.getsize(os.path.join(folder, name))
    for name, size in sorted(names.items()):
        if not any(part in name for part in leave):
            lines.append("%s,%d" % (name, size))
    t.write("list.csv", "\n".join([*lines, *more]) + "\n")
    return ["--listing", "list.csv", "--base", "s3://lake/wh/db/orders"]


def test_whole(t):
    t.build(BASE)
    t.equal(best(t), ("v3.metadata.json", 103, "stay"))
    t.expected("rescue-whole.table", rescue(t, code=0).stdout)
    done = rescue(t, *csv(t), code=0)
    t.has(done.stdout, "The current state is whole, nothing to do")
    t.lacks(done.stdout, "Data files were not looked for")


def test_manifest_missing(t):
    t.build(BASE + "delete m3\n")
    t.equal(best(t), ("v3.metadata.json", 102, "roll back"))
    t.expected("rescue-manifest.table", rescue(t, code=0).stdout)
    t.expected("rescue-manifest.json", rescue(t, "-f", "json", code=0).stdout)


def test_manifest_cut(t):
    t.build(BASE + "cut m3 -20\n")
    t.equal(best(t), ("v3.metadata.json", 102, "roll back"))


def lacks(t, path, code):
    """The current state needs the file back; what is lost is not known exactly."""
    done = rescue(t, code=code)
    t.has(done.stdout, "The current state needs these back as they were:\n  %s\n" % path)
    t.lacks(done.stdout, "loses nothing")
    t.lacks(done.stdout, "exactly")
    t.equal(rows(t, code=code)[0]["lost"]["is_exact"], False)


def names_no_orphan(t):
    done = t.run("orphans", "table", "--storage", "local", "--older-than", "0d", "--now", NOW, code=2)
    t.equal(done.stdout.count("\n"), 1, done.stdout)


def test_manifest_cut_between_blocks(t):
    """Nothing in the file says so, and what its last blocks held is lost."""
    t.build(BASE + "avro m3 blocks 1\ncut m3 4799\nkeep lengths\n")
    t.equal(best(t), ("v3.metadata.json", 102, "roll back"))
    lacks(t, "metadata/m3.avro", 0)
    names_no_orphan(t)


def test_list_of_another_snapshot(t):
    """It reads without an error, and nothing of the commit is in it."""
    t.build(BASE + "copy list2 metadata/snap-3.avro\n")
    t.equal(best(t), ("v3.metadata.json", 102, "roll back"))
    lacks(t, "metadata/snap-3.avro", 0)
    names_no_orphan(t)


def test_list_cut_of_current_and_before(t):
    t.build(BASE + "cut list3 -20\ndelete list2\n")
    t.equal(best(t), ("v3.metadata.json", 101, "roll back"))


def test_shared_manifest_missing(t):
    t.build(BASE + "delete m1\n")
    done = rescue(t, code=1)
    t.expected("rescue-none.table", done.stdout)
    t.equal({row["state"] for row in rows(t, code=1)}, {"broken"})


def test_metadata_missing_and_cut(t):
    t.build(BASE + "delete j3\n")
    t.equal(best(t, code=2), ("v2.metadata.json", 102, "register"))
    done = rescue(t, code=2)
    t.has(done.stdout, "What v3.metadata.json changed is not known")
    t.has(done.stdout, "metadata directory: printf 2 > version-hint.text")
    t.build(BASE + "cut j3 -40\n", "table2")
    done = t.run("rescue", "table2", "--now", NOW, code=2)
    t.expected("rescue-cut.table", done.stdout)
    t.has(done.stderr, "v3.metadata.json")
    t.build(BASE + "cut j3 -40\ncut j2 -40\ndelete list1\n", "table3")
    t.run("rescue", "table3", "--now", NOW, code=3)
    t.build(BASE + "cut j1 1\ncut j2 1\ncut j3 1\n", "table4")
    t.run("rescue", "table4", "--now", NOW, code=3)


def test_pointer_to_a_missing_file(t):
    t.build(BASE)
    pointer = "db.orders=s3://lake/wh/db/orders/metadata/v4.metadata.json"
    done = rescue(t, "--pointer", pointer, code=2)
    t.has(done.stdout, "The best state is snapshot 103")
    t.has(done.stdout, "What v4.metadata.json changed is not known")
    t.has(done.stdout, "catalog.pointer.missing-file")


def test_metadata_is_wrong(t):
    t.build(BASE + "json j3 set /current-snapshot-id 999\njson j3 set /refs/main/snapshot-id 999\n")
    t.equal(best(t), ("v2.metadata.json", 102, "register"))
    t.has(rescue(t, code=0).stdout, "To repair it where it stands loses nothing")


def test_data_file_missing(t):
    t.build(BASE)
    listing = csv(t, "f6.parquet")
    t.equal(best(t, *listing), ("v3.metadata.json", 102, "roll back"))
    first = rows(t, *listing, code=0)[0]
    t.equal(first["lost"]["lost"]["data_files"], 1)
    t.equal(first["lost"]["lost"]["rows"], 7)
    t.equal(sum(p["lost_rows"] for p in first["lost"]["partitions"]), 7)
    t.equal(sum(p["regained_rows"] for p in first["lost"]["partitions"]), 4)
    # which no later snapshot lists, but rolling back to it would need
    listing = csv(t, "f6.parquet", "f5.parquet")
    t.equal(best(t, *listing), ("v3.metadata.json", 101, "roll back"))


def test_lost_branch_needs_its_files(t):
    """What no ref leads to is checked as strictly as the rest."""
    t.build(BASE + """delete m3
json j3 copy /snapshots/1 /snapshots/-
json j3 set /snapshots/3/snapshot-id 104
json j3 set /snapshots/3/parent-snapshot-id 102
json j3 set /snapshots/3/sequence-number 4
json j3 set /last-sequence-number 4
copy list2 metadata/snap-4.avro
alias list4 metadata/snap-4.avro
json j3 set /snapshots/3/manifest-list "@list4@"
delete list4
""")
    states = {row["snapshot_id"]: row["state"] for row in rows(t, code=0)}
    t.equal(states[104], "broken")
    t.equal(best(t), ("v3.metadata.json", 102, "roll back"))


def test_partial_listing_is_not_sure(t):
    t.build(BASE)
    t.write("list.json", '{"Contents": [], "NextToken": "x"}')
    done = rescue(t, "--listing", "list.json", "--base", "s3://lake/wh/db/orders", "-f", "ndjson", code=3)
    t.equal({row["state"] for row in t.lines(done.stdout)}, {"unsure"})
    t.has(done.stderr, "could not be checked to the end")
    t.lacks(done.stderr, "for :")


def versions(t, *gone):
    """A listing with versions, in which some files of the base table were deleted."""
    csv(t)
    listed, deleted = [], []
    for line in t.read("list.csv").splitlines()[1:]:
        path, size = line.split(",")
        listed.append({"Key": "wh/db/orders/" + path, "Size": int(size), "VersionId": "now", "IsLatest": True,
                       "LastModified": "2025-03-03T00:00:00Z"})
    for name in gone:
        key = "wh/db/orders/metadata/" + name
        path = os.path.join(harness.ROOT, "fixtures", "base", "plain-v2", "metadata", name)
        listed.append({"Key": key, "Size": os.path.getsize(path), "VersionId": "old'1", "IsLatest": False,
                       "LastModified": "2025-03-03T00:00:00Z"})
        deleted.append({"Key": key, "VersionId": "gone", "IsLatest": True, "LastModified": "2025-03-03T12:00:00Z"})
    t.write("versions.json", json.dumps({"Versions": listed, "DeleteMarkers": deleted}))
    return ["--listing", "versions.json", "--base", "s3://lake/"]


FETCH = "aws s3api get-object --bucket lake --key wh/db/orders/metadata/%s --version-id 'old'\\''1' %s"


def test_old_versions(t):
    t.build(BASE + "delete m3\ndelete j3\n")
    listing = versions(t, "m3.avro", "v3.metadata.json")
    done = rescue(t, *listing, code=2)
    t.has(done.stdout, FETCH % ("v3.metadata.json", "v3.metadata.json"))
    t.has(done.stdout, "fetch it back first")
    fetch = rows(t, *listing, code=2)[0]["fetch"]
    t.equal([f["file"] for f in fetch], ["v3.metadata.json"])
    t.build(BASE + "delete m3\n", "again")
    done = t.run("rescue", "again", "--now", NOW, *listing, "-f", "ndjson", code=0)
    t.equal([f["command"] for f in t.lines(done.stdout)[0]["fetch"]], [FETCH % ("m3.avro", "m3.avro")])
    t.has(done.stderr, "icefsck: The current state needs these back as they were:")


def test_copy_lacks_the_current_file(t):
    t.build(BASE + "delete j3\n")
    listing = csv(t, more=["metadata/v3.metadata.json,3000"])
    done = rescue(t, *listing, code=2)
    t.has(done.stdout, "v3.metadata.json is in storage, and the copy lacks it: copy it")
    t.has(done.stderr, "'v3.metadata.json': the metadata file that should be current is in storage, and the copy lacks it")
    t.lacks(done.stdout, "CALL ")
    t.lacks(done.stdout, "See also")
    without = csv(t)
    t.has(rescue(t, *without, code=2).stdout, "v3.metadata.json is in no listing given: unless it lies elsewhere")
    done = rescue(t, code=2).stdout
    t.has(done, "v3.metadata.json is not in this directory: before going back, look for it in storage")
    t.true(done.index("look for it in storage") < done.index("Stop the writers"), done)


def test_an_older_state_put_over_newer_ones(t):
    """Whole it is, and not all there was."""
    t.build(BASE + "copy j3 metadata/v4.metadata.json\ncopy j1 metadata/v5.metadata.json\nwrite hint \"5\"\n")
    done = rescue(t, code=0).stdout
    t.has(done, "The current state is whole: snapshot 101")
    t.has(done, "v4.metadata.json has a lower number than v5.metadata.json, was written later, and has commits that it has not")
    t.lacks(done, "nothing to do")
    row = t.lines(t.run("pointers", "table", "-f", "ndjson", code=1).stdout)[0]
    t.equal(row["state"], "forked")
    t.has(row["why"], "an older state was put over them")


def test_a_state_that_was_asked_for(t):
    """--metadata is nearer than the catalog, and makes nothing current."""
    t.build(BASE)
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v2.metadata.json"]
    done = rescue(t, *pointer, code=0).stdout
    t.has(done, "The current state is whole: snapshot 102")
    t.has(done, "if it had succeeded, icefsck rescue with --metadata and that file writes how to make it current.")
    found = t.lines(t.run("diff", "table", *pointer, "--from", "v1", "-f", "ndjson", code=1).stdout)
    t.has([row["detail"] for row in found if row["section"] == "next"][-1], "ask the writer of v3.metadata.json whether its commit had succeeded")
    done = rescue(t, *pointer, "--metadata", "v3.metadata.json", code=0).stdout
    t.has(done, "The state that was asked for is whole: snapshot 103")
    t.has(done, "The catalog names v2.metadata.json. If this state is to be current:\nStop the writers")
    t.has(done, "metadata_file => 's3://lake/wh/db/orders/metadata/v3.metadata.json'")
    done = rescue(t, "--metadata", "v2.metadata.json", code=0).stdout
    t.has(done, "version-hint.text names version 3. If this state is to be current:")
    t.has(done, "cp -n 'v2.metadata.json' 'v4.metadata.json' && printf 4 > version-hint.text")
    t.lacks(rescue(t, "--metadata", "v3.metadata.json", code=0).stdout, "is to be current")


def test_a_lost_race(t):
    """Whole it is, and a commit may be lost."""
    t.build(BASE + "copy j3 metadata/00003-a.metadata.json\ncopy j2 metadata/00002-a.metadata.json\ncopy j1 metadata/00001-a.metadata.json\n"
            "copy j3 metadata/00003-b.metadata.json\nalias b metadata/00003-b.metadata.json\njson b set /snapshots/2/snapshot-id 777\n"
            "json b set /current-snapshot-id 777\njson b set /refs/main/snapshot-id 777\ndelete j1\ndelete j2\ndelete j3\ndelete hint\n")
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/00003-a.metadata.json"]
    done = rescue(t, *pointer, code=None).stdout
    t.has(done, "1 metadata file beside them is of a commit that is not in this line, 00003-b.metadata.json.")
    t.lacks(done, "nothing to do")


def test_another_uuid_in_the_log(t):
    t.build(BASE + "json j3 set /table-uuid \"00000000-0000-4000-8000-000000000000\"\n")
    done = rescue(t, code=0).stdout
    t.has(done, "The log of v3.metadata.json names v2.metadata.json, which has another table-uuid")
    t.lacks(done, "nothing to do")


def test_a_current_snapshot_that_is_not_described(t):
    """Which files it has is not known: nothing is said of mending it where it stands."""
    t.build(BASE + "json j3 remove /snapshots/2\n")
    done = rescue(t, code=0).stdout
    t.lacks(done, "has all its files")
    t.has(done, "The best state is snapshot 102")


def test_copy_lacks_a_manifest(t):
    """What storage has is to be copied, not to be rolled back from."""
    t.build(BASE + "delete m1\n")
    with_it = csv(t, more=["metadata/m1.avro,4332"])
    done = rescue(t, *with_it, code=3).stdout
    t.has(done, "copy the metadata again, these with it, and run this again:\n  metadata/m1.avro\n")
    t.has(done, "storage.file.not-copied metadata/m1.avro")
    t.lacks(done, "broken")
    without = csv(t)
    done = rescue(t, *without, code=1).stdout
    t.has(done, "needs these back as they were:\n  metadata/m1.avro\n")
    t.lacks(done, "not-copied")


def test_copy_lacks_the_current_list(t):
    """No statement to go back, while the current state may be whole."""
    t.build(BASE + "delete metadata/snap-3.avro\n")
    listing = csv(t, more=["metadata/snap-3.avro,1769"])
    done = rescue(t, *listing, code=2)
    t.has(done.stdout, "run this again:\n  metadata/snap-3.avro\n")
    t.has(done.stdout, "Until then the best state that is known to be whole is snapshot 102")
    t.lacks(done.stdout, "CALL ")
    t.has(done.stdout, "How to go back there is told once the copy has all that storage has")
    t.has(done.stderr, "metadata/snap-3.avro is in the listing")
    done = rescue(t, *csv(t), code=0).stdout
    t.has(done, "needs these back as they were:\n  metadata/snap-3.avro\n")
    t.has(done, "CALL cat.system.rollback_to_snapshot('orders', 102)")


def test_copied_to_another_place(t):
    t.build(BASE + "delete hint\n")
    os.rename(os.path.join(t.work, "table", "metadata", "v3.metadata.json"), os.path.join(t.work, "table", "metadata", "00003-a.metadata.json"))
    pointer = ["--pointer", "db.orders=s3://copies/orders/metadata/00003-a.metadata.json"]
    t.has(rescue(t, *pointer, code=0).stdout, "See also path.table-relocated: ")


def test_versions_between_are_told(t):
    t.build(BASE + "delete j3\n")
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v6.metadata.json"]
    t.has(rescue(t, *pointer, code=2).stdout, "What v6.metadata.json changed is not known, nor what 3 versions before it did:")
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v3.metadata.json"]
    t.has(rescue(t, *pointer, code=2).stdout, "What v3.metadata.json changed is not known.\n")


def test_stale_pointer(t):
    t.build(BASE)
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v1.metadata.json"]
    t.equal(best(t, *pointer), ("v3.metadata.json", 103, "register"))
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v2.metadata.json"]
    t.equal(best(t, *pointer), ("v2.metadata.json", 102, "stay"))
    t.has(rescue(t, *pointer, code=0).stdout, "1 metadata file continues v2.metadata.json")


NUMBERED = """delete hint
json j3 text s 'v1.metadata.json' '00001-a.metadata.json'
json j3 text s 'v2.metadata.json' '00002-a.metadata.json'
json j2 text s 'v1.metadata.json' '00001-a.metadata.json'
%srename j1 metadata/00001-a.metadata.json
rename j2 metadata/00002-a.metadata.json
rename j3 metadata/00003-a.metadata.json
"""
NO_LOGS = "json j2 set /metadata-log []\njson j3 set /metadata-log []\n"


def numbered(n):
    return ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/0000%d-a.metadata.json" % n]


def test_logs_do_not_reach(t):
    """The newest state is found through files between, or by snapshots: no commit of it goes unsaid."""
    for name, logs in (("table", "json j3 remove /metadata-log/0\n"), ("table2", NO_LOGS)):
        t.build(BASE + NUMBERED % logs, name)
        first = t.lines(t.run("rescue", name, "--now", NOW, *numbered(1), "-f", "ndjson", code=0).stdout)[0]
        t.equal((first["state"], first["metadata_file"], first["lost_commits"]), ("best", "00003-a.metadata.json", 0))
        t.has(t.run("rescue", name, "--now", NOW, *numbered(1), code=0).stdout,
              "2 metadata files continue 00001-a.metadata.json, the newest is 00003-a.metadata.json")
        flags = [row["flags"] for row in t.lines(t.run("history", name, *numbered(1), "-f", "ndjson", code=0).stdout)]
        t.equal(flags, ["current", "newer", "newer"])
        pointer = t.lines(t.run("pointers", name, *numbered(1), "-f", "ndjson", code=1).stdout)[0]
        t.equal((pointer["state"], pointer["newest"], pointer["behind"]), ("stale", "00003-a.metadata.json", 2))
    done = t.run("rescue", "table2", "--now", NOW, *numbered(2), code=0)
    t.has(done.stdout, "The current state is whole: snapshot 102")
    t.has(done.stdout, "1 metadata file continues 00002-a.metadata.json")
    done = t.run("rescue", "table2", "--now", NOW, *numbered(3), code=0)
    t.has(done.stdout, "The current state is whole, nothing to do")
    flags = [row["flags"] for row in t.lines(t.run("history", "table2", *numbered(3), "-f", "ndjson", code=0).stdout)]
    t.equal(flags, [None, None, "current"])


def test_commits_without_snapshot(t):
    """What the catalog lacks may be a change of the schema alone: the file that has it comes first."""
    entry = 'add /metadata-log/- {"timestamp-ms": 1740960000000, "metadata-file": "s3://lake/wh/db/orders/metadata/v%d.metadata.json"}'
    t.build(BASE + "delete hint\ncopy j3 metadata/v4.metadata.json\nalias j4 metadata/v4.metadata.json\njson j4 " + entry % 3 +
            "\ncopy j4 metadata/v5.metadata.json\nalias j5 metadata/v5.metadata.json\njson j5 " + entry % 4 + "\n")
    pointer = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v%d.metadata.json"]
    t.equal(best(t, pointer[0], pointer[1] % 3), ("v5.metadata.json", 103, "register"))
    t.equal([row["metadata_file"] for row in rows(t, pointer[0], pointer[1] % 3, code=0)][:3],
            ["v5.metadata.json", "v4.metadata.json", "v3.metadata.json"])
    # one commit may be an attempt that failed
    t.equal(best(t, pointer[0], pointer[1] % 4), ("v4.metadata.json", 103, "stay"))
    done = rescue(t, pointer[0], pointer[1] % 4, code=0)
    t.lacks(done.stdout, "nothing to do")
    t.has(done.stdout, "an attempt that was not committed")


def test_moved_to_a_catalog(t):
    """A hint that a catalog has left behind is no reason to copy the catalog's file under the next number."""
    more = "json n set /last-updated-ms 1740970000000\n"
    t.build(BASE + "copy j3 metadata/00000-a.metadata.json\nalias n metadata/00000-a.metadata.json\n" + more +
            'json n add /metadata-log/- {"timestamp-ms": 1740960000000, "metadata-file": "s3://lake/wh/db/orders/metadata/v3.metadata.json"}\n'
            "copy n metadata/00001-a.metadata.json\nalias m metadata/00001-a.metadata.json\n"
            'json m add /metadata-log/- {"timestamp-ms": 1740970000000, "metadata-file": "s3://lake/wh/db/orders/metadata/00000-a.metadata.json"}\n')
    t.equal(best(t), ("v3.metadata.json", 103, "stay"))
    t.has(rescue(t, code=0).stdout, "the table has moved to a catalog, it seems. Give what the catalog says with --pointer.")


def test_not_known_whether_newer(t):
    """Nothing that the newer file keeps is known to the other: neither current nor stale."""
    gone = "json j3 remove /snapshots/0\n" * 2 + "json j3 remove /snapshot-log/0\n" * 2
    gone += "json j3 remove /snapshots/0/parent-snapshot-id\njson j3 remove /refs/v1.0\njson j3 remove /refs/audit\n"
    t.build(BASE + NUMBERED % (NO_LOGS + gone))
    done = rescue(t, *numbered(2), code=2)
    t.has(done.stdout, "The current state is whole: snapshot 102")
    t.lacks(done.stdout, "No commit is lost")
    t.has(done.stdout, "00003-a.metadata.json has a higher number, and neither its log nor its snapshots tell whether it continues "
                       "00002-a.metadata.json: compare the two with icefsck diff")
    t.has(done.stderr, "whether it continues the current metadata file is not known")
    pointer = t.lines(t.run("pointers", "table", *numbered(2), "-f", "ndjson", code=2).stdout)[0]
    t.equal((pointer["state"], pointer["newest"]), ("unknown", "00003-a.metadata.json"))
    flags = [row["flags"] for row in t.lines(t.run("history", "table", *numbered(2), "-f", "ndjson", code=0).stdout)]
    t.equal(flags, [None, "current", "unexplained"])


def test_statements(t):
    """Of the catalog that is known, with names quoted for where they stand."""
    t.build(BASE + "cut j3 -40\n")
    glue = {"Table": {"Name": "o'r", "DatabaseName": "d b", "TableType": "EXTERNAL_TABLE",
                      "Parameters": {"table_type": "ICEBERG",
                                     "metadata_location": "s3://lake/wh/db/orders/metadata/v3.metadata.json"}}}
    t.write("glue.json", json.dumps(glue))
    first = rows(t, "--pointer", "glue.json", code=2)[0]
    statements = {s["engine"]: s["statement"] for s in first["statements"]}
    t.equal(sorted(statements), ["AWS Glue", "Spark, under another name to look at it first"])
    t.has(statements["AWS Glue"], "--database-name 'd b' --name 'o'\\''r' --query Table")
    t.has(statements["AWS Glue"], "'s3://lake/wh/db/orders/metadata/v2.metadata.json'")
    t.has(statements["Spark, under another name to look at it first"], "'`d b`.`o\\'r_rescued`'")
    first = rows(t, code=2)[0]
    t.equal([s["engine"] for s in first["statements"]][-1], "Hadoop tables")
    t.has(first["statements"][-1]["statement"], "cp -n 'v2.metadata.json' 'v4.metadata.json' && printf 4 > version-hint.text")


def test_misuse(t):
    t.build(BASE)
    t.usage("rescue", has=["rescue takes one PATH"])
    t.usage("rescue", "table", "--columns", "nosuch", has=["no column", "snapshot_id"])
    done = t.run("rescue", "table/metadata/m1.avro", code=4)
    t.has(done.stderr, "no table")
    before = sorted(os.walk(os.path.join(t.work, "table")))
    rescue(t, code=0)
    t.equal(sorted(os.walk(os.path.join(t.work, "table"))), before, "it writes nothing")


if __name__ == "__main__":
    harness.main(dict(globals()))
