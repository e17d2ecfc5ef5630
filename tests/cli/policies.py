#!/usr/bin/python3 -SEB
"""lint-conf with policies and a table: every file that manifests name must be within the grant. policies.py ICEFSCK WORK [TEST...]"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

sys.path.insert(0, os.path.join(harness.ROOT, "tools", "lib"))
import fixture

LAKE = "arn:aws:s3:::lake"
TABLE = LAKE + "/wh/db/orders"


def table(t):
    return fixture.build(os.path.join(harness.ROOT, "fixtures", "clean", "base-plain-v2"), os.path.join(t.work, "table"))


def places(t, *resources, metadata="table/metadata/v3.metadata.json"):
    """What data-location says of a role that may read these objects, and what was not checked."""
    statements = [{"Effect": "Allow", "Action": "glue:*", "Resource": "*"},
                  {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:GetBucketLocation"], "Resource": LAKE},
                  {"Effect": "Allow", "Action": "s3:GetObject", "Resource": list(resources)}]
    t.write("policy.json", json.dumps({"Statement": statements}))
    done = t.run("lint-conf", "-f", "ndjson", "--iam-profile", "glue-read", "policy.json", metadata, cwd=t.work)
    rows = t.lines(done.stdout)
    said = [r["args"] for r in rows if r["kind"] == "finding" and r["rule"] == "conf.iam.data-location"]
    return said, [item["what"] for item in rows[-1]["not_evaluated"] if "single files" in item["what"]]


def test_all_within(t):
    table(t)
    t.equal(places(t, TABLE + "/*"), ([], []))
    t.equal(places(t, TABLE + "/data/*", TABLE + "/metadata/*"), ([], []))


def test_data_without(t):
    table(t)
    said, unchecked = places(t, TABLE + "/metadata/*")
    t.equal(unchecked, [])
    t.equal(len(said), 1)
    t.has(said[0]["location"], "s3://lake/wh/db/orders/data/created_at_day=")
    n = len(t.lines(t.run("inspect", "files", "table", "-f", "ndjson").stdout))
    t.equal(said[0]["setting"], "the directory of the first of %d of %d files" % (n, n))


def test_one_file_without(t):
    """All other files are granted by name: the place of the one that is not is named."""
    table(t)
    files = sorted(r["file_path"] for r in t.lines(t.run("inspect", "files", "table", "-f", "ndjson").stdout))
    left_out = files.pop()
    said, _ = places(t, TABLE + "/metadata/*", *[f.replace("s3://", "arn:aws:s3:::") for f in files])
    t.equal([s["location"] for s in said], [left_out.rpartition("/")[0]])
    t.equal(said[0]["setting"], "the directory of 1 of %d files" % (len(files) + 1))


def test_nothing_but_metadata_given(t):
    table(t)
    os.rename(os.path.join(t.work, "table", "metadata", "v3.metadata.json"), os.path.join(t.work, "alone.metadata.json"))
    said, unchecked = places(t, TABLE + "/*", metadata="alone.metadata.json")
    t.equal(said, [])
    t.equal(unchecked, ["conf.iam.data-location of single files"])


if __name__ == "__main__":
    harness.main(dict(globals()))
