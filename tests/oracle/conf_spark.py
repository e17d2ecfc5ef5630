#!/usr/bin/env python3
"""Samples of catalog configuration, by Spark itself with the Iceberg runtime. conf_spark.py --icefsck BIN

The correct samples must load, and lint-conf must find nothing in them above info; each wrong one must fail, or go elsewhere in
silence, as its rule says, lint-conf must name the rule, and explain must know the error. Skipped unless ORACLE_SPARK_PYTHON names
a Python with pyspark 3.5. ORACLE_SPARK_JARS: the jars iceberg-spark-runtime-3.5_2.12 and sqlite-jdbc, by commas; without it Spark
fetches them from Maven. One session runs all samples: a catalog loads when it is first used. --print: what Spark said.

The REST catalog is a stub here that answers config and lists: enough to tell that a sample reaches its server.
"""

import argparse
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

PACKAGES = "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0,org.xerial:sqlite-jdbc:3.46.1.3"
CLASS = "org.apache.iceberg.spark.SparkCatalog"
SYMPTOMS = {"NO_ICEBERG_CLASS": "Iceberg's classes are not", "CATALOG_NOT_FOUND": "catalog not found", "CATALOG_REFUSED": "Iceberg refuses", "INSTANTIATION": "a class of the catalog", "NO_WAREHOUSE": "Cannot derive",
            "INVALID_IDENTIFIER": "INVALID_IDENTIFIER", "STATIC_CONFIG": "Cannot modify", "NO_EXTENSIONS": "CALL, MERGE", "TABLE_NOT_FOUND": "TABLE_OR_VIEW_NOT_FOUND", "NO_AWS_SDK": "a class of the AWS SDK",
            "HIVE": "Iceberg asks a Hive metastore", "REST_NO_URI": "the REST catalog has no endpoint"}


class Case:
    """A sample. conf: {key behind spark.sql.catalog.NAME: value}, "" is the class. runs: statements or steps. says: a part of the
    error, or the answers of the steps that must come. rules: what lint-conf must name. symptom: what explain must say of the error."""

    def __init__(self, name, conf, runs, says, rules=(), symptom=None, more=None):
        self.name, self.runs, self.says, self.rules, self.symptom = name, runs, says, rules, symptom
        self.conf = {"spark.sql.catalog.%s%s" % (name, "." + key if key else ""): value for key, value in conf.items()}
        self.conf.update(more or {})

    def text(self):
        return "".join("%s %s\n" % item for item in self.conf.items())


