"""Finds the stable short names of a table's files; fixtures/README.md says which."""

import json
import os
import re

import avro
import fixture


def load_json(path):
    with open(path, "rb") as f:
        data = f.read()
    if data.startswith(fixture.GZIP):
        data = fixture.gunzip(data)
    return json.loads(data)


def version_of(name):
    m = re.match(r"v?(\d+)", os.path.basename(name))
    return int(m.group(1)) if m else -1


class Finder:
    def __init__(self, root, location, uri_root=None):
        self.root = root
        self.location = location
        self.files = []
        for folder, dirs, names in os.walk(root):
            dirs.sort()
            self.files += [os.path.relpath(os.path.join(folder, n), root) for n in sorted(names)]

    def path(self, uri):
        """The file in the table that a URI names: the longest path that ends it."""
        hits = [f for f in self.files if uri.endswith("/" + f)]
        return max(hits, key=len) if hits else None


def by_id(schema, ids):
    return {f.get("field-id"): name for name, _, f in schema.fields if f.get("field-id") in ids}


def find(root, current, now=None):
    """Lines (name, path or -, URI) for the table in `root` whose current metadata file is `current`."""
    meta = load_json(os.path.join(root, current))
    location = meta.get("location", "").rstrip("/")
    finder = Finder(root, location)
    out = [("location", "-", location)]
    if now:
        out.append(("now", "-", now))
    out.append(("current", current, location + "/" + current))
    jsons = sorted((f for f in finder.files if "metadata.json" in f and not os.path.basename(f).startswith(".")), key=lambda f: (version_of(f), f))
    logged = {finder.path(e["metadata-file"]): e["metadata-file"] for e in meta.get("metadata-log", [])}
    for i, f in enumerate(jsons):
        out.append(("j%d" % (i + 1), f, logged.get(f, location + "/" + f)))
    if "metadata/version-hint.text" in finder.files:
        out.append(("hint", "metadata/version-hint.text", location + "/metadata/version-hint.text"))
    lists, manifests, seen = 0, [], set()
    for snapshot in meta.get("snapshots", []):
        for uri in snapshot.get("manifests", []):
            if uri not in seen:
                seen.add(uri)
                manifests.append((uri, 0))
        if "manifest-list" not in snapshot:
            continue
        lists += 1
        path = finder.path(snapshot["manifest-list"])
        out.append(("list%d" % lists, path or "-", snapshot["manifest-list"]))
        if path is None:
            continue
        with open(os.path.join(root, path), "rb") as f:
            got = avro.Container.parse(f.read())
        names = by_id(got.schema, (500, 517))
        for row in got.all_rows():
            uri = row[names[500]]
            if uri not in seen:
                seen.add(uri)
                manifests.append((uri, row.get(names.get(517), 0)))
    return out + entries(root, finder, manifests)


def entries(root, finder, manifests):
    out, files = [], []
    n = {0: 0, 1: 0}
    seen = set()
    for uri, content in manifests:
        path = finder.path(uri)
        n[content] += 1
        out.append(("%s%d" % ("md"[content], n[content]), path or "-", uri))
        if path is None:
            continue
        with open(os.path.join(root, path), "rb") as f:
            try:
                got = avro.Container.parse(f.read())
                rows = got.all_rows()
            except (avro.AvroError, avro.CodecError):
                continue
        for row in rows:
            data = row["data_file"]
            if data["file_path"] not in seen:
                seen.add(data["file_path"])
                files.append((data.get("content", 0) or 0, data["file_path"]))
    n = {"f": 0, "x": 0}
    for content, uri in files:
        kind = "x" if content else "f"
        n[kind] += 1
        if n[kind] <= 20:
            out.append(("%s%d" % (kind, n[kind]), "-", uri))
    return out


def write(root, current, now=None):
    text = "".join("\t".join(line) + "\n" for line in find(root, current, now))
    with open(os.path.join(root, "aliases"), "w", encoding="utf-8") as f:
        f.write(text)
