"""The figures that icefsck is to reach: what each is, its target, and the gate that leaves room for a noisy machine."""

import json
import os
import time

MIB = 1 << 20


class Figure:
    """sense: at_most or at_least. show: how a number of it reads; gate None: looked at by hand."""

    def __init__(self, what, target, gate, unit="", sense="at most"):
        self.what, self.target, self.gate, self.unit, self.sense = what, target, gate, unit, sense

    def keeps(self, value, bound):
        return value <= bound if self.sense == "at most" else value >= bound

    def show(self, value):
        if self.unit == "1/":
            return "1/%.3g" % (1 / value) if value else "0"
        text = "%.0f" % value if value >= 100 else "%.3g" % value
        return text + (" " + self.unit if self.unit not in ("", "×") else " ×" if self.unit == "×" else "")

    def bound(self, value):
        return "–" if value is None else ("≤ " if self.sense == "at most" else "≥ ") + self.show(value)


FIGURES = {
    "S.head": Figure("S, current snapshot, one thread: CPU of the check / CPU of inflating the same blocks", 1.5, 2.2, "×"),
    "S.all": Figure("S, all snapshots, one thread: the same ratio", 1.5, None, "×"),
    "M.head": Figure("M, current snapshot, one thread: the same ratio", 1.5, None, "×"),
    "M.all": Figure("M, all snapshots, one thread: the same ratio", 1.5, None, "×"),
    "S-null.raw": Figure("null codec: raw bytes of blocks a CPU second", 800, 400, "MB/s", "at least"),
    "M.threads": Figure("M: wall time with one thread / with two", 1.8, None, "×", "at least"),
    "one-manifest.threads": Figure("one big manifest: wall time with one thread / with two", 1.8, None, "×", "at least"),
    "java.M": Figure("M, whole process: CPU of the check / CPU of Iceberg Java reading it", 1 / 8, None, "1/"),
    "pyiceberg.S": Figure("S, whole process: CPU of the check / CPU of PyIceberg reading it", 1 / 20, None, "1/"),
    "go.S": Figure("S, whole process: CPU of the check / CPU of iceberg-go reading it", 1 / 20, None, "1/"),
    "S.resident": Figure("S: peak memory / (16 MiB + 4 MiB a thread + 32 bytes an entry + 128 bytes a snapshot)", 1, 1.5, "×"),
    "M.resident": Figure("M: peak memory / the same", 1, 1.5, "×"),
    "L.wall": Figure("L, all snapshots, two threads: wall time / wall time of two threads that inflate", 1.6, None, "×"),
    "L.resident": Figure("L: peak memory", 450, None, "MiB"),
    "L.spilled": Figure("L with `--max-memory 128M`: wall time / wall time of two threads that inflate", 2, None, "×"),
    "L.spilled.resident": Figure("L with `--max-memory 128M`: peak memory", 128, None, "MiB"),
    "J100.speed": Figure("J100: `check --depth metadata`, bytes of metadata.json a CPU second", 300, 150, "MB/s", "at least"),
    "J100.resident": Figure("J100: peak memory / (24 MiB + 128 bytes a snapshot)", 1, 1.5, "×"),
    "M.orphans": Figure("M: CPU that `--listing` adds to the check", 0.7, 1.2, "s"),
    "M.orphans.bytes": Figure("M: memory that `--listing` adds to the check, a path", 40, None, "bytes"),
    "M.cache": Figure("M after one commit: CPU of the check with `--cache` / without", 1 / 50, 1 / 20, "1/"),
    "tiny.start": Figure("a table of 3 files: CPU from start to end of `check`", 5, 20, "ms"),
}


class Measured:
    """What was measured, by figure, kept in a file so that a page can be written from several runs."""

    def __init__(self, path, stamp):
        self.path, self.stamp = path, stamp
        self.kept, self.fresh = {"figures": {}, "rows": {}, "growth": {}, "peers": {}}, {}
        self.read()

    def read(self):
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.kept = {**self.kept, **json.load(file)}

    def put(self, kind, key, **values):
        entry = {**values, **self.stamp, "load": round(os.getloadavg()[0], 1), "at": time.strftime("%Y-%m-%d %H:%M", time.gmtime())}
        self.read()  # what another run has measured meanwhile
        self.kept[kind][key] = entry
        self.fresh[kind, key] = entry
        with open(self.path + ".new", "w") as out:
            json.dump(self.kept, out, indent=1, sort_keys=True)
        os.replace(self.path + ".new", self.path)

    def figure(self, key, spread, detail=""):
        """A figure, told at once: its median, least and most, and what bound it keeps."""
        figure = FIGURES[key]
        self.put("figures", key, median=spread.median, least=spread.least, most=spread.most, detail=detail)
        words = "target " + figure.bound(figure.target) + (": kept" if figure.keeps(spread.median, figure.target) else ": missed")
        if figure.gate is not None:
            words += ", gate " + figure.bound(figure.gate) + (": kept" if figure.keeps(spread.median, figure.gate) else ": BEYOND")
        print(("%-20s %10s  (%s to %s)  %s  %s" % (key, figure.show(spread.median), figure.show(spread.least), figure.show(spread.most), words, detail)).rstrip(),
              flush=True)

    def row(self, key, what, text):
        self.put("rows", key, what=what, text=text)
        print("%-20s %s: %s" % (key, what, text), flush=True)

    def beyond(self):
        """Figures of this run beyond their gate."""
        return [key for kind, key in self.fresh if kind == "figures" and FIGURES[key].gate is not None and
                not FIGURES[key].keeps(self.fresh[kind, key]["median"], FIGURES[key].gate)]
