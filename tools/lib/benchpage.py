"""docs/PERFORMANCE.md, from what tools/bench has measured and the reasons beside the tool."""

import os
import platform
import re
import subprocess

import benchgrowth
from benchfigures import FIGURES

HERE = os.path.dirname(os.path.abspath(__file__))
REASONS = os.path.join(os.path.dirname(HERE), "bench.reasons")


def reasons():
    """figure TAB why it falls short and what was tried."""
    with open(REASONS) as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    unknown = [row[0] for row in rows if row[0] not in FIGURES or len(row) != 2]
    if unknown:
        raise SystemExit("bench: %s: not a figure with its reason: %s" % (REASONS, ", ".join(unknown)))
    return dict(rows)


def first_line(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().splitlines()[0].strip()
    except (OSError, IndexError):
        return ""


def field(path, name):
    try:
        with open(path) as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith(name)), "")
    except OSError:
        return ""


def machine():
    kib = field("/proc/meminfo", "MemTotal").split()
    memory = ", %.0f GiB of memory" % (int(kib[0]) / (1 << 20)) if kib else ""
    return "%d cores, %s%s, %s" % (os.cpu_count() or 1, field("/proc/cpuinfo", "model name") or platform.machine(), memory, platform.system())


def compiler(build):
    try:
        with open(os.path.join(build, "CMakeCache.txt")) as file:
            cache = dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.M))
    except OSError:
        return ""
    return "%s, build type %s" % (first_line([cache.get("CMAKE_C_COMPILER", "cc"), "--version"]), cache.get("CMAKE_BUILD_TYPE", "") or "none")


def stamp(icefsck, build):
    """What is noted beside each figure: the same figure of another machine is another figure."""
    lines = subprocess.run([icefsck, "version"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    libraries = [" ".join(line.split()) for line in lines if re.match(r"\s+(libdeflate|zstd|zlib)\s+\S", line)]
    return {"machine": machine(), "versions": "; ".join([lines[0], *libraries, compiler(build)])}


def figure_row(key, figure, entry, why):
    if entry is None:
        measured, spread, verdict = "not measured here", "–", ""
    else:
        value = entry["median"]
        measured, spread = figure.show(value), "%s to %s" % (figure.show(entry["least"]), figure.show(entry["most"]))
        if entry["detail"]:
            spread += "; " + entry["detail"]
        verdict = "reached" if figure.keeps(value, figure.target) else "missed: " + (why or "no reason is written down yet")
    return "| %s | %s | %s | %s | %s | %s |" % (figure.what, figure.bound(figure.target), figure.bound(figure.gate), measured, spread, verdict)


def of_runs(kept):
    """What was measured when, on what, with what."""
    entries = [entry for kind in ("figures", "rows", "peers", "growth") for entry in kept[kind].values()]
    for name in ("machine", "versions"):
        for value in sorted({entry[name] for entry in entries}):
            yield "- %s: %s" % ({"machine": "Machine", "versions": "Versions"}[name], value)
    if entries:
        loads = [entry["load"] for entry in entries]
        yield "- Measured from %s to %s UTC, at a load of %.1f to %.1f" % (min(entry["at"] for entry in entries), max(entry["at"] for entry in entries),
                                                                           min(loads), max(loads))


def peers_table(peers):
    yield "| reader | table | CPU, check = 1 | spread | CPU s | peak MiB |"
    yield "|---|---|---|---|---|---|"
    for key in sorted(peers, key=lambda key: (key.split(".")[1], peers[key].get("times", 0))):
        peer = peers[key]
        if peer["missing"]:
            yield "| %s | %s | not measured here | – | – | – |" % (peer["name"], key.split(".")[1])
        else:
            yield "| %s %s | %s | %.1f × | %.1f to %.1f | %.2f | %.0f |" % (peer["name"], peer["peer_version"], key.split(".")[1], peer["times"], peer["least"],
                                                                          peer["most"], peer["cpu"], peer["peak_mib"])


def growth_table(growth):
    yield "| what grows | at 1 × | measure | 1 × | 2 × | 4 × | 8 × |"
    yield "|---|---|---|---|---|---|---|"
    for axis in (axis for axis in benchgrowth.AXES if axis in growth):
        points = growth[axis]["points"]
        for key, name, first in (("cpu", "CPU", "%.3f s"), ("instructions", "instructions", "%.0f M"), ("bytes", "bytes read", "%.1f MB")):
            if all(point[key] for point in points):
                scale = 1 if key == "cpu" else 1e6
                cells = [first % (points[0][key] / scale)] + ["%.2f ×" % (point[key] / points[0][key]) for point in points[1:]]
                yield "| %s | %s | %s | %s |" % (axis, growth[axis]["one"], name, " | ".join(cells))


HEAD = """# Performance

This page is written by `tools/bench BUILD WORK --large --peers --growth --write docs`; no number on it is typed by hand. Figures are ratios of one
run, in pairs measured one right after the other, so that what disturbs the machine disturbs both sides: median, least and most. Seconds hold on this machine alone.

`tools/gen-table` writes the tables: format version 2, 20 columns with all six kinds of statistics, deflate level 9. S has 100 000 live
files, 20 manifests, 50 snapshots; M 1 000 000, 200, 500; L 10 000 000, 1 000, 1 000; J100 is a metadata.json of 100 000 snapshots. A check has every rule on.

"""


def page(kept):
    why = reasons()
    figures = kept["figures"]
    text = [HEAD + "\n".join(of_runs(kept)), "", "## Figures to reach", "",
            "The gate leaves room for a noisy machine: CI runs `tools/bench --gate` on S and J100 and fails beyond it, after one more try.", "",
            "| figure | target | CI gate | measured | spread | verdict |", "|---|---|---|---|---|---|"]
    text += [figure_row(key, figure, figures.get(key), why.get(key)) for key, figure in FIGURES.items()]
    if kept["rows"]:
        text += ["", "## Whole processes", "", "One process each, start to end, with its peak memory.", "", "| table | command | cost |", "|---|---|---|"]
        text += ["| %s | %s | %s |" % (key.rsplit(".", 1)[0], kept["rows"][key]["what"], kept["rows"][key]["text"]) for key in kept["rows"]]
    if kept["peers"]:
        text += ["", "## Other readers", "",
                 "Whole processes on one thread where they let one choose, in turn with `icefsck check --snapshot main -j 1` of the same table. They read every live entry"
                 " with its statistics (DuckDB: without); the check reads them and applies its rules. Their programs are in `tools/peers`.", ""]
        text += peers_table(kept["peers"])
    if kept["growth"]:
        text += ["", "## Growth", "", "CPU time (median) and instructions of `check -j 1` on tables with 1, 2, 4 and 8 times as much of one thing.", "",
                 "![Cost of a check at 1, 2, 4 and 8 times as much of each; the dashed line is linear growth](growth.svg)", ""]
        text += growth_table(kept["growth"])
    return "\n".join(text) + "\n"


def write(kept, folder):
    with open(os.path.join(folder, "PERFORMANCE.md"), "w") as out:
        out.write(page(kept))
    if kept["growth"]:
        with open(os.path.join(folder, "growth.svg"), "w") as out:
            out.write(benchgrowth.plot(kept["growth"]))
