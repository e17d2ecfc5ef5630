#!/usr/bin/python3 -SEB
"""The wording of every rule, once: the message in the first fixture that expects it. messages.py ICEFSCK WORK [--bless]

Fixtures compare rules and places only, so that wording can change without touching them; it is reviewed here.
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import fixture
import golden


def first_fixtures():
    """{rule: folder}: of its own directory if one there expects it, else the first of all."""
    own, other = {}, {}
    for name, folder in golden.find(harness.ROOT):
        expect = golden.read(os.path.join(folder, "expect")) or ""
        for rule in re.findall(r"^(?:error|warn|info) (\S+)", expect, re.M):
            (own if name.startswith("rules/%s/" % rule) else other).setdefault(rule, folder)
    return {**other, **own}


def messages_of(t, folder, cache):
    if folder not in cache:
        work = os.path.join(t.work, "%d" % len(cache))
        os.makedirs(work)
        table = fixture.build(folder, os.path.join(work, "table"))
        _, out, _ = golden.spawn(golden.command_line(t.binary, folder, table), work)
        cache[folder] = [json.loads(line) for line in out.split("\n") if line.startswith("{")]
        os.chdir(t.work)
        golden.clean(work)
    return cache[folder]


def test_messages(t):
    lines, cache = [], {}
    for rule, folder in sorted(first_fixtures().items()):
        if golden.needs(folder):
            continue
        found = [m for m in messages_of(t, folder, cache) if m.get("rule") == rule]
        if not found:
            raise harness.Failed("%s does not raise %s" % (folder, rule))
        message = found[0]["message"].replace(os.path.abspath(folder), "{fixture}")
        lines.append("%s\t%s\n" % (rule, json.dumps(message, ensure_ascii=False)[1:-1]))
    t.expected("messages.tsv", "".join(lines))


if __name__ == "__main__":
    harness.main(dict(globals()))
