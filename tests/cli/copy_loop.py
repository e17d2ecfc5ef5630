#!/usr/bin/python3 -SEB
"""From one metadata.json to all that a check of main needs: list, copy what lacks, again. copy_loop.py ICEFSCK WORK [TEST...]

The "cloud" is a base table in another folder; what is copied is compared with what the snapshot names by the fixture tools' own reader.
"""

import gzip
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import avro

BASES = os.path.join(harness.ROOT, "fixtures", "base")


def document_of(path):
    with open(path, "rb") as f:
        data = f.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def newest(folder):
    """The metadata file of a base table that its hint or its highest number names."""
    names = [n for n in os.listdir(folder) if ".metadata.json" in n]
    number = lambda n: int("".join(c for c in n.split("-")[0].split(".")[0] if c.isdigit()) or 0)
    return max(names, key=number)


def in_cloud(cloud, document, uri):
    """The file of the base table that a URI names; base tables lie apart from where their locations say."""
    fold = lambda text: re.sub("^file:/+", "/", text)
    location, path = fold(document["location"]).rstrip("/") + "/", fold(uri)
    return os.path.join(cloud, path[len(location):]) if path.startswith(location) else None


def needed(cloud, document):
    """URIs that snapshot main names: its list and the manifests of that."""
    main = document.get("refs", {}).get("main", {}).get("snapshot-id", document.get("current-snapshot-id"))
    snapshot = next((s for s in document.get("snapshots", []) if s["snapshot-id"] == main), None)
    if snapshot is None:
        return set()
    if "manifest-list" not in snapshot:
        return set(snapshot["manifests"])
    with open(in_cloud(cloud, document, snapshot["manifest-list"]), "rb") as f:
        rows = avro.Container.parse(f.read()).all_rows()
    return {snapshot["manifest-list"]} | {row["manifest_path"] for row in rows}


def copy_all(t, base, *options):
    """Rounds that copied something, and the copied URIs. Without options the metadata file is there."""
    cloud, here = os.path.join(BASES, base), os.path.join(t.work, base)
    name = newest(os.path.join(cloud, "metadata"))
    os.makedirs(os.path.join(here, "metadata"))
    if not options:
        shutil.copy(os.path.join(cloud, "metadata", name), os.path.join(here, "metadata", name))
    document = document_of(os.path.join(cloud, "metadata", name))
    copied, rounds = set(), 0
    while rounds < 9:
        done = t.check(here, "--snapshot", "main", "--list-files", "-f", "ndjson", *options)
        lacking = [row["uri"] for row in t.lines(done.stdout) if not row["here"]]
        if not lacking:
            break
        rounds += 1
        for uri in lacking:
            source = in_cloud(cloud, document, uri)
            t.true(source is not None and os.path.exists(source), "%s: %s is asked for" % (base, uri))
            target = os.path.join(here, os.path.relpath(source, cloud))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
            copied.add(uri)
    done = t.check(here, "--snapshot", "main", "-f", "ndjson", *options)
    summary = t.lines(done.stdout)[-1]
    t.true(summary["complete"], "%s: %s" % (base, summary["not_evaluated"]))
    return rounds, copied, needed(cloud, document)


def test_every_base_table(t):
    n = 0
    for base in sorted(os.listdir(BASES)):
        folder = os.path.join(BASES, base, "metadata")
        if not os.path.isdir(folder) or "view" in base:
            continue
        if base == "pyiceberg-v2-codecs" and not t.has_library("bzip2"):
            print("NOT RUN: %s, which this build cannot read" % base)
            continue
        rounds, copied, wanted = copy_all(t, base)
        t.equal(copied, wanted, base)
        t.true(rounds <= 2, "%s: %d rounds behind the first file" % (base, rounds))
        n += 1
    t.true(n > 15, "%d tables" % n)


def test_from_a_pointer_alone(t):
    uri = "s3://lake/wh/db/orders/metadata/v3.metadata.json"
    rounds, copied, wanted = copy_all(t, "plain-v2", "--pointer", "orders=" + uri)
    t.equal(copied, wanted | {uri})
    t.equal(rounds, 3)


def test_an_older_state_is_not_copied_for(t):
    """A pointer leads to a file that is not here: what is here instead is of no use."""
    os.makedirs(os.path.join(t.work, "orders", "metadata"))
    shutil.copy(os.path.join(BASES, "plain-v2", "metadata", "v2.metadata.json"), os.path.join(t.work, "orders", "metadata"))
    uri = "s3://lake/wh/db/orders/metadata/v3.metadata.json"
    for options in ([], ["--map", "s3://lake/wh/db/orders=orders"]):
        done = t.check("orders", "--list-files", "-f", "ndjson", "--pointer", "orders=" + uri, *options)
        t.equal([row["uri"] for row in t.lines(done.stdout) if not row["here"]], [uri])


harness.main(dict(globals()))
