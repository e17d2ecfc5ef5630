#!/usr/bin/python3 -SEB
"""Each promise about hostile input names what shows it (tests/torture/reliability.tsv), and that is there.

    reliability.py BUILD CTEST [sanitized]

With sanitizers some tests are left out of a build: names that it lacks are then passed over.
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

SECTIONS = ("promises", "limits", "avro", "json", "graph", "system", "injection")
TABLE = "tests/torture/reliability.tsv"


def witness_fault(witness, tests):
    kind, _, rest = witness.partition(":")
    if kind == "ctest":
        return None if tests is None or rest in tests else "no test is called so"
    if kind == "fixture":
        return None if os.path.isdir(os.path.join(tree.ROOT, "fixtures", rest)) else "no such fixture"
    path = os.path.join(tree.ROOT, "tests", kind)
    if not rest or not os.path.isfile(path):
        return "no such file below tests/"
    with open(path, encoding="utf-8") as f:
        return None if re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(rest), f.read()) else "the file does not hold that word"


def main():
    build, ctest, sanitized = sys.argv[1], sys.argv[2], len(sys.argv) > 3 and sys.argv[3] != ""
    listed = subprocess.run([ctest, "-N", "--test-dir", build], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    tests = set(re.findall(r"^ *Test +#\d+: (\S+)", listed.stdout, re.M))
    problems = [] if len(tests) > 50 else ["ctest lists %d tests" % len(tests)]
    n, seen, sections = 0, set(), set()
    for number, line in enumerate(tree.read(TABLE).splitlines(), 1):
        if line.startswith("#") or not line:
            continue
        cells = line.split("\t")
        if len(cells) != 3 or cells[0] not in SECTIONS or not cells[2].split():
            problems.append("%s:%d: section, line, witnesses" % (TABLE, number))
            continue
        n += 1
        sections.add(cells[0])
        if tuple(cells[:2]) in seen:
            problems.append("%s:%d: twice" % (TABLE, number))
        seen.add(tuple(cells[:2]))
        for witness in cells[2].split():
            fault = witness_fault(witness, None if sanitized else tests)
            if fault:
                problems.append("%s:%d: %s: %s" % (TABLE, number, witness, fault))
    lacking = set(SECTIONS) - {"system"} - sections
    problems += ["%s: no line of %s" % (TABLE, one) for one in sorted(lacking)]
    tree.finish(problems, "%d promises" % n)


main()
