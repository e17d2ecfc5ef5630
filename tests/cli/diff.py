#!/usr/bin/python3 -SEB
"""The command diff. diff.py ICEFSCK WORK [TEST...] [--bless]"""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

BASE = os.path.join(harness.ROOT, "fixtures", "base")
NUMBERS = ("files", "records", "bytes", "deletes")


def rows(t, *args, code=None, **more):
    """Rows of a call in ndjson, by section."""
    out = {}
    for line in t.lines(t.run("diff", *args, "-f", "ndjson", code=code, **more).stdout):
        out.setdefault(line["section"], []).append(line)
    return out


def relation(found):
    return found["relation"][0]["name"]


def ids(found, section):
    return [row["snapshot_id"] for row in found.get(section, [])]


def change(place, version, edit):
    """Edit a metadata file in place."""
    path = os.path.join(place, "metadata", "v%d.metadata.json" % version)
    with open(path) as f:
        document = json.load(f)
    edit(document)
    with open(path, "w") as f:
        json.dump(document, f)


def keep_only(*kept):
    def edit(document):
        document["snapshots"] = [s for s in document["snapshots"] if s["snapshot-id"] in kept]
        document["snapshot-log"] = [e for e in document["snapshot-log"] if e["snapshot-id"] in kept]
        document["refs"] = {k: v for k, v in document.get("refs", {}).items() if v["snapshot-id"] in kept}
    return edit


# ---- what lies beyond ----


def test_stale_pointer(t):
    """A catalog that is behind makes the reader it led look fresh: that is said, and is a difference."""
    t.table()
    point = ["--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v%d.metadata.json"]

    def at(n):
        return [point[0], point[1] % n]

    found = rows(t, "table", *at(1), "--from", "v1", code=1)
    t.equal([row["name"] for row in found["relation"]], ["same", "newer"])
    t.has(found["relation"][1]["detail"], "2 metadata files continue to, the newest is v3.metadata.json, by 2 commits: the catalog "
                                          "is stale or was set back; --to v3.metadata.json tells")
    t.equal([row["name"] for row in found["next"]], ["pointer"])
    found = rows(t, "table", *at(1), "--from", "v2", code=1)
    t.equal([row["name"] for row in found["relation"]], ["ahead", "newer"])
    t.has(found["relation"][0]["detail"], "from continues to, by 1 metadata file and 1 commit")
    t.lacks(json.dumps(found), "rollback")
    t.has(json.dumps(found["changes"]), "snapshots are not there yet")
    found = rows(t, "table", *at(1), "--from", "v3", code=1)
    t.has(found["relation"][1]["detail"], "no other metadata file goes further than that of from")
    # one commit may be an attempt that failed
    found = rows(t, "table", *at(2), "--from", "v2", code=0)
    t.has(found["relation"][1]["detail"], "v3.metadata.json continues to, by 1 commit: an attempt that was not committed, or")
    # asked for by name, it is no question
    for more in (["--to", "v2"], ["--metadata", "v2.metadata.json"]):
        t.equal([row["name"] for row in rows(t, "table", *at(1), "--from", "v2", *more, code=0)["relation"]], ["same"])
    # nothing is known of a file that cannot be read
    t.write("table/metadata/v4.metadata.json", "{")
    t.has(rows(t, "table", *at(3), "--map", "s3://lake/wh/db/orders=table", "--from", "v3", code=2)["unknown"][0]["detail"], "it could not be read")


# ---- reports ----


def test_reports(t):
    t.table()
    for name in ("table", "tsv", "ndjson"):
        t.expected("diff." + name, t.run("diff", "table", "--from", "v1", "-f", name, code=1).stdout)
    document = json.loads(t.run("diff", "table", "--from", "v1", "-f", "json", code=1).stdout)
    t.equal([json.dumps(row, separators=(",", ":")) for row in document],
            t.run("diff", "table", "--from", "v1", "-f", "ndjson", code=1).stdout.splitlines())


