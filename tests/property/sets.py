#!/usr/bin/python3 -SEB
"""Questions over several files, by brute force: sets.py ICEFSCK SPILLED WORK TABLES [FIRST-SEED]

Makes small random tables (v2 and v3; null codec), keeps for each snapshot the plain list of what is live in it, and says
what must be found by looking at all of them. The rules, the snapshots and the files that icefsck names must be the same,
and so must be the report where most facts were spilled to the temporary file (spilled.c).
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys

LOCATION = "s3://lake/t"
NOW = "2026-01-01T00:00:00Z"

# ---- Avro, as little as it takes ----


def number(n):
    n = (n << 1) ^ (n >> 63)
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(b):
    b = b.encode() if isinstance(b, str) else b
    return number(len(b)) + b


def encode(kind, value):
    if isinstance(kind, list):  # union of null and one type
        return number(0) if value is None else number(1) + encode(kind[1], value)
    if isinstance(kind, dict) and kind["type"] == "record":
        return b"".join(encode(f["type"], value.get(f["name"])) for f in kind["fields"])
    if isinstance(kind, dict):  # array
        return (number(len(value)) + b"".join(encode(kind["items"], v) for v in value) if value else b"") + number(0)
    return text(value) if kind == "string" else number(value)


def container(schema, header, rows):
    sync = b"0123456789abcdef"
    meta = {"avro.schema": json.dumps(schema), "avro.codec": "null", **header}
    out = b"Obj\x01" + number(len(meta)) + b"".join(text(k) + text(v) for k, v in meta.items()) + number(0) + sync
    data = b"".join(encode(schema, row) for row in rows)
    return out + (number(len(rows)) + text(data) + sync if rows else b"")


def field(name, kind, id):
    if isinstance(kind, list):
        return {"name": name, "type": kind, "default": None, "field-id": id}
    return {"name": name, "type": kind, "field-id": id}


def record(name, fields):
    return {"type": "record", "name": name, "fields": fields}


FILE = record("r2", [
    field("content", "int", 134), field("file_path", "string", 100), field("file_format", "string", 101),
    field("partition", record("r102", []), 102), field("record_count", "long", 103),
    field("file_size_in_bytes", "long", 104),
    field("equality_ids", ["null", {"type": "array", "items": "int", "element-id": 136}], 135),
    field("first_row_id", ["null", "long"], 142), field("referenced_data_file", ["null", "string"], 143),
    field("content_offset", ["null", "long"], 144), field("content_size_in_bytes", ["null", "long"], 145)])
ENTRY = record("manifest_entry", [
    field("status", "int", 0), field("snapshot_id", ["null", "long"], 1), field("sequence_number", ["null", "long"], 3),
    field("file_sequence_number", ["null", "long"], 4), field("data_file", FILE, 2)])
LISTED = record("manifest_file", [
    field("manifest_path", "string", 500), field("manifest_length", "long", 501), field("partition_spec_id", "int", 502),
    field("content", "int", 517), field("sequence_number", "long", 515), field("min_sequence_number", "long", 516),
    field("added_snapshot_id", "long", 503), field("added_files_count", "int", 504),
    field("existing_files_count", "int", 505), field("deleted_files_count", "int", 506),
    field("added_rows_count", "long", 512), field("existing_rows_count", "long", 513),
    field("deleted_rows_count", "long", 514), field("first_row_id", ["null", "long"], 520)])
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "x", "required": False, "type": "long"}]}

# ---- a random table ----

EXISTING, ADDED, DELETED = 0, 1, 2


class Manifest:
    def __init__(self, number, content, snapshot, sequence, first_row_id, entries):
        self.number = number
        self.path = "%s/metadata/m%d.avro" % (LOCATION, number)
        self.content, self.snapshot, self.sequence = content, snapshot, sequence
        self.first_row_id, self.entries, self.cut = first_row_id, entries, False


class Table:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.version = self.random.choice((2, 3))
        self.manifests, self.next_row_id = [], 0
        self.files = {}  # path -> (rows, size)
        self.snapshots = []  # (id, parent index or None, [manifest], summary)
        for i in range(self.random.randint(2, 7)):
            self.commit(i)

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    def path(self):
        path = "%s/data/f%d.parquet" % (LOCATION, self.random.randrange(9))
        self.files.setdefault(path, (self.random.randint(1, 9), self.random.randint(100, 109)))
        return path

    def attributes(self, path):
        rows, size = self.files[path]
        return (rows + 1, size) if self.chance(25) else (rows, size + 1) if self.chance(25) else (rows, size)

    def entry(self, content, snapshot, sequence):
        r = self.random
        status = r.choice((ADDED, ADDED, EXISTING, DELETED))
        owner = snapshot
        if status == EXISTING:
            owner = r.randint(101, snapshot)
        explicit = r.randint(1, sequence) if status != ADDED else None
        path = self.path()
        rows, size = self.attributes(path)
        f = {"content": content, "file_path": path, "file_format": "PARQUET", "partition": {}, "record_count": rows,
             "file_size_in_bytes": size}
        if content == 0 and self.version == 3 and status != ADDED and r.randrange(2):
            f["first_row_id"] = r.randrange(60)
        if content == 1:
            f["file_path"] = "%s/data/d%d" % (LOCATION, r.randrange(4))
            f["record_count"], f["file_size_in_bytes"] = r.randint(1, 9), 500
            kind = r.choice(("vector", "named", "equality", "open"))
            if kind == "vector" and self.version == 3:
                f["file_path"] += ".puffin"
                f.update(file_format="PUFFIN", referenced_data_file=path, content_offset=r.choice((4, 40, 48)),
                         content_size_in_bytes=40)
            elif kind == "equality":
                f["file_path"] += ".eq.parquet"
                f.update(content=2, equality_ids=[1])
            elif kind == "named":
                f["file_path"] += ".%d.parquet" % r.randrange(3)
                f["referenced_data_file"] = path
            else:
                f["file_path"] = path if self.chance(6) else f["file_path"] + ".parquet"
        return {"status": status, "snapshot_id": owner, "sequence_number": explicit,
                "file_sequence_number": explicit, "data_file": f}

    def commit(self, i):
        r = self.random
        snapshot, sequence = 101 + i, i + 1
        parent = None if i == 0 or self.chance(12) else i - 1 if r.randrange(4) else r.randrange(i)
        listed = [m for m in (self.snapshots[parent][2] if parent is not None else []) if r.randrange(4)]
        if self.chance(5) and self.manifests:
            stray = r.choice(self.manifests)
            if stray not in listed:
                listed.append(stray)
        for _ in range(r.randint(0, 2)):
            content = int(self.chance(3))
            first = None
            if self.version == 3 and content == 0:
                first = self.next_row_id + (r.randrange(-3, 3) if self.chance(6) else 0)
                first = max(first, 0)
            m = Manifest(len(self.manifests), content, snapshot, sequence, first,
                         [self.entry(content, snapshot, sequence) for _ in range(r.randint(1, 5))])
            m.cut = self.chance(30)
            self.next_row_id += 50 if first is not None else 0
            self.manifests.append(m)
            listed.append(m)
        live = sum(e["status"] != DELETED and e["data_file"]["content"] == 0 for m in listed for e in m.entries)
        self.snapshots.append((snapshot, parent, listed, live + self.chance(10)))

    def write(self, folder):
        os.makedirs(folder + "/metadata")
        sizes = {}
        for m in self.manifests:
            header = {"schema": json.dumps(SCHEMA), "schema-id": "0", "partition-spec": "[]", "partition-spec-id": "0",
                      "format-version": str(self.version), "content": ("data", "deletes")[m.content]}
            data = container(ENTRY, header, m.entries)
            sizes[m] = len(data)
            self.put(folder, m.path, data[:-9] if m.cut else data)
        document = []
        for i, (snapshot, parent, listed, total) in enumerate(self.snapshots):
            path = "%s/metadata/snap-%d.avro" % (LOCATION, snapshot)
            header = {"snapshot-id": str(snapshot), "sequence-number": str(i + 1), "format-version": str(self.version)}
            if parent is not None:
                header["parent-snapshot-id"] = str(101 + parent)
            self.put(folder, path, container(LISTED, header, [self.row(m, sizes[m]) for m in listed]))
            one = {"snapshot-id": snapshot, "sequence-number": i + 1, "timestamp-ms": 1740787200000 + i * 1000,
                   "manifest-list": path, "schema-id": 0,
                   "summary": {"operation": "overwrite", "total-data-files": str(total)}}
            if parent is not None:
                one["parent-snapshot-id"] = 101 + parent
            if self.version == 3:
                one.update({"first-row-id": 0, "added-rows": 1000})
            document.append(one)
        last = self.snapshots[-1][0]
        metadata = {"format-version": self.version, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
                    "location": LOCATION, "last-sequence-number": len(document), "last-updated-ms": 1740787300000,
                    "last-column-id": 1, "schemas": [SCHEMA], "current-schema-id": 0,
                    "partition-specs": [{"spec-id": 0, "fields": []}], "default-spec-id": 0, "last-partition-id": 999,
                    "sort-orders": [{"order-id": 0, "fields": []}], "default-sort-order-id": 0,
                    "current-snapshot-id": last, "snapshots": document, "next-row-id": 100000,
                    "refs": {"main": {"snapshot-id": last, "type": "branch"}}}
        with open(folder + "/metadata/v1.metadata.json", "w", encoding="utf-8") as f:
            json.dump(metadata, f)

    @staticmethod
    def row(m, size):
        count = collections.Counter(e["status"] for e in m.entries)
        rows = collections.Counter()
        for e in m.entries:
            rows[e["status"]] += e["data_file"]["record_count"]
        least = min([e["sequence_number"] or m.sequence for e in m.entries if e["status"] != DELETED] or [m.sequence])
        return {"manifest_path": m.path, "manifest_length": size, "partition_spec_id": 0, "content": m.content,
                "sequence_number": m.sequence, "min_sequence_number": least, "added_snapshot_id": m.snapshot,
                "added_files_count": count[ADDED], "existing_files_count": count[EXISTING],
                "deleted_files_count": count[DELETED], "added_rows_count": rows[ADDED],
                "existing_rows_count": rows[EXISTING], "deleted_rows_count": rows[DELETED],
                "first_row_id": m.first_row_id}

    @staticmethod
    def put(folder, uri, data):
        with open(folder + uri[len(LOCATION):], "wb") as f:
            f.write(data)


# ---- what must be found ----


class Entry:
    """An entry with what it inherits."""

    def __init__(self, m, i, e, first):
        f = e["data_file"]
        self.at = (m.path.rsplit("/", 1)[1], i)
        self.status, self.snapshot = e["status"], e["snapshot_id"]
        self.sequence = e["sequence_number"] or m.sequence
        self.path, self.rows, self.size = f["file_path"], f["record_count"], f["file_size_in_bytes"]
        self.own_id = f.get("first_row_id") is not None
        self.data, self.offset, self.first = f.get("referenced_data_file"), f.get("content_offset"), first
        self.kind = {0: "data", 2: "equality"}.get(f["content"], "vector" if self.offset is not None else "position")
        self.key = (self.path, self.offset)
        self.part = {"data": 0, "vector": 2}.get(self.kind, 1)


def entries_of(m):
    out, following = [], m.first_row_id
    for i, e in enumerate(m.entries):
        first = None
        if following is not None and e["status"] != DELETED:
            first = e["data_file"].get("first_row_id")
            if first is None:
                first, following = following, following + e["data_file"]["record_count"]
        out.append(Entry(m, i, e, first))
    return out


def must_find(t):
    entries = {m: entries_of(m) for m in t.manifests}
    judged = [not any(m.cut for m in listed) for _, _, listed, _ in t.snapshots]
    alive = [[e for m in listed for e in entries[m] if e.status != DELETED] for _, _, listed, _ in t.snapshots]
    found = set()

    def ancestors(i):
        while i is not None:
            yield i
            i = t.snapshots[i][1]

    def deletes(i, key, part):
        return [e for m in t.snapshots[i][2] for e in entries[m]
                if e.status == DELETED and e.key == key and e.part == part and not m.cut]

    restarted = set()  # totals that began at 0 once more, and those that they are carried on in: summary.totals-restarted
    for i, (snapshot, parent, listed, total) in enumerate(t.snapshots):
        if parent is not None and (parent in restarted or total == 0 < t.snapshots[parent][3]):
            restarted.add(i)
        if not judged[i]:
            continue
        live = alive[i]
        keys = collections.Counter((e.part, e.key) for e in live)
        found |= {("live.path.duplicate", key[0]) for (part, key), n in keys.items() if n > 1}
        found |= {("live.path.data-and-delete", e.path) for e in live if e.part == 1 and (0, e.key) in keys}
        for m in listed:
            for e in entries[m]:
                if e.status == DELETED and e.snapshot == snapshot and (e.part, e.key) in keys:
                    found.add(("live.deleted-and-live", e.path, snapshot))
        data = collections.defaultdict(list)
        for e in live:
            if e.kind == "data":
                data[e.path].append(e)
        vectors = collections.defaultdict(list)
        for e in live:
            if e.kind == "vector":
                vectors[e.data].append(e)
                if e.data not in data:
                    found.add(("delete.dv.dangling", e.data))
                for d in data.get(e.data, ()):
                    if e.sequence < d.sequence:
                        found.add(("delete.dv.sequence-below-data", e.data))
                    if e.rows > d.rows:
                        found.add(("manifest.file.dv.cardinality-high", e.data))
                for other in live:
                    if other.kind == "vector" and other.path == e.path and 0 < e.offset - other.offset < 40:
                        found.add(("manifest.file.blob.overlap", e.path))
            if e.kind == "position" and e.data is not None and e.data not in data:
                found.add(("delete.position.referenced-dangling", e.data))
            if e.kind == "position" and any(e.sequence < d.sequence for d in data.get(e.data, ())):
                found.add(("delete.position.sequence-below-data", e.data))
            if e.kind == "position" and e.data is not None and t.version == 3:
                if any(v.kind == "vector" and v.data == e.data for v in live):
                    found.add(("delete.dv.with-position-delete", e.data))
        for name, many in vectors.items():
            if len({e.key for e in many}) > 1:
                found.add(("delete.dv.duplicate", name))
        rows = sorted((e.first, e.first + e.rows, e.path) for e in live if e.kind == "data" and e.first is not None)
        if any(a[2] != b[2] and a[0] < b[1] and b[0] < a[1] for a in rows for b in rows):
            found.add(("lineage.file.range-overlap",))
        if total != sum(e.kind == "data" for e in live) and i not in restarted:
            found.add(("summary.total-data-files", snapshot))
        if i == len(t.snapshots) - 1:
            numbers = [e.sequence for e in live if e.kind == "data"]
            for e in live:
                if e.kind == "position" and e.data is None and not any(n <= e.sequence for n in numbers):
                    found.add(("delete.position.dangling", e.at))
                if e.kind == "equality" and not any(n < e.sequence for n in numbers):
                    found.add(("delete.equality.dangling", e.at))
        if parent is None or not judged[parent]:
            continue
        before = {(e.part, e.key) for e in alive[parent]}
        for part, key in before - set(keys):
            gone = deletes(i, key, part)
            by_manifest = any(m.snapshot == snapshot for m in listed for e in entries[m]
                              if e.status == DELETED and e.key == key and e.part == part)
            if not by_manifest and not any(e.snapshot == snapshot for e in gone):
                found.add(("live.vanished", key[0], snapshot))
        for part, key in set(keys) - before:
            if any(e.snapshot == t.snapshots[a][0] for a in ancestors(parent) if judged[a]
                   for e in deletes(a, key, part)):
                found.add(("live.resurrected", key[0]))
            elif not any(e.status == ADDED and e.snapshot == snapshot for e in live if e.key == key and e.part == part):
                found.add(("live.appeared", key[0]))
    lines = [set(ancestors(i)) for i in range(len(t.snapshots))]
    holders = {m: [i for i, s in enumerate(t.snapshots) if m in s[2]] for m in t.manifests}
    for a in t.manifests:
        for b in t.manifests[:a.number]:
            if not a.cut and not b.cut and any(x in lines[y] or y in lines[x] for x in holders[a] for y in holders[b]):
                found |= {("manifest.entry.sequence-number.changed", e.path) for e in entries[a] for f in entries[b]
                          if e.key == f.key and e.part == f.part and DELETED not in (e.status, f.status) and
                          e.snapshot == f.snapshot and e.sequence != f.sequence}
    numbers = {s[0]: i for i, s in enumerate(t.snapshots)}
    for a in t.manifests if t.version == 3 else ():
        for b in t.manifests:
            line = lines[numbers[a.snapshot]] - {numbers[a.snapshot]}
            if a is b or a.cut or b.cut or b.first_row_id is None or not line & set(holders[b]):
                continue
            found |= {("lineage.file.missing-on-existing", e.path) for e in entries[a] for f in entries[b]
                      if e.kind == f.kind == "data" and e.key == f.key and e.status != ADDED and f.status != DELETED and
                      not e.own_id and e.sequence == f.sequence}
    listed = {m for i, s in enumerate(t.snapshots) if judged[i] for m in s[2]}
    said = collections.defaultdict(set)
    for m in listed:
        for e in entries[m]:
            if e.status != DELETED:
                said[e.part, e.key].add((e.rows, e.size))
    found |= {("live.attributes-changed", key[0]) for (part, key), many in said.items() if len(many) > 1}
    return found


# ---- what was found ----

BY_PATH = {"live.path.duplicate", "live.path.data-and-delete", "live.resurrected", "live.appeared",
           "live.attributes-changed", "manifest.file.blob.overlap", "manifest.entry.sequence-number.changed",
           "lineage.file.missing-on-existing"}
BY_SNAPSHOT = {"live.vanished", "live.deleted-and-live"}
BY_DATA = {"delete.dv.dangling", "delete.dv.sequence-below-data", "manifest.file.dv.cardinality-high",
           "delete.position.referenced-dangling", "delete.position.sequence-below-data", "delete.dv.with-position-delete", "delete.dv.duplicate"}
BY_PLACE = {"delete.position.dangling", "delete.equality.dangling"}


JUDGED = BY_PATH | BY_SNAPSHOT | BY_DATA | BY_PLACE | {"summary.total-data-files", "lineage.file.range-overlap"}


def command(binary, folder):
    return [binary, "check", folder, "-f", "ndjson", "-S", "info", "--now", NOW]


def was_found(binary, folder):
    run = subprocess.run(command(binary, folder), capture_output=True)
    if run.returncode < 0 or run.returncode & 12:
        raise SystemExit("%s: exit %d: %s" % (folder, run.returncode, run.stderr.decode("utf-8", "replace")))
    return found_in(run.stdout.decode())


def found_in(report):
    found = set()
    for line in report.splitlines():
        f = json.loads(line)
        rule, args = f.get("rule"), f.get("args")
        if rule in BY_PATH:
            found.add((rule, args["path"]))
        elif rule in BY_SNAPSHOT:
            found.add((rule, args["path"], int(args["snapshot_id"])))
        elif rule in BY_DATA:
            found.add((rule, args["data_file"]))
        elif rule in BY_PLACE:
            found.add((rule, (os.path.basename(f["file"]), f["record"])))
        elif rule == "summary.total-data-files":
            found.add((rule, int(args["id"])))
        elif rule == "lineage.file.range-overlap":
            found.add((rule,))
    return found


def main(binary, spilled, work, tables, first=0):
    shutil.rmtree(work, ignore_errors=True)
    reached, bad = collections.Counter(), 0
    for seed in range(int(first), int(first) + int(tables)):
        t, folder = Table(seed), "%s/%d" % (work, seed)
        t.write(folder)
        wanted, found = must_find(t), was_found(binary, folder)
        overlap = ("lineage.file.range-overlap",)
        if overlap in wanted - found and any(f[0] == "live.path.duplicate" for f in found):
            wanted.discard(overlap)  # one path twice hides what lies behind it
        reached.update(f[0] for f in found)
        same = subprocess.run([spilled, folder], stdout=subprocess.DEVNULL).returncode == 0
        if wanted == found and same:
            shutil.rmtree(folder)
            continue
        bad += 1
        print("%s (seed %d)" % (folder, seed))
        for f in sorted(map(str, wanted - found)):
            print("  not found:", f)
        for f in sorted(map(str, found - wanted)):
            print("  too much: ", f)
    for rule in sorted(BY_PATH | BY_SNAPSHOT | BY_DATA | BY_PLACE):
        if reached[rule] == 0 and int(tables) >= 100:
            print("no table reached", rule)
            bad += 1
    print("%s tables, %d wrong" % (tables, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
