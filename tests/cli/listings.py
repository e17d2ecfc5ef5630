#!/usr/bin/python3 -SEB
"""Listings, the walked tree and orphans: traps that must not give a wrong verdict. listings.py ICEFSCK WORK [TEST...]"""

import gzip
import hashlib
import json
import os
import resource
import sys
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

BASE = "s3://lake/wh/db/orders"
DATA = {
    "data/f1.parquet": 4100,
    "data/f2.parquet": 4200,
    "data/created_at_day=2025-03-02/customer=acme/id_bucket=2/price=9.5/f3.parquet": 4300,
    "data/created_at_day=2025-03-02/customer=null/id_bucket=0/price=12.25/f4.parquet": 4400,
    "data/created_at_day=2025-03-03/customer=mono/id_bucket=3/price=0.5/f5.parquet": 4500,
    "data/created_at_day=2025-03-03/customer=zeta/id_bucket=1/price=NaN/f6.parquet": 4600,
    "data/created_at_day=2025-03-02/customer=acme/id_bucket=2/price=9.5/x1-deletes.parquet": 1500,
    "metadata/103.stats": 600,
    "metadata/partition-stats-103.parquet": 900,
}


def objects(t):
    """What the table plain-v2 names, with its size."""
    out = dict(DATA)
    folder = os.path.join(t.work, "table", "metadata")
    for name in os.listdir(folder):
        out["metadata/" + name] = os.path.getsize(os.path.join(folder, name))
    return dict(sorted(out.items()))


FIRST = ("f1.parquet", "f2.parquet", "m1.avro", "snap-1.avro", "v1.metadata.json")
SECOND = ("f3.parquet", "f4.parquet", "f5.parquet", "m2.avro", "snap-2.avro", "v2.metadata.json")


def day(path):
    """Of March 2025, on which the file was written: each before a commit at midnight."""
    return 1 if path.endswith(FIRST) else 2 if path.endswith(SECOND) else 3


def csv(files, time=None):
    return "path,size,mtime\n" + "".join("%s,%d,%s\n" % (p, s, time or "2025-03-%02dT00:05:00Z" % day(p)) for p, s in files.items())


def found(t, *args, code=None):
    """Rules of group 22 that were found, and what was not evaluated."""
    done = t.check("table", "-f", "ndjson", "-S", "info", *args, code=code)
    lines = t.lines(done.stdout)
    rules = sorted({l["rule"] for l in lines if l["kind"] == "finding"})
    return rules, [n for n in lines[-1]["not_evaluated"] if n["asked"]]


def test_whole(t):
    t.table()
    t.write("l.csv", csv(objects(t)))
    t.equal(found(t, "--listing", "l.csv", code=0), ([], []))
    t.equal(found(t, "--listing", "l.csv", "--base", BASE + "/", code=0), ([], []))
    with open(os.path.join(t.work, "l.gz"), "wb") as f:
        f.write(gzip.compress(csv(objects(t)).encode()))
    t.equal(found(t, "--listing", "l.gz", code=0), ([], []))
    t.equal(t.lines(t.check("table", "-f", "ndjson", "--listing", "-", stdin=csv(objects(t)), code=0).stdout)[-1]["complete"], True)


def test_empty_is_no_verdict(t):
    t.table()
    for text in ("", "\n\n", "{}", "[]", '{"RequestCharged": null}'):
        t.write("l.json", text)
        rules, lacking = found(t, "--listing", "l.json", code=2)
        t.equal(rules, ["storage.listing.empty"], repr(text))
        t.equal([n["what"] for n in lacking], ["storage.*"])
        rules, _ = found(t, "--listing", "l.json", "--allow-empty-listing", code=1)
        t.true("storage.data-file.missing" in rules, rules)