def cases(warehouse, rest):
    hadoop = {"": CLASS, "type": "hadoop", "warehouse": warehouse + "/hadoop/"}
    jdbc = {"": CLASS, "type": "jdbc", "uri": "jdbc:sqlite:%s/catalog.db" % warehouse, "jdbc.schema-version": "V1", "warehouse": warehouse + "/jdbc/"}
    off = dict(hadoop, **{"cache-enabled": "false"})
    lists = ["SHOW NAMESPACES IN {name}"]
    make = ["CREATE NAMESPACE IF NOT EXISTS {name}.shop", "CREATE TABLE {name}.shop.orders (id BIGINT) USING iceberg", "INSERT INTO {name}.shop.orders VALUES (1), (2)",
            "SHOW TABLES IN {name}.shop", "SELECT count(*) FROM {name}.shop.orders"]
    reads = ["SELECT count(*) FROM {name}.shop.orders"]
    # a reader of which another catalog of the same session is the writer: read, commit, read
    late = reads + ["INSERT INTO writer.shop.orders VALUES (3)", "SELECT count(*) - (SELECT count(*) FROM writer.shop.orders) FROM {name}.shop.orders"]
    return [
        Case("lake", hadoop, make, [[], [], [], [["shop", "orders", False]], [[2]]]),
        Case("writer", off, make[3:], [[["shop", "orders", False]], [[2]]]),
        Case("tables", jdbc, make, [[], [], [], [["shop", "orders", False]], [[2]]]),
        Case("remote", {"": CLASS, "type": "rest", "uri": rest}, lists + ["SHOW TABLES IN {name}.shop"], [[["shop"]], [["shop", "orders", False]]]),

        Case("nobody", {k: v for k, v in hadoop.items() if k}, lists, "SCHEMA_NOT_FOUND", ["conf.catalog.not-defined"], "TABLE_NOT_FOUND"),
        Case("nobody2", {k: v for k, v in hadoop.items() if k}, ["SELECT * FROM nobody2.shop.orders"], "REQUIRES_SINGLE_PART_NAMESPACE", ["conf.catalog.not-defined"], "CATALOG_NOT_FOUND"),
        Case("klass", dict(hadoop, **{"": CLASS + "s"}), lists, "Cannot find catalog plugin class", ["conf.catalog.class-unknown"], "NO_ICEBERG_CLASS"),
        Case("both", dict(hadoop, **{"catalog-impl": "org.apache.iceberg.hadoop.HadoopCatalog"}), lists, "both type and catalog-impl are set", ["conf.catalog.type-and-impl"], "CATALOG_REFUSED"),
        Case("typ", dict(hadoop, type="hadop"), lists, "Unknown catalog type", ["conf.catalog.type-unknown"], "CATALOG_REFUSED"),
        Case("impl", {"": CLASS, "catalog-impl": "org.apache.iceberg.hadoop.HadoopCatalogue", "warehouse": warehouse}, lists, "Cannot initialize Catalog implementation", ["conf.catalog.impl-unknown"], "INSTANTIATION"),
        Case("nowarehouse", {"": CLASS, "type": "hadoop"}, lists, "warehouse", ["conf.warehouse.missing"], "NO_WAREHOUSE"),
        Case("nearmiss", {"": CLASS, "type": "hadoop", "ware-house": warehouse}, lists, "warehouse", ["conf.catalog.key-near-miss"], "NO_WAREHOUSE"),
        # falls back to Hive, which nobody meant and which is not there
        Case("fallback", {"": CLASS, "warehouse": warehouse + "/hadoop/"}, lists, "Failed to connect to Hive Metastore", ["conf.catalog.impl-missing"], "HIVE"),
        Case("prefix", {"": CLASS}, lists, "Failed to connect to Hive Metastore", ["conf.catalog.prefix-typo"], "HIVE", more={"spark.sql.catalog.prefx." + k: v for k, v in hadoop.items() if k}),
        Case("io", dict(hadoop, **{"io-impl": "org.apache.iceberg.hadoop.HadoopFileI0"}), lists, "Cannot initialize FileIO", ["conf.io-impl.unknown"], "INSTANTIATION"),
        Case("s3", dict(hadoop, **{"io-impl": "org.apache.iceberg.aws.s3.S3FileIO"}), lists, "Cannot initialize FileIO", (), "NO_AWS_SDK"),
        Case("norest", {"": CLASS, "type": "rest"}, lists, "Invalid uri for http client: null", ["conf.rest.uri-missing"], "REST_NO_URI"),
        Case("my-lake", hadoop, ["SHOW NAMESPACES IN my-lake"], "INVALID_IDENTIFIER", ["conf.catalog.name-hyphen"], "INVALID_IDENTIFIER"),
        Case("call", hadoop, ["CALL {name}.system.rollback_to_snapshot('shop.orders', 1)"], "CALL", ["conf.extensions.missing"], "NO_EXTENSIONS"),
        Case("static", hadoop, [{"set": ["spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"]}], "Cannot modify the value of a static config", (), "STATIC_CONFIG"),
        # catalogs load once: set after the first use, a property is ignored
        Case("late", hadoop, lists + [{"set": ["spark.sql.catalog.late.warehouse", warehouse + "/elsewhere"]}] + lists, [[["shop"]], [], [["shop"]]]),
        # SHOW CATALOGS names only catalogs that were used
        Case("unused", hadoop, ["SHOW CATALOGS LIKE 'unused'", "SHOW NAMESPACES IN unused", "SHOW CATALOGS LIKE 'unused'"], [[], [["shop"]], [["unused"]]]),

        Case("fresh", off, late, [None, None, [[0]]]),
        Case("never", dict(hadoop, **{"cache.expiration-interval-ms": "-1"}), late + [{"sleep": 3}] + [late[2]], [None, None, [[-1]], [], [[-1]]], ["conf.cache.never-expires"]),
        Case("misspelt", dict(hadoop, **{"cache.enabled": "false"}), late, [None, None, [[-1]]], ["conf.cache.key-near-miss"]),
        Case("zero", dict(hadoop, **{"cache-enabled": "true", "cache.expiration-interval-ms": "0"}), late, [None, None, [[0]]], ["conf.cache.contradiction"]),
        Case("unit", dict(hadoop, **{"cache.expiration-interval-ms": "30s"}), reads, "30s", ["conf.cache.value-invalid"]),
        Case("yes", dict(hadoop, **{"cache-enabled": "yes"}), late, [None, None, [[0]]], ["conf.cache.value-invalid"]),
        # an idle timeout: a table that is read every second is not read anew after four; left alone for six it is
        Case("busy", dict(hadoop, **{"cache.expiration-interval-ms": "4000"}), late + [{"sleep": 1}, reads[0]] * 7 + [late[2], {"sleep": 6}, late[2]],
             [None, None, [[-1]]] + [[], None] * 7 + [[[-1]], [], [[0]]], ["conf.cache.idle-timeout"]),
    ]


