#!/usr/bin/python3 -SEB
"""Every FOUND site passes the arguments that the message of its rule names, and no others but EXTRA."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

# facts for machines that no message need repeat
EXTRA = {
    "*": {"scope"},
    "list.partitions.bound-order": {"lower", "upper"},
    "list.partitions.bound-cover": {"bound", "value"},
}
# arguments in front of the values
SITES = {"FOUND": 3, "FOUND_AS": 4, "FOUND_VS": 5, "CONF_FOUND": 3, "CONF_FOUND_AS": 4}
ARGUMENT = re.compile(r'arg_(?:str|text|i64|id|bytes|bool)\s*\(\s*"([a-z0-9_]+)"')


def check_site(rules, args, first, place, problems):
    token = re.fullmatch(r"ICE_RULE_([A-Z0-9_]+)", args[1])
    if not token:
        return False  # a rule that the code picks: emit.c asserts it when it is raised
    rule = rules.get(token.group(1))
    if rule is None:
        problems.append("%s: no rule has the token %s" % (place, token.group(1)))
        return False
    values = args[first:]
    if any(not ARGUMENT.match(v) and v != "ARG_NONE" for v in values):
        return False
    passed = {m.group(1) for v in values for m in [ARGUMENT.match(v)] if m}
    wanted = rule.placeholders()
    for name in sorted(wanted - passed):
        problems.append("%s: %s: the message names {%s}, which is not passed" % (place, rule.name, name))
    for name in sorted(passed - wanted - EXTRA["*"] - EXTRA.get(rule.name, set())):
        problems.append("%s: %s: '%s' is passed, but the message does not name it" % (place, rule.name, name))
    return True


def main():
    rules = {r.token: r for r in tree.rules()}
    problems, n = [], 0
    for file in tree.files("src", ".c"):
        text = tree.without_comments(tree.read(file))
        for macro, first in SITES.items():
            for args, line in tree.calls(text, macro):
                n += check_site(rules, args, first, "%s:%d" % (file, line), problems)
    if n < 50:
        problems.append("only %d sites were found" % n)
    tree.finish(problems, "%d sites" % n)


main()
