#!/usr/bin/python3 -SEB
"""Tables and metadata files of public repositories: public_files.py --icefsck ICEFSCK [CORPUS]    (else $ICEFSCK_PUBLIC)

CORPUS is a directory of them, one directory a repository: tables with their metadata directory, or files that lie alone.
A file alone whose name says that it is wrong (…MissingSchemas, …NotFound) must give an error, unless it is a view, which is
not judged; every other one none. A table may give only the errors and warnings that public-files.tsv tells, with the reason.
What stands there and is not found any more is named, too. Without a corpus the test is skipped.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = re.compile(r"Missing|NotFound|Unsupported|Invalid|WithoutCurrent|^bad_")
NOW = "2026-11-01T00:00:00Z"


def told():
    """[(glob, level, rule)]; a line of the table is GLOB, LEVEL, RULE, reason."""
    out = []
    with open(os.path.join(HERE, "public-files.tsv"), encoding="utf-8") as f:
        for line in list(f)[1:]:
            glob, level, rule, _ = line.rstrip("\n").split("\t")
            out.append((glob, level, rule))
    return out


def check(binary, path, more):
    command = [binary, "check", path, "-f", "ndjson", "-S", "info", "--now", NOW, *more]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not 0 <= run.returncode < 4:
        raise SystemExit("%s: exit %d: %s" % (path, run.returncode, run.stderr.decode("utf-8", "replace")))
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.strip()]
    return {(x["severity"], x["rule"]) for x in lines if x["kind"] == "finding"}


def is_table(folder):
    place = os.path.join(folder, "metadata")
    return os.path.isdir(place) and any(".metadata.json" in name for name in os.listdir(place))


def found_in(corpus):
    """Tables, and the JSON files that stand in no table."""
    for folder, folders, names in os.walk(corpus):
        folders.sort()
        if is_table(folder):
            yield folder, True
            folders.remove("metadata")
        elif os.path.basename(folder) != "metadata":
            yield from ((os.path.join(folder, name), False) for name in sorted(names) if ".json" in name)


def main(args):
    if len(args) < 2 or args[0] != "--icefsck":
        print(__doc__, file=sys.stderr)
        return 4
    binary, corpus = os.path.abspath(args[1]), args[2] if len(args) > 2 else os.environ.get("ICEFSCK_PUBLIC")
    if not corpus:
        print("no corpus given: set ICEFSCK_PUBLIC")
        return 77
    rows, used, problems, n = told(), set(), [], [0, 0]
    for path, table in found_in(os.path.abspath(corpus)):
        name = os.path.relpath(path, corpus)
        findings = check(binary, path, [] if table else ["--depth", "metadata"])
        n[not table] += 1
        for level, rule in sorted(findings):
            if level == "info" or (level == "warn" and not table):
                continue
            match = [i for i, (glob, l, r) in enumerate(rows) if (l, r) == (level, rule) and fnmatch.fnmatchcase(name, glob)]
            used.update(match)
            if not match and (table or not WRONG.search(os.path.basename(path))):
                problems.append("%s: %s %s is not told" % (name, level, rule))
        rules = {rule for _, rule in findings}
        is_judged = not rules & {"metadata.file.is-view", "source.unknown"}
        if not table and is_judged and WRONG.search(os.path.basename(path)) and "error" not in {l for l, _ in findings}:
            problems.append("%s: no error, though its name says that it is wrong" % name)
    problems += ["public-files.tsv: not found any more: %s" % "\t".join(row) for i, row in enumerate(rows) if i not in used]
    print("".join(p + "\n" for p in problems), end="")
    print("%d tables and %d files alone, %d problems" % (n[0], n[1], len(problems)))
    return 1 if problems or not sum(n) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
