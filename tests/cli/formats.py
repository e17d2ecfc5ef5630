#!/usr/bin/python3 -SEB
"""SARIF and what else other programs read, by what reads it. formats.py ICEFSCK WORK [TEST...]"""

import copy
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from html import unescape
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

# what ends a text, begins markup, a command or a line, in one format or another
HOSTILE = ["|a|`b`*c*_d_<b>&amp;[x](y)\\\\|~z~ https://x.y www.x.y @me #1 :a: $b$ 1. e@x.y", "</script><script>alert(1)</script>", "<!-- -->]]><x y='\"&#38;amp;", "a\n::error file=x::y\r\n::stop-commands::z", "%0A::error::%25",
           "| a | b |\n|---|\n`x` **b** [l](javascript:x) ![i](y) <b>", "\x1b]0;t\x07\x1b[2J", "\u202eevil\u2066\u200b", "nul\x00end \x7f\x85\u2028\ufffe",
           "\\x41 \\u{202e} \\\" ' ;rm -rf", "s3://b/%2e%2e/a b?c#d", "-->", "C:\\a:1:2: error: [x]", "", " ", "#", "# h", "~~~\n```\n"]


def hostile(t, name="hostile", is_utf8=True):
    """A table whose names are all of HOSTILE, in places that findings quote."""
    place = t.table("plain-v2", name)
    path = os.path.join(place, "metadata", sorted(f for f in os.listdir(place + "/metadata") if f.endswith(".metadata.json"))[-1])
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    for i, text in enumerate(HOSTILE):
        document[text + str(i)] = text
        document["properties"]["write.target-file-size-bytes" + text] = text
        document["properties"].setdefault("write.metadata.compression-codec", text)
        document["refs"][text + "r%d" % i] = {"snapshot-id": 10 ** 15 + i, "type": text or "x"}
        document["snapshots"].append(dict(document["snapshots"][-1], **{"snapshot-id": 77000 + i, "manifest-list": "%s/metadata/%s.avro" % (document["location"], text)}))
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as f:
        json.dump(document, f, ensure_ascii=False)
    if is_utf8:
        return
    with open(path, "rb") as f:
        raw = f.read()
    with open(path, "wb") as f:
        f.write(raw.replace(b"alert(1)", b"alert\xff\xc3(1)"))


def unicode_of(text):
    return [c for c in text if ord(c) < 32 and c not in "\n\t" or c in "\u202e\u2066\u2028"]


def every_run(t, name, *more):
    """The report in that format of each kind of run, and the finished process."""
    t.table("damaged", "bad")
    t.table()
    hostile(t)
    hostile(t, "bytes\n::error::<b>|", is_utf8=False)
    setup = os.path.join(harness.ROOT, "fixtures", "conf")
    conf = [os.path.join(d, f) for d, _, files in sorted(os.walk(setup)) for f in sorted(files) if d.endswith("/setup")][0]
    for paths in (["bad"], ["table"], ["hostile"], ["bad", "hostile", "table"], ["bytes\n::error::<b>|"], ["no-such"]):
        yield t.check(*paths, "-S", "info", "-f", name, *more)
    yield t.run("lint-conf", conf, "-S", "info", "-f", name, *more)
    done = t.run("batch", "bad", "hostile", "table", "no-such", "--now", harness.NOW, "-S", "info", "-o", name + ":report", *more)
    with open(os.path.join(t.work, "report"), encoding="utf-8") as f:
        done.stdout = f.read()
    yield done


# ---- what every format tells ----

