#!/usr/bin/python3 -SEB
"""What gen-table writes has no finding of any severity, is the same each time, and its listing says what is missing.

generated_tables.py GEN_TABLE ICEFSCK WORK
"""

import filecmp
import json
import os
import shutil
import subprocess
import sys

LOCATION = "s3://lake/warehouse/db/events"
MERGED = ["-n", "600", "-m", "4", "-k", "12"]
MANY = ["-n", "600", "-m", "30", "-k", "8"]
MIXED = ["-D", "5", "-E"]


class Tables:
    def __init__(self, gen, icefsck, work):
        self.gen, self.icefsck, self.work, self.n = gen, icefsck, work, 0

    def make(self, *options):
        path = os.path.join(self.work, "t%d" % self.n)
        self.n += 1
        subprocess.run([self.gen, *options, path], check=True)
        return path

    def check(self, path, *options):
        done = subprocess.run([self.icefsck, "check", "-S", "info", "-f", "ndjson", *options, path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert not done.stderr, done.stderr.decode()
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def findings(rows):
    return [row for row in rows if row["kind"] == "finding"]


def nothing_is_found(tables):
    for version in "123":
        for codec in ("deflate", "zstd", "snappy", "null"):
            for shape in (MERGED, MANY):
                for mixed in ([], MIXED):
                    options = ["-v", version, "-c", codec, *shape, *mixed]
                    code, rows = tables.check(tables.make(*options))
                    found = [(row["rule"], row["message"]) for row in findings(rows)]
                    assert code == 0 and rows[-1]["complete"] and not found, (options, code, found[:5])


def there_is_what_was_asked_for(tables):
    for version in "23":
        path = tables.make("-v", version, *MERGED, *MIXED)
        files = subprocess.run([tables.icefsck, "inspect", "files", path, "-f", "ndjson"], stdout=subprocess.PIPE, check=True).stdout
        contents = [json.loads(line)["content"] for line in files.splitlines()]
        assert contents.count(0) == 600, len(contents)
        assert contents.count(1) > 50 and contents.count(2) > 50, len(contents)
        with open(os.path.join(path, "metadata", "v12.metadata.json")) as file:
            metadata = json.load(file)
        assert len(metadata["schemas"]) == 2 and len(metadata["partition-specs"]) == 2 and len(metadata["snapshots"]) == 12, metadata


def same_options_same_bytes(tables):
    options = ["-v", "3", "-L", "tsv", *MERGED, *MIXED]
    one, other, seeded = tables.make(*options), tables.make(*options), tables.make("-s", "2", *options)
    names = [os.path.relpath(os.path.join(at, name), one) for at, _, files in os.walk(one) for name in files]
    same, differ, absent = filecmp.cmpfiles(one, other, names, shallow=False)
    assert len(names) > 24 and not differ and not absent, (differ, absent)
    assert not filecmp.cmp(os.path.join(one, "listing.tsv"), os.path.join(seeded, "listing.tsv"), shallow=False)


def expected(path, kind):
    with open(os.path.join(path, "expected-%s.txt" % kind)) as file:
        return sorted(line.rstrip("\n").removeprefix(LOCATION + "/") for line in file)


def listings_tell_orphans_and_missing(tables):
    for version, form, name in (("1", "tsv", "tsv"), ("2", "tsv", "tsv"), ("3", "tsv", "tsv"), ("2", "s3ls", "txt"), ("3", "json", "json")):
        path = tables.make("-v", version, "-L", form, "-O", "7", "-X", "3", *MERGED, *MIXED)
        more = [] if form == "tsv" else ["--base", "s3://lake/"]
        _, rows = tables.check(path, "--listing", os.path.join(path, "listing." + name), *more)
        found = sorted((row["rule"], row["args"]["path"]) for row in findings(rows))
        wanted = [("storage.data-file.missing", file) for file in expected(path, "missing")]
        wanted += [("storage.orphan.data", file) for file in expected(path, "orphan")]
        assert len(wanted) == 10 and found == wanted, (version, form, found, wanted)


def main():
    gen, icefsck, work = sys.argv[1:4]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    tables = Tables(gen, icefsck, work)
    for test in (nothing_is_found, there_is_what_was_asked_for, same_options_same_bytes, listings_tell_orphans_and_missing):
        test(tables)
    shutil.rmtree(work)


main()
