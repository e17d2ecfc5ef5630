#!/usr/bin/python3 -SEB
"""lint-conf from outside: secrets, formats, inputs of every packing, places, what is not checked. lint_conf.py ICEFSCK WORK [TEST...]"""

import gzip
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

CATALOG = """spark.sql.extensions org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions
spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog
spark.sql.catalog.lake.catalog-impl org.apache.iceberg.aws.glue.GlueCatalog
spark.sql.catalog.lake.warehouse s3://bucket/wh/
spark.sql.catalog.lake.io-impl org.apache.iceberg.aws.s3.S3FileIO
"""
KEY_ID = "AKIAIOSFODNN7EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"


def found(t, *args, **more):
    """(rule, line, column) of every finding, and the summary."""
    done = t.run("lint-conf", *args, "-f", "ndjson", "-S", "info", **more)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [(r["rule"], r["line"], r["column"]) for r in rows if r["kind"] == "finding"], rows[-1], done


def test_secrets_never_leave(t):
    """Every place a secret can stand in: its own key, inside other values, in a Glue string, in a name."""
    text = CATALOG + "".join([
        "spark.sql.catalog.lake.s3.access-key-id %s\n" % KEY_ID,
        "spark.sql.catalog.lake.s3.secret-access-key %s\n" % SECRET,
        "spark.sql.catalog.rest org.apache.iceberg.spark.SparkCatalog\n",
        "spark.sql.catalog.rest.type rest\n",
        "spark.sql.catalog.rest.uri http://glue.eu-west-1.amazonaws.com/%s/%s\n" % (KEY_ID, SECRET),
        "spark.sql.catalog.rest.warehouse s3://%s/\n" % SECRET,
        "spark.sql.catalog.%s.type hive\n" % KEY_ID,
        "spark.sql.catalog.lake.secret.warehouse one\n",
        "spark.sql.catalog.lake.io-impl %s\n" % SECRET,
        "spark.sql.catalog.x %s\n" % KEY_ID,
    ])
    t.write("secrets.conf", text)
    t.write("job.json", json.dumps({"Job": {"Name": KEY_ID, "GlueVersion": "5.0", "Command": {"Name": "glueetl"}, "DefaultArguments": {
        "--%s" % KEY_ID: SECRET, "--conf": "spark.sql.catalog.g.token=%s --conf spark.sql.catalog.g.type=%s" % (SECRET, SECRET)}}}))
    for form in ("human", "short", "json", "ndjson"):
        done = t.run("lint-conf", "secrets.conf", "job.json", "-f", form, "-S", "info", "-vv", "--max-findings", "0")
        t.equal(done.returncode, 1)
        for word in (KEY_ID, SECRET):
            t.lacks(done.stdout, word)
            t.lacks(done.stderr, word)
        t.has(done.stdout, "***")
    # a report that masks everything would pass the above
    t.has(t.run("lint-conf", "secrets.conf", "-f", "short").stdout, "catalog 'rest'")


def test_more_secrets_than_are_kept(t):
    text = CATALOG.replace("s3://bucket/wh/", "plain") + "".join("spark.x%d.password pass-word-%d\n" % (i, i) for i in range(300))
    t.write("many.conf", text + "spark.sql.catalog.lake.lock-impl pass-word-299\nspark.sql.catalog.y pass-word-299\n")
    t.lacks(t.run("lint-conf", "many.conf", "-f", "json", "-S", "info").stdout, "pass-word")


