#!/usr/bin/python3 -SEB
"""Every allocation fails in turn: exit 8 and a message, or the whole report; never a half one. memory.py ICEFSCK WORK PRELOAD"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

PRELOAD = os.path.abspath(sys.argv.pop(3))


def fail_each(t, args, code, whole):
    """Run with the n-th allocation failing until one run needs none of it. `whole` says if the report is complete."""
    wanted = t.run(*args, code=code).stdout
    t.true(whole(wanted), "not whole: %s" % wanted)
    n = 1
    while n < 100000:
        done = t.run(*args, env={"LD_PRELOAD": PRELOAD, "FAIL_NTH": str(n)})
        if done.returncode == code:
            t.equal(done.stdout, wanted, "%s with allocation %d failing" % (args, n))
            return n
        t.equal(done.returncode, 8, "%s with allocation %d failing: %s" % (args, n, done.stderr))
        t.true(done.stderr.startswith("icefsck: "), "%s with allocation %d failing: no message" % (args, n))
        t.true(not whole(done.stdout), "a half report looks whole: %s" % done.stdout)
        n += 1 if n < 60 else 3
    raise harness.Failed("no run succeeded")


def is_json(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def has_summary(text):
    return '"kind":"summary"' in text


def test_check(t):
    t.table("damaged")
    base = ["check", "table", "--now", harness.NOW, "--no-config", "-j", "1"]
    t.true(fail_each(t, base + ["-f", "ndjson"], 3, has_summary) > 50, "few allocations were made")
    fail_each(t, base + ["-f", "json"], 3, is_json)
    fail_each(t, base + ["-f", "html"], 3, lambda text: text.endswith("</html>\n"))


def test_reports_in_files(t):
    t.table("damaged")
    t.write("out", "old")
    for n in list(range(1, 60)) + list(range(60, 1200, 7)):
        done = t.run("check", "table", "--no-config", "-j", "1", "-f", "json", "-o", "out", env={"LD_PRELOAD": PRELOAD, "FAIL_NTH": str(n)})
        t.equal(sorted(os.listdir(t.work)), ["out", "table", "table.built"], "allocation %d: nothing is left behind" % n)
        if done.returncode == 3:
            break
        t.equal((done.returncode, t.read("out")), (8, "old"), "allocation %d: %s" % (n, done.stderr))
    t.equal(len(json.loads(t.read("out"))["tables"]), 1)


def test_rows_and_texts(t):
    t.table()
    fail_each(t, ["rules", "avro.t*", "-f", "json", "--no-config"], 0, is_json)
    fail_each(t, ["explain", "avro.truncated"], 0, lambda text: "fix   " in text)
    fail_each(t, ["explain", "SHOW TABLES"], 0, lambda text: "to find out, run:" in text)
    fail_each(t, ["--help"], 0, lambda text: "exit:" in text)


def test_policies(t):
    """lint-conf with a table: policies, metadata and manifests."""
    t.table()
    t.write("policy.json", json.dumps({"PolicyDocument": {"Statement": [
        {"Sid": "Catalog", "Effect": "Allow", "Action": ["glue:GetTable", "glue:GetTabel"], "Resource": ["arn:aws:glue:eu-west-1:123456789012:*"]},
        {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lake/wh/db/orders/metadata/*"}]}}))
    t.write("table.json", json.dumps({"Table": {"Name": "orders", "DatabaseName": "db", "CatalogId": "123456789012"}}))
    args = ["lint-conf", "--no-config", "--iam-profile", "glue-read", "policy.json", "table.json", "table/metadata/v3.metadata.json", "-f", "ndjson"]
    fail_each(t, args, 1, has_summary)


def test_configuration(t):
    """lint-conf: every kind of setting, and secrets, which a lack of memory must not show."""
    key = "AKIAIOSFODNN7EXAMPLE"
    lake = {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "rest", "spark.sql.catalog.lake.s3.access-key-id": key,
            "spark.sql.catalog.lake.uri": "http://glue.eu-west-1.amazonaws.com/iceberg/" + key, "spark.sql.catalog.typo.io-impl": key}
    t.write("a.conf", "".join("%s %s\n" % pair for pair in lake.items()) + "spark.sql.catalog.lake.io\\\n  .impl x\n")
    t.write("run.sh", "spark-submit --packages 'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.7.1' --conf spark.sql.catalog.x.type=\"hive\" job.py\n")
    t.write("job.json", json.dumps({"Jobs": [{"Name": "j", "Command": {}, "GlueVersion": "5.0", "DefaultArguments": {
        "--conf": " --conf ".join("%s=%s" % pair for pair in lake.items()), "--extra-jars": "s3://b/a.jar,s3://b/c.jar"}}]}))
    t.write("cluster.json", json.dumps({"spark_version": "13.3.x-scala2.12", "spark_conf": lake, "libraries": [{"jar": "a.jar"}]}))
    t.write("t.sql", "CREATE TABLE lake.db.t (id int);\nSELECT * FROM db.t;\n")
    t.write("eventlog", json.dumps({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": lake, "Classpath Entries": {"/x/a.jar": "System"}}) + "\n")
    for files in (["a.conf", "run.sh", "t.sql"], ["job.json"], ["cluster.json"], ["a.conf", "eventlog"]):
        def whole(text):
            t.lacks(text, key)
            return has_summary(text)

        fail_each(t, ["lint-conf", "--no-config", *files, "-f", "ndjson", "-S", "info"], 1, whole)


def test_pointers(t):
    t.table(name="orders")
    uri = "s3://lake/wh/db/orders/metadata/v%d.metadata.json"
    entry = {"Name": "orders", "DatabaseName": "db", "Parameters": {"table_type": "ICEBERG", "metadata_location": uri % 2}}
    t.write("glue.json", json.dumps({"TableList": [entry, dict(entry, Name="gone", Parameters={"metadata_location": "s3://lake/wh/db/gone/metadata/v1.metadata.json"})]}))
    t.write("l.json", json.dumps({"Contents": [{"Key": "wh/db/orders/metadata/v%d.metadata.json" % v, "Size": 1, "LastModified": "2026-01-01T00:00:00Z"} for v in (1, 2, 3)]}))
    base = ["pointers", "glue.json", "orders", "l.json", "--now", harness.NOW, "--no-config"]
    fail_each(t, base + ["-f", "json"], 3, is_json)
    fail_each(t, base + ["-f", "html"], 3, lambda text: text.endswith("</html>\n"))
    fail_each(t, base + ["-f", "ndjson", "--at", "2025-03-02T12:00Z"], 2, has_summary)


def test_document_inside_an_answer(t):
    t.table(name="orders")
    document = json.loads(t.read("orders/metadata/v3.metadata.json"))
    t.write("load.json", json.dumps({"metadata-location": document["metadata-log"][0]["metadata-file"], "metadata": document}))
    fail_each(t, ["check", "--pointer", "load.json", "--now", harness.NOW, "--no-config", "-j", "1", "-f", "json"], 0, is_json)


harness.main(dict(globals()))
