#!/usr/bin/python3 -SEB
"""The wording of every rule, once: the message in one fixture that expects it. messages.py ICEFSCK WORK [--bless]

Fixtures compare rules and places only, so that wording can change without touching them; it is reviewed here.
expected/messages.tsv names the fixture of each rule, so that a new fixture moves nothing; a rule that is not there
takes the first that expects it.
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import golden


EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected", "messages.tsv")


def named_fixtures():
    """{rule: name}: as the reviewed file has them."""
    lines = (golden.read(EXPECTED) or "").splitlines()
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines if line.count("\t") == 2}


def one_fixture_each():
    """{rule: (name, folder)}: the named one, else the first of its own directory, else the first of all."""
    named, own, other, first = named_fixtures(), {}, {}, {}
    for name, folder in golden.find(harness.ROOT):
        expect = golden.read(os.path.join(folder, "expect")) or ""
        for rule in re.findall(r"^(?:error|warn|info) (\S+)", expect, re.M):
            if named.get(rule) == name:
                first[rule] = (name, folder)
            (own if name.startswith(("rules/%s/" % rule, "conf/%s/" % rule)) else other).setdefault(rule, (name, folder))
    return {**other, **own, **first}


def messages_of(t, folder, cache):
    if folder not in cache:
        work = os.path.join(t.work, "%d" % len(cache))
        os.makedirs(work)
        _, out, _ = golden.spawn(*golden.prepare(folder, work, t.binary))
        cache[folder] = [json.loads(line) for line in out.split("\n") if line.startswith("{")]
        os.chdir(t.work)
        golden.clean(work)
    return cache[folder]


def test_messages(t):
    lines, cache = [], {}
    for rule, (name, folder) in sorted(one_fixture_each().items()):
        if golden.needs(folder):
            continue
        found = [m for m in messages_of(t, folder, cache) if m.get("rule") == rule]
        if not found:
            raise harness.Failed("%s does not raise %s" % (folder, rule))
        message = found[0]["message"].replace(os.path.abspath(folder), "{fixture}")
        lines.append("%s\t%s\t%s\n" % (rule, name, json.dumps(message, ensure_ascii=False)[1:-1]))
    t.expected("messages.tsv", "".join(lines))


if __name__ == "__main__":
    harness.main(dict(globals()))