def test_the_current_state_is_told(t):
    """Of forty lists that are missing the current one comes last: no format may leave it among those that it only counts."""
    path = t.table() + "/metadata/v3.metadata.json"
    document = json.loads(t.read(path))
    first = document["snapshots"][0]
    for i in range(37):
        old = dict(first, **{"snapshot-id": 1000 + i, "timestamp-ms": first["timestamp-ms"] - 40000 + i, "manifest-list": "%s/metadata/old-%d.avro" % (document["location"], i)})
        if i > 0:
            old["parent-snapshot-id"] = 999 + i
        document["snapshots"].insert(i, old)
    first["parent-snapshot-id"], document["refs"] = 1036, {"main": document["refs"]["main"]}
    t.write(path, json.dumps(document))
    for name in ("snap-1.avro", "snap-2.avro", "snap-3.avro"):
        os.remove(os.path.join(os.path.dirname(path), name))
    told = "metadata/snap-3.avro is not there: a current state cannot be read"
    for name in ("human", "short", "json", "ndjson", "sarif", "junit", "github", "markdown", "html"):
        t.has(unescape(t.check("table", "-f", name, "--only", "storage.*", code=3).stdout).replace("`", "").replace("\\", ""), told)
    for name in ("human", "markdown"):
        lines = [at for at in t.check("table", "-f", name, "--only", "storage.*", code=3).stdout.split("\n") if "not there" in at]
        t.has(lines[0], "a current state")
        t.equal(len(lines), 3, lines)
        t.true("(+37 more)" in lines[-1] or "37 more" in lines[-1], lines)
    found = t.lines(t.check("table", "-f", "ndjson", "--only", "storage.*", code=3).stdout)
    kept = [f for f in found if f["kind"] == "finding" and f["rule"] == "storage.manifest-list.missing"]
    t.equal([len(kept), sum(1 + f["more"] for f in kept), found[-1]["counts"]["error"]], [20, 40, 40])
    t.equal(kept[-1]["pointer"], "/snapshots/39/manifest-list")


# ---- SARIF ----

def sarif_schema():
    """As OASIS Open published it (errata of 2.1.0); an implementation may carry a copy."""
    with open(os.path.join(harness.HERE, "sarif-schema-2.1.0.json"), encoding="utf-8") as f:
        return json.load(f)


def test_sarif_is_valid(t):
    schema = sarif_schema()
    for done in every_run(t, "sarif"):
        document = json.loads(done.stdout)
        t.equal(harness.schema_errors(schema, document), "", "%s" % done.args)
        run = document["runs"][0]
        t.equal(run["invocations"][0]["exitCode"], done.returncode)
        t.equal(run["invocations"][0]["executionSuccessful"], done.returncode & 2 == 0)
        for result in run["results"]:
            rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
            t.equal(rule["id"], result["ruleId"])
            t.true(rule["helpUri"].startswith("https://") and len(rule["help"]["text"]) > 20, rule)
    broken = copy.deepcopy(document)
    del broken["runs"][0]["tool"]["driver"]["name"]
    t.has(harness.schema_errors(schema, broken), "'name' is a required property")
    broken = copy.deepcopy(document)
    broken["runs"][0]["results"][0]["level"] = "warn"
    t.has(harness.schema_errors(schema, broken), "'warn' is not one of")


def test_sarif_says_what_ndjson_says(t):
    t.table("damaged", "bad")
    lines = t.lines(t.check("bad", "-S", "info", "-f", "ndjson", code=3).stdout)
    run = json.loads(t.check("bad", "-S", "info", "-f", "sarif", code=3).stdout)["runs"][0]
    wanted = {"error": "error", "warn": "warning", "info": "note"}
    results = {r["partialFingerprints"]["icefsckFinding/v1"]: r for r in run["results"]}
    findings = [line for line in lines if line["kind"] == "finding"]
    t.equal(len(results), len(findings))
    for finding in findings:
        result = results[finding["fingerprint"]]
        location = result["locations"][0]
        physical = location["physicalLocation"]
        t.equal(result["ruleId"], finding["rule"])
        t.equal(result["level"], wanted[finding["severity"]])
        t.equal(result["message"]["text"], finding["message"])
        t.equal(result["occurrenceCount"], 1 + finding["more"])
        t.equal(result["properties"]["args"], finding["args"])
        t.equal(location["logicalLocations"][0]["fullyQualifiedName"], finding["table"])
        t.equal(physical["artifactLocation"]["uri"], "bad/" + finding["file"])
        t.equal(physical.get("region"), None if finding["line"] is None else {"startLine": finding["line"], "startColumn": finding["column"]})
        for key in ("block", "record", "offset", "pointer"):
            t.equal(result["properties"].get(key), finding[key], key)
    levels = [r["level"] for r in run["results"]]
    t.equal(levels, sorted(levels, key=["error", "warning", "note"].index), "errors first")
    notices = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    for line in lines[-1]["not_evaluated"]:
        t.true("not %s: %s: %s" % ("checked" if line["asked"] else "asked", line["what"], line["why"]) in notices, "%s lacks %s" % (notices, line))


