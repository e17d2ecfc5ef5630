"""A writer that never rests: small valid v2 tables, a commit after the other, with what each commit makes needless removed at once.

Every commit appends a file; every seventh merges the manifests and drops old files. Three snapshots and three older metadata
files are kept. Files appear whole (written beside, renamed), but every tenth metadata file; nothing is removed before the metadata file without it is there.
"""

import json
import os
import sys
import time
import uuid

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
sys.path.insert(0, os.path.join(ROOT, "tools", "fixtures"))
import avro
import make_plain

SNAPSHOTS_KEPT, METADATA_KEPT, MERGE_EVERY, FILES_KEPT, SLOW_EVERY = 3, 3, 7, 5, 10
SECOND_MS = 1000
LIST_SCHEMA = make_plain.list_schema(2)
ENTRY_SCHEMA = make_plain.entry_schema(2, 0)


class DataFile:
    def __init__(self, number):
        made = make_plain.File(number % 200 + 1, 3, 0, 0)
        self.row = made.row(2)
        self.row["file_path"] = "%s/data/f%d.parquet" % (make_plain.LOCATION, number)
        self.size, self.count, self.number, self.sequence = made.size, made.count, number, number


class Manifest:
    """Entries are (status, data file)."""

    def __init__(self, name, commit, entries, data):
        self.name, self.commit, self.entries = name, commit, entries
        self.live = [f for status, f in entries if status != 2]
        count = [sum(1 for s, _ in entries if s == status) for status in range(3)]
        rows = [sum(f.count for s, f in entries if s == status) for status in range(3)]
        self.record = {
            "manifest_path": "%s/metadata/%s" % (make_plain.LOCATION, name),
            "manifest_length": len(data),
            "partition_spec_id": 0,
            "content": 0,
            "sequence_number": commit,
            "min_sequence_number": min(f.sequence for f in self.live),
            "added_snapshot_id": commit,
            "added_files_count": count[1],
            "existing_files_count": count[0],
            "deleted_files_count": count[2],
            "added_rows_count": rows[1],
            "existing_rows_count": rows[0],
            "deleted_rows_count": rows[2],
            "partitions": [],
        }


