#!/usr/bin/env python3
"""Compare the tables of `icefsck inspect` with what follows from `icefsck dump`, for every base table.

answer_rows.py --icefsck BIN [--base DIR] [--table NAME]

The dumps (checked against two other readers by dump_diff.py) are resolved by field id and inherited here once more, in
the words of the spec. Then a table is damaged, and the rows that remain must still come. Exit 0 all agree, 1 they differ.
"""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle_diff
import golden

COLUMNS = {
    "history": "made_current_at snapshot_id parent_id is_current_ancestor",
    "metadata_log_entries": "timestamp file latest_snapshot_id latest_schema_id latest_sequence_number",
    "snapshots": "committed_at snapshot_id parent_id operation manifest_list summary",
    "refs": "name type snapshot_id max_reference_age_in_ms min_snapshots_to_keep max_snapshot_age_in_ms",
    "entries": "status snapshot_id sequence_number file_sequence_number data_file",
    "files": "content file_path file_format spec_id partition record_count file_size_in_bytes column_sizes value_counts "
             "null_value_counts nan_value_counts lower_bounds upper_bounds key_metadata split_offsets equality_ids "
             "sort_order_id first_row_id referenced_data_file content_offset content_size_in_bytes",
    "manifests": "content path length partition_spec_id added_snapshot_id added_data_files_count "
                 "existing_data_files_count deleted_data_files_count added_delete_files_count "
                 "existing_delete_files_count deleted_delete_files_count partition_summaries key_metadata",
    "partitions": "partition spec_id record_count file_count total_data_file_size_in_bytes "
                  "position_delete_record_count position_delete_file_count equality_delete_record_count "
                  "equality_delete_file_count last_updated_at last_updated_snapshot_id",
}

SCALARS = {"content": 134, "file_path": 100, "file_format": 101, "record_count": 103, "file_size_in_bytes": 104,
           "key_metadata": 131, "split_offsets": 132, "equality_ids": 135, "sort_order_id": 140,
           "referenced_data_file": 143, "content_offset": 144, "content_size_in_bytes": 145}
MAPS = {"column_sizes": 108, "value_counts": 109, "null_value_counts": 110, "nan_value_counts": 137,
        "lower_bounds": 125, "upper_bounds": 128}


class Differs(Exception):
    pass


def expect(what, got, want):
    if got != want:
        raise Differs("%s: %.300r\n  but the dumps say: %.300r" % (what, got, want))


def plain(value):
    return value["hex"] if isinstance(value, dict) and list(value) == ["hex"] else value


def record_of(schema):
    """The record of a schema, out of a union with null."""
    if isinstance(schema, list):
        schema = next(s for s in schema if s != "null")
    return schema


def by_id(schema, row):
    """{field id: (value, schema)} of one record."""
    return {f["field-id"]: (row[f["name"]], f["type"]) for f in record_of(schema)["fields"] if "field-id" in f}


def value(fields, field_id, absent=None):
    found = fields.get(field_id, (None, None))[0]
    return absent if found is None else plain(found)


def int_map(fields, field_id):
    rows = value(fields, field_id)
    return None if rows is None else {str(r["key"]): plain(r["value"]) for r in rows}


