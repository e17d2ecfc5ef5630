#!/usr/bin/python3 -SEB
"""The story of a stale reader, from the call at night to the cure. stale_reader.py ICEFSCK WORK [TEST...]

Six commits were made, a reader holds the third, then old snapshots were expired and their files removed: six_commits.py tells
it in full. Here icefsck is asked what a person on call asks, and PyIceberg's own answers (answers.json) are what is right.

examples/orders is how that ended on S3, once: the metadata directory after `aws s3 sync`, the SQLite catalog, the listing of
`aws s3api list-objects-v2`, and in removed/ the metadata that expiry took away. Where STORY_PYTHON names a Python with
pyiceberg[sql-sqlite,pyarrow], the same is made anew and asked again (live.py).
"""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness

NOW = "2026-11-30T06:00:00Z"
LAKE = ["--map", "s3://lake/wh/shop/orders=orders", "--listing", "listing.json", "--base", "s3://lake/", "--now", NOW]


def lake(t):
    """The table as it is, its catalog and listing, in the work folder. Returns PyIceberg's answers and the options that go with them."""
    shutil.copytree(os.path.join(harness.ROOT, "examples", "orders"), t.work, dirs_exist_ok=True)
    os.remove(os.path.join(t.work, ".icefsck"))
    return json.loads(t.read("answers.json")), LAKE


def rows(t, *args, code):
    return t.lines(t.run(*args, "-f", "ndjson", code=code).stdout)


def section(rows, name):
    return [row for row in rows if row["section"] == name]


def base(uri):
    return uri.rsplit("/", 1)[1]


def inside(uri):
    """data/... or metadata/...: as icefsck names files of the table."""
    return uri.split("/shop/orders/", 1)[1]


# ---- the questions; each is asked of the sample here, and of a fresh table by live.py ----


def is_the_catalog_right(t, answers, options):
    """"The job reads old data. Is the catalog stale?" No: it is at the newest file."""
    found = [row for row in rows(t, "pointers", "catalog.db", "orders", *options, code=0) if row["kind"] == "pointer"]
    t.equal([(row["name"], row["state"]) for row in found], [("shop.orders", "current")])
    t.equal(found[0]["metadata_location"], answers["current"]["metadata_location"])


def is_the_reader_stale(t, answers, options):
    """"Then what of the file that the job says it loaded?" It is stale: by five metadata files."""
    found = rows(t, "pointers", "--pointer", "shop.orders=" + answers["reader"]["metadata_location"], "orders", *options, code=1)
    row = found[0]
    t.equal((row["state"], row["current"], row["newest"]), ("stale", base(answers["reader"]["metadata_location"]), base(answers["current"]["metadata_location"])))
    t.equal((row["snapshot_id"], row["behind"]), (answers["reader"]["snapshot_id"], 5))
    t.equal([row["rule"] for row in found if row["kind"] == "finding"], ["catalog.pointer.stale"])


def what_did_it_miss(t, answers, options):
    """"What did it miss?" Three commits and a column; what they said of themselves adds up. Its own manifest list is gone: bit 2."""
    loaded = base(answers["reader"]["metadata_location"])
    found = rows(t, "diff", "orders", "--from", loaded, *options, code=3)
    t.equal([row["snapshot_id"] for row in section(found, "states")], [answers["reader"]["snapshot_id"], answers["current"]["snapshot_id"]])
    t.equal([row["name"] for row in section(found, "relation")], ["behind"])
    t.equal([row["snapshot_id"] for row in section(found, "missed")], answers["snapshots"][:2:-1])
    effect = section(found, "effect")[0]
    t.equal(effect["records_added"] - effect["records_removed"], answers["current"]["rows"] - answers["reader"]["rows"])
    t.has(next(row["detail"] for row in section(found, "changes") if row["name"] == "schema"), "note")
    t.true(all(row["file"] in {inside(uri) for uri in answers["removed"]} for row in section(found, "gone")), section(found, "gone"))
    t.equal(len(section(found, "gone")), 1, "the manifest list of what it reads")
    # asked by the snapshot that it reads, the answer is the same
    again = rows(t, "diff", "orders", "--from", str(answers["reader"]["snapshot_id"]), *options, code=3)
    t.equal([section(again, name) for name in ("missed", "effect", "gone")], [section(found, name) for name in ("missed", "effect", "gone")])


def what_did_it_miss_exactly(t, answers, options):
    """The same while the reader's manifest list is still there: exact files, rows by day, and which of its files are gone."""
    for name in os.listdir(os.path.join(t.work, "removed", "metadata")):
        shutil.copy(os.path.join(t.work, "removed", "metadata", name), os.path.join(t.work, "orders", "metadata"))
    loaded, newest = (base(answers[state]["metadata_location"]) for state in ("reader", "before_expiry"))
    found = rows(t, "diff", "orders", "--from", loaded, "--to", newest, *options, code=1)
    old, new = answers["reader"], answers["before_expiry"]
    effect = section(found, "effect")[0]
    added, removed = set(new["files"]) - set(old["files"]), set(old["files"]) - set(new["files"])
    t.equal((effect["files_added"], effect["files_removed"]), (len(added), len(removed)))
    t.equal(effect["records_added"] - effect["records_removed"], new["rows"] - old["rows"])
    t.equal(effect["bytes_added"] - effect["bytes_removed"], new["bytes"] - old["bytes"])
    by_day = {row["partition"]["day"]: row["records_added"] - row["records_removed"] for row in section(found, "partitions")}
    t.equal(by_day, {day: n - old["rows_by_day"].get(day, 0) for day, n in new["rows_by_day"].items()})
    t.equal([row["file"] for row in section(found, "gone") if row["name"] == "data-file"], [inside(uri) for uri in answers["gone"]])


