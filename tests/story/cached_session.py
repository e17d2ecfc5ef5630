#!/usr/bin/python3 -SEB
"""The story of a Spark session with a catalog cache. cached_session.py ICEFSCK WORK [TEST...]

A report job loaded the table at commit 3 and counted 30 rows. Another session made commits 4 to 6. The report counted again: 30
rows still, where the writer has 49 (answers.json). All that is left of the job is the log of its driver. tests/story/spark is what
tools/fixtures/stale_spark.py got from Spark 3.5 with Iceberg 1.12.0: the log, the table's metadata, its SQLite catalog, a listing
of the warehouse, and session.txt and session.json, rows of metadata_log_entries that the job's own session showed.
"""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness

OPTIONS = ["--map", "file:///warehouse/shop/orders=orders", "--now", "2026-11-30T06:00:00Z"]
LISTING = ["--listing", "listing.txt"]


def lake(t):
    shutil.copytree(os.path.join(HERE, "spark"), t.work, dirs_exist_ok=True)
    return json.loads(t.read("answers.json"))


def rows(t, *args, code):
    return t.lines(t.run(*args, *OPTIONS, "-f", "ndjson", code=code).stdout)


def section(rows, name):
    return [row for row in rows if row["section"] == name]


@harness.needs("sqlite")
def test_the_table_is_whole(t):
    """Nothing is wrong with what lies in storage."""
    lake(t)
    summary = rows(t, "check", "orders", "--pointer", "catalog.db", *LISTING, code=0)[-1]
    t.equal((summary["complete"], summary["counts"]["error"]), (True, 0))


def test_the_log_names_what_was_read(t):
    """Nobody tells which snapshot the job read: its log does. It missed three commits, 19 rows and a column, and nothing is gone."""
    answers = lake(t)
    read, newest = answers["writer at commit 3"], answers["writer at commit 6"]
    t.true(answers["reader behind it"]["rows"] == read["rows"] != newest["rows"], answers)
    found = rows(t, "diff", "orders", "--from", "driver.log", *LISTING, code=1)
    t.equal([row["snapshot_id"] for row in section(found, "states")], [read["snapshot_id"], newest["snapshot_id"]])
    t.has(section(found, "states")[0]["detail"], "driver.log")
    t.equal([row["name"] for row in section(found, "relation")], ["behind"])
    t.equal([row["operation"] for row in section(found, "missed")], ["append", "delete", "append"])
    effect = section(found, "effect")
    deleted = 1  # by a position delete, which takes no row out of a data file
    t.equal(sum((row["records_added"] or 0) - (row["records_removed"] or 0) for row in effect if row["name"] == "data") - deleted, newest["rows"] - read["rows"])
    t.has(next(row["detail"] for row in section(found, "changes") if row["name"] == "schema"), "note")
    t.equal([row["name"] for row in section(found, "gone")], ["none"])


def test_the_session_itself_names_it(t):
    """Where there is no log: the job's session, asked for metadata_log_entries, shows what its cache holds, not what is current."""
    answers = lake(t)
    for name in ("session.txt", "session.json"):
        found = rows(t, "diff", "orders", "--from", name, *LISTING, code=1)
        t.equal(section(found, "states")[0]["snapshot_id"], answers["writer at commit 3"]["snapshot_id"], name)


def test_log_from_a_pipe(t):
    """kubectl logs driver | icefsck diff ./orders --from -"""
    answers = lake(t)
    found = t.lines(t.run("diff", "orders", "--from", "-", *OPTIONS, "-f", "ndjson", stdin=t.read("driver.log"), code=1).stdout)
    t.equal(section(found, "states")[0]["snapshot_id"], answers["writer at commit 3"]["snapshot_id"])
    t.has(t.run("diff", "orders", "--from", "-", *OPTIONS, stdin="nothing", code=4).stderr, "log of a reader")


def test_another_table_of_the_log(t):
    """A log that tells of other tables only names no state of this one, and the message says of which it tells."""
    answers = lake(t)
    lines = t.read("driver.log").replace("shop.orders", "shop.other").replace("shop/orders", "shop/other").split("\n")
    scans = [line.replace(str(answers["writer at commit 3"]["snapshot_id"]), "77") for line in lines if "Scanning table" in line]
    t.write("driver.log", "\n".join(scans))
    t.has(t.run("diff", "orders", "--from", "driver.log", *OPTIONS, code=4).stderr, "lake.shop.other")


def test_a_log_that_says_nothing(t):
    """A log at WARN: the message names the logger to raise."""
    lake(t)
    t.write("driver.log", "".join(line + "\n" for line in t.read("driver.log").split("\n") if "orders" not in line))
    t.has(t.run("diff", "orders", "--from", "driver.log", *OPTIONS, code=4).stderr, "org.apache.iceberg")


@harness.needs("sqlite")
def test_pointers_shows_what_was_read(t):
    """The log beside the catalog: each says where it stands. A reader that is behind is no fault of the table: exit 0."""
    answers = lake(t)
    found = rows(t, "pointers", "driver.log", "session.json", "catalog.db", "orders", *LISTING, code=0)
    t.equal({row["source"]: (row["state"], row["behind"]) for row in found if row["kind"] == "pointer"},
            {"driver.log": ("stale", 3), "session.json": ("stale", 3), "catalog.db": ("current", None)})
    t.equal({row["snapshot_id"] for row in found if row["kind"] == "pointer" and row["source"] != "catalog.db"}, {answers["writer at commit 3"]["snapshot_id"]})
    t.equal([row["name"] for row in found if row["kind"] == "pointer"], ["shop.orders"] * 3)
    t.equal([row for row in found if row["kind"] == "finding"], [])


def test_pointers_of_logs_alone(t):
    """Without the table it is known what was read, not how old that is."""
    lake(t)
    shutil.copy(os.path.join(HERE, "..", "..", "fixtures", "inputs", "driver-iceberg-1.6.1.log"), t.work)
    found = rows(t, "pointers", "driver.log", "driver-iceberg-1.6.1.log", code=0)
    t.equal([(row["source"], row["name"], row["state"]) for row in found],
            [("driver.log", "lake.shop.orders", "unknown"), ("driver-iceberg-1.6.1.log", "lake.shop.orders", "unknown")])
    t.has(t.run("pointers", "driver.log", "-v", code=0).stderr, "driver.log: log of a reader, line by line, states that were read: 1")
    t.write("quiet.log", "26/11/30 02:15:44 INFO SparkContext: a\n26/11/30 02:15:44 INFO SparkContext: b\n")
    t.has(t.run("pointers", "quiet.log", code=2).stderr, "org.apache.iceberg")


if __name__ == "__main__":
    harness.main(globals())