class Table:
    def __init__(self, binary, folder, current, location):
        self.binary, self.folder, self.location = binary, folder, location
        self.metadata_file = os.path.join(folder, current)
        self.cache = {}
        self.meta = self.dump(self.metadata_file)
        self.snapshots = self.meta.get("snapshots") or []
        current_id = self.meta.get("current-snapshot-id")
        self.current = next((s for s in self.snapshots if s["snapshot-id"] == current_id), None)

    def run(self, args):
        return subprocess.run([self.binary, *args], capture_output=True, timeout=120, check=False)

    def dump(self, path):
        if path not in self.cache:
            got = self.run(["dump", path])
            if got.returncode:
                raise Differs("dump %s: exit %d: %s" % (path, got.returncode, got.stderr[-300:]))
            self.cache[path] = json.loads(got.stdout)
        return self.cache[path]

    def inspect(self, what, *options, code=0):
        got = self.run(["inspect", what, self.metadata_file, "--map", "%s=%s" % (self.location, self.folder), "-f",
                        "ndjson", *options])
        if got.returncode != code:
            raise Differs("inspect %s: exit %d: %s" % (what, got.returncode, got.stderr.decode()[-500:]))
        return [json.loads(line) for line in got.stdout.decode("utf-8").splitlines()]

    def local(self, uri):
        def fold(u):
            return "file:" + u[5:].lstrip("/") if u.startswith("file:") else "file:" + u[1:] if u.startswith("/") else u
        rest = fold(uri)[len(fold(self.location.rstrip("/"))):]
        return os.path.join(self.folder, rest.lstrip("/"))

    def manifests(self, snapshot):
        """Dicts by field id, in list order; inline manifests have a path only."""
        if snapshot.get("manifest-list") is None:
            return [{500: path, 503: snapshot["snapshot-id"], "inline": True} for path in snapshot["manifests"]]
        doc = self.dump(self.local(snapshot["manifest-list"]))
        schema = doc["header"]["avro.schema"]
        rows = [by_id(schema, row) for row in doc["records"]]
        return [{k: plain(v[0]) for k, v in row.items()} for row in rows]

    def entries(self, manifest):
        """All entries of a manifest with inherited values, as dicts of the columns that are compared."""
        doc = self.dump(self.local(manifest[500]))
        schema = doc["header"]["avro.schema"]
        sequence = manifest.get(515) or 0
        next_row = manifest.get(520)
        spec_id = manifest.get(502)
        if spec_id is None:
            spec_id = int(doc["header"].get("partition-spec-id", 0))
        for row in doc["records"]:
            entry = by_id(schema, row)
            file = by_id(entry[2][1], entry[2][0])
            status = value(entry, 0)
            inherits = status == 1 or sequence == 0
            out = {"status": status, "snapshot_id": value(entry, 1, manifest[503]),
                   "sequence_number": value(entry, 3, sequence if inherits else None),
                   "file_sequence_number": value(entry, 4, sequence if inherits else None), "spec_id": spec_id}
            for name, field_id in SCALARS.items():
                out[name] = value(file, field_id, 0 if name == "content" else None)
            for name, field_id in MAPS.items():
                out[name] = int_map(file, field_id)
            first_row = None if next_row is None else value(file, 142)
            if first_row is None and next_row is not None and status != 2 and out["content"] == 0:
                first_row, next_row = next_row, next_row + out["record_count"]
            out["first_row_id"] = first_row
            out["tuple"] = json.dumps([v[0] for _, v in sorted(by_id(file[102][1], file[102][0]).items())])
            yield out


def file_of(row):
    return {k: row[k] for k in list(SCALARS) + list(MAPS) + ["spec_id", "first_row_id"]}


def check_columns(table):
    for what, names in COLUMNS.items():
        for row in table.inspect(what)[:1]:
            expect("columns of " + what, " ".join(row), " ".join(names.split()))


def check_metadata(table):
    meta = table.meta
    log = [e["snapshot-id"] for e in meta.get("snapshot-log") or []]
    expect("history", [r["snapshot_id"] for r in table.inspect("history")], log)
    files = [e["metadata-file"] for e in meta.get("metadata-log") or []]
    rows = table.inspect("metadata_log_entries")
    expect("metadata_log_entries", [r["file"] for r in rows[:-1]], files)
    expect("the current file", os.path.basename(rows[-1]["file"]), os.path.basename(table.metadata_file))
    rows = table.inspect("snapshots")
    expect("snapshots", [r["snapshot_id"] for r in rows], [s["snapshot-id"] for s in table.snapshots])
    for row, s in zip(rows, table.snapshots):
        expect("parent_id", row["parent_id"], s.get("parent-snapshot-id"))
        expect("manifest_list", row["manifest_list"], s.get("manifest-list"))
        summary = dict(s["summary"]) if "summary" in s else None
        expect("operation", row["operation"], summary.pop("operation") if summary else None)
        expect("summary", row["summary"], summary)
    refs = {name: ref["snapshot-id"] for name, ref in (meta.get("refs") or {}).items()}
    if table.current:
        refs.setdefault("main", table.current["snapshot-id"])
    expect("refs", {r["name"]: r["snapshot_id"] for r in table.inspect("refs")}, refs)
    properties = meta.get("properties") or {}
    expect("properties", {r["key"]: r["value"] for r in table.inspect("properties")}, properties)
    schemas = meta.get("schemas") or [meta["schema"]]
    expect("schemas", {r["schema_id"] for r in table.inspect("schemas")}, {s.get("schema-id", 0) for s in schemas})
    specs = [s["spec-id"] for s in meta.get("partition-specs") or []] or [0]
    expect("specs", sorted({r["spec_id"] for r in table.inspect("specs")}), sorted(specs))


