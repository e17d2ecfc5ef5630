#!/usr/bin/python3 -SEB
"""The rule table: names, tokens, texts, spec anchors, and that every rule is raised somewhere.

rule-ids.txt has every id that there ever was: others rely on them. An id that nothing raises says there that it is
not decidable, and its text begins with the reason.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

NAME = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+")
NAMES_IN_CODE = re.compile(r'"((?:[a-z][a-z0-9-]*)(?:\.[a-z0-9][a-z0-9-]*)+)"')


def check_row(rule, anchors, problems):
    def bad(text):
        problems.append("%s: %s: %s" % (rule.place, rule.name, text))

    if not NAME.fullmatch(rule.name or ""):
        bad("no rule name")
        return
    if rule.token != re.sub(r"[.-]", "_", rule.name).upper():
        bad("token %s does not follow from the name" % rule.token)
    if rule.severity not in ("ERROR", "WARN", "INFO"):
        bad("severity %s" % rule.severity)
    if rule.spec and rule.spec not in anchors:
        bad("no heading of the spec has the anchor '%s'" % rule.spec)
    for title in ("message", "why", "fix"):
        text = getattr(rule, title)
        if text is None or (title != "fix" and not text.strip()):
            bad("no %s" % title)
        elif text != text.strip() or "  " in text:
            bad("%s has blanks at an end or two in a row" % title)
    if rule.message.endswith("."):
        bad("the message ends in a full stop")
    if re.match(r"[A-Z][a-z]+ ", rule.message) and not re.match(r"(Avro|Java|Iceberg|Puffin|Hadoop|JSON|UTF)", rule.message):
        bad("the message begins with a capital")
    if rule.refused_by is None:
        bad("refused by is no text")


def main():
    rules = tree.rules()
    anchors = set(tree.read("tests/meta/spec-anchors.txt").split())
    problems, names, tokens = [], {}, {}
    undecided = tree.undecided()
    for rule in undecided:
        if not rule.why.startswith("Not decided: "):
            problems.append("%s: %s: the reason why it is not decided must come first" % (rule.place, rule.name))
    for rule in rules + undecided:
        check_row(rule, anchors, problems)
        for table, key in ((names, rule.name), (tokens, rule.token)):
            if key in table:
                problems.append("%s: %s is already at %s" % (rule.place, key, table[key]))
            table[key] = rule.place

    raised, literals = set(), {}
    for file in tree.files("src", ".c", ".h", ".def"):
        if file.startswith("src/rule/rules") or file.startswith("src/cli"):
            continue
        if file == "src/check/known_properties.def":  # Iceberg's own names, such as history.expire.min-snapshots-to-keep
            continue
        text = tree.without_comments(tree.read(file))
        raised |= set(re.findall(r"ICE_RULE_([A-Z0-9_]+)", text))
        for match in NAMES_IN_CODE.finditer(text):
            literals.setdefault(match.group(1), "%s:%d" % (file, text.count("\n", 0, match.start()) + 1))
    scopes = {n.split(".")[0] for n in names}
    for literal, place in sorted(literals.items()):
        is_file = re.search(r"\.(json|avro|gz|zst|text|c|h|temp|schema|codec)$", literal)
        if literal.split(".")[0] in scopes and literal not in names and not is_file:
            problems.append("%s: no rule is called '%s'" % (place, literal))
    for rule in rules:
        if rule.token not in raised and rule.name not in literals:
            problems.append("%s: %s is raised nowhere" % (rule.place, rule.name))
    for rule in undecided:
        if rule.token in raised:
            problems.append("%s: %s is raised, so it is decided" % (rule.place, rule.name))
    listed = tree.read("tests/meta/rule-ids.txt").splitlines()
    there = sorted([r.name for r in rules] + [r.name + " not-decidable" for r in undecided])
    for line in sorted(set(listed) ^ set(there)):
        problems.append("tests/meta/rule-ids.txt: '%s' is %s" % (line, "new" if line in there else "gone: ids are stable"))
    if not rules:
        problems.append("no rule was found")
    tree.finish(problems, "%d rules, %d not decidable" % (len(rules), len(undecided)))


main()
