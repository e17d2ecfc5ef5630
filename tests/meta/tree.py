"""Reads the source tree for the meta-tests: macro rows of .def files, FOUND sites, files by folder."""

import functools
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)


@functools.lru_cache(maxsize=None)
def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as f:
        return f.read()


def files(folder, *ends):
    """Paths below ROOT/folder that end so, sorted, relative to ROOT."""
    out = []
    for where, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders.sort()
        out += [os.path.relpath(os.path.join(where, n), ROOT) for n in sorted(names) if n.endswith(ends)]
    return out


@functools.lru_cache(maxsize=64)
def without_comments(text):
    """Comments become blanks, so that positions and lines stay; strings are left alone."""

    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"'" else re.sub(r"[^\n]", " ", found)

    return re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def calls(text, name):
    """(arguments, line) of every name(...) in text without comments; arguments as their source text."""
    for match in re.finditer(r"(?<![A-Za-z0-9_])%s\s*\(" % name, text):
        depth, start, args, at = 1, match.end(), [], match.end()
        while at < len(text) and depth:
            c = text[at]
            if c in "\"'":
                at = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.S).match(text, at).end()
                continue
            if c in "([{":
                depth += 1
            elif c in ")]}":
                depth -= 1
            if (c == "," and depth == 1) or depth == 0:
                args.append(text[start:at].strip())
                start = at + 1
            at += 1
        yield args, text.count("\n", 0, match.start()) + 1


def string(source):
    """The text of adjacent string literals, or None if it is anything else."""
    if STRING.sub("", source).strip() or not STRING.search(source):
        return None
    joined = "".join(STRING.findall(source))
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), joined)


class Rule:
    def __init__(self, args, demoted, file, line):
        self.token, self.severity, self.versions, self.needs = args[0], args[2], args[3], args[4]
        self.name, self.spec, self.message, self.why, self.refused_by, self.fix = (
            string(args[i]) for i in (1, 5, 6, 7, 8, 9)
        )
        self.demoted, self.place = demoted, "%s:%d" % (file, line)

    def placeholders(self):
        return set(re.findall(r"\{([a-z0-9_]+)\}", self.message))

    def version_numbers(self):
        words = set(re.findall(r"\w+", self.versions))
        words = {w.replace("ICE_", "") for w in words}
        return {1, 2, 3, 4} if "VALL" in words else {int(w[1:]) for w in words if re.fullmatch(r"V[1-4]", w)}


@functools.lru_cache(maxsize=None)
def rules(*macros):
    """Rows that something raises; with macros named, rows of these."""
    out = []
    for file in files("src/rule/rules", ".def"):
        text = without_comments(read(file))
        for macro in macros or ("ICE_RULE", "ICE_RULE_DEMOTED"):
            for args, line in calls(text, macro):
                if len(args) != 10:
                    sys.exit("%s:%d: a row has 10 columns, this one %d" % (file, line, len(args)))
                out.append(Rule(args, macro == "ICE_RULE_DEMOTED", file, line))
    return tuple(out)


def undecided():
    """Rows that nothing raises."""
    return rules("ICE_RULE_UNDECIDED")


def finish(problems, what):
    """Print the problems and leave with 1, or say what was looked at."""
    for problem in problems:
        print(problem)
    print("%d problems, %s" % (len(problems), what))
    sys.exit(1 if problems else 0)
