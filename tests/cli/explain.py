#!/usr/bin/python3 -SEB
"""explain: from words, error texts and logs to rules. explain.py ICEFSCK WORK [TEST...]

Every error text that people search for leads to the same rules typed alone, quoted whole, and deep inside a stack trace of 200 lines.
The traces are made here, in the shapes that Spark's driver, notebooks, CloudWatch and JSON log layouts give them.
"""

import functools
import os
import re
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "meta"))
import tree

# what is typed, the line of a log that holds it, what explain calls it
SEEN = [
    ("TABLE_OR_VIEW_NOT_FOUND", "org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or view `lake`.`shop`.`orders` cannot be found. Verify the spelling and correctness of the schema and catalog.",
     "TABLE_OR_VIEW_NOT_FOUND"),
    ("Cannot modify the value of a static config", "org.apache.spark.sql.AnalysisException: Cannot modify the value of a static config: spark.sql.extensions", "Cannot modify"),
    ("INVALID_IDENTIFIER", "org.apache.spark.sql.catalyst.parser.ParseException: [INVALID_IDENTIFIER] The unquoted identifier my-catalog is invalid and must be back quoted as: `my-catalog`.", "INVALID_IDENTIFIER"),
    ("Cannot derive default warehouse location", "org.apache.iceberg.exceptions.ValidationException: Cannot derive default warehouse location, warehouse path must not be null or empty", "Cannot derive default"),
    ("NoSuchMethodError", "java.lang.NoSuchMethodError: 'scala.collection.Seq org.apache.spark.sql.catalyst.plans.logical.LogicalPlan.children()'", "NoSuchMethodError"),
    ("InstantiationException", "java.lang.InstantiationException: org.apache.iceberg.io.FileIO", "a class of the catalog"),
    ("AccessDeniedException", "software.amazon.awssdk.services.glue.model.AccessDeniedException: User: arn:aws:sts::111122223333:assumed-role/etl/i-0abc is not authorized to perform: glue:GetTable on resource: "
     "arn:aws:glue:eu-west-1:111122223333:catalog (Service: Glue, Status Code: 400, Request ID: 6f2a)", "AccessDenied, 403"),
    ("403", "software.amazon.awssdk.services.s3.model.S3Exception: Access Denied (Service: S3, Status Code: 403, Request ID: 8XK2, Extended Request ID: aa=)", "AccessDenied, 403"),
    ("catalog not found", "org.apache.spark.sql.connector.catalog.CatalogNotFoundException: Catalog 'glue_catalog' plugin class not found: spark.sql.catalog.glue_catalog is not defined", "catalog not found"),
    ("not visible in Athena", "RuntimeError: table shop.orders is not visible in Athena", "the table is not visible in Athena"),
    ("refresh_delayed", "26/11/30 06:10:02 WARN monitor: orders_daily status=refresh_delayed expected_interval=1h", "yesterday's data"),
]
TYPED = [
    ("SHOW TABLES is empty", "SHOW TABLES is empty"), ("empty SHOW TABLES", "SHOW TABLES is empty"), ("show tables", "SHOW TABLES is empty"),
    ("table or view not found", "TABLE_OR_VIEW_NOT_FOUND"), ("catalog not found", "catalog not found"), ("403 forbidden", "AccessDenied, 403"),
    ("stale data", "yesterday's data"), ("not visible in Athena", "the table is not visible"), ("Athena", "the table is not visible"),
]

CALLS = ["org.apache.spark.sql.catalyst.analysis.CheckAnalysis.$anonfun$checkAnalysis0$%d(CheckAnalysis.scala:%d)", "org.apache.iceberg.spark.SparkCatalog.load(SparkCatalog.java:%d%d)",
         "org.apache.iceberg.aws.glue.GlueTableOperations.getGlueTable(GlueTableOperations.java:%d%d)", "java.base/java.lang.reflect.Method.invoke(Method.java:%d%d)", "scala.collection.immutable.List.foreach(List.scala:%d%d)",
         "software.amazon.awssdk.core.internal.http.pipeline.stages.RetryableStage.execute(RetryableStage.java:%d%d)", "jdk.internal.reflect.GeneratedMethodAccessor%d.invoke(Unknown Source:%d)", "py4j.reflection.MethodInvoker.invoke(MethodInvoker.java:%d%d)"]


