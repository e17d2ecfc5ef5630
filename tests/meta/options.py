#!/usr/bin/python3 -SEB
"""Every option and command is in the help, the help fits a screen, nothing unbuilt is offered.  options.py ICEFSCK"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree


def run(*args):
    done = subprocess.run([sys.argv[1], *args], capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode


def main():
    problems = []
    text = tree.without_comments(tree.read("src/cli/options.def"))
    options = [a for a, _ in tree.calls(text, "CLI_OPTION")]
    later = [tree.string(a[0]) for a, _ in tree.calls(text, "CLI_LATER")]
    commands = [tree.string(a[1]) for a, _ in tree.calls(tree.without_comments(tree.read("src/cli/commands.def")), "CLI_COMMAND")]
    overview, code = run("--help")
    if code != 0 or len(overview.splitlines()) > 24 or max(map(len, overview.splitlines())) > 80:
        problems.append("--help: exit %d, must fit 80 columns and 24 lines:\n%s" % (code, overview))
    for command in commands:
        if not re.search(r"^  (?:\S.{37} )?%s +\S" % command, overview, re.M):
            problems.append("--help does not say what %s is for" % command)
        shown, code = run("help", command)
        again, _ = run(command, "--help")
        if code != 0 or (shown != again and command != "help"):
            problems.append("help %s: exit %d, or differs from %s --help" % (command, code, command))
        if any(len(line) > 80 and not line.startswith("  icefsck ") for line in shown.splitlines()):
            problems.append("help %s is wider than 80 columns" % command)
        for option in options:
            belongs = re.search(r"\b%s\b" % command.upper(), option[4]) is not None
            named = re.search(r"--%s\b(?!-)" % tree.string(option[1]), "\n".join(l for l in shown.splitlines() if l.startswith("  "))) is not None
            if belongs and not named:
                problems.append("help %s does not name --%s" % (command, tree.string(option[1])))
    for name in later:
        shown, code = run("check", ".", "--" + name)
        if code != 4 or "not in this release" not in shown:
            problems.append("--%s: exit %d, %s" % (name, code, shown.strip()))
    tree.finish(problems, "%d options, %d commands" % (len(options), len(commands)))


main()
