#!/usr/bin/python3 -SEB
"""Help, man pages and the words that are nearest to misspelt ones. manual.py ICEFSCK WORK [TEST...]"""

import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "meta"))
import tree

COMMANDS = [tree.string(args[1]) for args, _ in tree.calls(tree.without_comments(tree.read("src/cli/commands.def")), "CLI_COMMAND")]
OPTIONS = [args for args, _ in tree.calls(tree.without_comments(tree.read("src/cli/options.def")), "CLI_OPTION")]
PAGES = tree.without_comments(tree.read("src/cli/pages.def"))
VALUES = tree.without_comments(tree.read("src/cli/option_values.def"))


def page(t, *command):
    return t.run("help", "--man", *command, code=0).stdout


def read(t, source):
    """The page as a person reads it, as one line of words."""
    text = subprocess.run(["mandoc", "-Tascii", "-Owidth=200"], input=source, capture_output=True, text=True, check=True).stdout
    return re.sub(r"\s+", " ", re.sub(".\b", "", text))


def test_pages_are_clean(t):
    for command in [[]] + [[name] for name in COMMANDS]:
        done = subprocess.run(["mandoc", "-Tlint"], input=page(t, *command), capture_output=True, text=True)
        t.equal((done.returncode, done.stdout), (0, ""), command)


def test_pages_say_all(t):
    main = read(t, page(t))
    for name in COMMANDS:
        t.has(main, "icefsck-%s(1)" % name)
        text = read(t, page(t, name))
        for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO", "icefsck " + name):
            t.has(text, part)
        shown = re.sub(r"\s+", " ", t.run("help", name, code=0).stdout)
        for args in OPTIONS:
            option = "--%s%s" % (tree.string(args[1]), " " + tree.string(args[3]) if args[3] != "NULL" else "")
            belongs = " %s " % option in " %s" % shown
            t.equal(" %s " % option in text, belongs, "%s in the page of %s" % (option, name))
    for name, text in [(tree.string(a[0]), tree.string(a[1])) for a, _ in list(tree.calls(PAGES, "CLI_ENVIRONMENT")) + list(tree.calls(PAGES, "CLI_FILE"))]:
        t.has(main, re.sub(r"\s+", " ", "%s %s" % (name, text)))


def test_variables_are_the_ones_that_are_read(t):
    """The page names each variable that the sources ask for."""
    read_ones = set()
    for file in tree.files("src", ".c"):
        read_ones |= set(re.findall(r'getenv\("([A-Z_]+)"\)', tree.read(file)))
    named = {tree.string(a[0]) for a, _ in tree.calls(PAGES, "CLI_ENVIRONMENT")}
    t.equal(sorted(read_ones - named - {"HOME"}), [], "read and not in pages.def")
    t.equal(sorted(named - read_ones), [], "in pages.def and never read")


def test_examples_are_taken(t):
    """What is shown is no usage error: the tables are not there, and that is all that is wrong."""
    for name in ("results.ndjson", "all-tables.txt", "list.json", "inventory/manifest.json", "glue.json"):
        t.write(name, "")
    for args, _ in tree.calls(PAGES, "CLI_EXAMPLE"):
        line = tree.string(args[1])
        words = shlex.split(re.split(r" [|<>]+ ", line)[0])
        t.equal(words[0], "icefsck", line)
        done = t.run(*words[1:], "--now", harness.NOW, stdin="") if words[1] in ("check", "diff") else t.run(*words[1:], stdin="")
        t.true(done.returncode != 4 or "no metadata file" in done.stderr, "%s: %s" % (line, done.stderr))


def test_the_overview(t):
    text = t.run("--help", code=0).stdout
    t.true(len(text.splitlines()) <= 24 and max(map(len, text.splitlines())) <= 80, text)
    examples = [tree.string(a[1]) for a, _ in tree.calls(PAGES, "CLI_EXAMPLE") if a[0] == "OVERVIEW"]
    t.equal(len(examples), 6)
    for line in examples:
        t.has(text, "\n  %s" % line)


def test_help_needs_no_sound_configuration(t):
    t.write(".icefsck", "nonsense\n")
    for words in (["help"], ["help", "check"], ["help", "--man"], ["version"], ["check", "--help"]):
        t.run(*words, code=0, env={"ICEFSCK_OPTS": "--nonsense"})


def slips(word):
    """The word with a letter less, two exchanged, one more."""
    at = len(word) // 2
    yield word[:at] + word[at + 1:]
    yield word[:at - 1] + word[at] + word[at - 1] + word[at + 1:]
    yield word[:at] + "q" + word[at:]


def test_nearest_commands_and_options(t):
    for name in COMMANDS:
        for slip in slips(name):
            if slip != name and slip not in COMMANDS:
                t.usage(slip, "x", has=["'%s'" % slip, "did you mean %s?" % name])
                t.usage("help", slip, has=["did you mean %s?" % name])
    for args in OPTIONS:
        name = tree.string(args[1])
        for slip in slips(name):
            if slip != name and len(name) > 4 and slip not in [tree.string(a[1]) for a in OPTIONS]:
                t.usage("check", "x", "--" + slip, has=["did you mean --%s?" % name])
    t.usage("check", "x", "--wholly-other-things", has=["see icefsck --help"])


def test_nearest_values(t):
    """Each word of option_values.def is taken, and a slip of it is answered with the word."""
    owners = {args[0]: re.findall(r"[A-Z_]+", args[4]) for args in OPTIONS}
    names = {args[0]: tree.string(args[1]) for args in OPTIONS}
    extra = {"INSPECT": ["snapshots"], "DIFF": ["--from", "v1"]}
    rows = [(a[0], tree.string(a[1]).split()) for a, _ in tree.calls(VALUES, "CLI_WORDS")]
    for option, words in rows:
        command = owners[option][0].replace("CHECK_ONLY", "CHECK")
        call = [command.lower().replace("_", "-"), *extra.get(command, []), *([] if command == "HELP" else ["nosuch"])]
        for word in words:
            done = t.run(*call, "--" + names[option], word)
            t.true(done.returncode != 4 or "no metadata file" in done.stderr, "%s %s: %s" % (option, word, done.stderr))
            for slip in slips(word):
                if option == "METADATA" or slip in words or len(word) < 4:
                    continue
                t.usage(*call, "--%s=%s" % (names[option], slip), has=["'%s'" % slip, "did you mean %s?" % word])
    for slip, word in (("jsn", "json"), ("ndjsn", "ndjson"), ("hmtl", "html"), ("sarf", "sarif"), ("huamn", "human")):
        t.usage("check", "x", "-f", slip, has=["did you mean %s?" % word])
    t.usage("check", "x", "--severity", "hint.stale=eror", has=["did you mean error?"])
    t.usage("check", "x", "--only", "avro.trucated", has=["did you mean avro.truncated?"])
    t.usage("inspect", "snapshotz", "x", has=["did you mean snapshots?"])


if __name__ == "__main__":
    harness.main(globals())