def test_partial_gives_nothing_missing(t):
    t.table()
    page = {"Contents": [{"Key": "wh/db/orders/data/f1.parquet", "Size": 4100}], "NextToken": "x"}
    for more in ({"NextToken": "x"}, {"IsTruncated": True}, {"CommonPrefixes": [{"Prefix": "wh/"}]}, {"nextPageToken": "x"}):
        page = {"Contents": [{"Key": "wh/db/orders/data/f1.parquet", "Size": 4100}], **more}
        t.write("l.json", json.dumps(page))
        rules, _ = found(t, "--listing", "l.json", "--base", "s3://lake", code=2)
        t.equal(rules, ["storage.listing.partial"], more)
    t.write("l.json", json.dumps(page)[:-20])
    rules, _ = found(t, "--listing", "l.json", "--base", "s3://lake", code=2)
    t.equal(rules, ["storage.listing.partial"], "cut")


def test_forms_that_are_refused_with_the_way_out(t):
    t.table()
    for text, way in (
        ("CONTENTS\t\"e\"\twh/a\t2026-03-01T09:00:00+00:00\t7\tSTANDARD\n", "--output json"),
        ("Contents:\n- ETag: x\n  Key: wh/a\n", "--output json"),
        ("-----------------\n|  ListObjectsV2  |\n", "--output json"),
        ("./data:\ntotal 8\n-rw-r--r-- 1 a a 7 2026-03-01 09:00:00.000000000 +0000 f\n", "find -type f -printf"),
        ("total 8\n-rw-r--r-- 1 a a 7 2026-03-01 09:00:00.000000000 +0000 f\n", "find -type f -printf"),
    ):
        t.write("l", text)
        t.has(t.check("table", "--listing", "l", code=4).stderr, way)


def inventory(t, files, folder="inv", time=1740961200000, damage=None, form="CSV", lost=(), schema=None, ends=True, digests=(0, 1)):
    """manifest.json and its files as S3 Inventory lays them out; folder/2025-03-03T00-20Z/manifest.json."""
    parts = []
    names = sorted(files)
    for n, chunk in enumerate((names[::2], names[1::2])):
        rows = "".join('"lake","wh/db/orders/%s","%d","2025-03-%02dT00:05:00.000Z"\n' % (urllib.parse.quote_plus(p, safe="/"), files[p], day(p)) for p in chunk)
        data = gzip.compress((rows if ends else rows[:-1]).encode(), mtime=0)
        name = "data/%d.csv.gz" % n
        if n not in lost:
            t.write("%s/%s" % (folder, name), data if damage != n else data[:-9])
        parts.append({"key": "inventories/lake/all/" + name, "size": len(data), **({"MD5checksum": hashlib.md5(data).hexdigest()} if n in digests else {})})
    t.write(folder + "/2025-03-03T00-20Z/manifest.json", json.dumps({
        "sourceBucket": "lake", "destinationBucket": "arn:aws:s3:::inventories", "version": "2016-11-30", "creationTimestamp": str(time),
        "fileFormat": form, "fileSchema": schema or "Bucket, Key, Size, LastModifiedDate", "files": parts}))
    return folder + "/2025-03-03T00-20Z/manifest.json"


def test_inventory(t):
    t.table()
    manifest = inventory(t, objects(t))
    t.equal(found(t, "--listing", manifest, code=0), ([], []))
    t.has(t.check("table", "--listing", manifest, "-v", code=0).stderr, "S3 Inventory")
    files = objects(t)
    del files["data/f1.parquet"]
    t.equal(found(t, "--listing", inventory(t, files), code=1)[0], ["storage.data-file.missing"])
    os.rename(os.path.join(t.work, "inv/data"), os.path.join(t.work, "inv/2025-03-03T00-20Z/data"))
    t.equal(found(t, "--listing", manifest, code=1)[0], ["storage.data-file.missing"], "data/ beside the manifest itself")