def test_a_report_shows_twenty_of_each_and_counts_the_others(t):
    place = t.table()

    def edit(document):
        for i in range(30):
            document["properties"]["p%02d" % i] = "x"
    change(place, 3, edit)
    text = t.run("diff", "table", "--from", "v2", code=1).stdout
    t.true("  property  p16 is new: 'x'\n" in text, text)
    t.true("  property  p29" not in text, text)
    t.true("more: all of them with -f json\n" in text, text)
    t.equal(sum(row["name"] == "property" for row in rows(t, "table", "--from", "v2", code=1)["changes"]), 30)


def test_equal_states(t):
    t.table()
    for args in (["--from", "v3"], ["--from", "main"], ["--from", "103", "--to", "main"], ["--to", "v3"]):
        found = rows(t, "table", *args, code=0)
        t.equal(relation(found), "same")
        t.equal(found["effect"][0]["detail"], "a full scan reads the same files")
        t.equal([row["name"] for row in found["changes"]], ["none"])
        t.true("missed" not in found and "partitions" not in found, str(found))


def test_states_by_every_kind_of_word(t):
    t.table()
    for word in ("v1", "1", "v1.metadata.json", "101", "v1.0", "2025-03-01T12:00Z", "table/metadata/v1.metadata.json"):
        found = rows(t, "table", "--from", word, code=1)
        t.equal((relation(found), ids(found, "states"), ids(found, "missed")), ("behind", [101, 103], [103, 102]), word)
        t.equal("at the earliest" in found["states"][0]["detail"], word.startswith("2025"), word)


def test_two_files(t):
    t.table()
    first, second = "table/metadata/v1.metadata.json", "table/metadata/v2.metadata.json"
    found = rows(t, first, second, code=1)
    t.equal((relation(found), ids(found, "states")), ("behind", [101, 102]))
    t.equal(ids(rows(t, first, code=1), "states"), [101, 103])
    t.equal(ids(rows(t, second, "--from", first, code=1), "states"), [101, 102])
    t.equal(relation(rows(t, second, first, code=1)), "ahead")
    here = rows(t, "v1.metadata.json", "v2.metadata.json", code=1, cwd=os.path.join(t.work, "table", "metadata"))
    t.equal(ids(here, "states"), [101, 102])
    shutil.copytree(os.path.join(t.work, "table"), os.path.join(t.work, "copy"))
    t.equal(relation(rows(t, "table", "copy", code=0)), "same")


def test_usage(t):
    t.table()
    t.usage("diff", "table", has=["Name the older state: --from v10"])
    t.usage("diff", has=["icefsck diff ./orders --from v10"])
    t.usage("diff", "table", "table", "table", has=["two metadata files"])
    t.usage("diff", "table", "table", "--from", "v1", has=["leave --from and --to out"])
    t.usage("diff", "table", "--from", "v1", "--partition", "dt", has=["NAME=VALUE"])
    t.usage("diff", "table", "--from", "nobody", has=["3 metadata files (v1.metadata.json to v3.metadata.json)"])
    t.usage("diff", "table", "--from", "2020-01-01", has=["the earliest time known is 2025-03-01T00:00:00.000Z"])
    t.run("diff", "nowhere", "--from", "v1", code=2)


def test_times_by_whatever_is_left(t):
    place = t.table()

    def first(*args):
        row = rows(t, "table", *args, code=1)["states"][0]
        return row["snapshot_id"], row["file"], row["detail"]

    def forget(document):
        del document["metadata-log"][0]
    # the log does not go back so far, the file is here
    change(place, 3, forget)
    id, file, why = first("--from", "2025-03-01T12:00")
    t.equal((id, file), (101, "metadata/v1.metadata.json"))
    t.has(why, "by its last-updated-ms")
    # the log names a file that is gone: the snapshot log has the snapshot
    os.remove(os.path.join(place, "metadata", "v2.metadata.json"))
    id, file, why = first("--from", "2025-03-02T12:00")
    t.equal((id, file), (102, "metadata/v3.metadata.json"))
    t.has(why, "by the snapshot log of metadata/v3.metadata.json; the metadata file of then, v2.metadata.json, is not here")
    # an old file is not taken for what the snapshot log knows better
    change(place, 3, lambda document: document["metadata-log"].clear())
    t.equal(first("--from", "2025-03-02T12:00")[:2], (102, "metadata/v3.metadata.json"))
    os.remove(os.path.join(place, "metadata", "v1.metadata.json"))
    t.equal(first("--from", "2025-03-01T12:00")[:2], (101, "metadata/v3.metadata.json"))
    change(place, 3, lambda document: document["snapshot-log"].__delitem__(0))
    t.usage("diff", "table", "--from", "2025-03-01T12:00", has=["the earliest time known is 2025-03-02T00:00:00.000Z"])