def check_manifests(table):
    want = table.manifests(table.current) if table.current else []
    rows = table.inspect("manifests")
    expect("manifests", [r["path"] for r in rows], [m[500] for m in want])
    for row, m in zip(rows, want):
        kind = "delete" if m.get(517) else "data"
        for name, field_id in (("added", 504), ("existing", 505), ("deleted", 506)):
            expect(name + "_files_count", row["%s_%s_files_count" % (name, kind)], m.get(field_id))
        expect("length", row["length"], m.get(501))
        expect("summaries", row["partition_summaries"] is None, m.get(507) is None)
    references = [(s["snapshot-id"], m[500]) for s in table.snapshots for m in table.manifests(s)]
    rows = table.inspect("all_manifests")
    expect("all_manifests", [(r["reference_snapshot_id"], r["path"]) for r in rows], references)


def check_entries(table):
    manifests = table.manifests(table.current) if table.current else []
    want = [e for m in manifests for e in table.entries(m)]
    rows = table.inspect("entries")
    keys = ("status", "snapshot_id", "sequence_number", "file_sequence_number")
    expect("entries", [tuple(r[k] for k in keys) for r in rows], [tuple(e[k] for k in keys) for e in want])
    for row, e in zip(rows, want):
        expect("data_file", file_of(row["data_file"]), file_of(e))
    live = [e for e in want if e["status"] != 2]
    expect("files", [file_of(r) for r in table.inspect("files")], [file_of(e) for e in live])
    for what, deletes in (("data_files", False), ("delete_files", True)):
        chosen = [m for m in manifests if bool(m.get(517)) == deletes]
        paths = [e["file_path"] for m in chosen for e in table.entries(m) if e["status"] != 2]
        expect(what, [r["file_path"] for r in table.inspect(what)], paths)
    check_partitions(table, live)


def check_partitions(table, live):
    rows = table.inspect("partitions")
    data = [e for e in live if e["content"] == 0]
    expect("rows of partitions", sum(r["record_count"] for r in rows), sum(e["record_count"] for e in data))
    expect("files of partitions", sum(r["file_count"] for r in rows), len(data))
    expect("bytes of partitions", sum(r["total_data_file_size_in_bytes"] for r in rows),
           sum(e["file_size_in_bytes"] for e in data))
    for content, kind in ((1, "position"), (2, "equality")):
        expect(kind + " delete files", sum(r[kind + "_delete_file_count"] for r in rows),
               sum(e["content"] == content for e in live))
    if len({e["spec_id"] for e in live}) == 1:
        expect("partitions", len(rows), len({e["tuple"] for e in live}))


def check_all(table):
    """Over every snapshot: each manifest once, except in live."""
    seen, entries, live = set(), [], []
    for s in table.snapshots:
        for m in table.manifests(s):
            found = list(table.entries(m))
            live += [(s["snapshot-id"], e["file_path"]) for e in found if e["status"] != 2]
            if m[500] not in seen:
                seen.add(m[500])
                entries += found
    rows = table.inspect("all_entries")
    expect("all_entries", [(r["status"], r["data_file"]["file_path"]) for r in rows],
           [(e["status"], e["file_path"]) for e in entries])
    paths = [e["file_path"] for e in entries if e["status"] != 2]
    expect("all_files", [r["file_path"] for r in table.inspect("all_files")], paths)
    split = [r["file_path"] for what in ("all_data_files", "all_delete_files") for r in table.inspect(what)]
    expect("all_data_files and all_delete_files", sorted(split), sorted(paths))
    rows = table.inspect("live")
    expect("live", [(r["reference_snapshot_id"], r["file_path"]) for r in rows], live)
    for s in table.snapshots[:1]:
        rows = table.inspect("files", "--snapshot", str(s["snapshot-id"]))
        want = [path for snapshot, path in live if snapshot == s["snapshot-id"]]
        expect("files --snapshot", [r["file_path"] for r in rows], want)