def test_sarif_places(t):
    """A URI is relative to where icefsck ran, and what means something in one is encoded."""
    t.table("damaged", "a b#%é")
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for r in json.loads(t.check("a b#%é", "-f", "sarif").stdout)["runs"][0]["results"]}
    t.true(all(u.startswith("a%20b%23%25%C3%A9/metadata/") for u in uris) and uris, uris)
    whole = os.path.join(t.work, "a b#%é")
    for result in json.loads(t.check(whole, "-f", "sarif").stdout)["runs"][0]["results"]:
        t.has(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///")


def test_sarif_keeps_the_worst(t):
    place = t.table("damaged", "bad")
    path = os.path.join(place, "metadata", sorted(f for f in os.listdir(place + "/metadata") if f.endswith(".metadata.json"))[-1])
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    document.update(("unknown-%05d" % i, 1) for i in range(5100))
    t.write(path, json.dumps(document))
    for jobs in ("1", "4"):
        run = json.loads(t.check("bad", "-S", "info", "--max-findings", "0", "-f", "sarif", "-j", jobs, code=3).stdout)["runs"][0]
        t.equal(len(run["results"]), 5000)
        levels = [r["level"] for r in run["results"]]
        t.equal(levels, sorted(levels, key=["error", "warning", "note"].index))
        t.true(levels.count("error") > 0 and levels[-1] == "note", levels[:9])
        t.true(any("only the 5000 worst of 51" in n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]), "says so")
    t.equal(harness.schema_errors(sarif_schema(), {"version": "2.1.0", "runs": [run]}), "")


# ---- JUnit ----

def test_junit_is_read(t):
    """By junitparser, as CI servers do, and by an XML parser; numbers are what is there."""
    junitparser = harness.package("junitparser")
    for done in every_run(t, "junit"):
        root = ElementTree.fromstring(done.stdout.encode())
        xml = junitparser.JUnitXml.fromstring(done.stdout.encode())
        failures, errors = 0, 0
        for suite, element in zip(xml, root):
            t.equal((suite.tests, suite.failures, suite.errors, suite.skipped),
                    tuple(len(element.findall("testcase" + e)) for e in ("", "/failure", "/error", "/skipped")))
            t.equal(set(element.attrib), {"name", "tests", "failures", "errors", "skipped"}, "no time")
            failures += suite.failures
            errors += suite.errors
            for case in element:
                t.equal(case.tag, "testcase")
                t.true(set(case.attrib) == {"name", "classname"} and len(case) <= 1, ElementTree.tostring(case))
            names = [case.get("name") for case in element]
            t.equal(len(names), len(set(names)), "each rule once")
        t.equal((failures > 0, errors > 0), (done.returncode & 1 > 0, done.returncode & 2 > 0), "%s" % done.args)
        t.equal([c for c in unicode_of(done.stdout)], [])


def suites(t, *args, **more):
    root = ElementTree.fromstring(t.check(*args, "-f", "junit", **more).stdout)
    return [{case.get("name"): [(e.tag, e.get("message"), e.text) for e in case] for case in suite} for suite in root]


