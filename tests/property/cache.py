#!/usr/bin/python3 -SEB
"""With a cache the report is the same: cache.py ICEFSCK WORK [FIXTURES]

Random tables grow commit by commit, lose old snapshots and change schemas, and are checked beside a cache after each step:
where they stand, and as a fresh copy, of which all times and inodes are others. Then entries of the cache are cut and get
wrong bits, a manifest gets a wrong byte, and two runs fill one cache at a time. Last, every FIXTURES-th golden fixture (default
12th; with sanitizers 60th, and three tables of eight grow) is checked with one cache that all of them share. What comes out must always be that of a run without a cache, byte for
byte, and exit codes too.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tools", "lib")]
import fixture
import golden
import sets

IS_SANITIZED = bool(os.environ.get("ICEFSCK_SANITIZED"))
SETTLED = 2.2  # seconds after which times of a file are trusted
bad = []


class Growing(sets.Table):
    """A table that begins without a commit; files that are there already are not written again."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.version = 2 + seed % 2
        self.manifests, self.next_row_id, self.files, self.snapshots = [], 0, {}, []

    def put(self, folder, uri, data):
        path = folder + uri[len(sets.LOCATION):]
        if not os.path.exists(path):
            sets.Table.put(folder, uri, data)

    def write(self, folder):
        sets.os = Makes(os)
        sets.Table.write(self, folder)
        sets.os = os
        path = folder + "/metadata/v1.metadata.json"
        with open(path, encoding="utf-8") as f:
            metadata = json.load(f)
        n = self.random.choice((0, 0, 0, 1, 2))
        if len(metadata["snapshots"]) > n + 1:
            del metadata["snapshots"][:n]
        change = self.random.choice(("", "", "", "property", "schema"))
        if change == "property":
            metadata["properties"] = {"x": str(len(self.snapshots))}
        elif change == "schema":
            metadata["schemas"].append(dict(metadata["schemas"][0], **{"schema-id": 1}))
        with open(path, "w", encoding="utf-8") as f:
            json.dump(metadata, f)


class Makes:
    """os, of which makedirs takes what is there."""

    def __init__(self, real):
        self.real = real

    def __getattr__(self, name):
        return getattr(self.real, name)

    def makedirs(self, path):
        self.real.makedirs(path, exist_ok=True)


def start(program, table, cache, options=()):
    command = [program, "check", table, "--now", sets.NOW, "--format", "ndjson", "-S", "info", *options]
    return subprocess.Popen(command + (["--cache", cache] if cache else []), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(program, table, cache, options=()):
    child = start(program, table, cache, options)
    out, err = child.communicate()
    return child.returncode, out, err.decode()


def complain(text):
    print(text)
    bad.append(text)


def same(what, program, table, cache, options=()):
    """Return what -v said of the cache."""
    wanted = run(program, table, None)
    code, out, err = run(program, table, cache, ("-v", *options))
    if wanted[0] not in range(8) or (code, out) != wanted[:2]:
        complain("%s: %s: exit %d, not %d\n  %s\n  not %s" % (what, table, code, wanted[0], out, wanted[1]))
    return [line for line in err.split("\n") if ": cache: " in line]


def count(notes, words):
    return sum(words in n for n in notes)


def expect(what, notes, words):
    if not count(notes, words):
        complain("%s: no '%s' among\n  %s" % (what, words, "\n  ".join(notes)))


def grow(program, work, seed, n):
    table, folder, cache = Growing(seed), "%s/t%d" % (work, seed), work + "/cache"
    hits = 0
    for i in range(n):
        table.commit(i)
        table.write(folder)
        same("commit %d" % i, program, folder, cache)
        hits += count(same("again", program, folder, cache, ("-j", "1")), ": hit")
        copy = "%s/copy%d" % (work, seed)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy, copy_function=shutil.copy)
        hits += count(same("a copy", program, copy, cache), ": hit")
        shutil.rmtree(copy)
    return folder, hits


def entries(cache):
    return sorted(os.path.join(cache, d, f) for d in "0123456789abcdef" if os.path.isdir(os.path.join(cache, d))
                  for f in os.listdir(os.path.join(cache, d)))


