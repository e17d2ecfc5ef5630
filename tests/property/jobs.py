#!/usr/bin/python3 -SEB
"""The report does not depend on who read what: jobs.py ICEFSCK CALLERS WORK

Tables with many manifests, most of them faulty, are checked with 1, 2, 3, 8 and 64 threads: what comes out must be the same,
byte for byte, notes and exit code too. There are more findings than the caps of a file, a rule and a reason let through; files
that are cut, missing, empty or no manifests; manifests too large to wait for their turn in memory; and limits of memory
that several readers at a time pass where one does not. What is the caller's is used by the calling thread (callers.c).
"""

import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sets

# ICEFSCK_TEST_JOBS: others, for builds in which many threads are slow
IS_SANITIZED = bool(os.environ.get("ICEFSCK_SANITIZED"))
JOBS = tuple(map(int, os.environ.get("ICEFSCK_TEST_JOBS", "1 3 64" if IS_SANITIZED else "1 2 3 8 64").split()))
# the command that makes the report with one thread: a quicker build of the same sources, where the one under test is slow
REFERENCE = os.environ.get("ICEFSCK_TEST_REFERENCE")
AT_ONCE = int(os.environ.get("ICEFSCK_TEST_AT_ONCE", "1"))  # comparisons, where ctest has too few other tests for the cores
SYNC = b"0123456789abcdef"
LEAST = 128 << 10  # bytes of manifests from which on threads are used
PLAIN = (["-vv"], ["--storage", "local", "--only", "storage.*"], ["--max-memory", "16M"])
TIGHT = (["-vv", "--max-memory", "48M"], ["--max-memory", "32M"])  # room for one reader; for hardly one
TIGHT = TIGHT[:1] if IS_SANITIZED else TIGHT  # a check of that table takes seconds there
ROWS = 80000  # of a manifest that does not fit in one part


class Crowd(sets.Table):
    """Snapshots that add many manifests each; every second one has a fault of its own."""

    def __init__(self, seed, n, most):
        self.random = random.Random(seed)
        self.version = 2 + seed % 2
        self.manifests, self.next_row_id, self.files, self.snapshots = [], 0, {}, []
        self.most = most
        for i in range(4):
            self.add(i, n)

    def path(self):
        r = self.random
        where = r.choice((sets.LOCATION,) * 40 + ("s3a://lake/t", "s3://pond/t", "s3://lake/other", "/lake/t", "t"))
        path = "%s/data/%s/f%06d.parquet" % (where, r.choice(("x" * 60, "y" * 40 + "/./z")), r.randrange(20000))
        self.files.setdefault(path, (r.randint(1, 9), r.randint(100, 109)))
        return path

    def add(self, i, n):
        r = self.random
        snapshot, sequence = 101 + i, i + 1
        listed = [m for m in (self.snapshots[-1][2] if self.snapshots else []) if r.randrange(5)]
        for _ in range(n):
            content = int(self.chance(4))
            m = sets.Manifest(len(self.manifests), content, snapshot, sequence,
                              self.next_row_id if self.version == 3 and content == 0 else None,
                              [self.entry(content, snapshot, sequence) for _ in range(r.randint(1, self.most))])
            self.spoil(m)
            self.next_row_id += 9 * self.most
            self.manifests.append(m)
            listed.append(m)
        self.snapshots.append((snapshot, i - 1 if i else None, listed, 0))

    def spoil(self, m):
        r = self.random
        fault = r.choice(("", "negative", "negative", "negative", "null", "foreign", "status", "same", "cut"))
        m.cut = fault == "cut"
        for e in m.entries:
            if fault == "negative":
                e["data_file"]["record_count"] = -r.randint(2, 9)
            elif fault == "null":
                e["snapshot_id"] = None if e["status"] == sets.ADDED else e["snapshot_id"]
                e["sequence_number"] = None
            elif fault == "foreign":
                e["snapshot_id"] = r.randint(101, 110)
            elif fault == "status":
                e["status"] = r.choice((0, 1, 2, 3, -1))
            elif fault == "same":
                e["data_file"] = m.entries[0]["data_file"]

    def write(self, folder):
        super().write(folder)
        r = self.random
        for m in self.manifests:
            name = folder + m.path[len(sets.LOCATION):]
            if self.chance(15):
                os.unlink(name)
            elif self.chance(12):
                with open(name, "wb") as f:
                    f.write(r.choice((b"", b"Obj\x01", b"PAR1", b"AGS1" + b"\0" * 100, b"Obj\x01" + b"\xff" * 50)))