class BusyWriter:
    def __init__(self, root, is_hadoop, log):
        self.root, self.is_hadoop, self.log = root, is_hadoop, log
        self.commit_number, self.manifests, self.snapshots, self.metadata_log = 0, [], [], []
        self.uuid = str(uuid.UUID(int=7))
        for folder in ("metadata", "data"):
            os.makedirs(os.path.join(root, folder), exist_ok=True)

    def put(self, name, data):
        path = os.path.join(self.root, "metadata", name)
        with open(os.path.join(self.root, "metadata", ".writing"), "wb") as f:
            f.write(data)
        os.rename(os.path.join(self.root, "metadata", ".writing"), path)

    def put_slowly(self, name, data):
        """As writers do that have no rename: under its own name, and it ends early until they are done."""
        with open(os.path.join(self.root, "metadata", name), "wb") as f:
            f.write(data[: len(data) // 2])
            f.flush()
            time.sleep(0.03)
            f.write(data[len(data) // 2 :])

    def write_manifest(self, entries):
        n = self.commit_number
        rows = []
        for status, file in entries:
            known = None if status == 1 else file.sequence
            rows.append({"status": status, "snapshot_id": n if status else file.number, "sequence_number": known,
                         "file_sequence_number": known, "data_file": file.row})
        header = [("schema", json.dumps(make_plain.schema(0))), ("schema-id", "0"), ("partition-spec", "[]"), ("partition-spec-id", "0"),
                  ("format-version", "2"), ("content", "data")]
        data = avro.make(ENTRY_SCHEMA, rows, header, codec="deflate").encode()
        name = "m%d.avro" % n
        self.put(name, data)
        return Manifest(name, n, entries, data)

    def write_list(self, parent):
        n = self.commit_number
        header = [("snapshot-id", str(n)), ("parent-snapshot-id", str(parent) if parent else "null"), ("sequence-number", str(n)),
                  ("format-version", "2")]
        self.put("snap-%d.avro" % n, avro.make(LIST_SCHEMA, [m.record for m in self.manifests], header, codec="deflate").encode())

    def take_data(self):
        """The new data file, and the entries of the new manifest."""
        new = DataFile(self.commit_number)
        path = os.path.join(self.root, "data", "f%d.parquet" % new.number)
        with open(path, "wb") as f:
            f.truncate(new.size)
        if self.commit_number % MERGE_EVERY or not self.manifests:
            return new, [], [(1, new)]
        live = sorted((f for m in self.manifests for f in m.live), key=lambda f: f.number)
        gone = live[:-FILES_KEPT]
        self.manifests = []
        return new, gone, [(1, new)] + [(2, f) for f in gone] + [(0, f) for f in live[-FILES_KEPT:]]

    def snapshot(self, new, gone, parent):
        n = self.commit_number
        live = [f for m in self.manifests for f in m.live]
        numbers = {"added-data-files": 1, "added-records": new.count, "added-files-size": new.size}
        if gone:
            numbers.update({"deleted-data-files": len(gone), "deleted-records": sum(f.count for f in gone),
                            "removed-files-size": sum(f.size for f in gone)})
        totals = (sum(f.count for f in live), sum(f.size for f in live), len(live), 0, 0, 0)
        summary = {"operation": "overwrite" if gone else "append"}
        summary.update({k: str(v) for k, v in numbers.items()})
        for key, value in zip(("records", "files-size", "data-files", "delete-files", "position-deletes", "equality-deletes"), totals):
            summary["total-" + key] = str(value)
        out = {"sequence-number": n, "snapshot-id": n, "timestamp-ms": make_plain.FIRST_MS + n * SECOND_MS, "summary": summary,
               "manifest-list": "%s/metadata/snap-%d.avro" % (make_plain.LOCATION, n), "schema-id": 0}
        if parent:
            out["parent-snapshot-id"] = parent
        return out

    def document(self):
        n = self.commit_number
        snapshots = [s for s, _ in self.snapshots]
        return {
            "format-version": 2, "table-uuid": self.uuid, "location": make_plain.LOCATION, "last-sequence-number": n,
            "last-updated-ms": make_plain.FIRST_MS + n * SECOND_MS, "last-column-id": 12, "current-schema-id": 0, "schemas": [make_plain.schema(0)],
            "default-spec-id": 0, "partition-specs": make_plain.SPECS[:1], "last-partition-id": 999, "default-sort-order-id": 0,
            "sort-orders": make_plain.SORT_ORDERS[:1], "properties": {"write.metadata.delete-after-commit.enabled": "true",
                                                                      "write.metadata.previous-versions-max": str(METADATA_KEPT)},
            "current-snapshot-id": n, "refs": {"main": {"snapshot-id": n, "type": "branch"}}, "snapshots": snapshots,
            "statistics": [], "partition-statistics": [],
            "snapshot-log": [{"timestamp-ms": s["timestamp-ms"], "snapshot-id": s["snapshot-id"]} for s in snapshots],
            "metadata-log": [{"timestamp-ms": ms, "metadata-file": "%s/metadata/%s" % (make_plain.LOCATION, name)} for ms, name in self.metadata_log[-METADATA_KEPT:]],
        }

    def tell(self, name):
        """What a check of this state must have read, said before it can be seen."""
        manifests = {m.name: m for _, listed in self.snapshots for m in listed}.values()
        self.log.write(json.dumps({"metadata_file": "metadata/" + name, "snapshot": str(self.commit_number), "lists": len(self.snapshots),
                                   "manifests": len(manifests), "entries": sum(len(m.entries) for m in manifests)}) + "\n")
        self.log.flush()

    def remove(self, old):
        """What the metadata files of before named, and the new one does not."""
        kept = {m.name for _, listed in self.snapshots for m in listed}
        data = {f.number for _, listed in self.snapshots for m in listed for f in m.live}
        for snapshot, listed in old:
            if any(snapshot is s for s, _ in self.snapshots):
                continue
            names = {"metadata/snap-%d.avro" % snapshot["snapshot-id"]} | {"metadata/" + m.name for m in listed if m.name not in kept}
            names |= {"data/f%d.parquet" % f.number for m in listed for f in m.live if f.number not in data}
            for name in sorted(names):
                if os.path.exists(os.path.join(self.root, name)):
                    os.unlink(os.path.join(self.root, name))

    def commit(self):
        self.commit_number += 1
        n = self.commit_number
        parent = n - 1
        new, gone, entries = self.take_data()
        self.manifests = [self.write_manifest(entries)] + self.manifests
        self.write_list(parent)
        old = list(self.snapshots)
        self.snapshots = (old + [(self.snapshot(new, gone, parent), list(self.manifests))])[-SNAPSHOTS_KEPT:]
        name = "v%d.metadata.json" % n if self.is_hadoop else "%05d-%s.metadata.json" % (n, uuid.UUID(int=n))
        document = self.document()
        self.tell(name)
        put = self.put_slowly if n % SLOW_EVERY == 0 else self.put
        put(name, json.dumps(document).encode())
        if self.is_hadoop:
            self.put("version-hint.text", str(n).encode())
        for _, needless in self.metadata_log[:-METADATA_KEPT]:
            os.unlink(os.path.join(self.root, "metadata", needless))
        self.metadata_log = self.metadata_log[-METADATA_KEPT:] + [(document["last-updated-ms"], name)]
        self.remove(old)