def test_two_files_of_one_version(t):
    place = t.table()
    for name in ("00002-a.metadata.json", "00002-b.metadata.json"):
        shutil.copy(os.path.join(place, "metadata", "v2.metadata.json"), os.path.join(place, "metadata", name))
    t.usage("diff", "table", "--from", "v2", has=["3 metadata files have version 2", "give the file's name"])
    t.equal(ids(rows(t, "table", "--from", "00002-a.metadata.json", code=1), "states"), [102, 103])


# ---- relations ----


def test_rollback(t):
    place = t.table()

    def back(document):
        document["current-snapshot-id"] = document["refs"]["main"]["snapshot-id"] = 101
    change(place, 3, back)
    found = rows(t, "table", "--from", "v2", code=1)
    t.equal((relation(found), ids(found, "undone"), "missed" in found), ("ahead", [102], False))
    t.true("set_current_snapshot('orders', 102)" in found["next"][0]["detail"], found["next"])


def test_fork(t):
    place = t.table()

    def fork(document):
        document["snapshots"][2]["parent-snapshot-id"] = 101
    change(place, 3, fork)
    found = rows(t, "table", "--from", "v2", code=1)
    t.equal((relation(found), ids(found, "missed"), ids(found, "undone")), ("fork", [103], [102]))


def test_other_table_and_table_begun_anew(t):
    place = t.table()
    change(place, 3, lambda d: d["snapshots"][2].pop("parent-snapshot-id"))
    found = rows(t, "table", "--from", "v2", code=1)
    t.equal((relation(found), ids(found, "missed"), ids(found, "undone")), ("anew", [103], [102, 101]))
    change(place, 3, lambda d: d.update({"table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"}))
    found = rows(t, "table", "--from", "v2", code=1)
    t.equal((relation(found), "missed" in found), ("other-table", False))


def test_expired_snapshots_are_found_in_older_files(t):
    place = t.table()
    change(place, 3, keep_only(103))
    found = rows(t, "table", "--from", "101", code=1)
    t.equal((relation(found), ids(found, "missed")), ("behind", [103, 102]))
    t.equal(found["states"][0]["file"], "metadata/v2.metadata.json")
    t.true("metadata/v3.metadata.json no longer keeps it" in found["states"][0]["detail"], found["states"])
    # neither file describes 102, the one between them does
    found = rows(t, "table", "--from", "v1", code=1)
    t.equal((relation(found), ids(found, "missed")), ("behind", [103, 102]))
    t.equal([(row["operation"], row["files_added"], row["records_added"]) for row in found["missed"]],
            [("overwrite", 1, 7), ("append", 3, 20)])


def test_what_no_file_describes_is_said(t):
    place = t.table()
    change(place, 3, keep_only(103))
    for version in (1, 2):
        os.remove(os.path.join(place, "metadata", "v%d.metadata.json" % version))
    done = t.run("diff", "table", "--from", "102", "-f", "ndjson", code=3)
    found = {}
    for line in t.lines(done.stdout):
        found.setdefault(line["section"], []).append(line)
    t.equal((relation(found), ids(found, "missed")), ("behind", [103]))
    t.equal([row["name"] for row in found["effect"]], ["by-summaries"])
    t.equal([found["effect"][0][k] for k in ("files_added", "files_removed", "records_added", "records_removed")], [1, 1, 7, 4])
    t.true("no metadata file here describes snapshot 102" in found["unknown"][0]["detail"], found["unknown"])
    t.true('what "from" reads is not known' in done.stderr, done.stderr)
    t.run("diff", "table", "--from", "101", code=4)


