#!/usr/bin/python3 -SEB
"""Every rule has a fixture that expects it, a near miss that does not, and each of its versions is reached by one.

A near miss is fixtures/clean/<rule>-* or a case of fixtures/rules/<rule>/ (conf rules: fixtures/conf/<rule>/) that does
not expect the rule. The version of a
fixture is that of its base table. Versions without a base table (4: a draft) are not asked for.
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

FIXTURES = os.path.join(tree.ROOT, "fixtures")

# Rules for which a fixture would need megabytes, or somebody who writes meanwhile: the unit test that raises them.
UNIT_TESTS = {
    "limit.block": "tests/unit/avro/test_codec.c",
    "limit.schema": "tests/unit/avro/test_avro_schema.c",
    "scan.changed": "tests/unit/check/test_moves.c",
    "scan.unsettled": "tests/unit/check/test_moves.c",
    "source.changed": "tests/unit/check/test_sources.c",
}


def expected(folder):
    """Rules that a fixture expects."""
    with open(os.path.join(folder, "expect"), encoding="utf-8") as f:
        return set(re.findall(r"^(?:error|warn|info) (\S+)", f.read(), re.M))


def versions_of_bases():
    out = {}
    for base in sorted(os.listdir(os.path.join(FIXTURES, "base"))):
        metadata = os.path.join(FIXTURES, "base", base, "metadata")
        if not os.path.isdir(metadata):
            continue
        for name in sorted(os.listdir(metadata)):
            if name.endswith(".metadata.json") and ".gz." not in name:
                with open(os.path.join(metadata, name), encoding="utf-8") as f:
                    out[base] = json.load(f)["format-version"]
    return out


def all_fixtures():
    """(group, rule or None, case, folder) of every fixture with an expect file."""
    for group, depth in (("rules", 2), ("clean", 1), ("broken", 1), ("conf", 2)):
        for where, folders, names in os.walk(os.path.join(FIXTURES, group)):
            folders.sort()
            parts = os.path.relpath(where, os.path.join(FIXTURES, group)).split("/")
            if len(parts) == depth and "expect" in names:
                yield group, parts[0] if group in ("rules", "conf") and parts[0] != "clean" else None, parts[-1], where


def main():
    rules = {r.name: r for r in tree.rules()}
    bases = versions_of_bases()
    raised, missed, reached, problems, n = set(), set(), {}, [], 0
    for group, rule, case, folder in all_fixtures():
        n += 1
        found = expected(folder)
        raised |= found
        if rule is not None and rule not in rules:
            problems.append("fixtures/%s/%s: no such rule" % (group, rule))
        if rule is not None and rule not in found:
            missed.add(rule)
        if group == "clean":
            missed |= {r for r in rules if case.startswith(r + "-") and r not in found}
        edit = os.path.join(folder, "edit")
        match = re.search(r"^base (\S+)", open(edit, encoding="utf-8").read(), re.M) if os.path.exists(edit) else None
        if match:
            for name in found:
                reached.setdefault(name, set()).add(bases.get(match.group(1)))
    known = set(bases.values())
    for name, test in UNIT_TESTS.items():
        if name not in open(os.path.join(tree.ROOT, test), encoding="utf-8").read():
            problems.append("%s: %s does not name it" % (name, test))
    for name in sorted(set(rules) - set(UNIT_TESTS)):
        if name not in raised:
            problems.append("%s: no fixture expects it" % name)
        if name not in missed:
            problems.append("%s: no near miss: fixtures/clean/%s-*" % (name, name))
        # configuration has no base table
        wanted = set() if name.startswith("conf.") else rules[name].version_numbers() & known
        lacking = wanted - reached.get(name, set())
        if name in raised and lacking:
            problems.append("%s: no fixture with a base of version %s" % (name, ", ".join(map(str, sorted(lacking)))))
    tree.finish(problems, "%d fixtures, %d rules" % (n, len(rules)))


main()
