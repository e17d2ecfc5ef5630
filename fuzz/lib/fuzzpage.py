"""The table of docs/RELIABILITY.md from the record of runs."""

import os
import sys

import fuzzbuild
import fuzzrun

PAGE = os.path.join(fuzzbuild.ROOT, "docs", "RELIABILITY.md")
BEGIN, END = "<!-- fuzz/run report: begin -->", "<!-- fuzz/run report: end -->"
HEAD = ("target", "CPU s", "CPU s since a finding", "inputs", "corpus", "edges", "features", "open findings", "last commit")


def rows(path):
    try:
        with open(path, encoding="ascii") as f:
            lines = [line.rstrip("\n").split("\t") for line in f]
    except OSError as fault:
        sys.exit("run: no record of runs: %s" % fault)
    if not lines or tuple(lines[0]) != fuzzrun.COLUMNS or any(len(line) != len(lines[0]) for line in lines):
        sys.exit("run: '%s' is no record of runs" % path)
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def number(value):
    return "{:,}".format(int(value)).replace(",", " ")


def line_of(target, runs):
    since = max([i for i, r in enumerate(runs) if r["findings"] != "0"], default=-1) + 1
    last = runs[-1]
    return [target, sum(int(r["cpu_s"]) for r in runs), sum(int(r["cpu_s"]) for r in runs[since:]), sum(int(r["inputs"]) for r in runs),
            int(last["corpus"]), max(int(r["edges"]) for r in runs), max(int(r["features"]) for r in runs), int(last["findings"]), last["commit"]]


def table(path, targets):
    by_target = {}
    for row in rows(path):
        by_target.setdefault(row["target"], []).append(row)
    lines = [line_of(t, by_target[t]) for t in sorted(by_target)]
    totals = ["all"] + [sum(line[i] for line in lines) for i in range(1, 8)] + [""]
    out = ["| " + " | ".join(HEAD) + " |", "|---|" + "--:|" * 7 + "---|"]
    for line in lines + [totals]:
        out.append("| " + " | ".join([line[0]] + [number(v) for v in line[1:8]] + [line[8]]) + " |")
    lacking = sorted(set(targets) - set(by_target))
    if lacking:
        out += ["", "Not run: " + ", ".join(lacking) + "."]
    return "\n".join(out)


def write(text):
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        sys.exit("run: docs/RELIABILITY.md has no place for the table: '%s' and '%s'" % (BEGIN, END))
    page = page[:page.index(BEGIN) + len(BEGIN)] + "\n" + text + "\n" + page[page.index(END):]
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page)
