#!/usr/bin/python3 -SEB
"""The column "refused by" against what was measured (tests/oracle/refusals.tsv, made by tools/oracle-refusals).

A reader that refused every fixture of a rule is named; a reader that is named with the measured version refused or misread
one. Readers that were not measured, and other versions, may be named freely.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

READERS = {"java": ("Iceberg Java", "1.11"), "pyiceberg": ("PyIceberg", "0.12"), "rust": ("iceberg-rust", None), "duckdb": ("DuckDB", "1.5")}
VERDICTS = {"accept", "reject", "crash", "differs", "base", "absent"}
# Not installed, no keys, not built
NOT_THE_RULE = ("ClassNotFoundException", "NoClassDefFoundError", "Cannot decrypt", "not yet support equality deletes")
# Readers that refuse these for another reason, since they refuse the near miss, too: no such type, no keys
OTHER_REASON = {
    "schema.unknown.required": ("rust", "duckdb"),
    "schema.geo.algorithm": ("rust", "duckdb"),
    "schema.geo.crs-invalid": ("rust", "duckdb"),
    "schema.geo.crs-property-missing": ("pyiceberg", "rust", "duckdb"),
    "schema.default.forbidden": ("pyiceberg", "rust", "duckdb"),
    "schema.default.struct-has-values": ("java", "pyiceberg", "duckdb"),
    "manifest.file.partition.void-value": ("rust",),
    "manifest.metrics.bound-geo": ("rust",),
    "v4.location.needed": ("pyiceberg", "rust"),  # these two know no version 4
    "v4.path.could-be-relative": ("pyiceberg", "rust"),
    "v4.path.dot-segments": ("pyiceberg", "rust"),
    "v4.manifest.not-avro": ("pyiceberg", "rust"),
    "key.file.encrypted": ("java", "pyiceberg", "rust", "duckdb"),
}


def measured():
    """{rule: {reader: {case: verdict}}}"""
    out = {}
    for line in tree.read("tests/oracle/refusals.tsv").splitlines()[1:]:
        rule, case, reader, _, verdict, _, message = line.split("\t")
        if verdict in ("base", "absent") or reader not in READERS:
            continue
        shown = "base" if any(text in message for text in NOT_THE_RULE) else verdict
        out.setdefault(rule, {}).setdefault(reader, {})[case] = shown
    return out


def main():
    problems, found = [], measured()
    rules = {r.name: r for r in tree.rules()}
    for rule, readers in sorted(found.items()):
        if rule not in rules:
            problems.append("refusals.tsv: no rule is called %s" % rule)
            continue
        row = rules[rule]
        for reader, cases in sorted(readers.items()):
            name, version = READERS[reader]
            verdicts = set(cases.values())
            if not verdicts <= VERDICTS:
                problems.append("refusals.tsv: %s: %s" % (rule, sorted(verdicts - VERDICTS)))
            if verdicts <= {"reject", "crash"} and name not in row.refused_by and reader not in OTHER_REASON.get(rule, ()):
                problems.append("%s: %s: %s refuses every fixture, but is not named" % (row.place, rule, name))
            if version and "%s %s" % (name, version) in row.refused_by and verdicts <= {"accept", "base"}:
                problems.append("%s: %s: %s is named, but accepts every fixture" % (row.place, rule, name))
    for line in tree.read("tests/oracle/refusals.tsv").splitlines()[1:]:
        rule, case = line.split("\t")[:2]
        if not os.path.isdir(os.path.join(tree.ROOT, "fixtures", "rules", rule, case)):
            problems.append("refusals.tsv: there is no fixture %s/%s" % (rule, case))
    tree.finish(sorted(set(problems)), "%d rules were shown to other readers" % len(found))


main()