def test_a_list_of_another_snapshot_is_not_taken(t):
    """A copied list answers for the snapshot that wrote it: its rows are not those of the one that names it."""
    t.build("base plain-v2\ncopy list2 metadata/snap-3.avro\n", "copied")
    done = t.run("diff", "copied", "--from", "v1", "-f", "ndjson", code=3)
    found = {}
    for line in t.lines(done.stdout):
        found.setdefault(line["section"], []).append(line)
    t.equal([row["name"] for row in found["effect"]], ["by-summaries"])
    t.equal(found["unknown"][0]["detail"], 'what "to" reads is not known: the manifest list of snapshot 103 was not read')
    t.equal([row["name"] for row in found["next"]], ["rescue", "reload"])
    t.has(found["next"][0]["detail"], "icefsck rescue tells which state is whole")
    t.has(done.stderr, "the header names snapshot 102, metadata names the list for snapshot 103: the former's list was copied over")
    t.has(done.stderr, "icefsck explain list.header.snapshot-id")
    # of the older one nothing is known either, and the current one needs no rescue
    t.build("base plain-v2\ncopy list3 metadata/snap-2.avro\n", "older")
    found = rows(t, "older", "--from", "102", code=3)
    t.has(found["unknown"][0]["detail"], 'what "from" reads is not known')
    t.lacks(json.dumps(found["next"]), "rescue")
    # a header that another copied, with rows of its own: such a list reads well
    t.build("base plain-v2\navro list3 set /header/snapshot-id 102\n", "header")
    t.table()
    t.equal(rows(t, "header", "--from", "v1", code=1)["effect"], rows(t, "table", "--from", "v1", code=1)["effect"])


def test_names_as_spark_takes_them(t):
    """In statements to paste, words are plain, and all else stands in backquotes; quotes in literals have a backslash."""
    t.table()
    for name, plain, literal in (("db.orders", "db.orders", "'db.orders'"), ("d-b.o'r", "`d-b`.`o'r`", "'`d-b`.`o\\'r`'"),
                                 ("db.2025", "db.`2025`", "'db.`2025`'")):
        pointer = ["--pointer", name + "=s3://lake/wh/db/orders/metadata/v3.metadata.json"]
        found = rows(t, "table", *pointer, "--from", "v1", code=1)
        t.has(found["next"][0]["detail"], "REFRESH TABLE %s in its session" % plain)
        found = rows(t, "table", *pointer, "--from", "v3", "--to", "v1", code=1)
        t.has(found["next"][0]["detail"], "if it was not meant: snapshot 103 is no longer kept")
    t.build("base plain-v2\njson j3 set /current-snapshot-id 101\njson j3 set /refs/main/snapshot-id 101\n", "back")
    found = rows(t, "back", *pointer, "--from", "103", code=1)
    t.has(found["next"][0]["detail"], "CALL cat.system.set_current_snapshot('db.`2025`', 103)")


def test_what_the_copy_lacks_is_not_gone(t):
    """A manifest of from that the listing has is to be copied: no reader of that state fails for want of it."""
    t.build("base plain-v2\ndelete m1\n", "part")
    names = ["m1.avro", "snap-1.avro", "v1.metadata.json"]
    t.write("l.csv", "path,size\n" + "".join("metadata/%s,5000\n" % name for name in names) + "data/f1.parquet,4100\ndata/f2.parquet,4200\n")
    found = rows(t, "part", "--from", "v1", "--listing", "l.csv", "--base", "s3://lake/wh/db/orders", code=3)
    t.true("gone" not in found, found)
    t.has(json.dumps(found["unknown"]), "storage.file.not-copied")
    t.lacks(json.dumps(found["next"]), "keep-longer")
    t.write("l.csv", t.read("l.csv").replace("m1.avro", "m9.avro"))
    found = rows(t, "part", "--from", "v1", "--listing", "l.csv", "--base", "s3://lake/wh/db/orders", code=3)
    t.equal([row["name"] for row in found["gone"]], ["manifest"])


def test_unreadable_parts_are_said(t):
    place = t.table()
    os.remove(os.path.join(place, "metadata", "m3.avro"))
    found = rows(t, "table", "--from", "v1", code=3)
    t.equal([row["detail"] for row in found["unknown"]],
            ['1 list or manifest of "to" was not read whole: files may be counted as removed that are not'])
    for name in ("m1", "m2", "d1"):
        if os.path.exists(os.path.join(place, "metadata", name + ".avro")):
            os.remove(os.path.join(place, "metadata", name + ".avro"))
    found = rows(t, "table", "--from", "v1", code=3)
    t.equal([(row["files_added"], row["detail"]) for row in found["effect"]], [(0, None)], "nothing was read, so nothing is the same")
    os.remove(os.path.join(place, "metadata", "snap-3.avro"))
    found = rows(t, "table", "--from", "v1", code=3)
    t.true("the manifest list of snapshot 103 was not read" in found["unknown"][0]["detail"], found["unknown"])
    t.equal(found["effect"][0]["name"], "by-summaries")


