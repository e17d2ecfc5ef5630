#!/usr/bin/python3 -SEB
"""The story of yesterday's data, from files only: cluster, schedule, driver log, table. stale_session.py ICEFSCK WORK [TEST...]

The report of cached_session.py again, and now its cluster too. How far behind was the job, why, what did it miss, and which line
is to be changed? tests/story/spark has the log and the table; the cluster is on paper, with the cache as that session had it.
"""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness

NOW = ["--now", "2026-11-30T06:00:00Z"]
TABLE = ["--map", "file:///warehouse/shop/orders=orders", *NOW]
CLUSTER = """{
  "cluster_name": "reports",
  "spark_version": "15.4.x-scala2.12",
  "node_type_id": "m5.xlarge",
  "autotermination_minutes": 0,
  "spark_conf": {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "jdbc",
    "spark.sql.catalog.lake.uri": "jdbc:sqlite:/warehouse/catalog.db",
    "spark.sql.catalog.lake.warehouse": "file:///warehouse/",
    "spark.sql.catalog.lake.cache.expiration-interval-ms": "%s"
  }
}
"""
LINE = 12  # of the interval


def setup(t, interval):
    shutil.copytree(os.path.join(HERE, "spark"), t.work, dirs_exist_ok=True)
    t.write("cluster.json", CLUSTER % interval)
    return json.loads(t.read("answers.json"))


def lint(t, *args):
    done = t.run("lint-conf", "cluster.json", "--only", "conf.cache.*", *args, "-f", "ndjson", "--no-config")
    return done.returncode, [row for row in t.lines(done.stdout) if row["kind"] == "finding"]


@harness.needs("sqlite")
def test_how_far_behind(t):
    """The log beside the catalog: three commits, and the table itself is current and whole."""
    setup(t, "-1")
    found = t.lines(t.run("pointers", "driver.log", "catalog.db", "orders", "--listing", "listing.txt", *TABLE, "-f", "ndjson", code=0).stdout)
    t.equal({row["source"]: (row["state"], row["behind"]) for row in found if row["kind"] == "pointer"}, {"driver.log": ("stale", 3), "catalog.db": ("current", None)})


def test_one_run_says_it(t):
    """Log, newest metadata file and cluster in one call: how far behind, and why."""
    setup(t, "-1")
    newest = sorted(os.listdir(t.work + "/orders/metadata"))[7]
    _, found = lint(t, "driver.log", "orders/metadata/" + newest)
    t.equal({row["rule"]: row["file"] for row in found}, {"conf.cache.reader-behind": "driver.log", "conf.cache.never-expires": "cluster.json"})
    t.has(next(row["message"] for row in found if row["file"] == "driver.log"), "3 commits and 1 min before the current one")


def test_why(t):
    """The cache, and the line to be changed."""
    setup(t, "-1")
    code, found = lint(t, "--schedule", "1h")
    t.equal((code, [(row["rule"], row["severity"], row["file"], row["line"]) for row in found]), (1, [("conf.cache.never-expires", "error", "cluster.json", LINE)]))


def test_why_on_a_schedule(t):
    """An interval that the schedule never lets pass is as bad: the message says both."""
    setup(t, "3600000")
    code, found = lint(t, "--schedule", "30m")
    t.equal([(row["rule"], row["line"]) for row in found], [("conf.cache.longer-than-schedule", LINE)])
    t.has(found[0]["message"], "1 h after its last use, and the schedule is 30 min: a reader can be as far behind as its session is old")
    _, found = lint(t, "--schedule", "2h")
    t.equal([(row["rule"], row["severity"], row["line"]) for row in found], [("conf.cache.idle-timeout", "warn", LINE)])


def test_what_was_missed(t):
    """diff by the log: three commits, nineteen rows, a column."""
    answers = setup(t, "-1")
    found = t.lines(t.run("diff", "orders", "--from", "driver.log", *TABLE, "-f", "ndjson", code=1).stdout)
    t.equal(len([row for row in found if row["section"] == "missed"]), 3)
    t.true(answers["writer at commit 6"]["rows"] - answers["reader behind it"]["rows"] == 19, answers)
    t.has(next(row["detail"] for row in found if row["section"] == "changes" and row["name"] == "schema"), "note")


def test_the_page_shows_these_answers(t):
    """docs/HOWTO-LINT-CONF.md."""
    setup(t, "3600000")
    newest = "orders/metadata/" + sorted(os.listdir(t.work + "/orders/metadata"))[7]
    t.on_page("HOWTO-LINT-CONF.md", "behind  from is", t.run("diff", "orders", "--from", "driver.log", *TABLE, code=1).stdout)
    t.on_page("HOWTO-LINT-CONF.md", "conf.cache.longer-than-schedule  ", t.run("lint-conf", "cluster.json", "--schedule", "30m", "--no-config").stdout)
    t.on_page("HOWTO-LINT-CONF.md", "conf.cache.reader-behind  ", t.run("lint-conf", "cluster.json", "driver.log", newest, "--no-config").stdout)


def test_after_the_change(t):
    """cache-enabled=false in that line: nothing is left to say of the cache."""
    setup(t, "-1")
    t.write("cluster.json", CLUSTER.replace('cache.expiration-interval-ms": "%s"', 'cache-enabled": "false"'))
    t.equal(lint(t, "--schedule", "1h"), (0, []))


def test_explain_leads_here(t):
    """"refresh_delayed" in the log of a monitor leads to the three commands of this story."""
    text = t.run("explain", "-", stdin="WARN monitor: orders_daily refresh_delayed\n", code=0).stdout
    for command in ("icefsck diff ./table --from driver.log", "icefsck check ./table --pointer", "icefsck lint-conf cluster.json"):
        t.has(text, command)
    t.has(text, "conf.cache.never-expires")


if __name__ == "__main__":
    harness.main(globals())