def test_inventory_that_is_not_whole(t):
    """Nothing is missing by an inventory of which a file is lost or is another than its manifest says."""
    t.table()
    for how, why in (({"lost": (1,)}, "not beside its manifest.json"), ({"damage": 0}, "MD5 differs")):
        manifest = inventory(t, objects(t), folder="inv-" + why[:3].strip(), **how)
        rules, lacking = found(t, "--listing", manifest, code=2)
        t.equal(rules, ["storage.listing.partial"])
        t.has(t.check("table", "-S", "info", "--listing", manifest, code=2).stdout, why)
        t.true(lacking, how)
    t.equal(found(t, "--listing", inventory(t, objects(t), folder="open", ends=False), code=0), ([], []), "whole by its MD5")
    for digests in ((), (0,), (1,)):
        rules, _ = found(t, "--listing", inventory(t, objects(t), folder="cut", ends=False, digests=digests), code=2)
        t.equal(rules, ["storage.listing.partial"])
    rules, _ = found(t, "--listing", inventory(t, objects(t), schema="Bucket, Size"), code=2)
    t.equal(rules, ["storage.listing.partial"])


def test_inventory_of_another_format(t):
    t.table()
    t.has(t.check("table", "--listing", inventory(t, objects(t), form="Parquet"), code=4).stderr, "duckdb -csv")
    t.has(t.check("table", "--listing", inventory(t, objects(t), form="ORC"), code=4).stderr, "pyarrow.orc")


def test_inventory_is_of_its_time(t):
    """Commits later than creationTimestamp are unknown, whatever else is listed."""
    t.table()
    files = {p: s for p, s in objects(t).items() if not p.endswith(("f6.parquet", "x1-deletes.parquet"))}
    rules, lacking = found(t, "--listing", inventory(t, files, time=1740945600000), code=2)  # 2025-03-02T20:00Z
    t.equal(rules, ["storage.listing.older"])
    t.true(lacking, "said to be unknown")


def test_journal_claims_nothing(t):
    t.table()
    header = "bucket,key,sequence_number,record_type,record_timestamp,size\n"
    t.write("j.csv", header + "lake,wh/db/orders/data/f1.parquet,1,CREATE,2025-03-01 00:00:00,4100\n")
    rules, lacking = found(t, "--listing", "j.csv", code=2)
    t.equal(rules, ["storage.listing.partial"])
    t.write("l.csv", csv(objects(t)))
    t.equal(found(t, "--listing", "j.csv", "--listing", "l.csv", code=0), ([], []))


def test_diff_says_how_to_fetch_it_back(t):
    """A file that the stale plan asks for is gone, and an old version of it is there."""
    t.table()
    files = objects(t)
    del files["data/f1.parquet"]
    versions = [{"Key": "wh/db/orders/" + p, "Size": s, "VersionId": "v", "IsLatest": True} for p, s in files.items()]
    versions.append({"Key": "wh/db/orders/data/f1.parquet", "Size": 4100, "VersionId": "old", "IsLatest": False})
    t.write("l.json", json.dumps({"Versions": versions}))
    out = t.lines(t.run("diff", "table", "--from", "101", "--to", "103", "--listing", "l.json", "--base", "s3://lake", "-f", "ndjson").stdout)
    fetch = [l["detail"] for l in out if l["section"] == "next" and l["name"] == "fetch"]
    t.equal(len(fetch), 1, out)
    t.has(fetch[0], "aws s3api get-object --bucket lake --key wh/db/orders/data/f1.parquet --version-id old f1.parquet")


def test_human_readable_sizes_are_not_compared(t):
    t.table()
    files = dict(objects(t), **{"data/f1.parquet": 1})
    t.write("l.txt", "".join("2025-03-%02d 00:05:00 %7.1f KiB wh/db/orders/%s\n" % (day(p), s / 1024 + 7, p) for p, s in files.items()))
    t.equal(found(t, "--listing", "l.txt", code=0), ([], []))
    del files["data/f1.parquet"]
    t.write("l.txt", "".join("2025-03-%02d 00:05:00 %7.1f KiB wh/db/orders/%s\n" % (day(p), s / 1024, p) for p, s in files.items()))
    t.equal(found(t, "--listing", "l.txt", code=1)[0], ["storage.data-file.missing"])


