#!/usr/bin/python3 -SEB
"""limits.def has the members of struct ice_limits, in their order, rules that exist, and each a row in tests/torture/limits.py."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree


def main():
    header = tree.without_comments(tree.read("include/icefsck.h"))
    body = re.search(r"struct ice_limits \{(.*?)\};", header, re.S).group(1)
    members = re.findall(r"uint64_t (\w+);", body)
    rows = [a for a, _ in tree.calls(tree.without_comments(tree.read("src/base/limits.def")), "ICE_LIMIT")]
    names = {r.name for r in tree.rules()}
    problems = []
    if [r[0] for r in rows] != members:
        problems.append("limits.def: %s\nstruct ice_limits: %s" % ([r[0] for r in rows], members))
    for row in rows:
        if len(row) != 5:
            problems.append("limits.def: %s has %d columns" % (row[0], len(row)))
        elif tree.string(row[3]) not in names:
            problems.append("limits.def: %s: no rule %s" % (row[0], row[3]))
    tested = re.findall(r'^    "(\w+)": \[', tree.read("tests/torture/limits.py"), re.M)
    if tested != members:
        problems.append("tests/torture/limits.py: rows %s" % tested)
    tree.finish(problems, "%d limits" % len(rows))


main()
