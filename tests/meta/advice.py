#!/usr/bin/python3 -SEB
"""Every statement of two pages of advice, row by row: advice.tsv names the rules that hold it, or says why no file can show it.

A rule that a row names must be there and have fixtures, one that raises it and a near miss. A name with a star stands for at
least one rule.
"""

import fnmatch
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

PAGES = {"A": 77, "B": 52}  # their last lines
SILENT = {"A": set(), "B": {14, 28, 35}}  # fences of code blocks
WAITING = ("conf.catalog.default-unset",)  # not there yet


def rows():
    for number, line in enumerate(tree.read("tests/meta/advice.tsv").split("\n"), 1):
        if line and not line.startswith("#") and not line.startswith("at\t"):
            yield number, line.split("\t")


def check_rows(names, problems):
    seen, named = {page: set() for page in PAGES}, set()
    for number, cells in rows():
        place = "tests/meta/advice.tsv:%d" % number
        if len(cells) != 5 or not cells[2]:
            problems.append("%s: five cells, a statement among them" % place)
            continue
        at, kind, _, rules, note = cells
        match = re.fullmatch(r"([AB])(\d+)[a-e]?(?:-[AB](\d+))?", at)
        if not match or not re.fullmatch(r"[abcd](\+[abc])?", kind):
            problems.append("%s: '%s' of class '%s'" % (place, at, kind))
            continue
        seen[match.group(1)] |= set(range(int(match.group(2)), int(match.group(3) or match.group(2)) + 1))
        if (kind == "d") != (rules == "-") or (kind == "d" and not note):
            problems.append("%s: class d has a reason and no rule, others have rules" % place)
        for rule in rules.split() if rules != "-" else []:
            hits = fnmatch.filter(names, rule)
            named |= set(hits)
            if not hits and not rule.startswith(WAITING):
                problems.append("%s: there is no rule %s" % (place, rule))
    for page, last in PAGES.items():
        missing = set(range(1, last + 1)) - seen[page] - SILENT[page]
        if missing:
            problems.append("page %s: no row for %s" % (page, sorted(missing)))
    return named


def check_fixtures(named, problems):
    for name in sorted(named):
        folders = [folder for folder in ("fixtures/rules/" + name, "fixtures/conf/" + name) if os.path.isdir(os.path.join(tree.ROOT, folder))]
        if not folders:
            problems.append("%s: no fixtures" % name)
        elif len(os.listdir(os.path.join(tree.ROOT, folders[0]))) < 2:
            problems.append("%s: one fixture only: one must raise it, one nearly" % name)


def main():
    names, problems = [rule.name for rule in tree.rules()], []
    named = check_rows(names, problems)
    check_fixtures(named, problems)
    tree.finish(problems, "%d statements" % sum(1 for _ in rows()))


main()