def test_bucket_that_is_not_named(t):
    t.table()
    t.write("l.txt", "2025-03-03 00:20:00       4100 other/data/f1.parquet\n")
    done = t.check("table", "--listing", "l.txt", code=4)
    t.has(done.stderr, "--base")
    t.write("l.txt", "2025-03-03 00:20:00       4100 wh/db/orders/data/f1.parquet\n")
    t.has(t.check("table", "--listing", "l.txt", "-v", code=2).stderr, "keys below s3://lake")


def test_prefix_that_ends_inside_a_name(t):
    """aws s3 ls s3://lake/wh/db/orders/data/f: f1 and f2 are all that begins so, and nothing is known of the rest."""
    t.table()
    t.write("l.txt", "".join("2025-03-01 00:05:00       %d wh/db/orders/data/f%d.parquet\n" % (4000 + 100 * n, n) for n in (1, 2)))
    rules, _ = found(t, "--listing", "l.txt", code=2)
    t.equal(rules, ["storage.listing.partial"])


def test_utf16_is_refused_by_name(t):
    t.table()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        t.write("l.txt", csv(objects(t)).encode(encoding))
        t.has(t.check("table", "--listing", "l.txt", code=4).stderr, "UTF-16")


def test_what_is_no_listing(t):
    t.table()
    for text in ("hello\nworld\n", '{"TableList": []}', b"PAR1aaaaaaaaPAR1", b"Obj\x01aaaa"):
        t.write("l", text)
        t.has(t.check("table", "--listing", "l", code=4).stderr, "--listing l")
    t.has(t.check("table", "--listing", "nosuch", code=4).stderr, "--listing 'nosuch': no such file")
    for command in ("orphans", "rescue"):
        t.has(t.run(command, "table", "--listing", "nosuch", code=4).stderr, "--listing 'nosuch': no such file")
    t.write("l", "a/b\n")
    t.has(t.check("table", "--listing", "l", "--listing-format", "morse", code=4).stderr, "morse")
    t.has(t.check("table", "--storage", "remote", code=4).stderr, "local")
    t.has(t.check("table", "--listing-tz", "Mars", code=4).stderr, "+02:00")
    t.has(t.check("table", "--grace", "soon", code=4).stderr, "15m")


def test_older_listing_and_its_zone(t):
    """Snapshot 103 is of 2025-03-03 00:00: a listing of the evening before cannot have its files."""
    t.table()
    files = {p: s for p, s in objects(t).items() if not p.endswith(("f6.parquet", "x1-deletes.parquet", "v3.metadata.json"))}
    lines = "".join("%s %10d wh/db/orders/%s\n" % ("2025-03-02 20:00:00", s, p) for p, s in files.items())
    t.write("l.txt", lines)
    rules, _ = found(t, "--listing", "l.txt", "--listing-tz", "UTC", code=2)
    t.true("storage.listing.older" in rules and "storage.data-file.missing" not in rules, rules)
    # a zone west of UTC makes the same clock later than the commit: then they are missing
    rules, _ = found(t, "--listing", "l.txt", "--listing-tz", "-08:00", code=1)
    t.true("storage.data-file.missing" in rules, rules)


def test_tree(t):
    t.table()
    for name, size in DATA.items():
        t.write("table/" + name, b"x" * size)
    t.equal(found(t, "--storage", "local", code=0), ([], []))
    os.rename(os.path.join(t.work, "table/data"), os.path.join(t.work, "table/moved"))
    os.symlink("moved", os.path.join(t.work, "table/data"))
    rules, _ = found(t, "--storage", "local", code=0)
    t.equal(rules, ["storage.orphan.data"], "behind a link to a directory, files are there")
    os.unlink(os.path.join(t.work, "table/data"))
    rules, _ = found(t, "--storage", "local", code=1)
    t.true("storage.data-file.missing" in rules and "storage.delete-file.missing" in rules, rules)


def test_flat_copy(t):
    """Metadata files without a directory of their own: each file has two names, and one counts."""
    t.table()
    os.rename(os.path.join(t.work, "table/metadata"), os.path.join(t.work, "flat"))
    done = t.check("flat", "--storage", "local", "-f", "ndjson", "-S", "info")
    rules = {l["rule"] for l in t.lines(done.stdout) if l["kind"] == "finding"}
    t.true(not any(r.startswith("storage.orphan") or r.startswith("storage.manifest") for r in rules), rules)