def spoil(program, folder, work):
    """Wrong bits and cuts, in every entry at once and at places that go through all of it."""
    cache, r = work + "/spoilt", random.Random(7)
    same("filling", program, folder, cache)
    largest = max(os.path.getsize(p) for p in entries(cache))
    for at in list(range(0, 160, 5)) + list(range(160, largest, max(1, largest // 40))):
        for path in entries(cache):
            with open(path, "rb") as f:
                data = bytearray(f.read())
            if r.randrange(4) == 0:
                del data[at:]
            elif at < len(data):
                data[at] ^= 1 << r.randrange(8)
            with open(path, "wb") as f:
                f.write(data)
        expect("byte %d" % at, same("byte %d" % at, program, folder, cache), "the entry is damaged")
    for name in ("seed", "swept"):
        with open(os.path.join(cache, name), "wb") as f:
            f.write(b"\0" * r.randrange(40))
        same("another " + name, program, folder, cache)
        expect(name, same(name, program, folder, cache), ": hit")


def change(program, folder, work):
    """A byte of a manifest: seen, and forgotten again."""
    cache = work + "/changed"
    same("filling", program, folder, cache)
    for name in sorted(os.listdir(folder + "/metadata")):
        path = os.path.join(folder, "metadata", name)
        if name[0] != "m":
            continue
        with open(path, "rb") as f:
            data = f.read()
        with open(path, "wb") as f:
            f.write(data[:-20] + bytes([data[-20] ^ 1]) + data[-19:])
        same("a byte of " + name, program, folder, cache)
        with open(path, "wb") as f:
            f.write(data)
        same("that byte back", program, folder, cache)


def together(program, folder, work):
    wanted = run(program, folder, None)
    for i in range(5):
        children = [start(program, folder, "%s/beside%d" % (work, i)) for _ in range(3)]
        for child in children:
            out = child.communicate()[0]
            if (child.returncode, out) != wanted[:2]:
                complain("runs beside each other: exit %d\n  %s" % (child.returncode, out))
        expect("beside each other", same("then", program, folder, "%s/beside%d" % (work, i)), ": hit")


def refuse(program, folder, work):
    os.mkdir(work + "/plain")
    with open(work + "/file", "w", encoding="utf-8"):
        pass
    for cache, words in ((folder, "inside a table"), (folder + "/c", "inside a table"), (folder + "/metadata/", "inside a table"),
                         (work + "/file", "not a directory"), (work + "/no/such", "does not exist")):
        code, out, err = run(program, folder, cache)
        if code != 4 or out or words not in err:
            complain("--cache %s: exit %d, %s" % (cache, code, err))
    if os.path.exists(folder + "/c") or os.path.exists(folder + "/seed"):
        complain("something was written into a table")


def unused(program, folder, work):
    """Entries of long ago go, one folder after another."""
    cache = work + "/old"
    same("filling", program, folder, cache)
    old = os.path.join(cache, "0", "f" * 32)
    os.makedirs(os.path.join(cache, "0"), exist_ok=True)
    with open(old, "w", encoding="utf-8"):
        pass
    os.utime(old, (time.time() - 31 * 86400,) * 2)
    for _ in range(17):
        if os.path.exists(os.path.join(cache, "swept")):
            os.utime(os.path.join(cache, "swept"), (time.time() - 7200,) * 2)
        same("sweeping", program, folder, cache)
    if os.path.exists(old):
        complain("an entry that was not used for 31 days is still there")


def fixtures(program, work, step):
    cache, n, hits = work + "/shared", 0, 0
    found = [f for f in golden.find(os.path.join(HERE, "..", ".."))
             if f[0].split("/")[0] in ("rules", "clean", "broken") and not golden.needs(f[1])]
    for name, folder in found[::step]:
        place = os.path.join(work, "fixture")
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        args = golden.command_line(program, folder, fixture.build(folder, os.path.join(place, "table")))
        if args[1] != "check":
            continue
        wanted = golden.spawn(args, place)
        for _ in range(2):
            found_now = golden.spawn(args + ["--cache", cache, "-v"], place)
            if found_now[:2] != wanted[:2]:
                complain("%s: exit %s, not %s\n  %s\n  not %s" % (name, found_now[0], wanted[0], found_now[1], wanted[1]))
        hits += found_now[2].count(": hit")
        n += 1
    return n, hits


def main(program, work, step="60" if IS_SANITIZED else "12"):
    program, work = os.path.abspath(program), os.path.abspath(work)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    n_tables = 3 if IS_SANITIZED else 8
    grown = [grow(program, work, seed, 7) for seed in range(n_tables)]
    hits = sum(h for _, h in grown)
    folder = grown[0][0]
    spoil(program, folder, work)
    change(program, folder, work)
    together(program, folder, work)
    refuse(program, folder, work)
    unused(program, folder, work)
    time.sleep(SETTLED)
    same("times are trusted from here", program, folder, work + "/cache")
    notes = same("without reading", program, folder, work + "/cache")
    if not count(notes, ": hit") or count(notes, "by its content"):
        complain("files that did not change are read:\n  %s" % "\n  ".join(notes))
    n, fixture_hits = fixtures(program, work, int(step))
    if hits < 100 * n_tables // 8 or fixture_hits < n // 4:
        complain("too few hits: %d, and %d of %d fixtures" % (hits, fixture_hits, n))
    print("%d tables, %d hits; %d fixtures, %d hits: %s" % (n_tables, hits, n, fixture_hits, "%d differ" % len(bad) if bad else "the same reports"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