class Large(Crowd):
    """Among others, manifests of many rows that pack well."""

    def write(self, folder):
        super().write(folder)
        for m in self.manifests[3:11]:
            sample = {"status": 1, "snapshot_id": m.snapshot, "sequence_number": None, "file_sequence_number": None,
                      "data_file": {"content": 0, "file_path": "%s/data/%08d/00000000.parquet" % (sets.LOCATION, m.number),
                                    "file_format": "PARQUET", "partition": {}, "record_count": 1, "file_size_in_bytes": 9}}
            row = sets.encode(sets.ENTRY, sample)
            data = b"".join(row.replace(b"/00000000.p", b"/%08d.p" % (i % (ROWS - 5))) for i in range(ROWS))
            packer = zlib.compressobj(6, zlib.DEFLATED, -15)
            packed = packer.compress(data) + packer.flush()
            header = {"format-version": str(self.version), "content": "data", "partition-spec-id": "0"}
            whole = sets.container(sets.ENTRY, {**header, "avro.codec": "deflate"}, [])
            with open(folder + m.path[len(sets.LOCATION):], "wb") as f:
                f.write(whole + sets.number(ROWS) + sets.text(packed) + SYNC)


def run(program, table, jobs, options):
    command = [program, "check", table, "--now", sets.NOW, "--format", "ndjson", "-j", str(jobs)] + options
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def compare(program, table, options):
    wanted = run(REFERENCE or program, table, 1, options)
    if wanted[0] < 0 or wanted[0] > 7 or not wanted[1]:
        print("%s %s: exit %d\n%s" % (table, options, wanted[0], wanted[2].decode()))
        return 1
    bad = 0
    for jobs in JOBS[1:]:
        found = run(program, table, jobs, options)
        for what, a, b in zip(("exit code", "report", "notes"), wanted, found):
            if a != b:
                print("%s %s: with -j %d another %s" % (table, options, jobs, what))
                lines = zip(str(a).split("\\n"), str(b).split("\\n"))
                print("\n".join("  %s\n  not %s" % pair for pair in list(p for p in lines if p[0] != p[1])[:3]))
                bad = 1
    return bad


def main(program, callers, work):
    shutil.rmtree(work, ignore_errors=True)
    bad, pairs = 0, []
    tables = [("many", Crowd(1, 80, 90)), ("small", Crowd(2, 150, 12)), ("large", Large(3, 12, 40))]
    for name, table in tables:
        folder = os.path.join(work, name)
        table.write(folder)
        size = sum(os.path.getsize(os.path.join(folder, "metadata", f)) for f in os.listdir(folder + "/metadata") if f[0] == "m")
        found = run(REFERENCE or program, folder, 1, [])[1].count(b'"rule":"manifest.file.record-count.negative"') if name == "many" else 1000
        if size < LEAST or found < 1000:
            print("%s: %d bytes of manifests, too little is found" % (name, size))
            bad = 1
        pairs += [(folder, options) for options in (TIGHT if name == "large" else PLAIN)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        bad |= any(list(pool.map(lambda pair: compare(program, *pair), reversed(pairs))))  # the large table takes longest
    done = subprocess.run([callers] + [os.path.join(work, name) for name in ("many", "small")])
    bad |= done.returncode != 0
    print("%d tables, with %s threads: %s" % (len(tables), ", ".join(map(str, JOBS)), "another report" if bad else "the same reports"))
    return bad


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
