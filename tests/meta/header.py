#!/usr/bin/python3 -SEB
"""include/icefsck.h and every header of src/ compile alone, the installed one as C and as C++.  header.py CC"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]


def compile_alone(cc, language, standard, include, text):
    command = [cc, "-x", language, "-std=" + standard, "-D_GNU_SOURCE"] + WARNINGS
    run = subprocess.run(command + ["-I" + os.path.join(tree.ROOT, i) for i in include] + ["-"],
                         input=text, capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def main():
    cc, problems = sys.argv[1], []
    for language, standard in (("c", "c17"), ("c", "c11"), ("c++", "c++11"), ("c++", "c++17")):
        error = compile_alone(cc, language, standard, ["include"], '#include "icefsck.h"\n#include "icefsck.h"\n')
        if error:
            problems.append("icefsck.h as %s:\n%s" % (standard, error))
    headers = tree.files("src", ".h")
    headers = [h for h in headers if not re.search(r"included by \S+ only", tree.read(h))]
    text = "".join('#include "%s"\n' % os.path.relpath(h, "src") for h in headers)
    if compile_alone(cc, "c", "c17", ["include", "src"], text):
        for header in headers:
            one = 'typedef int nothing;\n#include "%s"\n' % os.path.relpath(header, "src")
            error = compile_alone(cc, "c", "c17", ["include", "src"], one)
            if error:
                problems.append("%s alone:\n%s" % (header, error))
    tree.finish(problems, "%d headers" % (len(headers) + 1))


main()
