#!/usr/bin/python3 -SEB
"""No recursion that input drives, and no large frames. call_graph.py GCC BUILD WORK

Compiles all of src as BUILD does, with -fcallgraph-info=su, and reads the graph that gcc writes: a cycle of calls must be on the
list below, with the reason why it ends, and a frame above 4 KiB in frames.tsv. Calls by pointer are not in such a graph.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FRAME = 4096
# function: why its recursion ends
RECURSION = {
    "plan.c:add_absent": "goes down the fields that this program wants (struct ice_want), not those of the input",
    "plan.c:add_record": "the same: as deep as the tables of fields in the source, which is 3",
    "rows.c:run_steps": "runs the plan that add_record has made, as deep as that",
    "sort_facts.c:sort_level": "a byte of a hash of fixed length each level",
}


def frames_allowed():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "frames.tsv"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")][1:]
    return {function: int(ceiling) for function, ceiling, reason in rows if reason}


def commands(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            if re.search(r"/src/[a-z]+/[a-z0-9_]+\.c$", entry["file"]):
                yield entry


def compile_one(cc, entry, work):
    words = shlex.split(entry["command"])
    while os.path.basename(words[0]) in ("ccache", "sccache"):
        words = words[1:]
    at = words.index("-o")
    out = os.path.join(work, os.path.basename(entry["file"])[:-2] + ".o")
    words = [w for w in words[1:at] + words[at + 2:] if not w.startswith(("-fsanitize", "-fprofile", "--coverage"))]
    words = [cc] + words + ["-O1", "-g0", "-fcallgraph-info=su", "-o", out]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (entry["file"], done.stderr))
    with open(out[:-2] + ".ci", encoding="utf-8") as f:
        return f.read()


def read(text, calls, frames):
    for title, label in re.findall(r'node: \{ title: "([^"]*)" label: "([^"]*)"', text):
        size = re.search(r"\\n(\d+) bytes \((\w+)", label)
        if size:
            frames[title] = (int(size.group(1)), size.group(2))
    for source, target in re.findall(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', text):
        if target != "__indirect_call":
            calls.setdefault(source, set()).add(target)


def cycles(calls):
    """Strongly connected parts of more than one function, or of one that calls itself (Tarjan, without recursion)."""
    index, low, on, stack, out = {}, {}, set(), [], []
    for root in calls:
        if root in index:
            continue
        work = [(root, iter(sorted(calls.get(root, ()))))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on.add(target)
                    work.append((target, iter(sorted(calls.get(target, ())))))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on.discard(part[-1])
                    if len(part) > 1 or node in calls.get(node, ()):
                        out.append(sorted(part))
    return out


def name(title):
    """ "file.c:function" of a static one, else "function". """
    return re.sub(r"^.*/", "", title)


def main():
    cc, build, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    calls, frames, problems = {}, {}, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda entry: compile_one(cc, entry, work), commands(build)):
            read(text, calls, frames)
    if len(frames) < 2000 or sum(map(len, calls.values())) < 10000:
        problems.append("the graph is too small: %d functions, %d calls" % (len(frames), sum(map(len, calls.values()))))
    seen, allowed = set(), frames_allowed()
    for part in cycles(calls):
        names = [name(p) for p in part]
        seen.update(names)
        if not any(n in RECURSION for n in names):
            problems.append("recursion: %s" % ", ".join(names))
    for title, (size, kind) in sorted(frames.items()):
        if size > FRAME:
            seen.add(name(title))
            if size > allowed.get(name(title), 0):
                problems.append("a frame of %d bytes (%s): %s" % (size, kind, name(title)))
    problems += ["%s is on a list, but needs none" % n for n in sorted(RECURSION) if n not in seen]
    for problem in problems:
        print(problem)
    print("%d problems, %d functions, largest frame %d bytes" % (len(problems), len(frames), max(s for s, _ in frames.values())))
    sys.exit(1 if problems else 0)


main()