def test_event_logs_are_read_packed(t):
    """Of a log the newest environment counts, in every packing, and its place is that of the line."""
    def line(warehouse):
        props = dict(l.split(" ", 1) for l in CATALOG.splitlines())
        props["spark.sql.catalog.lake.warehouse"] = warehouse
        return json.dumps({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": props, "Classpath Entries": {}})

    log = "\n".join(['{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}', line("s3://old/"), '{"Event":"SparkListenerJobStart"}',
                     line("s3:/new"), '{"Event":"SparkListenerApplicationEnd"}']) + "\n"
    t.write("log", log)
    with gzip.open(os.path.join(t.work, "log.gz"), "wb") as f:
        f.write(log.encode())
    for name in ("log", "log.gz"):
        rules, _, _ = found(t, name, "--only", "conf.warehouse.*")
        t.equal([r[:2] for r in rules], [("conf.warehouse.not-uri", 4)])


def test_event_logs_of_any_length(t):
    """The environment may stand far down; a log without one says nothing, and that is no pass."""
    task = '{"Event":"SparkListenerTaskEnd","x":"%s"}\n' % ("y" * 500)
    log = '{"Event":"SparkListenerLogStart"}\n' + task * 5000
    t.write("log", log)
    _, summary, done = found(t, "log")
    t.equal((done.returncode, summary["complete"]), (2, False))
    t.write("log", log + '{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.sql.catalog.x.type":"hive"}}\n' + task)
    t.equal([r[:2] for r in found(t, "log", "--only", "conf.catalog.*")[0]], [("conf.catalog.not-defined", 5002)])


def test_places_in_strings_of_glue(t):
    """Escapes in front of a setting do not move the place: the column is that of the file."""
    for escape in ("", "\\u003d", "\\u00e9", "\\ud83d\\ude00", "\\\"", "\\t"):
        conf = "spark.a=1%s --conf spark.sql.catalog.x.type=hive" % escape
        text = '{"Command":{"Name":"glueetl"},\n "DefaultArguments":{"--conf":"%s"}}' % conf
        t.write("job.json", text)
        rules, _, _ = found(t, "job.json", "--only", "conf.catalog.not-defined")
        column = text.split("\n")[1].index("spark.sql.catalog.x") + 1
        t.equal(rules, [("conf.catalog.not-defined", 2, column)])


def test_order_is_that_of_excluding_causes(t):
    """Classpath before registration before warehouse before cache, whatever the lines are."""
    t.write("order.conf", "spark.sql.catalog.lake.cache.expiration-interval-ms -1\n" + CATALOG.replace("s3://", "s3:/") +
          "spark.jars.packages org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.5.0,org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:1.5.0\n"
          "spark.sql.catalog.x.type hive\n")
    rules = [r[0] for r in found(t, "order.conf")[0]]
    wanted = ["conf.jar.two-versions", "conf.catalog.not-defined", "conf.warehouse.not-uri", "conf.cache.never-expires"]
    t.equal([r for r in rules if r in wanted], wanted)


def test_what_is_not_checked(t):
    """A kind that was not given is named and sets no bit; a file that cannot be read sets bit 2."""
    t.write("good.conf", CATALOG)
    _, summary, done = found(t, "good.conf")
    t.equal(done.returncode, 0)
    named = [m["what"] for m in summary["not_evaluated"] if not m["asked"]]
    for what in ("conf.glue.*", "conf.iam.*", "conf.sql.*", "conf.dbr.*", "conf.catalog.not-effective"):
        t.has(" ".join(named), what)
    for name, text in (("broken.json", '{"Job": {"Command": '), ("empty", ""), ("words.txt", "hello\n"), ("list.json", "[1, 2")):
        t.write(name, text)
        rules, summary, done = found(t, "good.conf", name)
        t.equal(done.returncode & 2, 2)
        t.equal(summary["complete"], False)
        t.equal(len([r for r in rules if not r[0].startswith("conf.")]), 1)
    t.equal(found(t, "good.conf", "nosuch")[2].returncode & 2, 2)


def test_standard_input(t):
    done = t.run("lint-conf", "-", "-f", "short", stdin=CATALOG.replace("SparkCatalog", "SparkCatlog"))
    t.equal(done.returncode, 1)
    t.has(done.stdout, "-:2:")
    t.has(done.stdout, "conf.catalog.class-unknown")


def test_severities_and_overrides(t):
    t.write("hyphen.conf", CATALOG.replace("catalog.lake", "catalog.my-lake"))
    t.equal(t.run("lint-conf", "hyphen.conf").returncode, 0)
    t.equal(t.run("lint-conf", "hyphen.conf", "--fail-on", "warn").returncode, 1)
    t.equal(t.run("lint-conf", "hyphen.conf", "--severity", "conf.catalog.name-hyphen=error").returncode, 1)
    t.equal(t.run("lint-conf", "hyphen.conf", "--fail-on", "warn", "--severity", "conf.*=off").returncode, 0)
    t.run("lint-conf", "hyphen.conf", "-o", "short:out.txt")
    with open(os.path.join(t.work, "out.txt"), encoding="utf-8") as f:
        t.has(f.read(), "hyphen.conf:")


def test_rules_of_configuration_have_no_versions(t):
    shown = t.run("explain", "conf.rest.signing-name", code=0).stdout
    t.has(shown, "needs       configuration\n")
    t.lacks(shown, "versions")
    rule = json.loads(t.run("rules", "conf.rest.signing-name", "-f", "json", code=0).stdout)["rules"][0]
    t.equal((rule["versions"], rule["needs"], rule["group"]), ([], ["configuration"], "configuration: REST endpoints"))


def test_too_much_is_said(t):
    """More catalogs, jobs or values than are looked at: not a pass, and quick."""
    t.write("many.conf", "".join("spark.sql.catalog.c%d.type hive\n" % i for i in range(5000)))
    t.write("jobs.json", json.dumps({"Jobs": [{"Name": "j%d" % i, "Command": {}, "DefaultArguments": {"--conf": "spark.a=1"}} for i in range(1000)]}))
    for name in ("many.conf", "jobs.json"):
        _, summary, done = found(t, name)
        t.equal(done.returncode & 2, 2)
        t.has(json.dumps(summary["not_evaluated"]), "more jobs")


def test_the_page_shows_a_glue_job(t):
    """docs/HOWTO-LINT-CONF.md."""
    setup = os.path.join(harness.ROOT, "fixtures", "conf", "conf.glue.static-in-script", "set", "setup")
    shutil.copytree(setup, t.work, dirs_exist_ok=True)
    t.on_page("HOWTO-LINT-CONF.md", "conf.glue.static-in-script  ", t.run("lint-conf", "job.json", "orders.py", "--no-config").stdout)


harness.main(globals())