def is_the_table_whole(t, answers, options):
    """"Did expiry break the table?" No: all that the kept snapshots need is there. The reader's state is what broke, as PyIceberg found."""
    done = t.run("check", "orders", "--pointer", "catalog.db", *options, "-f", "ndjson", code=0)
    summary = t.lines(done.stdout)[-1]
    t.equal((summary["complete"], summary["metadata_file"]), (True, "metadata/" + base(answers["current"]["metadata_location"])))
    t.true(answers["reader_fails"], "PyIceberg could still read what the reader holds")
    old = rows(t, "check", "orders", "--metadata", base(answers["reader"]["metadata_location"]), *options, code=3)
    missing = {row["args"]["path"] for row in old if row.get("rule") == "storage.manifest-list.missing"}
    lists = [inside(uri) for uri in answers["removed"] if "/snap-" in uri]
    t.equal(missing, {name for name in lists if any("snap-%d-" % id in name for id in answers["snapshots"][:3])})


def where_to_go_back_to(t, answers, options):
    """"And if it were broken?" Nothing to do now: the current state is whole, what the reader holds is not, nor what expiry took."""
    found = rows(t, "rescue", "orders", *options, code=0)
    t.equal((found[0]["state"], found[0]["way"], found[0]["metadata_file"]), ("best", "stay", base(answers["current"]["metadata_location"])))
    kept = set(answers["snapshots"][4:])
    t.equal({row["snapshot_id"] for row in found if row["state"] in ("best", "whole")}, kept)
    t.equal({row["snapshot_id"] for row in found if row["state"] == "broken"}, set(answers["snapshots"][:4]))
    lost = {row["snapshot_id"]: row["lost_commits"] for row in found if row["snapshot_id"]}
    t.equal(lost, {id: 5 - n for n, id in enumerate(answers["snapshots"])})


def where_to_go_back_to_after_a_loss(t, answers, options):
    """Somebody removes the newest manifest list too: the way back is commit 5, and what that costs is commit 6."""
    gone = next(n for n in os.listdir(t.work + "/orders/metadata") if n.startswith("snap-%d-" % answers["current"]["snapshot_id"]))
    os.remove(os.path.join(t.work, "orders", "metadata", gone))
    if "listing.json" in options:
        listing = json.loads(t.read("listing.json"))
        listing["Contents"] = [o for o in listing["Contents"] if not o["Key"].endswith(gone)]
        t.write("listing.json", json.dumps(listing))
    else:
        t.write("listing.txt", "".join(line + "\n" for line in t.read("listing.txt").splitlines() if not line.endswith(gone)))
    found = rows(t, "rescue", "orders", *options, code=0)
    best = found[0]
    t.equal((best["state"], best["way"], best["snapshot_id"]), ("best", "roll back", answers["snapshots"][4]))
    added = [f for f in answers["current"]["files"] if f not in answers["at_commit_5"]["files"]]
    t.equal((best["lost_commits"], best["lost_files"], best["lost_rows"]), (1, len(added), answers["current"]["rows"] - answers["at_commit_5"]["rows"]))
    t.true(best["lost"]["is_exact"] is False or best["lost"]["lost"]["rows"] == best["lost_rows"], best["lost"])


QUESTIONS = [is_the_catalog_right, is_the_reader_stale, what_did_it_miss, what_did_it_miss_exactly, is_the_table_whole, where_to_go_back_to,
             where_to_go_back_to_after_a_loss]


@harness.needs("sqlite")
def test_every_question(t):
    for ask in QUESTIONS:
        shutil.rmtree(t.work)
        ask(t, *lake(t))


def test_parents_that_expiry_leaves(t):
    """PyIceberg's expiry takes the parent of the oldest kept snapshot away; Java's leaves it, and no kept snapshot has that id."""
    answers, options = lake(t)
    newest = os.path.join("orders", "metadata", base(answers["current"]["metadata_location"]))
    document = json.loads(t.read(newest))
    oldest = next(s for s in document["snapshots"] if s["snapshot-id"] == answers["snapshots"][4])
    t.true("parent-snapshot-id" not in oldest or oldest["parent-snapshot-id"] is None, oldest)
    oldest["parent-snapshot-id"] = answers["snapshots"][3]
    t.write(newest, json.dumps(document))
    what_did_it_miss(t, answers, options)


if __name__ == "__main__":
    harness.main(globals())
