#!/usr/bin/python3 -SEB
"""SARIF and what else other programs read, by what reads it. formats.py ICEFSCK WORK [TEST...]"""

import copy
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

# what ends a text, begins markup, a command or a line, in one format or another
HOSTILE = ["</script><script>alert(1)</script>", "<!-- -->]]><x y='\"&#38;amp;", "a\n::error file=x::y\r\n::stop-commands::z", "%0A::error::%25",
           "| a | b |\n|---|\n`x` **b** [l](javascript:x) ![i](y) <b>", "\x1b]0;t\x07\x1b[2J", "\u202eevil\u2066\u200b", "nul\x00end \x7f\x85\u2028\ufffe",
           "\\x41 \\u{202e} \\\" ' ;rm -rf", "s3://b/%2e%2e/a b?c#d", "-->", "C:\\a:1:2: error: [x]", "", " ", "#", "# h", "~~~\n```\n"]


def hostile(t, name="hostile"):
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
    with open(path, "rb") as f:
        raw = f.read()
    with open(path, "wb") as f:
        f.write(raw.replace(b"alert(1)", b"alert\xff\xc3(1)"))
    return place


def unicode_of(text):
    return [c for c in text if ord(c) < 32 and c not in "\n\t" or c in "\u202e\u2066\u2028"]


def every_run(t, name, *more):
    """The report in that format of each kind of run, and the finished process."""
    t.table("damaged", "bad")
    t.table()
    hostile(t)
    setup = os.path.join(harness.ROOT, "fixtures", "conf")
    conf = [os.path.join(d, f) for d, _, files in sorted(os.walk(setup)) for f in sorted(files) if d.endswith("/setup")][0]
    for paths in (["bad"], ["table"], ["hostile"], ["bad", "hostile", "table"], ["no-such"]):
        yield t.check(*paths, "-S", "info", "-f", name, *more)
    yield t.run("lint-conf", conf, "-S", "info", "-f", name, *more)
    done = t.run("batch", "bad", "hostile", "table", "no-such", "--now", harness.NOW, "-S", "info", "-o", name + ":report", *more)
    with open(os.path.join(t.work, "report"), encoding="utf-8") as f:
        done.stdout = f.read()
    yield done


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


harness.main(dict(globals()))