class Catalog(http.server.BaseHTTPRequestHandler):
    ANSWERS = {"/v1/config": {"defaults": {}, "overrides": {}}, "/v1/namespaces": {"namespaces": [["shop"]]}, "/v1/namespaces/shop": {"namespace": ["shop"], "properties": {}},
               "/v1/namespaces/shop/tables": {"identifiers": [{"namespace": ["shop"], "name": "orders"}]}}

    def do_GET(self):
        answer = self.ANSWERS.get(self.path.split("?")[0])
        body = json.dumps(answer or {"error": {"message": "none", "type": "NoSuchTableException", "code": 404}}).encode()
        self.send_response(200 if answer else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


def session():
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.master("local[1]").appName("conf").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.sql.shuffle.partitions", "1")
    jars = os.environ.get("ORACLE_SPARK_JARS")
    return (builder.config("spark.jars", jars) if jars else builder.config("spark.jars.packages", PACKAGES)).getOrCreate()


def work():
    """In Spark's Python: runs cases of stdin, a line of JSON each; answers a line each."""
    import time
    spark = session()
    print("ready", flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        out = {"answers": []}
        try:
            for key, value in case["conf"].items():
                spark.conf.set(key, value)
            for run in case["runs"]:
                answer = []
                if isinstance(run, str):
                    answer = [list(row) for row in spark.sql(run.replace("{name}", case["name"])).collect()]
                elif "sleep" in run:
                    time.sleep(run["sleep"])
                else:
                    spark.conf.set(*run["set"])
                out["answers"].append(answer)
        except Exception as e:
            java = getattr(e, "java_exception", None) or getattr(e, "_origin", None)
            trace = spark.sparkContext._jvm.org.apache.spark.util.Utils.exceptionString(java) if java is not None else ""
            out["error"] = "%s\n%s" % (e, trace)
        print(json.dumps(out), flush=True)
    spark.stop()


def judge(case, out):
    """Did Spark do as the sample says?"""
    if isinstance(case.says, str):
        return "error" in out and case.says in out["error"]
    got = out["answers"]
    return "error" not in out and len(got) == len(case.says) and all(want is None or want == answer for want, answer in zip(case.says, got))


def lint(icefsck, case, folder):
    """The rules that lint-conf names above info, and all of them."""
    path = os.path.join(folder, case.name + ".conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(case.text())
    done = subprocess.run([icefsck, "lint-conf", path, "-f", "ndjson", "--no-config", "-S", "info"], capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.split("\n") if line]
    found = [row for row in found if row.get("kind") == "finding"]
    return done.returncode, [row["rule"] for row in found if row["severity"] != "info"], [row["rule"] for row in found]


def explains(icefsck, case, error):
    done = subprocess.run([icefsck, "explain", "-"], input=error, capture_output=True, text=True)
    return SYMPTOMS[case.symptom] in done.stdout


def check(icefsck, case, out, folder, has_lint):
    problems = []
    if not judge(case, out):
        problems.append("Spark: wanted %r, got %s" % (case.says, json.dumps(out)[:1500]))
    if case.symptom and not explains(icefsck, case, out.get("error", "")):
        problems.append("explain does not say '%s'" % SYMPTOMS[case.symptom])
    if has_lint:
        code, loud, rules = lint(icefsck, case, folder)
        for rule in case.rules:
            if rule not in rules:
                problems.append("lint-conf does not name %s, but %s (exit %d)" % (rule, rules, code))
        if case.name in ("lake", "writer", "tables", "remote", "fresh") and [rule for rule in loud if rule != "conf.extensions.missing"]:
            problems.append("lint-conf is not content with a correct sample: %s" % loud)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--icefsck")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--work", action="store_true")
    args = parser.parse_args()
    if args.work:
        return work()
    python = os.environ.get("ORACLE_SPARK_PYTHON")
    if not python:
        print("skipped: ORACLE_SPARK_PYTHON names no Python with pyspark")
        sys.exit(77)
    has_lint = subprocess.run([args.icefsck, "help", "lint-conf"], capture_output=True).returncode == 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Catalog)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp()
    failed, all_cases = 0, cases(folder + "/warehouse", "http://127.0.0.1:%d" % server.server_port)
    os.mkdir(folder + "/warehouse")
    with open(folder + "/log", "w") as log:
        spark = subprocess.Popen([python, os.path.abspath(__file__), "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
        if spark.stdout.readline() != "ready\n":
            sys.exit("no session: " + open(folder + "/log").read()[-3000:])
        for case in all_cases:
            spark.stdin.write(json.dumps({"name": case.name, "conf": case.conf, "runs": case.runs}) + "\n")
            spark.stdin.flush()
            out = json.loads(spark.stdout.readline())
            problems = check(args.icefsck, case, out, folder, has_lint)
            failed += bool(problems)
            print("%s %s%s" % ("FAILED" if problems else "ok    ", case.name, "".join("\n  " + text for text in problems)), flush=True)
            if args.print:
                first = [line for line in out.get("error", "").split("\n") if re.match(r"\S*(Caused by|Exception|Error)|\S+: ", line)]
                print("    " + (" / ".join(first)[:600] if "error" in out else json.dumps(out["answers"])))
        spark.stdin.close()
        spark.wait()
    shutil.rmtree(folder)
    print("%d samples, %d failed%s" % (len(all_cases), failed, "" if has_lint else "; lint-conf is not there"))
    sys.exit(1 if failed else 0)


main()
