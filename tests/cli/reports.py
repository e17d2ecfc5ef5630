#!/usr/bin/python3 -SEB
"""Every format once, byte for byte, over one damaged table. reports.py ICEFSCK WORK [TEST...] [--bless]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def test_findings(t):
    t.table("damaged")
    for name in ("human", "short", "json", "ndjson"):
        t.expected("check." + name, t.check("table", "-S", "info", "-f", name, code=3).stdout)
    t.expected("check.quiet", t.check("table", "-q", code=3).stdout)
    t.expected("check.color", t.check("table", "--color", "always", code=3).stdout)


def test_clean(t):
    t.table()
    t.expected("clean.human", t.check("table", code=0).stdout)
    t.equal(t.check("table", "-f", "short", code=0).stdout, "")


def test_several_tables(t):
    t.table("plain-v1", "w/db/a")
    t.table("plain-v3", "w/db/b")
    t.table("damaged", "w/c")
    t.expected("several.human", t.check("-r", "w", code=3).stdout)
    document = json.loads(t.check("-r", "w", "-f", "json", code=3).stdout)
    t.equal([d["summary"]["table"] for d in document["tables"]], ["c", "db/a", "db/b"])
    lines = t.lines(t.check("-r", "w", "-f", "ndjson", code=3).stdout)
    t.equal([line["table"] for line in lines if line["kind"] == "summary"], ["c", "db/a", "db/b"])
    t.equal(lines[-1]["kind"], "summary")


def test_rows(t):
    t.table()
    for name in ("table", "tsv", "json", "ndjson"):
        columns = "snapshot_id,parent_id,operation,committed_at"
        t.expected("rows." + name, t.run("inspect", "snapshots", "table", "-f", name, "--columns", columns, code=0).stdout)
    t.expected("files.tsv", t.check("table", "--list-files", "-f", "tsv", code=0).stdout)


def test_texts(t):
    t.expected("help.txt", t.run("--help", code=0).stdout)
    t.expected("help-check.txt", t.run("help", "check", code=0).stdout)
    t.expected("explain.txt", t.run("explain", "avro.truncated", code=0).stdout)
    for name in ("table", "tsv", "json", "ndjson"):
        t.expected("rules." + name, t.run("rules", "avro.t*", "hint.stale", "-f", name, code=0).stdout)


def test_json_is_the_contract(t):
    t.table("damaged")
    lines = t.lines(t.check("table", "-S", "info", "-f", "ndjson", code=3).stdout)
    finding = {"kind", "rule", "severity", "table", "file", "pointer", "offset", "line", "column", "message", "args", "other",
               "more", "fingerprint"}
    summary = {"kind", "table", "location", "table_uuid", "format_version", "metadata_file", "picked_by", "current_snapshot_id",
               "counts", "read", "scope", "not_evaluated", "complete", "exit"}
    for line in lines:
        wanted = finding if line["kind"] == "finding" else summary
        t.true(wanted <= set(line), "%s lacks %s" % (line, wanted - set(line)))
    last = lines[-1]
    t.equal(last["complete"], not any(n["asked"] for n in last["not_evaluated"]))
    t.equal(last["exit"], 3)
    for level in ("error", "warn", "info"):
        shown = sum(1 + line["more"] for line in lines[:-1] if line["severity"] == level)
        t.equal(last["counts"][level], shown, level)


def test_same_bytes_whatever_the_surroundings(t):
    t.table("damaged")
    first = t.check("table", "-S", "info", "-f", "ndjson", "-j", "1", code=3).stdout
    for env in ({"LC_ALL": "tr_TR.UTF-8"}, {"TZ": "Pacific/Chatham"}, {"TERM": "dumb"}, {"COLUMNS": "20"}):
        t.equal(t.check("table", "-S", "info", "-f", "ndjson", "-j", "8", env=env, code=3).stdout, first, str(env))
    epoch = {"SOURCE_DATE_EPOCH": "1767225600"}
    t.equal(t.run("check", "table", "-S", "info", "-f", "ndjson", env=epoch, code=3).stdout, first)


harness.main(dict(globals()))
