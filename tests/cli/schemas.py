#!/usr/bin/python3 -SEB
"""schemas/*.json against what the command prints, both ways. schemas.py ICEFSCK WORK [TEST...]"""

import copy
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

SCHEMAS = os.path.join(harness.ROOT, "schemas")


def schema(name):
    with open(os.path.join(SCHEMAS, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def rows_schema(answer):
    return schema("rows")["$defs"][answer]


def valid(t, wanted, document, what):
    t.equal(harness.schema_errors(wanted, document), "", what)


def expected(name):
    with open(os.path.join(harness.HERE, "expected", name), encoding="utf-8") as f:
        return f.read()


def test_generated(t):
    """From the tables of columns in src and the members in tools/generate-schemas."""
    subprocess.run([sys.executable, "-S", "-E", "-B", os.path.join(harness.ROOT, "tools", "generate-schemas"), "--check"], check=True)
    for name in sorted(os.listdir(SCHEMAS)):
        harness.package("jsonschema").Draft202012Validator.check_schema(schema(name[:-5]))


def test_reports(t):
    valid(t, schema("report"), json.loads(expected("check.json")), "check.json")
    for line in t.lines(expected("check.ndjson")):
        valid(t, schema("report-line"), line, "check.ndjson")
    t.table("damaged", "bad")
    t.table("plain-v1", "v1")
    t.table("plain-v3", "v3")
    t.write("empty/metadata/x", "")
    t.check("bad", "--write-baseline", "known")
    t.write("spark.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.type hve\n")
    runs = [["check", *paths, *more, "--now", harness.NOW] for paths in (["bad"], ["v1", "v3"], ["bad/metadata/m1.avro"], ["empty"], ["no-such"])
            for more in ([], ["--baseline", "known"], ["--depth", "metadata"])]
    runs.append(["lint-conf", "spark.conf"])
    if t.has_library("avro-c"):
        runs.append(["check", "v3", "--second-opinion", "--now", harness.NOW])
    else:
        print("NOT RUN: the schema of check --second-opinion, which this build leaves out")
    for args in runs:
        valid(t, schema("report"), json.loads(t.run(*args, "-S", "info", "-f", "json").stdout), args)
        for line in t.lines(t.run(*args, "-S", "info", "-f", "ndjson").stdout):
            valid(t, schema("report-line"), line, args)
    for line in t.lines(t.run("batch", "bad", "v1", "no-such", "--baseline", "known", "--now", harness.NOW, "-S", "info").stdout):
        valid(t, schema("batch-line"), line, "batch")


def test_fixtures(t):
    """One fixture of every folder of rules: each kind of place and argument."""
    wanted = schema("report-line")
    rules = os.path.join(harness.ROOT, "fixtures", "rules")
    n = 0
    for rule in sorted(os.listdir(rules))[::12]:
        case = sorted(os.listdir(os.path.join(rules, rule)))[0]
        place = os.path.join(t.work, rule)
        harness.fixture.build(os.path.join(rules, rule, case), place)
        for line in t.lines(t.check(place, "-S", "info", "-f", "ndjson").stdout):
            valid(t, wanted, line, rule)
            n += 1
    t.true(n > 100, "%d lines" % n)


def test_rows(t):
    place = t.table("plain-v3", "v3")
    t.table("damaged", "bad")
    t.write("glue.json", json.dumps({"TableList": [{"Name": "orders", "DatabaseName": "db", "Parameters": {
        "table_type": "ICEBERG", "metadata_location": "s3://lake/wh/db/orders/metadata/v2.metadata.json"}}]}))
    t.write(place + "/data/lost.parquet", "x")
    runs = {"history": ["history"], "rescue": ["rescue"], "list-files": ["check", "--list-files"], "bench": ["bench", "--repeat", "1"],
            "orphans": ["orphans", "--storage", "local", "--older-than", "0s", "--now", "2099-01-01"]}
    for name in [n for n in rows_of_inspect(t)]:
        runs["inspect-" + name] = ["inspect", name]
    t.equal(sorted(runs) + ["diff", "pointers", "pointers-at", "rules"], sorted(runs) + sorted(set(schema("rows")["$defs"]) - set(runs)))
    for name, args in sorted(runs.items()):
        rows = [row for table in ("v3", "bad") for row in json.loads(t.run(*args[:1], *args[1:], table, "-f", "json").stdout)]
        for row in rows:
            valid(t, rows_schema(name), row, name)
        t.true(rows or name in ("inspect-statistics",), "no row of " + name)
    t.build("base plain-v3\njson current set /schemas/0/fields/0/initial-default 42\njson current set /snapshots/2/timestamp-ms 9223372036854775807\n", "odd")
    for args in (["inspect", "schemas"], ["inspect", "snapshots"], ["inspect", "files", "--readable-bounds"], ["history"]):
        rows = t.lines(t.run(*args, "odd", "-f", "ndjson").stdout)
        t.true(rows, args)
        for row in rows:
            valid(t, rows_schema("-".join(args[:2])), row, args)
    for row in t.lines(t.run("diff", "v3/metadata/v1.metadata.json", "v3/metadata/v3.metadata.json", "-f", "ndjson").stdout):
        valid(t, rows_schema("diff"), row, "diff")
    for more in ([], ["--at", "2025-03-02T12:00Z"]):
        args = ["pointers", "glue.json", "v3", "--now", harness.NOW, *more]
        valid(t, schema("pointers"), json.loads(t.run(*args, "-f", "json").stdout), args)


def rows_of_inspect(t):
    """As the program names them."""
    done = t.run("inspect", "nothing", "v3", code=4)
    names = [name.split("inspect-")[1] for name in schema("rows")["$defs"] if name.startswith("inspect-")]
    for name in names:
        t.has(done.stderr, name)
    return names


def test_catalogue_and_version(t):
    valid(t, schema("rules"), json.loads(t.run("rules", "-f", "json").stdout), "rules")
    for row in t.lines(t.run("rules", "-f", "ndjson").stdout):
        valid(t, rows_schema("rules"), row, "rules")
    valid(t, schema("version"), json.loads(t.run("version", "-f", "json").stdout), "version")


def test_what_is_broken_fails(t):
    """Every member taken away, one too many, and a wrong value of each."""
    wanted = schema("report-line")
    for line in t.lines(expected("check.ndjson"))[-2:]:
        for name in line:
            less = {k: v for k, v in line.items() if k != name}
            t.true(harness.schema_errors(wanted, less), "without " + name)
            t.true(harness.schema_errors(wanted, dict(line, **{name: 1.5})), "%s 1.5" % name)
        t.true(harness.schema_errors(wanted, dict(line, new=1)), "one too many")
    document = json.loads(expected("check.json"))
    broken = copy.deepcopy(document)
    broken["tables"][0]["summary"]["counts"]["fatal"] = 1
    t.has(harness.schema_errors(schema("report"), broken), "'fatal' was unexpected")
    row = t.lines(expected("rows.ndjson"))[0]
    t.true(harness.schema_errors(rows_schema("inspect-snapshots"), row), "not all columns")


harness.main(dict(globals()))