def test_junit_cases(t):
    t.table("damaged", "bad")
    t.table()
    lines = [f for f in t.lines(t.check("bad", "-S", "info", "-f", "ndjson", code=3).stdout) if f["kind"] == "finding"]
    bad, sound = suites(t, "bad", "table", "-S", "info", code=3)
    for finding in lines:
        (tag, message, text), = bad[finding["rule"]]
        t.equal(tag, "failure" if finding["severity"] == "error" else "system-out")
        t.has(text, "[%s]" % finding["fingerprint"])
        t.has(text, finding["message"])
    t.has(str(bad["checked: manifest metadata/m1.avro"]), "avro.truncated")
    t.equal(sound["metadata.location.missing"], [], "it ran")
    t.equal(sound["storage.data-file.missing"], [("skipped", "no listing", None)])
    t.true("conf.catalog.undefined" not in sound and not any(n.startswith("conf.") for n in sound), "of another command")
    t.equal(sound["storage.manifest.missing"], [], "looked for without a listing")
    t.equal([n for n, e in sound.items() if e and e[0][0] != "skipped"], [])
    t.equal(list(suites(t, "table", "--only", "list.*", code=0)[0]), [n for n in sound if n.startswith("list.")], "only what ran")
    shallow = suites(t, "table", "--depth", "metadata", code=0)[0]
    t.equal(shallow["list.files-count.mismatch"], [("skipped", "--depth metadata", None)])
    t.equal(suites(t, "bad", "--fail-on", "warn", code=3)[0]["snapshot-log.last-not-current"][0][0], "failure")
    t.equal({e[0][0] for e in suites(t, "bad", "--fail-on", "never", code=2)[0].values() if e}, {"system-out", "skipped", "error"})
    for size in (3000, 0):  # what reads the metadata file has not run to its end, however much of it there was
        os.truncate(os.path.join(t.work, "table", "metadata", "v3.metadata.json"), size)
        cut = suites(t, "table", code=3)[0]
        t.equal(cut["json.truncated"][0][0], "failure")
        for rule in ("metadata.current-snapshot-id.dangling", "schema.field.id.duplicate", "metadata.table-uuid.missing", "list.files-count.mismatch"):
            t.equal([tag for tag, _, _ in cut[rule]], ["skipped"], rule)
        t.equal((cut["json.encoding.bom"], cut["hint.dangling"]), ([], []), "they ran")


def passed(t, *args, **more):
    """The rules that a suite says ran and found nothing, and what it says of the others."""
    suite, = suites(t, *args, **more)
    return {name for name, e in suite.items() if not e}, {name: e[0][1] for name, e in suite.items() if e}


def test_junit_only_what_ran_has_passed(t):
    place = t.table()
    ran, told = passed(t, "table", code=0)
    for rule, why in (("avro.second-opinion", "no --second-opinion was given"), ("puffin.magic", "Puffin files are opened with --depth puffin"),
                      ("history.rollback", "no --pointer and no listing")):
        t.equal(told.get(rule), why)
    t.true("avro.magic" in ran and "json.truncated" in ran, told)
    pointer = ["--pointer", t.write("pointer.json", json.dumps({"metadata-location": "s3://lake/wh/db/orders/metadata/v3.metadata.json"}))]
    ran, told = passed(t, "table", *pointer)
    t.true({"catalog.pointer.shared", "history.rollback"} <= ran, told)
    t.equal(told["catalog.pointer.freshness"], "no --max-age was given")
    ran, _ = passed(t, "table", "--max-age", "3650d", code=0)
    t.true("catalog.pointer.freshness" in ran, told)
    ran, told = passed(t, os.path.join(place, "metadata", "m1.avro"), code=0)
    t.true({"avro.magic", "manifest.empty", "limit.block"} <= ran, "of any file that is read")
    t.true(not ran & {"json.truncated", "list.files-count.mismatch", "metadata.location.missing"}, ran)
    ran, told = passed(t, "table", "--depth", "list", code=0)
    t.true({"avro.magic", "list.content.invalid"} <= ran, told)
    t.equal(told["live.path.duplicate"], "--depth list")
    ran, told = passed(t, "table", "--snapshot", "no-such", code=2)
    t.true("list.content.invalid" not in ran and "schema.field.id.duplicate" in ran, ran)
    t.write("view/metadata/v1.metadata.json", json.dumps({"view-uuid": "8b1bf7a1-8a4c-4b4b-8d0a-0d6d7c0a1a1a", "format-version": 1, "location": "s3://b/v", "versions": []}))
    ran, told = passed(t, "view", code=0)
    t.equal((ran & {"schema.field.id.duplicate", "list.empty"}, told["schema.field.id.duplicate"]), (set(), "metadata.file.is-view"))
    os.truncate(os.path.join(place, "metadata", "v3.metadata.json"), 3000)
    ran, told = passed(t, "table", *pointer, code=3)
    t.true(not ran & {"history.rollback", "catalog.pointer.shared", "path.relative"}, "of a table that could not be read: %s" % ran)


