"""What gcov counted in src/: lines and branches of every file, merged over the objects that compiled it.

Not counted are branches that no source condition stands behind: those of assert (a broken invariant of ours, which no
input may reach) and the way past a switch that names every case and has no default.
"""

import concurrent.futures
import json
import os
import re
import subprocess

ASSERT = re.compile(r"\s*(?:static_)?assert\(")
SWITCH = re.compile(r"\s*switch \(")
DEFAULT = re.compile(r"\bdefault:")


class Line:
    __slots__ = ("count", "branches", "function")

    def __init__(self, function):
        self.count, self.branches, self.function = 0, [], function

    def add(self, count, branches):
        branches = [abs(b) for b in branches]
        self.count += abs(count)
        if len(branches) == len(self.branches):
            self.branches = [max(a, b) for a, b in zip(self.branches, branches)]
        elif len(branches) > len(self.branches):
            self.branches = list(branches)


def notes(build):
    """The .gcno files of the objects that CMake builds; tests leave others, which never run and have lines of their own."""
    for folder, _, names in os.walk(build):
        if "CMakeFiles" not in folder.split(os.sep):
            continue
        for name in names:
            if name.endswith(".gcno"):
                yield os.path.join(folder, name)


def of_object(note):
    """[(source, line, function, count, branch counts)] of one object; zeros when it never ran. CMakeLists.txt maps the
    root to ".", so sources of ours are relative to it."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", note],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=os.path.dirname(note))
    rows = []
    for text in done.stdout.splitlines():
        if not text.startswith(b"{"):
            continue
        data = json.loads(text)
        for file in data["files"]:
            path = os.path.normpath(file["file"])
            for line in file["lines"]:
                rows.append((path, line["line_number"], line.get("function_name"), line["count"],
                             [b["count"] for b in line["branches"]]))
    return rows


def has_default(lines, at):
    """Whether the switch that begins in lines[at] has a default of its own: at the depth of its cases."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    for text in lines[at + 1:]:
        depth = len(text) - len(text.lstrip())
        if DEFAULT.match(text.lstrip()) and depth == indent:
            return True
        if text.strip() == "}" and depth == indent:
            return False
    return False


def without_made(lines, number, branches):
    """The branches of a line that the source asks for."""
    text = lines[number - 1] if number <= len(lines) else ""
    if ASSERT.match(text):
        return []
    if SWITCH.match(text) and 0 in branches and not has_default(lines, number - 1):
        branches = list(branches)
        branches.remove(0)
    return branches


def read(build, root):
    """{path relative to root: (lines of its text, {number: Line})} of the files in src/."""
    files = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows in pool.map(of_object, sorted(notes(build))):
            for name, number, function, count, branches in rows:
                if not name.startswith("src" + os.sep):
                    continue
                if name not in files:
                    with open(os.path.join(root, name), encoding="utf-8") as f:
                        files[name] = (f.read().splitlines(), {})
                text, known = files[name]
                known.setdefault(number, Line(function)).add(count, branches)
    for text, known in files.values():
        for number, line in known.items():
            line.branches = without_made(text, number, line.branches)
    return files