# ---- effect ----


def live(t, place):
    """{snapshot: {file: its row}}, whole, by `inspect live`."""
    out = {}
    done = t.run("inspect", "live", place, "-f", "ndjson")
    for line in t.lines(done.stdout):
        is_dv = line["content"] == 1 and line.get("content_offset") is not None
        key = (line["file_path"], line.get("content_offset") if is_dv else None)
        out.setdefault(line["reference_snapshot_id"], {})[key] = (is_dv, line)
    return out


def sums(files):
    out = {}
    for is_dv, row in files:
        kind = ("data", "dv" if is_dv else "position-deletes", "equality-deletes")[row["content"]]
        at = out.setdefault(kind, [0, 0, 0])
        size = row["content_size_in_bytes"] if is_dv else row["file_size_in_bytes"]
        for i, number in enumerate((1, row["record_count"], size)):
            at[i] += number
    return out


def effect(found, sign):
    return {row["name"]: [row["%s_%s" % (k, sign)] for k in NUMBERS[:3]] for row in found["effect"]
            if row["files_%s" % sign] > 0}


def partitions(files):
    """{partition: data files}, those without partition left out."""
    out = {}
    for _, row in files:
        key = json.dumps(row.get("partition") or {}, sort_keys=True)
        if row["content"] == 0 and key != "{}":
            out[key] = out.get(key, 0) + 1
    return out


def compare(t, place, before, after, code):
    from_id, from_files = before
    to_id, to_files = after
    found = rows(t, place, "--from", str(from_id), "--to", str(to_id), code=code)
    for sign, files in (("added", [v for k, v in to_files.items() if k not in from_files]),
                        ("removed", [v for k, v in from_files.items() if k not in to_files])):
        t.equal(effect(found, sign), sums(files), "%s: %s to %s" % (place, from_id, to_id))
        told = {json.dumps(row["partition"], sort_keys=True): row["files_%s" % sign]
                for row in found.get("partitions", []) if row["files_%s" % sign] > 0}
        t.equal(told, partitions(files), "%s: %s to %s" % (place, from_id, to_id))


def test_effect_is_the_difference_of_live_files(t):
    n = 0
    for name in sorted(os.listdir(BASE)):
        place = os.path.join(BASE, name)
        if not os.path.isdir(place):
            continue
        files = live(t, place)
        if name == "plain-v2":
            n += 1
            compare(t, place, (101, files[101]), (103, files[103]), 1)
        # each with its neighbours; every pair is compared in tests/unit/answer
        for before, after in zip(sorted(files)[:-1], sorted(files)[1:]):
            n += 2
            compare(t, place, (before, files[before]), (after, files[after]), 1)
            compare(t, place, (after, files[after]), (before, files[before]), 1)
    t.true(n > 60, "only %d pairs" % n)


def test_one_partition(t):
    t.table()
    found = rows(t, "table", "--from", "v1", "--partition", "customer=acme", code=1)
    t.equal([(row["name"], row["files_added"], row["records_added"]) for row in found["effect"]],
            [("data", 1, 10), ("position-deletes", 1, 3)])
    t.equal(len(found["partitions"]), 1)
    found = rows(t, "table", "--from", "v1", "--partition", "customer=acme", "--partition", "id_bucket=3", code=1)
    t.equal([row["files_added"] for row in found["effect"]], [0])
    found = rows(t, "table", "--from", "v1", "--partition", "customer=null", code=1)
    t.equal([row["records_added"] for row in found["effect"]], [6])
    shown = t.run("diff", "table", "--from", "v1", "--partition", "colour=red", code=4).stderr
    t.true("no partition field 'colour'" in shown, shown)


# ---- changes ----