def test_junit_names_are_of_one_table(t):
    """Readers take equal names of class and case for one case, and show one of them."""
    t.table("damaged", "a/t")
    t.table("damaged", "b/t")
    t.table("damaged", "b/u")
    root = ElementTree.fromstring(t.check("a/t", "b/t", "b/u", "-f", "junit", code=3).stdout)
    t.equal([suite.get("name") for suite in root], ["orders", "orders (b/t)", "orders (b/u)"])
    for suite in root:
        t.equal({case.get("classname") for case in suite}, {suite.get("name")})


MEMORY = ["schema.field.id.duplicate/v2", "spec.field.source-type/v2", "live.path.duplicate/two-manifests-v2", "summary.total-records/more-v2",
          "path.relative/rooted", "history.fork.same-parent/loser", "storage.orphan.data/left", "list.files-count.mismatch/v2", "delete.dv.duplicate/other-blob"]


def test_memory_that_ends_names_what_it_ended(t):
    """Whatever the limit: a rule that has a finding in the whole report has it, or is said not to have come to its end."""
    n_ended = 0
    for name in MEMORY:
        case = os.path.join(harness.ROOT, "fixtures", "rules", name)
        table = os.path.join(t.work, "table")
        shutil.rmtree(table, ignore_errors=True)
        harness.fixture.build(case, table)
        options = []
        if os.path.exists(case + "/options"):
            with open(case + "/options", encoding="utf-8") as f:
                options = [word.replace("{fixture}", case) for word in shlex.split(f.read())]
        whole = {n for n, e in suites(t, "table", "-S", "info", *options)[0].items() if e and e[0][0] != "skipped" and not n.startswith("checked: ")}
        t.true(whole, name)
        for kib in range(60, 1000, 30):
            done = t.check("table", "-S", "info", "-f", "junit", "--max-memory", "%dKiB" % kib, *options)
            if done.returncode & 2 == 0:
                continue
            suite = {case.get("name"): [e.tag for e in case] for case in ElementTree.fromstring(done.stdout)[0]}
            is_of_files = any(re.match("checked: (manifest list|manifest) ", n) for n in suite)
            n_ended += 1
            t.equal(done.returncode & 2, 2)
            for rule in whole:
                t.true(suite.get(rule) or is_of_files, "%s: %s is called sound at %d KiB: %s" % (name, rule, kib, [n for n in suite if n.startswith("checked")]))
    t.true(n_ended > 50, n_ended)


# ---- GitHub ----

