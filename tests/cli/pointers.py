#!/usr/bin/python3 -SEB
"""The command pointers, and check by pointers alone. pointers.py ICEFSCK WORK [TEST...]"""

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


if __name__ == "__main__":
    harness.main(globals())