def test_schema(t):
    place = t.table()

    def edit(document):
        schema = json.loads(json.dumps(document["schemas"][-1]))
        schema["schema-id"] = 7
        fields = {f["name"]: f for f in schema["fields"]}
        fields["amount"]["type"] = "decimal(20, 2)"
        fields["customer"]["name"] = "client"
        gone = fields["note"]
        schema["fields"].remove(gone)
        schema["fields"].append({"id": 99, "name": "note", "required": False, "type": "string"})
        required = [f for f in schema["fields"] if f["required"]][0]
        required["required"] = False
        document["schemas"].append(schema)
        document["current-schema-id"] = 7
        document["last-column-id"] = 99
    change(place, 3, edit)
    found = rows(t, "table", "--from", "v2", code=1)
    risks = sorted(row["name"] for row in found["risks"])
    t.equal(risks, ["column-replaced", "nulls", "type-changed"], str(found["risks"]))
    text = "\n".join(row["detail"] for row in found["changes"] if row["name"] == "schema")
    for words in ("is now decimal(20, 2), was decimal(9, 2)", "is now called client", "(id 99) added: optional string", "is now optional", "dropped"):
        t.true(words in text, text)


def test_hostile_text_is_escaped(t):
    place = t.table()
    change(place, 3, lambda d: d["properties"].update({"a\u001b[2Jb": "x\u202ey", "long": "z" * 5000}))
    text = t.run("diff", "table", "--from", "v2", code=1).stdout
    t.true("\u001b" not in text and "\u202e" not in text and "z" * 300 not in text, text)
    t.true("a\\x1b[2Jb is new: 'x\\u{202e}y'" in text, text)


# ---- gone ----


def test_gone(t):
    place = t.table()
    files = {}
    for _, row in live(t, place)[102].values():
        files[row["file_path"]] = row["file_size_in_bytes"]
    for folder, _, names in os.walk(place):
        for name in names:
            full = os.path.join(folder, name)
            files["s3://lake/wh/db/orders/" + os.path.relpath(full, place)] = os.path.getsize(full)
    lost = sorted(f for f in files if f.endswith(".parquet"))[0]

    def listing(files):
        t.write("list.csv", "path,size\n" + "".join("%s,%d\n" % item for item in sorted(files.items())))
    listing(files)
    found = rows(t, "table", "--from", "v2", "--listing", "list.csv", code=1)
    t.equal([row["name"] for row in found["gone"]], ["none"])
    del files[lost]
    listing(files)
    found = rows(t, "table", "--from", "v2", "--listing", "list.csv", code=1)
    t.equal([(row["name"], "s3://lake/wh/db/orders/" + row["file"]) for row in found["gone"]], [("data-file", lost)])
    t.equal([row["name"] for row in found["next"]], ["reload", "check", "keep-longer"])
    t.true("to needs it as well" in found["gone"][0]["detail"], found["gone"])
    t.true("1 files under 'gone' are live in to as well" in found["next"][1]["detail"], found["next"])
    files[lost] = 1  # there again, but not whole; another one is gone that only the old state needs
    old = {row["file_path"] for _, row in live(t, place)[102].values()}
    new = {row["file_path"] for _, row in live(t, place)[103].values()}
    del files[sorted(old - new)[0]]
    listing(files)
    found = rows(t, "table", "--from", "v2", "--listing", "list.csv", code=1)
    t.equal(sorted("to needs it" in row["detail"] for row in found["gone"]), [False, True])
    t.true(any("has another size" in row["detail"] for row in found["gone"]), found["gone"])
    t.write("empty.csv", "path,size\n")
    found = rows(t, "table", "--from", "v2", "--listing", "empty.csv", code=3)
    t.true("unknown" in found, str(found))


# ---- by the reader's own word ----

SPARK = os.path.join(harness.ROOT, "tests", "story", "spark")
SCAN = "26/03/01 09:%02d:00 INFO SnapshotScan: Scanning table %s snapshot %d created at 2025-03-01T00:00:00.000+00:00 with filter true\n"
START = "26/03/01 09:00:00 INFO SparkContext: Running Spark version 3.5.3\n"