def frames(n):
    return ["\tat " + CALLS[i % len(CALLS)] % (i + 1, i) for i in range(n)]


def trace(inner, outer="org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 1.0 failed 4 times"):
    """A trace of 200 lines: the exception that is told, what it wraps, and the true one."""
    lines = ["26/11/30 02:15:44 INFO SparkContext: Running Spark version 3.5.4", "26/11/30 02:15:51 ERROR ApplicationMaster: User class threw exception: ", outer]
    lines += frames(90) + ["Caused by: java.util.concurrent.ExecutionException: java.lang.RuntimeException: the call of the catalog failed"] + frames(50) + ["\t... 93 more", "Caused by: " + inner]
    return lines + frames(200 - len(lines) - 2) + ["\t... 61 more", "26/11/30 02:15:52 INFO ShutdownHookManager: Shutdown hook called"]


@functools.lru_cache(maxsize=None)
def symptoms():
    return {tree.string(args[1]) for args, _ in tree.calls(tree.without_comments(tree.read("src/rule/symptoms.def")), "ICE_SYMPTOM")}


def titles(done):
    """What explain says is seen: the lines that begin with the name of a symptom."""
    return [line for line in done.stdout.split("\n") if line.split("  (line ")[0] in symptoms()]


def explain(t, *words, log=None, code=0):
    return t.run("explain", *(words or ["-"]), stdin=log, code=code)


def rules_of(done):
    known = {rule.name for rule in tree.rules()}
    return [word for word in re.findall(r"^  (?:error|warn |info )  (\S+)", done.stdout, re.M) if word in known]


@functools.lru_cache(maxsize=None)
def causes(name):
    """The rules and commands of the row of symptoms.def whose name begins so."""
    text = tree.without_comments(tree.read("src/rule/symptoms.def"))
    token = next(args[0] for args, _ in tree.calls(text, "ICE_SYMPTOM") if tree.string(args[1]).startswith(name))
    names = {rule.token: rule.name for rule in tree.rules()}
    return [names[args[1]] for args, _ in tree.calls(text, "ICE_CAUSE") if args[0] == token], [tree.string(args[1]) for args, _ in tree.calls(text, "ICE_ASK") if args[0] == token]


def test_alone(t):
    for typed, line, name in SEEN:
        for words in ([typed], typed.split(), [line]):
            done = explain(t, *words)
            t.true(titles(done)[0].startswith(name), "%s: %s" % (words, titles(done)))
            rules, commands = causes(name)
            t.equal(rules_of(done)[:len(rules)], rules, typed)
            for command in commands:
                t.has(done.stdout, "\n  %s\n" % command)


def test_typed(t):
    for typed, name in TYPED:
        for words in ([typed], typed.split(), [typed.upper()], ["why", "is"] + typed.split()):
            t.true(any(title.startswith(name) for title in titles(explain(t, *words))), "%s: %s" % (words, titles(explain(t, *words))))


def test_inside_a_trace(t):
    for typed, line, name in SEEN:
        log = trace(line)
        t.equal(len(log), 200, typed)
        done = explain(t, log="\n".join(log) + "\n")
        at = 1 + next(i for i, text in enumerate(log) if text == "Caused by: " + line)
        t.true(titles(done)[0].startswith(name) and ("(line %d, innermost cause" % at) in titles(done)[0], "%s: %s" % (typed, titles(done)))
        t.equal(rules_of(done)[:len(causes(name)[0])], causes(name)[0], typed)


