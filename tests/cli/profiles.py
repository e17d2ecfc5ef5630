#!/usr/bin/python3 -SEB
"""--strict and --profile reader over the first fixture of every rule. profiles.py ICEFSCK WORK [TEST...]

strict: the same findings, those of the demoted rules as errors. reader: the findings of rules that a reader refuses or
reads wrongly (refused_by), as they were, and no others.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import fixture
import golden
import messages

ONE_IN = 10 if os.environ.get("ICEFSCK_SANITIZED") else 1


def rules_of(t):
    return {r["id"]: r for r in json.loads(t.run("rules", "-f", "json", code=0).stdout)["rules"]}


def findings(t, args, *more):
    """[(rule, severity, file, pointer, message)…]"""
    _, out, err = golden.spawn(args + list(more), t.work)
    rows = [json.loads(line) for line in out.split("\n") if line.startswith("{")]
    t.true(rows and rows[-1].get("kind") == "summary", "%s\n%s" % (args, err))
    keys = ("rule", "severity", "file", "pointer", "message")
    return [tuple(r[k] for k in keys) for r in rows if r["kind"] == "finding"]


def fixtures_with_findings(t):
    """Command lines without a profile, of the fixtures of tables that show a rule first; with sanitizers of one in ONE_IN."""
    folders = sorted({folder for _, folder in messages.one_fixture_each().values()})[::ONE_IN]
    print("%d fixtures, one in %d of the first of each rule" % (len(folders), ONE_IN))
    for folder in folders:
        words = (golden.read(os.path.join(folder, "options")) or "").split()
        if golden.is_conf(folder) or golden.needs(folder) or "--profile" in words or "--max-findings" in words:
            continue
        table = fixture.build(folder, os.path.join(t.work, "table"))
        yield folder, [a for a in golden.command_line(t.binary, folder, table) if a != "--strict"]


def test_profiles(t):
    rules = json.loads(t.run("rules", "-f", "json", code=0).stdout)["rules"]
    demoted = {r["id"] for r in rules if r["demoted"]}
    refused = {r["id"] for r in rules if r["refused_by"]}
    changed, seen = set(), set()
    for folder, args in fixtures_with_findings(t):
        usual = findings(t, args)
        strict = [(f[0], "error" if f[0] in demoted else f[1], *f[2:]) for f in usual]
        t.equal(findings(t, args, "--strict"), strict, folder)
        t.equal(findings(t, args, "--profile", "reader"), [f for f in usual if f[0] in refused], folder)
        changed |= {f[0] for f, g in zip(usual, strict) if f != g}
        seen |= {f[0] for f in usual}
    t.equal(sorted(demoted - changed) if ONE_IN == 1 else [], [], "demoted rules that no fixture here raises below error")
    t.true(seen & refused and seen - refused, "one kind of rule is raised nowhere")


if __name__ == "__main__":
    harness.main(dict(globals()))