def test_a_readers_log(t):
    with open(os.path.join(SPARK, "answers.json")) as f:
        answers = json.load(f)
    place = os.path.join(SPARK, "orders")
    for name, line in (("driver.log", 35), ("session.txt", 7), ("session.json", 4)):
        found = rows(t, place, "--from", os.path.join(SPARK, name), code=1)
        t.equal(ids(found, "states"), [answers["writer at commit 3"]["snapshot_id"], answers["writer at commit 6"]["snapshot_id"]])
        t.equal((relation(found), len(found["missed"])), ("behind", 3), name)
        t.true(found["states"][0]["file"].startswith("metadata/00003-"), found["states"])
        t.true("by line %d of %s" % (line, name) in found["states"][0]["detail"], found["states"])
        t.true("taken for from" in found["reads"][0]["detail"], found["reads"])


def test_the_last_read_of_this_table_wins(t):
    t.table()
    t.write("driver.log", START + SCAN % (1, "lake.db.orders", 102) + SCAN % (2, "lake.db.orders", 101) + SCAN % (3, "lake.db.orders", 101)
            + SCAN % (4, "lake.db.items", 7))
    found = rows(t, "table", "--from", "driver.log", code=1)
    t.equal((ids(found, "states"), ids(found, "reads")), ([101, 103], [101, 102]))
    t.true(found["reads"][0]["detail"].startswith("2 reads, the last on line 4: taken for from"), found["reads"])
    t.true("names no zone" in found["reads"][0]["detail"], found["reads"])
    found = rows(t, "table", "--from", "driver.log", "--listing-tz", "UTC", code=1)
    t.true("names no zone" not in found["reads"][0]["detail"], found["reads"])
    t.equal(found["reads"][0]["time"], "2026-03-01T09:03:00.000Z")
    # a snapshot that no file here knows is not taken, an older read is
    t.write("driver.log", START + SCAN % (1, "lake.db.orders", 102) + SCAN % (2, "lake.db.orders", 999))
    t.equal(ids(rows(t, "table", "--from", "driver.log", code=1), "states"), [102, 103])


def test_newest_row_of_a_session_whatever_the_order(t):
    t.table()
    line = "%s,s3://lake/wh/db/orders/metadata/v%d.metadata.json,%d,0,1\n"
    head = "timestamp,file,latest_snapshot_id,latest_schema_id,latest_sequence_number\n"
    t.write("log.csv", head + line % ("2025-03-02 00:00:00", 2, 102) + line % ("2025-03-01 00:00:00", 1, 101))
    t.equal(ids(rows(t, "table", "--from", "log.csv", code=1), "states"), [102, 103])


def test_a_long_log_keeps_its_end(t):
    t.table()
    t.write("driver.log", START + "".join(SCAN % (i % 60, "lake.db.orders", 101 + i % 3) for i in range(21001)))
    found = rows(t, "table", "--from", "driver.log", code=1)
    t.equal((ids(found, "states"), ids(found, "reads")[:3]), ([101, 103], [101, 103, 102]))
    t.true(5000 <= len(found["reads"]) <= 10000, str(len(found["reads"])))


def test_logs_that_tell_nothing(t):
    t.table()
    t.write("silent.log", START * 3)
    t.usage("diff", "table", "--from", "silent.log", has=["org.apache.iceberg", "INFO"])
    t.write("other.log", START + SCAN % (1, "lake.db.items", 7))
    t.usage("diff", "table", "--from", "other.log", has=["the one read in it is not of table orders", "lake.db.items"])
    t.write("lost.log", START + SCAN % (1, "lake.db.orders", 7))
    t.usage("diff", "table", "--from", "lost.log", has=["no metadata file here knows", "7"])
    t.write("some.bin", b"\x00\x01\x02" * 50)
    t.run("diff", "table", "--from", "some.bin", code=2)


def test_state_in_what_cannot_be_read(t):
    """No state is found, and a file that may be it could not be read: that is no usage error."""
    t.build("base plain-v2\n")
    t.equal(t.run("diff", "table", "--from", "2020-01-01T00:00Z").returncode, 4)
    current = os.path.join(t.work, "table", "metadata", "v3.metadata.json")
    os.truncate(current, os.path.getsize(current) - 20)
    t.equal(t.run("diff", "table", "--from", "2020-01-01T00:00Z").returncode, 2)


if __name__ == "__main__":
    harness.main(dict(globals()))