def check_readable(table):
    """The same keys with readable values: nothing is lost, text bounds are text."""
    for hexed, readable in zip(table.inspect("files"), table.inspect("files", "--readable-bounds")):
        for name in ("lower_bounds", "upper_bounds"):
            expect("keys of " + name, list(hexed[name] or {}), list(readable[name] or {}))
            for key, text in (readable[name] or {}).items():
                if isinstance(text, str) and bytes.fromhex(hexed[name][key]) == text.encode("utf-8"):
                    continue
                expect("text bound " + key, isinstance(text, (int, float, str)), True)


def check_broken(binary, base):
    """A cut manifest and an absent one: their rows are gone, all others come, exit 2."""
    with tempfile.TemporaryDirectory(prefix="icefsck-rows-") as work:
        folder = os.path.join(work, "table")
        shutil.copytree(os.path.join(base, "plain-v2"), folder)
        table = Table(binary, folder, "metadata/v3.metadata.json", "s3://lake/wh/db/orders")
        whole = collections.Counter(r["file_path"] for r in table.inspect("files"))
        of = {m[500]: [e["file_path"] for e in table.entries(m) if e["status"] != 2]
              for m in table.manifests(table.current)}
        first, *others = sorted(of)
        with open(table.local(first), "r+b") as f:
            f.truncate(os.path.getsize(table.local(first)) - 20)
        cut = collections.Counter(r["file_path"] for r in table.inspect("files", code=2))
        expect("files without the cut manifest", cut, whole - collections.Counter(of[first]))
        os.remove(table.local(others[0]))
        gone = collections.Counter(r["file_path"] for r in table.inspect("files", code=2))
        expect("files without both", gone, cut - collections.Counter(of[others[0]]))
        rows = table.inspect("manifests")
        expect("manifests", sorted(r["path"] for r in rows), sorted(of))
        doc = json.loads(table.run(["inspect", "live", folder, "-f", "oracle"]).stdout)
        expect("verdict", doc["verdict"], "reject")
        listed = [json.loads(line) for line in
                  table.run(["check", folder, "--list-files", "-f", "ndjson"]).stdout.decode().splitlines()]
        expect("files that are not here", [r["uri"] for r in listed if not r["here"]], [others[0]])


def main(args):
    o = golden.options(args, ("--icefsck", "--base", "--table"))
    if "--icefsck" not in o:
        print(__doc__, file=sys.stderr)
        return 4
    binary = os.path.abspath(o["--icefsck"])
    base = os.path.abspath(o.get("--base", os.path.join(oracle_diff.ROOT, "fixtures", "base")))
    bad = n = 0
    every = 4 if os.environ.get("ICEFSCK_SANITIZED") else 1  # a start of the command costs 50 ms with sanitizers, and these are hundreds
    bases = list(oracle_diff.bases(base))
    print("one in %d of %d tables" % (every, len(bases)))
    for name, folder, current, location in bases[::every]:
        if o.get("--table", name) != name:
            continue
        n += 1
        try:
            table = Table(binary, folder, current, location)
            for check in (check_columns, check_metadata, check_manifests, check_entries, check_all, check_readable):
                check(table)
            print("%s: equal" % name, flush=True)
        except Differs as problem:
            bad += 1
            print("%s: %s" % (name, problem), flush=True)
    if o.get("--table", "plain-v2") == "plain-v2":
        try:
            check_broken(binary, base)
            print("plain-v2, broken: equal")
        except Differs as problem:
            bad += 1
            print("plain-v2, broken: %s" % problem)
    print("%d tables, %d differ" % (n, bad))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