def rows(t, *args, code=0):
    done = t.run("orphans", "table", "-f", "ndjson", "--now", harness.NOW, *args, code=code)
    return t.lines(done.stdout), done.stderr


def test_orphans(t):
    t.table()
    files = objects(t)
    files["data/left.parquet"] = 7
    t.write("l.csv", csv(files))
    out, said = rows(t, "--listing", "l.csv")
    t.equal(out, [{"file": "data/left.parquet", "size": 7, "mtime": "2025-03-03T00:05:00.000Z", "class": "data",
                   "reason": "no snapshot names it", "uri": BASE + "/data/left.parquet"}])
    t.has(said, "1 file that nothing names, 7 bytes; 0 younger left out")
    t.write("l.csv", csv(files, "2025-12-30T00:00:00Z"))
    t.equal(rows(t, "--listing", "l.csv")[0], [], "younger than 3 days")
    t.equal(len(rows(t, "--listing", "l.csv", "--older-than", "1d")[0]), 1)
    t.write("l.txt", "".join(p + "\n" for p in files))
    out, said = rows(t, "--listing", "l.txt")
    t.has(out[0]["reason"], "time is not known")
    t.has(said, "1 file that nothing names, 0 bytes and 1 of unknown size; 0 younger left out")
    t.run("orphans", "table", code=4)


def test_orphans_while_the_current_file_is_missing(t):
    """What a lost v3.metadata.json names is no orphan: it can be fetched back."""
    t.build("base plain-v2\ndelete j3\n")
    t.write("l.csv", csv(objects(t)))
    how = ["--listing", "l.csv", "--base", BASE, "--now", "2025-03-30T00:00:00Z", "-f", "ndjson"]
    done = t.run("orphans", "table", *how, code=2)
    t.equal(done.stdout, "")
    t.has(done.stderr, "version-hint.text")
    t.has(t.run("orphans", "table", "--metadata", "v2.metadata.json", *how, code=0).stdout, "metadata/snap-3.avro")


def test_orphans_that_are_not_sure(t):
    t.table()
    files = objects(t)
    files["data/left.parquet"] = 7
    t.write("l.csv", csv(files))
    with open(os.path.join(t.work, "table/metadata/m2.avro"), "r+b") as f:
        f.truncate(4000)
    out, said = rows(t, "--listing", "l.csv", code=2)
    t.equal(out, [])
    t.has(said, "no file can be called an orphan")


WAREHOUSE = "s3://lake/wh/db"


def rewritten(t, source, target, **changes):
    """metadata.json of the table plain-v2, with other members."""
    with open(source, encoding="utf-8") as f:
        document = json.load(f)
    document.update(changes)
    t.write(target, json.dumps(document))


def clone(t):
    """wh/orders, which has let go of all its snapshots, and wh/clone, whose snapshots still stand on its files."""
    t.table(name="wh/orders")
    v3 = os.path.join(t.work, "wh/orders/metadata/v3.metadata.json")
    rewritten(t, v3, "wh/clone/metadata/v1.metadata.json", location=WAREHOUSE + "/clone", **{
        "metadata-log": [], "table-uuid": "11111111-2222-3333-4444-555555555555"})
    rewritten(t, v3, "wh/orders/metadata/v4.metadata.json", snapshots=[], refs={}, statistics=[], **{
        "current-snapshot-id": -1, "snapshot-log": [], "metadata-log": [], "partition-statistics": []})
    t.write("wh/orders/metadata/version-hint.text", "4")
    files = {p: 100 for p in DATA}
    files.update({"metadata/" + n: 100 for n in os.listdir(os.path.join(t.work, "wh/orders/metadata"))})
    names = ["wh/db/orders/" + p for p in files] + ["wh/db/orders/data/left.parquet", "wh/db/clone/metadata/v1.metadata.json",
                                                    "wh/db/clone/data/left.parquet", "other/db/x.parquet"]
    t.write("l.txt", "".join("2025-03-01 00:05:00        100 %s\n" % n for n in sorted(names)))
    return "--map", WAREHOUSE + "=wh", "--listing", "l.txt", "--listing-tz", "UTC", "-f", "ndjson", "--now", harness.NOW


