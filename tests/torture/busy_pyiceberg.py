#!/usr/bin/env python3
"""A real writer commits while checks run. busy_pyiceberg.py ICEFSCK WORK COMMITS; its Python has pyiceberg[sql-sqlite,pyarrow].

Old metadata files are deleted after commits and snapshots expire, their files with them. Allowed is a clean report, with or
without scan.changed, and scan.unsettled with exit bit 2; every error is a false one. Prints checks, re-reads and false errors.
"""

import glob
import json
import os
import shutil
import subprocess
import sys


def write(work, commits):
    import pyarrow
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("c", uri="sqlite:///%s/catalog.db" % work, warehouse="file://" + work)
    catalog.create_namespace("db")
    rows = pyarrow.table({"id": pyarrow.array([1, 2, 3], pyarrow.int64())})
    table = catalog.create_table("db.t", rows.schema, properties={
        "write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "3", "commit.manifest-merge.enabled": "true",
        "commit.manifest.min-count-to-merge": "10"})
    root = table.location()[len("file://"):]
    print(root, flush=True)
    for n in range(commits):
        table.append(rows)
        if n % 10 == 9:
            expire(table, root)


def named(table):
    names = set()
    for snapshot in table.metadata.snapshots:
        names.add(os.path.basename(snapshot.manifest_list))
        names.update(os.path.basename(m.manifest_path) for m in snapshot.manifests(table.io))
    return names


def expire(table, root):
    """PyIceberg expires snapshots, and leaves their files to others: here they go at once."""
    before = named(table)
    keep = {s.snapshot_id for s in table.metadata.snapshots[-5:]}
    old = [s.snapshot_id for s in table.metadata.snapshots if s.snapshot_id not in keep]
    if old:
        table.maintenance.expire_snapshots().by_ids(old).commit()
        table.refresh()
    for name in before - named(table):
        os.unlink(os.path.join(root, "metadata", name))


def check(binary, root):
    done = subprocess.run([binary, "check", root, "-f", "ndjson", "-S", "info", "--no-config"], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    rules = {line["rule"] for line in lines[:-1]}
    errors = [line for line in lines[:-1] if line["severity"] == "error"]
    is_bad = bool(errors) or done.returncode not in ((2,) if "scan.unsettled" in rules else (0, 2))
    return rules, is_bad, "exit %d %s %s" % (done.returncode, [(e["rule"], e["message"]) for e in errors], done.stderr)


def main(binary, work, commits):
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    writer = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--write", work, commits], stdout=subprocess.PIPE, text=True)
    root = writer.stdout.readline().strip()
    seen, problems = {"scan.changed": 0, "scan.unsettled": 0}, []
    n = 0
    while writer.poll() is None or n == 0:
        if not glob.glob(os.path.join(root, "metadata", "*.metadata.json")):
            continue
        rules, is_bad, text = check(os.path.abspath(binary), root)
        n += 1
        for rule in seen:
            seen[rule] += rule in rules
        if is_bad:
            problems.append(text)
    for text in problems[:10]:
        print(text)
    print("%s commits, %d checks, %d of them of a table that moved, %d unsettled, %d false errors" % (commits, n, seen["scan.changed"], seen["scan.unsettled"], len(problems)))
    return bool(problems) or writer.returncode != 0


if sys.argv[1] == "--write":
    write(sys.argv[2], int(sys.argv[3]))
else:
    sys.exit(main(*sys.argv[1:4]))
