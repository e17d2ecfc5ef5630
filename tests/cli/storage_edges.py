#!/usr/bin/python3 -SEB
"""Storage at its edges: ways to spell a location, and more files than a list holds. storage_edges.py ICEFSCK GEN_TABLE WORK [TEST...]"""

import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

GEN = os.path.abspath(sys.argv.pop(2))
BASE = "s3://lake/wh/db/orders"
DATA = ("data/f1.parquet", "data/f2.parquet", "data/created_at_day=2025-03-02/customer=acme/id_bucket=2/price=9.5/f3.parquet",
        "data/created_at_day=2025-03-02/customer=null/id_bucket=0/price=12.25/f4.parquet",
        "data/created_at_day=2025-03-03/customer=mono/id_bucket=3/price=0.5/f5.parquet",
        "data/created_at_day=2025-03-03/customer=zeta/id_bucket=1/price=NaN/f6.parquet",
        "data/created_at_day=2025-03-02/customer=acme/id_bucket=2/price=9.5/x1-deletes.parquet", "metadata/103.stats",
        "metadata/partition-stats-103.parquet")


def names(t, *more):
    """A listing of what plain-v2 names, and of more; sizes are not told."""
    own = sorted(list(DATA) + ["metadata/" + n for n in os.listdir(os.path.join(t.work, "table/metadata"))])
    return "".join(p + "\n" for p in [BASE + "/" + n for n in own] + list(more))


def storage(t, *args):
    """Rules of storage that were found in the table, each with its path; what was not evaluated."""
    lines = t.lines(t.check("table", "-f", "ndjson", "-S", "info", *args).stdout)
    found = [(one["rule"], one["args"].get("path")) for one in lines if one["kind"] == "finding" and one["rule"].startswith(("storage.", "source."))]
    return sorted(found), [n["what"] for n in lines[-1]["not_evaluated"] if n["asked"]]


def orphans(t, *args, table="table"):
    done = t.run("orphans", table, "-f", "ndjson", "--now", harness.NOW, *args)
    return sorted((one["file"], one["class"]) for one in t.lines(done.stdout)), done.stderr


LEFT = BASE + "/metadata/9.metadata.json"


def test_hint_left_behind(t):
    """The hint names the last file before the table moved to a catalog, whose files have lower numbers: they are no orphans."""
    entry = 'add /metadata-log/- {"timestamp-ms": %d, "metadata-file": "s3://lake/wh/db/orders/metadata/%s.metadata.json"}\n'
    t.build("base plain-v2\ncopy j3 metadata/00000-a.metadata.json\nalias n metadata/00000-a.metadata.json\n"
            "json n set /last-updated-ms 1740970000000\njson n " + entry % (1740960000000, "v3") +
            "copy n metadata/00001-a.metadata.json\nalias m metadata/00001-a.metadata.json\n"
            "json m set /last-updated-ms 1740980000000\njson m " + entry % (1740970000000, "00000-a"))
    t.write("l.txt", names(t))
    found, said = orphans(t, "--listing", "l.txt")
    t.equal(found, [])
    t.has(said, "there is a newer metadata file, metadata/00001-a.metadata.json")
    # nor do those of before keep orphans of the catalog's table from being found
    t.write("l.txt", names(t, BASE + "/data/left.parquet"))
    pointer = ["--pointer", "db.orders=" + BASE + "/metadata/00001-a.metadata.json"]
    t.equal(orphans(t, "--listing", "l.txt", *pointer)[0], [("data/left.parquet", "data")])


def test_location_with_slashes(t):
    """Slashes behind a location, or behind a place of metadata, change nothing."""
    seen = []
    for edit in ("", 'json current set /location "%s/"\n' % BASE, 'json current set /location "%s///"\n' % BASE,
                 'json current set /properties/write.metadata.path "%s/metadata"\n' % BASE,
                 'json current set /properties/write.metadata.path "%s/metadata//"\njson current set /location "%s/"\n' % (BASE, BASE)):
        place = t.build("base plain-v2\n" + edit)
        for name in DATA:
            t.write("table/" + name, b"x")
        t.write("l.txt", names(t, BASE + "/data/left.parquet"))
        here = [storage(t, "--listing", "l.txt"), storage(t, "--storage", "local"), orphans(t, "--listing", "l.txt")[0]]
        here.append([one["uri"] for one in t.lines(t.check("table", "--list-files", "-f", "ndjson").stdout)])
        seen.append(here)
        t.run("rescue", "table", "--now", harness.NOW, code=None)
        shutil.rmtree(place)
        shutil.rmtree(place + ".fixture")
    for here in seen[1:]:
        t.equal(here[:3], seen[0][:3])
    t.equal(seen[0][0], ([("storage.orphan.data", "data/left.parquet")], []))
    t.true(all(len(here[3]) == len(seen[0][3]) for here in seen), "as many files are named")


def test_metadata_elsewhere(t):
    """Metadata files below write.metadata.path are the table's own, wherever that is."""
    t.build('base plain-v2\njson current set /properties/write.metadata.path "s3://lake/meta/orders/"\n')
    away = ("s3://lake/meta/orders/00009-6c0dee1e-0b3a-4f0f-9a5e-1f7e5a2d8b11.metadata.json", "s3://lake/meta/orders/x-m0.avro")
    t.write("l.txt", names(t, *away))
    got, lacking = storage(t, "--listing", "l.txt")
    t.equal((got, lacking), ([("storage.orphan.metadata-newer", away[0])], []))
    classes = {one: kind for one, kind in orphans(t, "--listing", "l.txt")[0]}
    t.equal(set(classes.values()) <= {"metadata", "manifest", "temp"}, True, classes)