def test_outside_of_a_trace(t):
    """The same line as the exception that is told, of which the trace has another cause: it comes behind that."""
    for typed, line, name in SEEN:
        if name.startswith("a class of the catalog"):
            continue
        log = trace("java.lang.IllegalArgumentException: Cannot initialize FileIO, missing no-arg constructor: org.apache.iceberg.aws.s3.S3FileI", outer=line)
        done = titles(explain(t, log="\n".join(log)))
        t.true(done[0].startswith("a class of the catalog"), "%s: %s" % (typed, done))
        t.true(any(title.startswith(name) for title in done[1:]), "%s: %s" % (typed, done))


def test_shapes_of_logs(t):
    """Times in front of every line; a JSON layout; what a notebook shows of a Python error."""
    line = SEEN[6][1]
    log = trace(line, outer=SEEN[0][1])
    shapes = {
        "cloudwatch": "".join("2026-11-30T02:15:51.123Z " + text + "\n" for text in log),
        "crlf": "".join(text + "\r\n" for text in log),
        "json": '{"ts":"2026-11-30T02:15:51Z","level":"ERROR","exception":{"stacktrace":"%s"}}\n{"ts":"x","level":"INFO"}\n' % "\n".join(log).replace("\t", "\\t").replace("\n", "\\n"),
        "notebook": "---------\nPy4JJavaError   Traceback (most recent call last)\nFile <command-1>:1\n----> 1 spark.sql('SELECT 1')\n\nPy4JJavaError: An error occurred while calling o42.sql.\n: " + "\n".join(log[2:]) + "\n",
        "indented": "".join("    " + text + "\n" for text in log[2:]),
    }
    for shape, text in shapes.items():
        done = titles(explain(t, log=text))
        t.true(done[0].startswith("AccessDenied, 403") and "innermost" in done[0] and done[1].startswith("TABLE_OR_VIEW"), "%s: %s" % (shape, done))


def test_sound_logs_show_nothing(t):
    """The driver logs that are here tell of sound reads."""
    for place in ("tests/story/spark/driver.log", "fixtures/inputs/driver-iceberg-1.6.1.log"):
        with open(os.path.join(harness.ROOT, place), encoding="utf-8") as f:
            done = t.run("explain", "-", stdin=f.read())
        t.equal((done.returncode, done.stdout), (1, ""), place)


def test_rule_names_in_a_log(t):
    done = explain(t, log="x.json: error: cut [avro.truncated]\nsee hint.stale.\n")
    t.equal(sorted(line.split()[1] for line in done.stdout.splitlines()), ["avro.truncated", "hint.stale"])


def test_hostile_words(t):
    """Bytes of the log are never printed."""
    log = b"\x1b[31m \xff\xfe\x00 Caused by: [TABLE_OR_VIEW_NOT_FOUND]\x1b]0;x\x07 AKIAABCDEFGHIJKLMNOP\n\\\\\\" + b"\\n" * 5000
    done = t.run("explain", "-", stdin=log, text=False, code=0)
    t.true(b"\x1b" not in done.stdout and b"AKIA" not in done.stdout, done.stdout)
    t.usage("explain", has=["SHOW TABLES"])
    t.run("explain", "", code=1)


def test_a_long_log(t):
    """64 MiB of log, most of it one line, in 32 MiB of memory."""
    plain = "26/11/30 02:15:44 INFO BlockManagerInfo: Added broadcast_403_piece0 in memory on driver (size: 34.1 KiB, free: 434.4 MiB)\n"
    path = t.write("long.log", plain * (16 * (1 << 20) // len(plain)) + "x" * (48 << 20) + "\n" + "\n".join(trace(SEEN[2][1])))
    with open(path, "rb") as log:

        def child():
            os.dup2(log.fileno(), 0)
            if "ICEFSCK_SANITIZED" not in os.environ:
                resource.setrlimit(resource.RLIMIT_DATA, (32 << 20, 32 << 20))

        done = t.run("explain", "-", code=0, preexec_fn=child)
    t.equal([title.split("  ")[0] for title in titles(done)], ["INVALID_IDENTIFIER"])


if __name__ == "__main__":
    harness.main(globals())
