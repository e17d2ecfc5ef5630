#!/usr/bin/python3 -SEB
"""explain leads from questions to answers. questions.py ICEFSCK WORK [TEST...]

questions.tsv holds what a person on call may type. Besides, the words of each rule's own message and name lead to it.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "meta"))
import tree

NAMES = [tree.string(args[1]) for args, _ in tree.calls(tree.without_comments(tree.read("src/rule/symptoms.def")), "ICE_SYMPTOM")]
LINE = re.compile(r"^(?:error|warn |info )  (\S+)", re.M)


def answers(text):
    """(first symptom, rules in order, commands) of what explain printed."""
    seen = next((line for line in text.split("\n") if line in NAMES), "")
    commands = re.findall(r"^  icefsck (\S+)", text.split("\ncommands that answer:\n")[-1], re.M) if "\ncommands that answer:\n" in text else []
    return seen, LINE.findall(text), commands


def fault(text, wanted):
    """What is wrong with an answer, or None."""
    seen, rules, commands = answers(text)
    for want in wanted.split(" "):
        kind, _, names = want.partition(":")
        if kind == "command" and commands[:1] != [names]:
            return "commands %s" % commands
        if kind == "rule" and not set(names.split("|")) & set(rules[:3]):
            return "rules %s" % rules[:5]
        if kind == "first" and rules[:1] != [names]:
            return "rules %s" % rules[:5]
    return None


def test_questions(t):
    rows = [line.split("\t") for line in tree.read("tests/cli/questions.tsv").split("\n") if line and not line.startswith("#")]
    t.true(len(rows) >= 150, "%d questions" % len(rows))
    t.equal(len(rows), len({row[0] for row in rows}), "questions that stand twice")
    known, faults = {rule.name for rule in tree.rules()}, []
    for question, wanted in rows:
        kind, _, names = wanted.partition(":")
        t.true(kind in ("command", "rule", "first", "seen"), wanted)
        t.true(kind not in ("rule", "first") or set(names.split("|")) <= known, wanted)
        done = t.run("explain", *question.split(), code=0)
        if kind == "seen":
            wrong = None if answers(done.stdout)[0].startswith(names) else "symptom %r" % answers(done.stdout)[0]
        else:
            wrong = fault(done.stdout, wanted)
        if wrong:
            faults.append("%s: wanted %s, not %s" % (question, wanted, wrong))
    t.true(not faults, "%d of %d\n%s" % (len(faults), len(rows), "\n".join(faults)))


def test_every_rule_is_found_by_its_own_words(t):
    """By the words of its message, typed without what a finding fills in, and by those of its name: among the ten that are shown.

    Every eighth rule, and all of them with ICE_ALL_RULES set, as the nightly does.
    """
    faults, n = [], 0
    for rule in t.lines(t.run("rules", "-f", "ndjson", code=0).stdout)[::1 if "ICE_ALL_RULES" in os.environ else 8]:
        name = re.sub(r"[.-]", " ", rule["id"])
        words = re.sub(r"[^A-Za-z0-9_-]+", " ", re.sub(r"\{[^}]*\}", " ", rule["message"])).strip()
        if len([word for word in words.split() if len(word) > 3]) < 4:
            words = name + " " + words  # the message alone says too little
        for text in (words, name):
            n += 1
            found = answers(t.run("explain", "--", *text.split()).stdout)[1]
            if rule["id"] not in found:
                faults.append("%s by %r: %s" % (rule["id"], text, found[:3]))
    t.true(not faults, "%d of %d\n%s" % (len(faults), n, "\n".join(faults)))


def test_answers_are_few_and_the_same(t):
    """Whatever is typed: ten rules and two commands at most, the same in any order of words and letter case."""
    first = t.run("explain", "manifest", "list", "counts", "are", "wrong", code=0).stdout
    for words in (["WRONG", "are", "counts", "list", "manifest"], ["manifest list counts are wrong"], ["manifest", "manifest", "list", "counts", "wrong", "wrong"]):
        t.equal(t.run("explain", *words, code=0).stdout, first, words)
    for text in ("the", "a" * 100000, "x " * 50000, "\x1b[31m\xff", " ".join(rule.name for rule in tree.rules()), "manifest " * 2000):
        done = t.run("explain", text)
        t.true(done.returncode in (0, 1), done)
        seen, rules, commands = answers(done.stdout)
        t.true(len(commands) <= 2 and len(LINE.findall(done.stdout.split("commands that answer")[0])) <= 10 + 30, text[:40])
        t.true("\x1b" not in done.stdout + done.stderr, text[:40])


def test_commands_that_are_shown_are_taken(t):
    """What answers a question is no usage error; the files are not there."""
    for name in ("list.json", "driver.log", "get-table.json", "get-table-versions.json", "spark-defaults.conf", "job.json", "role.json"):
        t.write(name, "")
    os.mkdir(os.path.join(t.work, "warehouse"))
    text = tree.without_comments(tree.read("src/rule/questions.def"))
    for line in [tree.string(args[1]) for args, _ in tree.calls(text, "ICE_QUESTION")]:
        words = line.split(" > ")[0].replace("'", "").split()
        done = t.run(*words[1:])
        t.true(done.returncode != 4 or "s3://" in words[2], "%s: %s" % (line, done.stderr))


if __name__ == "__main__":
    harness.main(globals())