def test_tables_that_share_files(t):
    """What one table names is no orphan of another: all are read before the listing."""
    how = clone(t)
    alone = [l["file"] for l in t.lines(t.run("orphans", "wh/orders", *how, code=0).stdout)]
    t.true("data/f1.parquet" in alone and "data/left.parquet" in alone, alone)
    for paths in (("-r", "wh"), ("wh/clone", "wh/orders"), ("wh/orders", "wh/clone")):
        done = t.run("orphans", *paths, *how, code=0)
        got = {l["uri"] for l in t.lines(done.stdout)}
        # metadata.json of no table's log, and the two that nobody names
        t.equal(sorted(got), ["s3://lake/wh/db/clone/data/left.parquet", "s3://lake/wh/db/orders/data/left.parquet"] + [
            "s3://lake/wh/db/orders/metadata/v%d.metadata.json" % n for n in (1, 2, 3)], paths)
        t.has(done.stderr, "all tables: 5 files that nothing names, 500 bytes")


def test_lender_that_cannot_be_read(t):
    how = clone(t)
    with open(os.path.join(t.work, "wh/orders/metadata/m2.avro"), "r+b") as f:
        f.truncate(4000)
    done = t.run("orphans", "-r", "wh", *how, code=2)
    t.equal(done.stdout, "")
    t.has(done.stderr, "'wh/clone/metadata/v1.metadata.json': no file can be called an orphan: a manifest could not be read whole")
    t.has(done.stderr, "'wh/orders/metadata/v4.metadata.json': no file can be called an orphan: a table that could not be read whole names files in here")


def test_table_inside_another(t):
    """Of files that nobody names each is told of the innermost table; of a table that was not loaded none is told, and that is said."""
    t.table(name="wh/orders")
    v3 = os.path.join(t.work, "wh/orders/metadata/v3.metadata.json")
    rewritten(t, v3, "wh/orders/sub/metadata/v1.metadata.json", location=BASE + "/sub", snapshots=[], refs={}, statistics=[], **{
        "metadata-log": [], "snapshot-log": [], "current-snapshot-id": -1, "partition-statistics": []})
    files = dict(DATA, **{"metadata/" + n: 1 for n in os.listdir(os.path.join(t.work, "wh/orders/metadata"))})
    files.update({"sub/metadata/v1.metadata.json": 1, "sub/data/a.parquet": 1, "data/b.parquet": 1})
    t.write("l.csv", "path,size\n" + "".join("%s/%s,%d\n" % (BASE, p, s) for p, s in files.items()))
    how = ("--listing", "l.csv", "-f", "ndjson", "--now", harness.NOW)
    done = t.run("orphans", "wh/orders", "wh/orders/sub", *how, code=0)
    t.equal([l["file"] for l in t.lines(done.stdout)], ["data/b.parquet", "data/a.parquet"])
    done = t.run("orphans", "wh/orders", *how, code=2)
    t.equal([l["file"] for l in t.lines(done.stdout)], ["data/b.parquet"])
    t.has(done.stderr, "2 files lie below other tables inside this one's location")


