"""Runs of the command under plans of faults, many of them to one start of the program (fault_server.c), and the inputs they have."""

import difflib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import harness

CALLS = ("alloc", "open", "read", "stat", "list", "link", "write", "sync", "rename", "chmod", "close", "thread", "pipe", "fork", "wait",
         "random", "system")
EVENTS = ("", "shrink", "grow", "replace", "delete")
URI = "s3://lake/wh/db/orders"
SECRET = "AKIAIOSFODNN7EXAMPLE"  # of configurations: not shown, whatever fails


MOST_SHOWN = 4


def unread(text):
    return re.sub(r'"bytes":[ 0-9]+|[0-9.]+ [kM]?B read', "BYTES", text)


class Result:
    def __init__(self, reply, out, err):
        status, self.hits, self.live, self.by_exit, *counts = reply
        self.code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        self.n = dict(zip(CALLS, counts))
        self.out, self.err = out, err


class Server:
    """One command, started once and run as often as wanted. stdin: a file."""

    def __init__(self, t, shim, args, stdin="/dev/null", env=None):
        self.t, self.args = t, args
        plans, self.plans = os.pipe()
        self.replies, replies = os.pipe()
        self.out, self.err = (os.path.join(t.work, "." + name) for name in ("stdout", "stderr"))
        more = dict(LD_PRELOAD=shim, FAULT_SERVER="%d,%d" % (plans, replies), FAULT_STDIN=stdin, FAULT_STDOUT=self.out, FAULT_STDERR=self.err,
                    ICEFSCK_OPTS=None, **(env or {}))
        if "ASAN_OPTIONS" in os.environ or os.environ.get("ICEFSCK_SANITIZED"):
            more["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:allocator_may_return_null=1"
        self.child = subprocess.Popen([t.binary, *args], cwd=t.work, env=t.environment(**more), pass_fds=(plans, replies), stdin=subprocess.DEVNULL)
        os.close(plans)
        os.close(replies)
        self.reader = os.fdopen(self.replies, "r")

    def run(self, call="none", nth=0, sticky=False, error=0, signals=0, most=0, restarted=False, at=-1, event="", file="-"):
        number = CALLS.index(call) if call in CALLS else len(CALLS)
        plan = "%d %d %d %d %d %d %d %d %d %s\n" % (number, nth, sticky, error, signals, most, restarted, at, EVENTS.index(event), file)
        os.write(self.plans, plan.encode())
        line = self.reader.readline()
        if not line:
            raise harness.Failed("%s: the server ended: %s" % (self.args, self.child.wait()))
        with open(self.out, "rb") as out, open(self.err, "rb") as err:
            return Result([int(word) for word in line.split()], out.read(), err.read())

    def close(self):
        os.close(self.plans)
        self.reader.close()
        self.child.wait(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


class Scenario:
    """kept: files of reports, which hold `old` or what is whole; fresh: folders made anew for each run; may_pass: files are looked at
    twice, and a fault that is gone the second time may go unnoticed."""

    def __init__(self, args, stdin="/dev/null", kept=(), fresh=(), may_pass=False):
        self.args, self.stdin, self.kept, self.fresh, self.may_pass = args, stdin, kept, fresh, may_pass


def make_inputs(t):
    """Small, but something of everything."""
    t.table("damaged", "bad")
    t.table("plain-v2", "orders")
    t.table("plain-v3", "wh/one")
    t.table("rust-v3-gzip", "wh/two")
    t.write("glue.json", json.dumps({"TableList": [
        {"Name": "orders", "DatabaseName": "db", "Parameters": {"table_type": "ICEBERG", "metadata_location": URI + "/metadata/v2.metadata.json"}},
        {"Name": "gone", "DatabaseName": "db", "Parameters": {"metadata_location": "s3://lake/wh/db/gone/metadata/v1.metadata.json"}}]}))
    with open(os.path.join(t.work, "orders/metadata/v3.metadata.json"), encoding="utf-8") as f:
        document = json.load(f)
    t.write("load.json", json.dumps({"metadata-location": document["metadata-log"][0]["metadata-file"], "metadata": document}))
    rows = ["path,size,mtime"] + ["metadata/%s,%d,2025-03-04T00:00:00Z" % (n, os.path.getsize(os.path.join(t.work, "orders/metadata", n)))
                                 for n in sorted(os.listdir(os.path.join(t.work, "orders/metadata")))] + ["data/left-over.parquet,1,2025-03-01T00:00:00Z"]
    t.write("list.csv", "\n".join(rows) + "\n")
    t.write("objects.json", json.dumps({"Contents": [{"Key": "wh/db/orders/metadata/v%d.metadata.json" % v, "Size": 1,
                                                      "LastModified": "2026-01-01T00:00:00Z"} for v in (1, 2, 3)]}))
    db = sqlite3.connect(os.path.join(t.work, "catalog.db"))
    db.execute("create table iceberg_tables (catalog_name text, table_namespace text, table_name text, metadata_location text, previous_metadata_location text)")
    db.execute("insert into iceberg_tables values ('c', 'db', 'orders', ?, null)", (URI + "/metadata/v3.metadata.json",))
    db.commit()
    db.close()
    lake = {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "rest",
            "spark.sql.catalog.lake.s3.access-key-id": SECRET, "spark.sql.catalog.lake.uri": "http://glue.eu-west-1.amazonaws.com/iceberg"}
    t.write("a.conf", "".join("%s %s\n" % pair for pair in lake.items()) + "spark.sql.catalog.lake.io\\\n  .impl x\n")
    t.write("run.sh", "spark-submit --packages 'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.7.1' --conf spark.sql.catalog.x.type=\"hive\" job.py\n")
    t.write("t.sql", "CREATE TABLE lake.db.t (id int);\nSELECT * FROM db.t;\n")
    t.write("job.json", json.dumps({"Jobs": [{"Name": "j", "Command": {}, "GlueVersion": "5.0", "DefaultArguments": {
        "--conf": " --conf ".join("%s=%s" % pair for pair in lake.items()), "--extra-jars": "s3://b/a.jar,s3://b/c.jar"}}]}))
    t.write("cluster.json", json.dumps({"spark_version": "13.3.x-scala2.12", "spark_conf": lake, "libraries": [{"jar": "a.jar"}]}))
    t.write("eventlog", json.dumps({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": lake, "Classpath Entries": {"/x/a.jar": "System"}}) + "\n")
    t.write("policy.json", json.dumps({"PolicyDocument": {"Statement": [
        {"Sid": "Catalog", "Effect": "Allow", "Action": ["glue:GetTable", "glue:GetTabel"], "Resource": ["arn:aws:glue:eu-west-1:123456789012:*"]}]}}))
    t.write("log.txt", "WARN x\norg.apache.iceberg.exceptions.NotFoundException: File does not exist: s3://lake/wh/db/orders/metadata/m1.avro\n" * 3)
    t.write("tables.ndjson", "bad\norders\nnosuch\n")
    with open(os.path.join(t.work, "earlier.ndjson"), "w") as f:
        f.write(t.run("batch", "orders", "--now", harness.NOW, "--no-config").stdout)
    t.run("check", "bad", "--only", "ref.*", "--write-baseline", "known.txt", "--now", harness.NOW, "--no-config")


NOW = ["--now", harness.NOW, "--no-config"]
ONE = NOW + ["-j", "1"]
LIST = ["--listing", "list.csv", "--base", URI + "/"]
SCENARIOS = {
    "check": Scenario(["check", "bad"] + ONE),
    "check-ndjson": Scenario(["check", "orders", "-f", "ndjson", "-S", "info"] + ONE),
    "check-json": Scenario(["check", "bad", "-f", "json"] + ONE),
    "check-files": Scenario(["check", "bad", "-f", "short", "-o", "json:a.json", "-o", "ndjson:b.ndjson"] + ONE, kept=("a.json", "b.ndjson")),
    "check-below": Scenario(["check", "-r", "wh"] + ONE),
    "check-listing": Scenario(["check", "orders", "--pointer", "glue.json", "--depth", "puffin"] + LIST + ONE),
    "check-formats": Scenario(["check", "bad", "-f", "github", "-o", "sarif:a.sarif", "-o", "junit:b.xml", "-o", "markdown:c.md"] + ONE,
                              kept=("a.sarif", "b.xml", "c.md")),
    "check-baseline": Scenario(["check", "bad", "--baseline", "known.txt", "--write-baseline", "found.txt"] + ONE, kept=("found.txt",)),
    "batch-report": Scenario(["batch", "-o", "markdown:tables.md", "--write-baseline", "found.txt"] + NOW, stdin="tables.ndjson",
                             kept=("tables.md", "found.txt")),
    "check-stdin": Scenario(["check", "orders", "-f", "ndjson", "--listing", "-", "--base", URI + "/"] + ONE, stdin="list.csv"),
    "check-storage": Scenario(["check", "orders", "-f", "ndjson", "--storage", "local"] + ONE),
    "check-cache": Scenario(["check", "orders", "-f", "ndjson", "--cache", "cache"] + ONE, fresh=("cache",)),
    "check-config": Scenario(["check", "bad", "-f", "ndjson", "--config", "own.config", "--now", harness.NOW, "-j", "1"]),
    "check-opinion": Scenario(["check", "orders", "--second-opinion", "-f", "ndjson"] + ONE),
    "check-answer": Scenario(["check", "--pointer", "load.json", "-f", "json"] + ONE),
    "list-files": Scenario(["check", "orders", "--list-files", "-f", "ndjson"] + ONE),
    "batch": Scenario(["batch"] + NOW, stdin="tables.ndjson"),
    "batch-isolate": Scenario(["batch", "--isolate"] + NOW, stdin="tables.ndjson"),
    "batch-resume": Scenario(["batch", "--files-from", "tables.ndjson", "--resume", "earlier.ndjson"] + NOW),
    "inspect": Scenario(["inspect", "files", "orders", "-f", "tsv"] + ONE),
    "inspect-file": Scenario(["inspect", "snapshots", "orders", "-f", "json", "-o", "rows.json"] + ONE, kept=("rows.json",)),
    "dump": Scenario(["dump", "orders/metadata/m1.avro", "--no-config"]),
    "dump-json": Scenario(["dump", "wh/two/metadata/" "%GZIP%", "--no-config"]),
    "diff": Scenario(["diff", "orders", "--from", "v1", "-f", "json", "--storage", "local"] + ONE),
    "history": Scenario(["history", "orders"] + NOW),
    "history-graph": Scenario(["history", "orders", "--graph"] + NOW),
    "pointers": Scenario(["pointers", "glue.json", "orders", "objects.json", "-f", "json"] + NOW),
    "pointers-at": Scenario(["pointers", "glue.json", "orders", "objects.json", "-f", "ndjson", "--at", "2025-03-02T12:00Z"] + NOW),
    "pointers-sqlite": Scenario(["pointers", "catalog.db", "orders", "--map", URI + "=orders"] + NOW, may_pass=True),
    "orphans": Scenario(["orphans", "orders", "-f", "ndjson"] + LIST + ONE),
    "rescue": Scenario(["rescue", "orders", "-f", "ndjson"] + LIST + ONE, may_pass=True),
    "lint-conf": Scenario(["lint-conf", "a.conf", "run.sh", "t.sql", "-f", "ndjson", "-S", "info", "--no-config"]),
    "lint-conf-job": Scenario(["lint-conf", "job.json", "eventlog", "-f", "json", "--no-config"]),
    "lint-conf-policy": Scenario(["lint-conf", "--iam-profile", "glue-read", "policy.json", "orders/metadata/v3.metadata.json", "cluster.json", "--no-config"]),
    "explain": Scenario(["explain", "avro.truncated"]),
    "explain-words": Scenario(["explain", "SHOW", "TABLES"]),
    "explain-log": Scenario(["explain", "-"], stdin="log.txt"),
    "rules": Scenario(["rules", "avro.t*", "-f", "json"]),
    "help": Scenario(["help", "check"]),
    "version": Scenario(["version", "-f", "json"]),
}


class Campaign:
    """One scenario: the undisturbed run, and faults against it."""

    def __init__(self, t, shim, name):
        self.t, self.name, self.scenario = t, name, SCENARIOS[name]
        gzip = [n for n in os.listdir(os.path.join(t.work, "wh/two/metadata")) if ".gz" in n]
        args = [a.replace("%GZIP%", gzip[0]) for a in self.scenario.args]
        t.write("own.config", "severity = avro.truncated=warn\n")
        self.server = Server(t, shim, args, self.scenario.stdin)
        self.names, self.problems = None, 0
        self.good = self.run()
        self.good_files = self.files()
        self.wanted = (self.good.code, unread(self.good.out.decode()), [unread(f) for f in self.good_files])
        self.names = sorted(os.listdir(t.work))
        if self.good.code < 0 or self.good.code & ~3:
            raise harness.Failed("%s: exit %d\n%s%s" % (name, self.good.code, self.good.out, self.good.err))

    def run(self, **plan):
        for name in self.scenario.fresh:
            shutil.rmtree(os.path.join(self.t.work, name), ignore_errors=True)
        for name in self.scenario.kept:
            self.t.write(name, "old")
        result = self.server.run(**plan)
        for name in self.scenario.fresh:
            shutil.rmtree(os.path.join(self.t.work, name), ignore_errors=True)
        return result

    def files(self):
        return [self.t.read(name) for name in self.scenario.kept]

    def complain(self, what, result, plan):
        self.problems += 1
        if self.problems > MOST_SHOWN:
            return
        print("%s with %s: %s\n  exit %d %s" % (self.name, {k: v for k, v in plan.items() if v}, what, result.code, result.err.decode(errors="replace")[-500:]))
        lines = difflib.unified_diff(self.good.out.decode().splitlines(), result.out.decode(errors="replace").splitlines(), "undisturbed", "this", n=0)
        print("\n".join("  " + line[:700] for line in list(lines)[:12]))

    def is_same(self, result):
        """What was read twice is counted twice."""
        return (result.code, unread(result.out.decode(errors="replace")), [unread(f) for f in self.files()]) == self.wanted

    def judge(self, result, plan, codes):
        """The report of before, or one that says that it is not that one: by the exit bits `codes`, and by a message or an entry."""
        if result.code < 0:
            self.complain("hangs" if result.code == -signal.SIGALRM else "died", result, plan)
        left = sorted(os.listdir(self.t.work))
        if left != self.names:
            self.complain("left behind: %s" % sorted(set(left) ^ set(self.names)), result, plan)
        if SECRET.encode() in result.out + result.err:
            self.complain("shows a secret", result, plan)
        if not result.by_exit and result.live > self.good.live:
            self.complain("%d blocks of memory were not given back" % (result.live - self.good.live), result, plan)
        if self.is_same(result):
            return
        # rescue says of each state if what going back to it loses is known exactly; a broken current state is what it is for
        is_said = b'"is_exact":false' in result.out and b'"is_exact":false' not in self.good.out
        if self.scenario.may_pass and (is_said or not plan.get("sticky")):
            return
        if not any(result.code & bit for bit in codes) or result.code > 15:
            self.complain("another report, and nothing says why", result, plan)
        if result.code & 8 and not result.err.startswith(b"icefsck: "):
            self.complain("no message", result, plan)
        if result.code & 8 and result.out != self.good.out and self.is_whole(result.out):
            self.complain("a half report looks whole", result, plan)
        for name, got, whole in zip(self.scenario.kept, self.files(), self.good_files):
            if got not in ("old", whole) and not result.code & 2:
                self.complain("%s is neither the old report nor the new one: %r" % (name, got[-200:]), result, plan)

    def is_whole(self, out):
        """Does a report look whole? Empty ones do where the whole one goes to a file."""
        whole = self.good.out
        if not whole:
            return False
        if whole.lstrip()[:1] in (b"{", b"[") and b'"kind":"' not in whole:
            try:
                json.loads(out)
                return True
            except ValueError:
                return False
        return out.endswith(whole[-40:])

    def close(self):
        self.server.close()
