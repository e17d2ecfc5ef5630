#!/usr/bin/python3 -SEB
"""Known findings: hidden, counted, the same in every format. baseline.py ICEFSCK WORK [TEST...]"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

FINDING = "%s/metadata/v3.metadata.json"


def lines_of(t, *args, **more):
    lines = t.lines(t.check(*args, "-S", "info", "-f", "ndjson", **more).stdout)
    return [line for line in lines if line["kind"] == "finding"], lines[-1]


def edit(t, table, change):
    document = json.loads(t.read(FINDING % table))
    change(document)
    t.write(FINDING % table, json.dumps(document, indent=1))


def unknown(t, table, *names):
    edit(t, table, lambda d: d.update((name, 1) for name in names))


def test_what_is_known_is_hidden_and_counted(t):
    t.table()
    unknown(t, "table", "x-a", "x-b")
    findings, summary = lines_of(t, "table", code=0)
    t.equal([f["pointer"] for f in findings], ["/x-a", "/x-b"])
    t.true("baseline" not in summary, "only where one is given")
    t.check("table", "--write-baseline", "known", "--fail-on", "info", code=1)
    findings, summary = lines_of(t, "table", "--baseline", "known", "--fail-on", "info", code=0)
    t.equal((findings, summary["counts"]["info"], summary["baseline"]), ([], 0, {"known": 2, "fixed": 0}))
    t.has(t.check("table", "--baseline", "known").stdout, "no new findings · 2 in baseline ·")
    unknown(t, "table", "x-new")
    findings, summary = lines_of(t, "table", "--baseline", "known", "--fail-on", "info", code=1)
    t.equal(([f["pointer"] for f in findings], summary["counts"]["info"]), (["/x-new"], 1))
    edit(t, "table", lambda d: (d.pop("x-a"), d.pop("x-new")))
    t.equal(lines_of(t, "table", "--baseline", "known", code=0)[1]["baseline"], {"known": 1, "fixed": 1})
    t.has(t.check("table", "--baseline", "known").stdout, "1 in baseline, 1 fixed: remove it")
    t.check("table", "--baseline", "known", "--write-baseline", "known", code=0)
    t.equal(lines_of(t, "table", "--baseline", "known", code=0)[1]["baseline"], {"known": 1, "fixed": 0})


def test_lines_move_and_findings_stay_known(t):
    t.table()
    unknown(t, "table", "x-a")
    t.check("table", "--write-baseline", "known", code=0)
    document = json.loads(t.read(FINDING % "table"))
    t.write(FINDING % "table", "\n\n\n" + json.dumps(document))
    t.equal(lines_of(t, "table", "--baseline", "known", code=0)[0], [])


def commit(t, table, change):
    """The next metadata file, as a commit writes it."""
    document = json.loads(t.read(FINDING % table))
    change(document)
    document["metadata-log"].append({"timestamp-ms": document["last-updated-ms"], "metadata-file": document["location"] + "/metadata/v3.metadata.json"})
    document["last-updated-ms"] += 1000
    t.write("%s/metadata/v4.metadata.json" % table, json.dumps(document))
    t.write("%s/metadata/version-hint.text" % table, "4")


def fault_of_every_kind(document):
    second = document["snapshots"][1]
    second["schema-id"] = 77
    second["summary"]["operation"] = "zap"
    document["schemas"].append({"type": "struct", "schema-id": 5, "fields": [{"id": 1, "name": "a", "required": False, "type": "zap"}, {"id": 2, "name": "b", "required": False, "type": "zip"}]})
    document["partition-specs"].append({"spec-id": 9, "fields": [{"name": "q", "transform": "zap", "source-id": 1, "field-id": 1009}]})
    document["sort-orders"].append({"order-id": 9, "fields": [{"transform": "identity", "source-id": 777, "direction": "asc", "null-order": "nulls-first"}]})
    document["refs"]["old"] = {"snapshot-id": 12345, "type": "tag"}
    document["statistics"] = [{"snapshot-id": n, "statistics-path": "x%d" % n, "file-size-in-bytes": 9, "file-footer-size-in-bytes": 1, "blob-metadata": []} for n in (4242, 4243)]
    document["x-a"] = 1


def by_message(findings):
    """Of what is told in metadata files. A message twice would hide a finding."""
    return sorted((f["rule"], f["message"], f["fingerprint"]) for f in findings if "metadata.json" in (f["file"] or ""))


ONLY = ["--only", "json.*,schema.*,spec.*,sort.*,snapshot.*,ref.*,stats.*", "--severity", "snapshot.parent.missing=off"]


def test_the_table_moves_on_and_findings_stay_known(t):
    """A commit, an expiry, and lists in another order; what is new is told."""
    t.table()
    edit(t, "table", fault_of_every_kind)
    before = by_message(lines_of(t, "table", *ONLY)[0])
    rules = {rule for rule, _, _ in before}
    for rule in ("json.field.unknown", "schema.type.unknown", "spec.field.transform-unknown", "sort.field.source", "snapshot.schema-id.dangling", "ref.snapshot.dangling", "stats.snapshot-dangling"):
        t.true(rule in rules, "%s is not in %r" % (rule, rules))
    t.equal(len({fingerprint for _, _, fingerprint in before}), len(before), "two findings of a table")
    t.check("table", *ONLY, "--write-baseline", "known")

    def expire_and_reorder(document):
        del document["snapshots"][0], document["refs"]["v1.0"]
        for name in ("snapshots", "schemas", "partition-specs", "sort-orders", "statistics"):
            document[name].reverse()
        for name in ("snapshot-log", "metadata-log"):
            document[name] = document[name][1:]

    commit(t, "table", expire_and_reorder)
    after, summary = lines_of(t, "table", *ONLY)
    t.equal((by_message(after), summary["metadata_file"]), (before, "metadata/v4.metadata.json"))
    found, summary = lines_of(t, "table", *ONLY, "--baseline", "known", code=0)
    t.equal((found, summary["baseline"]["fixed"]), ([], 0))

    def near_miss(document):
        expire_and_reorder(document)
        document["snapshots"][0]["schema-id"] = 77
        document["schemas"][0]["fields"][0].update(id=3)
        document["sort-orders"][0]["order-id"] = 8
        document["refs"]["new"] = document["refs"].pop("old")

    commit(t, "table", near_miss)
    found, summary = lines_of(t, "table", *ONLY, "--baseline", "known", code=1)
    t.equal(sorted(f["rule"] for f in found), ["ref.snapshot.dangling", "schema.type.unknown", "snapshot.schema-id.dangling", "sort.field.source"])


def test_what_got_worse_is_new(t):
    t.table()
    unknown(t, "table", "x-a")
    t.check("table", "--write-baseline", "known", code=0)
    t.equal(len(lines_of(t, "table", "--baseline", "known", "--severity", "json.field.unknown=error", code=1)[0]), 1)
    t.check("table", "--severity", "json.field.unknown=error", "--write-baseline", "worse", code=1)
    t.equal(len(lines_of(t, "table", "--baseline", "worse", code=0)[0]), 0)


def test_fixed_only_where_it_was_looked_at(t):
    t.table("damaged", "bad")
    t.check("bad", "--write-baseline", "known", code=3)
    clean = t.table(name="clean")
    os.rename(clean, os.path.join(t.work, "bad2"))
    for args, fixed in ((["bad2"], 5), (["bad2", "--only", "ref.*"], 1), (["bad2", "--depth", "metadata"], 3), (["bad2", "--depth", "list"], 4), (["bad2", "--snapshot", "main"], 0)):
        t.equal(lines_of(t, *args, "--baseline", "known")[1]["baseline"], {"known": 0, "fixed": fixed}, str(args))
    t.equal(lines_of(t, "bad", "--baseline", "known", code=2)[1]["baseline"], {"known": 5, "fixed": 0}, "bit 2 stays")


def test_what_could_not_be_read_is_not_known(t):
    """A member that is there and unusable hides what it would lead to: bit 2, whatever hides the finding itself."""
    def whole(d):
        d["snapshots"] = "x"

    def element(d):
        d["snapshots"].append(5)

    def its_id(d):
        d["snapshots"][0]["snapshot-id"] = "101"

    def path(d):
        d["statistics"] = [{"snapshot-id": 101, "statistics-path": 5, "file-size-in-bytes": 99, "file-footer-size-in-bytes": 40, "blob-metadata": []}]

    below = ["list.*", "manifest.*"]
    for change, what, why in ((whole, ["snapshot.*", "ref.*"] + below, "snapshots could not be read"),
                              (element, ["snapshot.*", "ref.*"] + below, "an element of snapshots could not be read"),
                              (its_id, ["snapshot.*", "ref.*"], "an id or path in snapshots could not be read"),
                              (path, ["stats.*"], "an id or path in statistics could not be read")):
        t.table(name=change.__name__)
        edit(t, change.__name__, change)
        t.check(change.__name__, "--write-baseline", "known", code=3)
        findings, summary = lines_of(t, change.__name__, "--baseline", "known", code=2)
        lines = [line for line in summary["not_evaluated"] if line["asked"]]
        t.equal((findings, [line["what"] for line in lines], {line["why"] for line in lines}, summary["complete"]), ([], what, {why}, False), change.__name__)
        told = t.run("orphans", change.__name__, "--storage", "local", "--now", harness.NOW)
        if change != its_id:
            t.equal((told.returncode, told.stdout.count("\n")), (2, 1), "no file may be called an orphan")
            t.has(told.stderr, "what it names is unknown")
    findings, summary = lines_of(t, "whole", "--only", "live.*", code=2)
    t.equal([line["what"] for line in summary["not_evaluated"] if line["asked"]], below)
    findings, summary = lines_of(t, "whole", "--depth", "metadata", "--only", "live.*", code=0)
    t.equal([line["what"] for line in summary["not_evaluated"] if line["asked"]], [])
    lines_of(t, "path", "--only", "live.*", code=0)


def test_more_than_the_usual_limits(t):
    t.table()
    unknown(t, "table", *("x-%d" % i for i in range(60)))
    t.check("table", "--write-baseline", "known", code=0)
    t.equal(t.read("known").count("\n"), 62)
    unknown(t, "table", "x-new")
    findings, summary = lines_of(t, "table", "--baseline", "known", code=0)
    t.equal(([f["pointer"] for f in findings], summary["baseline"]["known"]), (["/x-new"], 60))
    findings, _ = lines_of(t, "table", "--baseline", "known", "--max-findings", "5", code=0)
    t.equal([f["more"] for f in findings if f["rule"] == "json.field.unknown"], [56], "what stands for others is never hidden")


def test_batch_and_children(t):
    t.table("damaged", "bad")
    t.table("plain-v3", "good")
    unknown(t, "good", "x-a")
    t.check("bad", "good", "--write-baseline", "known", code=3)
    for args in ([], ["-j", "2"], ["--isolate"]):
        done = t.run("batch", "bad", "good", "--now", harness.NOW, "--write-baseline", "again", *args, code=3)
        t.equal(t.read("again"), t.read("known"), str(args))
        done = t.run("batch", "bad", "good", "--now", harness.NOW, "-S", "info", "--baseline", "known", *args, code=2)
        t.equal([(line["findings"], line["summary"]["baseline"]) for line in t.lines(done.stdout)],
                [([], {"known": 5, "fixed": 0}), ([], {"known": 1, "fixed": 0})], str(args))
        t.has(done.stderr, "6 in baseline, 0 fixed")
    first = t.run("batch", "good", "--now", harness.NOW, "--baseline", "known", code=0).stdout
    t.write("results", first)
    t.has(t.run("batch", "good", "--now", harness.NOW, "--baseline", "known", "--resume", "results", code=0).stderr, "1 were there already")
    t.write("known", "# icefsck baseline 1\n")
    t.has(t.run("batch", "good", "--now", harness.NOW, "--baseline", "known", "--resume", "results", code=0).stderr, "0 were there already")


def test_tables_do_not_hide_for_each_other(t):
    """Two tables without a uuid whose files have the same names: their names tell their findings apart."""
    for name in ("a", "b"):
        t.table("plain-v1", name)
        path = "%s/metadata/%s" % (name, sorted(f for f in os.listdir(os.path.join(t.work, name, "metadata")) if f.endswith(".metadata.json"))[-1])
        document = json.loads(t.read(path))
        document.pop("table-uuid", None)
        document["location"] = document["location"].rsplit("/", 1)[0] + "/" + name
        document["x-a"] = 1
        t.write(path, json.dumps(document))
    t.check("a", "--only", "json.*", "--write-baseline", "known")
    pointers = [f["pointer"] for f in lines_of(t, "a", "--only", "json.*", "--baseline", "known")[0]]
    t.equal(pointers, [])
    t.equal([f["pointer"] for f in lines_of(t, "b", "--only", "json.*", "--baseline", "known")[0]], ["/x-a"])
    found = {f["fingerprint"] for name in ("a", "b") for f in lines_of(t, name, "--only", "json.*")[0]}
    t.equal(len(found), 2)


def test_lint_conf(t):
    t.write("spark-defaults.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.type hve\n")
    first = t.run("lint-conf", "spark-defaults.conf", "--write-baseline", "known")
    t.equal(first.returncode & 1, 1)
    again = t.run("lint-conf", "spark-defaults.conf", "--baseline", "known")
    t.equal(again.returncode, 0)
    t.has(again.stdout, "in baseline")


def test_the_file(t):
    """For people and git: same findings, same bytes; hostile names stay in their field."""
    t.table("damaged", "bad")
    t.table(name="good")
    unknown(t, "good", "x\ty\n\u202e\x1b[2J", "z")
    for jobs, order in (("1", ["bad", "good"]), ("8", ["good", "bad"])):
        t.check(*order, "-j", jobs, "--write-baseline", "known" + jobs, code=3)
    text = t.read("known1")
    t.equal(text, t.read("known8"))
    t.true(text.isascii() and "\x1b" not in text, repr(text))
    for line in text.splitlines():
        t.true(line.startswith("# ") or re.fullmatch(r"[0-9a-f]{16}\t\d+\t(error|warn|info)\t[a-z0-9.-]+(\t[^\t]*){4}", line), line)
    t.write("crlf", text.replace("\n", "\r\n") + "\r\n# a remark\r\n")
    t.equal(lines_of(t, "good", "--baseline", "crlf", code=0)[0], [])
    for bad, has in (("", "does not begin with"), ("{}", "does not begin with"), (text + "x\n", "line 10 is none of a baseline"),
                     (text + "0123456789abcdef\t0\twarn\thint.stale\ta\tb\n", "line 10"), (text + "0123456789abcde\t1\twarn\thint.stale\ta\tb\n", "line 10"),
                     (text + "0123456789abcdef\t1\tfatal\thint.stale\ta\tb\n", "line 10")):
        t.write("broken", bad)
        t.usage("check", "good", "--baseline", "broken", has=[has])
    t.has(t.check("good", "--write-baseline", "no/such/file", code=8).stderr, "cannot be written")
    t.equal(sorted(f for f in os.listdir(t.work) if f.startswith("known")), ["known1", "known8"], "no temporary file is left")


def test_fingerprints_are_equal_in_every_format(t):
    t.table("damaged", "bad")
    wanted = sorted(f["fingerprint"] for f in lines_of(t, "bad", code=3)[0])
    t.check("bad", "--write-baseline", "known", code=3)
    found = {"baseline": re.findall(r"^([0-9a-f]{16})\t", t.read("known"), re.M)}
    texts = {name: t.check("bad", "-S", "info", "-f", name, code=3).stdout for name in ("json", "sarif", "junit")}
    found["json"] = [f["fingerprint"] for table in json.loads(texts["json"])["tables"] for f in table["findings"]]
    found["sarif"] = [r["partialFingerprints"]["icefsckFinding/v1"] for r in json.loads(texts["sarif"])["runs"][0]["results"]]
    found["junit"] = re.findall(r"\[([0-9a-f]{16})\]\n", texts["junit"])
    found["batch"] = [f["fingerprint"] for line in t.lines(t.run("batch", "bad", "--now", harness.NOW, "-S", "info", code=3).stdout) for f in line["findings"]]
    for name, fingerprints in found.items():
        t.equal(sorted(fingerprints), wanted, name)
    for name in ("human", "short", "json", "ndjson", "sarif", "junit", "github", "markdown", "html"):
        text = t.check("bad", "-S", "info", "-f", name, "--baseline", "known", code=2).stdout
        t.lacks(text, "main names snapshot 103")
        t.lacks(text, wanted[0])


harness.main(dict(globals()))