def test_more_tables_than_open_files(t):
    """The soft limit of open files is raised; where it cannot be, nothing is told, and that is no success."""
    t.table(name="base")
    v3 = os.path.join(t.work, "base/metadata/v3.metadata.json")
    listing = "path,size\n"
    for n in range(60):
        rewritten(t, v3, "wh/t%d/metadata/v1.metadata.json" % n, location=WAREHOUSE + "/t%d" % n, snapshots=[], refs={}, statistics=[], **{
            "metadata-log": [], "snapshot-log": [], "current-snapshot-id": -1, "partition-statistics": []})
        listing += "%s/t%d/metadata/v1.metadata.json,1\n%s/t%d/left.parquet,1\n" % (WAREHOUSE, n, WAREHOUSE, n)
    t.write("l.csv", listing)
    how = ("orphans", "-r", "wh", "--listing", "l.csv", "-f", "ndjson", "--now", harness.NOW)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    done = t.run(*how, code=0, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard)))
    t.equal(len(t.lines(done.stdout)), 60)
    done = t.run(*how, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
    t.equal((done.stdout, done.returncode != 0), ("", True), done.stderr)
    t.has(done.stderr, "too many open files")


def test_one_table_of_many_is_bad(t):
    how = clone(t)
    t.write("wh/bad/metadata/v1.metadata.json", "{")
    done = t.run("orphans", "-r", "wh", *how, code=2)
    t.equal(len(t.lines(done.stdout)), 5)
    t.has(done.stderr, "'wh/bad/metadata/v1.metadata.json': the input ends")


def test_schemes_are_equal(t):
    t.table()
    v3 = os.path.join(t.work, "table/metadata/v3.metadata.json")
    rewritten(t, v3, "table/metadata/v3.metadata.json", location="s3a://lake/wh/db/orders")
    files = objects(t)
    files["data/left.parquet"] = 7
    t.write("l.csv", "path,size\n" + "".join("%s/%s,%d\n" % (BASE.replace("s3:", "s3n:"), p, s) for p, s in files.items()))
    done = t.run("orphans", "table", "--listing", "l.csv", "-f", "ndjson", code=0)
    t.equal([l["uri"] for l in t.lines(done.stdout)], ["s3a://lake/wh/db/orders/data/left.parquet"])


def test_no_limit_of_a_file_holds_for_a_listing(t):
    """Nothing of a listing is kept, so it may be of any size; a metadata file may not."""
    t.table()
    files = objects(t)
    text = csv({BASE + "/" + p: s for p, s in files.items()})
    text += "".join("s3://lake/other/%06d.parquet,1,2025-03-01T00:05:00Z\n" % n for n in range(20000))
    t.write("l.csv", text)
    with open(os.path.join(t.work, "l.gz"), "wb") as f:
        f.write(gzip.compress(text.encode()))
    for name in ("l.csv", "l.gz"):
        t.equal(found(t, "--listing", name, "--max-file", "64K", code=0), ([], []), name)


def test_every_named_file(t):
    """Each file that metadata names, on every level and of every snapshot: gone, it is missed by a rule of its kind."""
    t.table()
    files = objects(t)
    wanted = {"parquet": "storage.data-file.missing", "deletes.parquet": "storage.delete-file.missing", "avro": "storage.manifest.missing",
              "stats": "stats.file-missing", "metadata.json": "metadata-log.file-missing"}
    wanted = {p: max((len(e), r) for e, r in wanted.items() if p.endswith(e))[1] for p in files if p != "metadata/version-hint.text"}
    wanted.update({p: "storage.manifest-list.missing" for p in files if "snap-" in p})
    wanted["metadata/partition-stats-103.parquet"] = "pstats.file-missing"
    wanted["metadata/v3.metadata.json"] = None  # the file that is judged: where it lies is not known
    t.equal(len(wanted), 19)
    for path, rule in wanted.items():
        t.write("l.csv", csv({p: s for p, s in files.items() if p != path}))
        kept = os.path.join(t.work, "table", path)
        is_here = os.path.exists(kept) and rule is not None
        if is_here:
            os.rename(kept, kept + ".away")
        rules = found(t, "--listing", "l.csv")[0]
        if is_here:
            os.rename(kept + ".away", kept)
        t.equal([r for r in rules if r.endswith("missing")], [rule] if rule else [], path)


def test_storage_alone_says_the_same(t):
    """--only 'storage.*' looks at names alone; what it finds is what a full check finds of that kind."""
    t.table()
    files = objects(t)
    for name in ("data/f1.parquet", "metadata/m2.avro", "metadata/103.stats", "metadata/snap-1.avro"):
        del files[name]
    files["data/f2.parquet"] += 1
    files["data/left.parquet"] = 7
    t.write("l.csv", csv(files))
    for more in ((), ("--snapshot", "103"), ("--storage", "local")):
        how = ("check", "table", "--listing", "l.csv", "-f", "ndjson", "-S", "info", "--now", harness.NOW, *more)
        whole = [l for l in t.lines(t.run(*how).stdout) if l.get("rule", "").startswith("storage.")]
        alone = [l for l in t.lines(t.run(*how, "--only", "storage.*").stdout) if l["kind"] == "finding"]
        t.true(len(whole) > 1, whole)
        t.equal(alone, whole, more)


def test_copy_that_lacks_files(t):
    """check --map of a copied table names what the copy lacks."""
    t.table(name="copy/orders")
    for name, size in DATA.items():
        if name not in ("data/f2.parquet", "metadata/103.stats"):
            t.write("copy/orders/" + name, b"x" * size)
    done = t.run("check", "copy/orders", "--map", "s3://lake/wh/db=copy", "--storage", "local", "--only", "storage.*,stats.*",
                 "-f", "ndjson", "--now", harness.NOW, code=1)
    got = [(l["rule"], l["args"]["path"]) for l in t.lines(done.stdout) if l["kind"] == "finding"]
    t.equal(got, [("stats.file-missing", "metadata/103.stats"), ("storage.data-file.missing", "data/f2.parquet")])


def test_local_times_widen_the_age(t):
    """A listing in local time may be off by 14 hours: what is 3 days and 5 hours old may be younger than --older-than 3d."""
    t.table()
    files = dict(objects(t))
    t.write("l.txt", "".join("2025-03-03 00:05:00 %10d wh/db/orders/%s\n" % (s, p) for p, s in files.items())
            + "2025-12-28 19:00:00          7 wh/db/orders/data/left.parquet\n")
    t.equal(rows(t, "--listing", "l.txt")[0], [])
    t.equal(len(rows(t, "--listing", "l.txt", "--listing-tz", "UTC")[0]), 1)
    t.equal(len(rows(t, "--listing", "l.txt", "--older-than", "2d")[0]), 1)


def test_stale_and_missing_pointers_block(t):
    t.table()
    files = objects(t)
    files["data/left.parquet"] = 7
    files["metadata/v4.metadata.json"] = 9000
    t.write("l.csv", csv(files))
    out, said = rows(t, "--listing", "l.csv", code=2)
    t.equal(out, [])
    t.has(said, "there is a newer metadata file, metadata/v4.metadata.json")
    del files["metadata/v4.metadata.json"]
    t.write("l.csv", csv(files))
    out, said = rows(t, "--listing", "l.csv", "--pointer", "table=%s/metadata/v9.metadata.json" % BASE, code=2)
    t.equal(out, [])
    t.has(said, "the catalog's metadata file is missing")


def test_classes(t):
    t.table()
    left = {"data/x.parquet": "data", "data/x-deletes.parquet": "delete", "data/x.puffin": "delete", "metadata/x.avro": "manifest",
            "metadata/snap-9.avro": "manifest-list", "metadata/v0.metadata.json": "metadata", "metadata/x.stats": "statistics",
            "metadata/x.puffin": "statistics", "metadata/partition-stats-9.parquet": "statistics", "data/_temporary/0/x.parquet": "temp",
            "metadata/6c0dee1e-0b3a-4f0f-9a5e-1f7e5a2d8b11.metadata.json": "temp", "notes.txt": "unknown", "data/": "unknown"}
    quiet = ["metadata/.v3.metadata.json.crc", "metadata/version-hint.text"]
    t.write("l.csv", csv(dict(objects(t), **{p: 5 for p in left}, **{p: 5 for p in quiet})))
    out, said = rows(t, "--listing", "l.csv")
    t.equal({l["file"]: l["class"] for l in out}, left)
    t.has(said, "%d files that nothing names, %d bytes" % (len(left), 5 * len(left)))


if __name__ == "__main__":
    harness.main(dict(globals()))