def test_doubled_slashes(t):
    """Where a tree is walked, both spellings are one file; a bucket has two."""
    t.build('base plain-v2\navro m1 set /records/0/data_file/file_path "%s//data///f1.parquet"\n' % BASE)
    for name in DATA:
        t.write("table/" + name, b"x")
    missing = {path for rule, path in storage(t, "--storage", "local")[0] if rule.endswith("missing")}
    t.equal(missing, set())
    t.write("l.txt", names(t))
    missing = [rule for rule, _ in storage(t, "--listing", "l.txt")[0] if rule.endswith("missing")]
    t.equal(missing, ["storage.data-file.missing"])


def test_sizes_that_say_nothing(t):
    """A size below zero, or one that no object has, is not compared: other rules speak of it."""
    for size in (-1, 300000000000000):
        place = t.build("base plain-v2\navro m1 set /records/0/data_file/file_size_in_bytes %d\n" % size, name="table")
        text = names(t).splitlines()
        t.write("l.txt", "path,size\n" + "".join("%s,4100\n" % p for p in text if "f1.parquet" in p) + "".join("%s,\n" % p for p in text if "f1.parquet" not in p))
        rules = {rule for rule, path in storage(t, "--listing", "l.txt")[0] if path and "f1" in path}
        t.equal(rules, set(), str(size))
        shutil.rmtree(place)
        shutil.rmtree(place + ".fixture")


def test_links_that_lead_out(t):
    """A file of the tree that cannot be opened is there, and has no size: neither missing, nor empty, nor an orphan."""
    t.table()
    sizes = dict(zip(DATA, (4100, 4200, 4300, 4400, 4500, 4600, 1500, 600, 900)))
    for name in DATA:
        place = os.path.join(t.work, "table", name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as f:
            f.truncate(sizes[name])
    t.equal(storage(t, "--storage", "local"), ([], []))
    place = os.path.join(t.work, "table", DATA[0])
    os.rename(place, os.path.join(t.work, "elsewhere"))
    os.symlink("../../elsewhere", place)
    t.equal(storage(t, "--storage", "local"), ([], ["storage.*"]))
    t.has(t.check("table", "--storage", "local", code=2).stdout, "data/f1.parquet:  a file is there that cannot be opened: its size is unknown")


def test_more_orphans_than_are_kept(t):
    """Those beyond are counted, and told as more."""
    t.table()
    n = 100500
    t.write("l.txt", names(t, *("%s/data/left-%06d.parquet" % (BASE, i) for i in range(n))))
    lines = t.lines(t.check("table", "-f", "ndjson", "-S", "info", "--listing", "l.txt").stdout)
    left = [one for one in lines if one.get("rule") == "storage.orphan.data"]
    t.equal(len(left) + sum(one["more"] for one in left), n)
    t.equal(lines[-1]["counts"]["info"], sum(1 + one["more"] for one in lines if one.get("severity") == "info"))


def generated(t, *args):
    subprocess.run([GEN, *args, os.path.join(t.work, "table")], check=True)
    expected = [sorted(t.read("table/expected-%s.txt" % kind).split("\n")[:-1]) for kind in ("orphan", "missing")]
    with open(os.path.join(t.work, "table/listing.tsv"), encoding="utf-8") as f:
        return expected, [line.rstrip("\n").split("\t") for line in f]


def judge(t, expected, *args):
    """What a listing of a generated table gives is what the generator left out and added."""
    lines = t.lines(t.check("table", "-f", "ndjson", "-S", "info", "--max-findings", "0", *args).stdout)
    found = {rule: sorted(one["args"]["uri"] if "uri" in one["args"] else one["args"]["path"] for one in lines if one.get("rule") == rule)
             for rule in ("storage.orphan.data", "storage.data-file.missing")}
    t.equal([len(found[r]) for r in found], [len(e) for e in expected])
    for got, wanted in zip(found.values(), expected):
        for path, uri in zip(got, wanted):
            t.true(uri.endswith(path) or path.endswith(uri.partition("://")[2].partition("/")[2]), "%s is not %s" % (path, uri))


def test_many_files(t):
    """Beyond 65,536 files an index finds them."""
    expected, _ = generated(t, "-n", "70000", "-m", "8", "-k", "4", "-c", "null", "-L", "tsv", "-O", "40", "-X", "30")
    judge(t, expected, "--listing", "table/listing.tsv")


def test_hdfs(t):
    """hdfs dfs -ls names no host: a location with one, without one, and a plain path are all of it."""
    for location in ("hdfs://nn:8020/wh/db/events", "hdfs:///wh/db/events", "/wh/db/events"):
        expected, rows = generated(t, "-n", "60", "-m", "4", "-k", "2", "-L", "tsv", "-O", "4", "-X", "3", "-l", location)
        lines = ["Found %d items\n" % len(rows)]
        for path, size, time in rows:
            path = path[path.index("/wh/db"):]
            lines.append("-rw-r--r--   3 hdfs supergroup %10s %s %s %s\n" % (size, time[:10], time[11:16], path))
        t.write("ls.txt", "".join(lines))
        judge(t, expected, "--listing", "ls.txt", "--listing-tz", "UTC")
        shutil.rmtree(os.path.join(t.work, "table"))


harness.main(dict(globals()))
