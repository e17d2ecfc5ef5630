#!/usr/bin/python3 -SEB
"""What the compilers do not see: banned functions, memory and output in their places, long files and lines, and
files that comments and CONTRIBUTING.md name and that are not there (any more).

Long files are listed; only the banned things fail.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

BANNED = "strcpy strcat sprintf vsprintf gets strtok atoi atol atoll atof alloca strtod strtof setjmp longjmp"
MEMORY = "malloc calloc realloc free strdup strndup asprintf"
OUTPUT = "printf fprintf vprintf vfprintf puts fputs putchar perror"
PLACES = {"src/base/alloc.c": MEMORY, "src/cli/command_memory.c": MEMORY}
EXIT = "exit _exit abort quick_exit"
# calls through a table of operations are no calls of the C library
MEMBER = r"(?<![A-Za-z0-9_.>])"


def check(file, text, problems):
    allowed = set(PLACES.get(file, "").split())
    banned = [(w, "is banned") for w in BANNED.split()]
    banned += [(w, "belongs into base/alloc.c") for w in MEMORY.split() if w not in allowed]
    if not file.startswith("src/cli/"):
        banned += [(w, "belongs into cli/") for w in OUTPUT.split()]
    if file not in ("src/cli/main.c", "src/cli/signals.c"):
        banned += [(w, "belongs into cli/main.c") for w in EXIT.split()]
    for word, why in banned:
        for match in re.finditer(MEMBER + re.escape(word) + r"\s*\(", text):
            problems.append("%s:%d: %s %s" % (file, text.count("\n", 0, match.start()) + 1, word, why))
    for match in re.finditer(r"//|\bTODO\b|\bFIXME\b|\bXXX\b|__attribute__\(\(cleanup", text):
        problems.append("%s:%d: %s" % (file, text.count("\n", 0, match.start()) + 1, match.group(0)))


def named_files(problems):
    """`file.c` and `table.def` in comments, `src/folder/file.c` in CONTRIBUTING.md."""
    ours = tree.files("src", "") + tree.files("include", "") + tree.files("tests", "") + tree.files("fuzz", "")
    names = {os.path.basename(file) for file in ours}
    for file in [f for f in ours if f.startswith(("src/", "include/")) and f.endswith((".c", ".h"))]:
        for comment in re.findall(r"/\*.*?\*/", tree.read(file), re.S):
            for name in re.findall(r"(?<![\w.*])[a-z][a-z0-9_]+\.(?:c|def)\b", comment):
                if name not in names:
                    problems.append("%s: a comment names %s, which is not there" % (file, name))
    for path in re.findall(r"`((?:src|include)/[\w/.]+\.(?:c|h|def))`", tree.read("CONTRIBUTING.md")):
        if path not in ours and "NN_" not in path:
            problems.append("CONTRIBUTING.md names %s, which is not there" % path)


def main():
    problems, n = [], 0
    named_files(problems)
    for file in tree.files("src", ".c", ".h") + tree.files("include", ".h"):
        source = tree.read(file)
        text = tree.without_comments(source)
        text = tree.STRING.sub('""', text)
        check(file, text, problems)
        n += 1
        lines = source.splitlines()
        if not source.endswith("\n") or source.endswith("\n\n"):
            problems.append("%s: must end in one newline" % file)
        if not source.startswith("/*\n"):
            problems.append("%s: no comment of purpose at its top" % file)
        if "\t" in source:
            problems.append("%s: has tabs" % file)
        if file.endswith(".c") and len(lines) > 500:
            print("note: %s has %d lines" % (file, len(lines)))
    tree.finish(problems, "%d files" % n)


main()