def test_github_commands(t):
    for done in every_run(t, "github"):
        counts = {}
        for line in done.stdout.split("\n")[:-1]:
            if not line.startswith("::"):
                t.true(line.startswith("icefsck: ") and "##[" not in line, line)
                continue
            match = re.fullmatch(r"::(error|warning|notice) ((?:file=[^,:]*,(?:line=\d+,col=\d+,)?)?title=[a-z0-9. -]+)::(.*)", line)
            t.true(match, line)
            t.true(re.fullmatch(r"(?:[^%]|%25|%0A)*", match[3]), line)
            counts[match[1]] = counts.get(match[1], 0) + 1
        t.true(all(n <= 10 for n in counts.values()), counts)
        t.equal("error" in counts, done.returncode & 3 > 0, str(done.args))
        t.equal(unicode_of(done.stdout), [])


def test_github_summary(t):
    t.table("damaged", "bad")
    t.table()
    summary = t.write("summary.md", "before\n")
    out = t.check("bad", "table", "-f", "github", env={"GITHUB_STEP_SUMMARY": summary}, code=3).stdout
    t.equal(out, t.check("bad", "table", "-f", "github", code=3).stdout)
    markdown = t.check("bad", "table", "-f", "markdown", code=3).stdout
    t.equal(t.read("summary.md"), "before\n" + markdown)
    t.check("bad", "-f", "short", env={"GITHUB_STEP_SUMMARY": summary}, code=3)
    t.equal(t.read("summary.md"), "before\n" + markdown, "only with github")
    t.has(t.check("bad", "-f", "github", env={"GITHUB_STEP_SUMMARY": t.work}, code=8).stderr, "cannot be written")
    path = t.table("damaged", "many") + "/metadata/v3.metadata.json"
    document = json.loads(t.read(path))
    document.update(("unknown-%02d" % i, 1) for i in range(15))
    t.write(path, json.dumps(document))
    out = t.check("many", "-S", "info", "-f", "github", code=3).stdout
    t.equal(out.count("::notice "), 10)
    t.has(out, "icefsck: 6 more than the ten annotations")


# ---- Markdown ----

def rendered(text):
    """By the parser of GitHub, whose own tables and links are on. Fails where it is not installed."""
    return subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink", "-e", "strikethrough", "--unsafe"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()


def test_markdown_renders(t):
    ours = {"h1", "h2", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code", "strong"}
    for done in every_run(t, "markdown"):
        html = rendered(done.stdout)
        t.equal(set(re.findall(r"<([a-z0-9]+)", html)) - ours, set(), str(done.args))
        t.lacks(html, "<!--")
        t.equal(unicode_of(html), [])
        for row in re.findall(r"<tr>(.*?)</tr>", html, re.S):
            t.true(len(re.findall("<t[hd]", row)) in (4, 5), row)
    html = rendered(t.check("hostile", "bad", "-S", "info", "-f", "markdown").stdout)
    cells = [re.sub("<[^>]+>", "", c) for c in re.findall(r"<td>(.*?)</td>", html, re.S)]
    messages = [f["message"] for f in t.lines(t.check("hostile", "-S", "info", "-f", "ndjson").stdout) if f["kind"] == "finding"]
    texts = [unescape(c) for c in cells]
    plain = [m for m in messages if m.isascii() and m.isprintable()]
    found = [m for m in plain if any(c.startswith(m) for c in texts)]
    t.true(len(found) > 5 and any("|" in m for m in found) and any("`" in m for m in found) and any("<b>" in m for m in found), found)


def test_markdown_of_many(t):
    for i in range(3):
        t.table("plain-v2", "wh/t%d" % i)
    t.table("damaged", "wh/z")
    text = t.check("-r", "wh", "-f", "markdown", code=3).stdout
    t.has(text, "# icefsck: 3 errors, 1 warning, 1 info in 4 tables, 1 table not checked completely")
    t.has(text, "3 tables without findings.")
    t.equal(text.count("\n## "), 1)
    t.equal(t.check("-r", "wh", "-f", "markdown", "-j", "8", code=3).stdout, text)


harness.main(dict(globals()))
