#!/usr/bin/python3 -SEB
"""Tables whose parts name each other in ways that make a walk endless, a sum too large, or a date impossible.

    hostile_graph.py LIMITED_CHECK WORK
"""

import copy
import os
import shutil
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tables import LIST, MANIFEST, Checker, Table, avro  # noqa: E402

LEAST, MOST = -(1 << 63), (1 << 63) - 1
HERE = "s3://lake/wh/db/orders/"
YEAR_292278994 = 9223372036854775807


def changed(change, base="plain-v2"):
    t = Table(base)
    m = t.metadata()
    change(m)
    t.set_metadata(m)
    return t


def assign(path, value, base="plain-v2"):
    """metadata.json with one value at a path like snapshots/2/timestamp-ms; a last name that is not there is added."""

    def change(m):
        *way, last = [int(p) if p.lstrip("-").isdigit() else p for p in path.split("/")]
        for part in way:
            m = m[part]
        m[last] = value

    return changed(change, base)


def with_rows(path, change, base="plain-v2", count=None):
    """A list or manifest with changed records; lengths in the list follow."""
    t = Table(base)
    c = t.container(path)
    for row in c.all_rows():
        change(row)
    for i in range(len(c.blocks)):
        c.touch(i)
    t.files[path] = c.encode()
    if path != LIST:
        lists = t.container(LIST)
        for row in lists.all_rows():
            if row["manifest_path"].endswith(path):
                row["manifest_length"] = len(t.files[path])
        lists.touch(0)
        t.files[LIST] = lists.encode()
    return t


def set_all(**values):
    return lambda row: row.update(values)


def data_file(**values):
    return lambda row: row["data_file"].update(values)


def bound(value, key=2, which="lower_bounds"):
    """The bound of one column in every entry that has bounds."""

    def change(row):
        for pair in row["data_file"][which] or []:
            if pair["key"] == key:
                pair["value"] = {"hex": value.hex()}

    return change


def parents(*pairs):
    def change(m):
        for child, parent in pairs:
            m["snapshots"][child]["parent-snapshot-id"] = m["snapshots"][parent]["snapshot-id"]

    return changed(change)


def parent_ring(n):
    """n snapshots, each the parent of the next, the last of the first."""

    def change(m):
        for i in range(n):
            m["snapshots"].append({"sequence-number": 4 + i, "snapshot-id": 1000 + i, "parent-snapshot-id": 1000 + (i - 1) % n, "timestamp-ms": 1740960000000,
                                   "summary": {"operation": "append"}, "manifest-list": HERE + LIST, "schema-id": 1})
        m["refs"]["ring"] = {"snapshot-id": 1000, "type": "branch"}

    return changed(change)


def log(*names):
    return assign("metadata-log", [{"timestamp-ms": 1740787200000 + i, "metadata-file": HERE + "metadata/" + name} for i, name in enumerate(names)])


def log_ring():
    """Older files whose logs name each other and the current one."""
    t = log("v1.metadata.json", "v2.metadata.json")
    for name, other in (("v1", "v2"), ("v2", "v1"), ("v2", "v3")):
        older = Table()
        older.files["metadata/v3.metadata.json"] = older.files["metadata/%s.metadata.json" % name]
        m = older.metadata()
        m["metadata-log"] = [{"timestamp-ms": 1740787200000, "metadata-file": HERE + "metadata/%s.metadata.json" % other}]
        older.set_metadata(m)
        t.files["metadata/%s.metadata.json" % name] = older.files["metadata/v3.metadata.json"]
    return t


def repeated(n):
    """One manifest listed n times more."""
    t = Table()
    c = t.container(LIST)
    row = c.encode_rows(c.all_rows()[:1])
    data = c.encode_rows(c.all_rows()) + row * n
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    rows = len(c.all_rows()) + n
    c.header.set(b"avro.codec", b"deflate")
    c.blocks = [avro.Block(packer.compress(data) + packer.flush(), None, rows)]
    t.files[LIST] = c.encode()
    return t


def shared(n):
    """Two lists that name the same n manifests, which are not there."""
    t = Table()
    c = t.container(LIST)
    first = c.all_rows()[0]
    rows = []
    for i in range(n):
        row = dict(first)
        row["manifest_path"] = HERE + "metadata/x%d.avro" % i
        rows.append(row)
    c.blocks = [avro.Block(c.encode_rows(c.all_rows() + rows), None, len(c.all_rows()) + n)]
    t.files[LIST] = c.encode()
    m = t.metadata()
    extra = copy.deepcopy(m["snapshots"][2])
    extra.update({"snapshot-id": 104, "parent-snapshot-id": 103, "sequence-number": 4, "timestamp-ms": extra["timestamp-ms"] + 1,
                  "manifest-list": HERE + "metadata/snap-4.avro"})
    m["snapshots"].append(extra)
    t.set_metadata(m)
    t.files["metadata/snap-4.avro"] = t.files[LIST]
    return t


def column(**values):
    def change(m):
        m["schemas"][1]["fields"].append({"id": 14, "name": "x", "required": False, "type": "int", **values})
        m["last-column-id"] = 14

    return changed(change)


def deep_type(n):
    """A column of lists in lists; the file as text, since this language nests no deeper than we do."""
    t = column(type="DEEP")
    text = t.files["metadata/v3.metadata.json"].decode()
    parts = "".join('{"type": "list", "element-id": %d, "element-required": false, "element": ' % (100 + i) for i in range(n))
    t.files["metadata/v3.metadata.json"] = text.replace('"DEEP"', parts + '"int"' + "}" * n).encode()
    return t


def transform(text, source=1):
    return changed(lambda m: m["partition-specs"][1]["fields"].append({"name": "odd", "transform": text, "source-id": source, "field-id": 1004}))


# (name, table, rules that must be found, bits of the exit that must be set, bits that must not)
CASES = [
    # parents and refs
    ("parent-cycle-of-two", lambda: parents((0, 1), (1, 0)), {"snapshot.parent.cycle"}, 1, 2),
    ("parent-cycle-of-three", lambda: parents((0, 2)), {"snapshot.parent.cycle"}, 1, 2),
    ("parent-self", lambda: parents((1, 1)), {"snapshot.parent.self"}, 1, 2),
    ("parent-self-of-head", lambda: parents((2, 2)), {"snapshot.parent.self"}, 1, 2),
    ("parent-ring-of-3000", lambda: parent_ring(3000), {"snapshot.parent.cycle"}, 1, 2),
    ("parent-missing", lambda: assign("snapshots/1/parent-snapshot-id", 999), set(), 0, 2),
    ("parent-least", lambda: assign("snapshots/1/parent-snapshot-id", LEAST), set(), 0, 2),
    ("ref-to-nowhere", lambda: assign("refs/lost", {"snapshot-id": 999, "type": "branch"}), {"ref.snapshot.dangling"}, 1, 2),
    ("ref-retention-most", lambda: assign("refs/audit/max-ref-age-ms", MOST), set(), 0, 2),
    ("ref-retention-least", lambda: assign("refs/audit/max-snapshot-age-ms", LEAST), {"ref.retention.not-positive"}, 0, 2),
    ("snapshot-twice", lambda: changed(lambda m: m["snapshots"].append(dict(m["snapshots"][0]))), {"snapshot.id.duplicate"}, 1, 2),
    # logs
    ("log-names-itself", lambda: log("v3.metadata.json"), {"metadata-log.contains-self"}, 0, 2),
    ("log-ring", log_ring, set(), 0, 2),
    ("log-same-10000", lambda: log(*["v2.metadata.json"] * 10000), {"metadata-log.duplicate"}, 0, 2),
    # one manifest many times
    ("manifest-listed-200000-times", lambda: repeated(200_000), {"list.manifest.duplicate"}, 1, 2),
    ("lists-share-20000", lambda: shared(20_000), {"storage.manifest.missing"}, 3, 0),
    # sums
    ("record-count-most", lambda: with_rows(MANIFEST, data_file(record_count=MOST)), {"live.total.overflow"}, 1, 2),
    ("record-count-least", lambda: with_rows(MANIFEST, data_file(record_count=LEAST)), {"manifest.file.record-count.negative"}, 1, 2),
    ("file-size-most", lambda: with_rows(MANIFEST, data_file(file_size_in_bytes=MOST)), {"live.total.overflow"}, 1, 2),
    ("file-size-least", lambda: with_rows(MANIFEST, data_file(file_size_in_bytes=LEAST)), {"manifest.file.size.not-positive"}, 1, 2),
    ("value-counts-most", lambda: with_rows(MANIFEST, data_file(value_counts=[{"key": 1, "value": MOST}], null_value_counts=[{"key": 1, "value": MOST}])), set(), 0, 2),
    ("value-counts-least", lambda: with_rows(MANIFEST, data_file(value_counts=[{"key": 1, "value": LEAST}])), {"manifest.metrics.negative"}, 1, 2),
    ("column-sizes-most", lambda: with_rows(MANIFEST, data_file(column_sizes=[{"key": k, "value": MOST} for k in (1, 2, 3)])), set(), 0, 2),
    ("list-counts-most", lambda: with_rows(LIST, set_all(added_rows_count=MOST, existing_rows_count=MOST, deleted_rows_count=MOST)), {"list.rows-count.mismatch"}, 1, 2),
    ("list-counts-negative", lambda: with_rows(LIST, set_all(added_files_count=-1)), {"list.counts.negative"}, 1, 2),
    ("list-counts-least", lambda: with_rows(LIST, set_all(added_rows_count=LEAST)), {"list.counts.negative"}, 1, 2),
    ("list-length-most", lambda: with_rows(LIST, set_all(manifest_length=MOST)), {"list.manifest-length.mismatch"}, 1, 2),
    ("list-length-least", lambda: with_rows(LIST, set_all(manifest_length=LEAST)), {"list.manifest-length.not-positive"}, 1, 2),
    ("list-numbers-most", lambda: with_rows(LIST, set_all(sequence_number=MOST, min_sequence_number=LEAST)), {"list.sequence-number.above-snapshot"}, 1, 2),
    ("list-spec-least", lambda: with_rows(LIST, set_all(partition_spec_id=-(1 << 31))), {"list.partition-spec-id.dangling"}, 1, 2),
    ("summary-most", lambda: assign("snapshots/2/summary/total-records", str(MOST)), {"summary.total-records"}, 0, 2),
    ("summary-beyond", lambda: assign("snapshots/2/summary/total-records", str(MOST + 1)), {"summary.value-not-number"}, 0, 2),
    ("summary-chain-overflow", lambda: changed(lambda m: [s["summary"].update({"total-records": str(MOST), "added-records": str(MOST)}) for s in m["snapshots"]]), set(), 0, 2),
    ("row-ids-overflow", lambda: changed(lambda m: m["snapshots"][2].update({"first-row-id": MOST - 1, "added-rows": MOST}), "plain-v3"), set(), 1, 2),
    ("row-ids-least", lambda: assign("snapshots/2/first-row-id", LEAST, "plain-v3"), {"lineage.snapshot.negative"}, 1, 2),
    ("next-row-id-least", lambda: assign("next-row-id", LEAST, "plain-v3"), {"lineage.next-row-id.negative"}, 1, 2),
    ("manifest-row-id-most", lambda: with_rows(LIST, set_all(first_row_id=MOST), "plain-v3"), {"lineage.next-row-id.too-small"}, 1, 2),
    ("entry-row-id-most", lambda: with_rows(MANIFEST, data_file(first_row_id=MOST, record_count=MOST), "plain-v3"), {"lineage.file.range-above-next"}, 1, 2),
    ("blob-range-most", lambda: with_rows("metadata/d1.avro", data_file(content_offset=MOST, content_size_in_bytes=MOST), "plain-v3"), {"manifest.file.blob.range"}, 1, 2),
    ("split-offsets-most", lambda: with_rows(MANIFEST, data_file(split_offsets=[LEAST, 0, MOST])), {"manifest.file.split-offsets.past-end"}, 0, 2),
    # times
    ("updated-0", lambda: assign("last-updated-ms", 0), {"metadata.last-updated-ms.implausible"}, 0, 2),
    ("updated-minus-1", lambda: assign("last-updated-ms", -1), {"metadata.last-updated-ms.implausible"}, 0, 2),
    ("updated-least", lambda: assign("last-updated-ms", LEAST), {"metadata.last-updated-ms.implausible"}, 0, 2),
    ("updated-most", lambda: assign("last-updated-ms", YEAR_292278994), {"metadata.last-updated-ms.implausible"}, 0, 2),
    ("updated-in-seconds", lambda: assign("last-updated-ms", 1740960000), {"metadata.last-updated-ms.implausible"}, 0, 2),
    ("updated-in-microseconds", lambda: assign("last-updated-ms", 1740960000000000), {"metadata.last-updated-ms.implausible"}, 0, 2),
    ("snapshot-time-0", lambda: assign("snapshots/2/timestamp-ms", 0), {"snapshot.timestamp.implausible"}, 0, 2),
    ("snapshot-time-least", lambda: assign("snapshots/2/timestamp-ms", LEAST), {"snapshot.timestamp.implausible"}, 0, 2),
    ("snapshot-time-most", lambda: assign("snapshots/2/timestamp-ms", YEAR_292278994), {"snapshot.timestamp.implausible"}, 0, 2),
    ("snapshot-time-in-seconds", lambda: assign("snapshots/2/timestamp-ms", 1740960000), {"snapshot.timestamp.implausible"}, 0, 2),
    ("snapshot-time-in-microseconds", lambda: assign("snapshots/2/timestamp-ms", 1740960000000000), {"snapshot.timestamp.implausible"}, 0, 2),
    ("snapshot-log-least", lambda: assign("snapshot-log/0/timestamp-ms", LEAST), set(), 0, 2),
    ("snapshot-log-most", lambda: assign("snapshot-log/0/timestamp-ms", MOST), {"snapshot-log.order"}, 0, 2),
    ("metadata-log-most", lambda: assign("metadata-log/0/timestamp-ms", MOST), {"metadata-log.order"}, 0, 2),
    # transforms
    *[("transform " + text, lambda text=text: transform(text), {rule}, 1 if "malformed" in rule else 0, 2) for text, rule in (
        ("bucket[0]", "spec.field.transform-malformed"), ("bucket[-1]", "spec.field.transform-malformed"), ("bucket[99999999999]", "spec.field.transform-malformed"),
        ("bucket[]", "spec.field.transform-malformed"), ("bucket", "spec.field.transform-malformed"), ("truncate[9999999999]", "spec.field.transform-malformed"),
        ("truncate[0]", "spec.field.transform-malformed"), ("bucket[4", "spec.field.transform-malformed"), ("zzz[3]", "spec.field.transform-unknown"),
        ("", "spec.field.transform-unknown"), ("x" * 100000, "spec.field.transform-unknown"))],
    ("transform-bucket-most", lambda: transform("bucket[2147483647]"), set(), 0, 2),
    # types and ids
    *[("type " + text, lambda text=text: column(type=text), {rule}, 1, 2) for text, rule in (
        ("decimal(999,-1)", "schema.type.unknown"), ("decimal(999,1)", "schema.decimal.precision"), ("decimal(39,2)", "schema.decimal.precision"),
        ("decimal(99999999999999999999,2)", "schema.decimal.precision"), ("decimal(9,2147483648)", "schema.decimal.scale"), ("fixed[2147483648]", "schema.fixed.length"),
        ("fixed[-1]", "schema.type.unknown"), ("int(3)", "schema.type.unknown"), ("", "schema.type.unknown"),
        ("x" * 100000, "schema.type.unknown"))],
    ("type-fixed-0", lambda: column(type="fixed[0]"), {"schema.fixed.length"}, 0, 3),
    ("type-decimal-0", lambda: column(type="decimal(0,0)"), {"schema.decimal.precision"}, 0, 3),
    ("type-nested-50", lambda: deep_type(50), set(), 0, 2),
    ("type-nested-10000", lambda: deep_type(10_000), {"limit.depth"}, 2, 1),
    ("column-id-0", lambda: column(id=0), {"schema.field.id.not-positive"}, 0, 3),
    ("column-id-minus-1", lambda: column(id=-1), {"schema.field.id.not-positive"}, 0, 3),
    ("column-id-least", lambda: column(id=-(1 << 31)), {"schema.field.id.not-positive"}, 0, 3),
    ("column-id-most", lambda: column(id=(1 << 31) - 1), {"schema.field.id.reserved"}, 1, 2),
    ("column-id-2-31", lambda: column(id=1 << 31), {"json.number.out-of-range"}, 1, 2),
    ("last-column-id-most", lambda: assign("last-column-id", (1 << 31) - 1), set(), 0, 2),
    ("last-column-id-least", lambda: assign("last-column-id", -(1 << 31)), {"metadata.last-column-id.too-small"}, 1, 2),
    # bounds: 1 long, 2 string, 3 decimal(9, 2), 4 double, 7 uuid
    ("bound-empty-long", lambda: with_rows(MANIFEST, bound(b"", 1)), {"manifest.metrics.bound-length"}, 1, 2),
    ("bound-3-bytes-long", lambda: with_rows(MANIFEST, bound(b"abc", 1)), {"manifest.metrics.bound-length"}, 1, 2),
    ("bound-9-bytes-long", lambda: with_rows(MANIFEST, bound(b"x" * 9, 1)), {"manifest.metrics.bound-length"}, 1, 2),
    ("bound-16-mb", lambda: with_rows(MANIFEST, bound(b"x" * (16 << 20), 1)), {"manifest.metrics.bound-length"}, 1, 2),
    ("bound-16-mb-string", lambda: with_rows(MANIFEST, bound(b"a" * (16 << 20), 2)), set(), 0, 2),
    ("bound-nan", lambda: with_rows(MANIFEST, bound(struct.pack("<d", float("nan")), 4)), {"manifest.metrics.bound-nan"}, 0, 2),
    ("bound-minus-zero", lambda: with_rows(MANIFEST, bound(struct.pack("<d", -0.0), 4)), set(), 0, 2),
    ("bound-decimal-40-bytes", lambda: with_rows(MANIFEST, bound(b"\x7f" * 40, 3)), {"manifest.metrics.bound-decimal-range"}, 0, 2),
    ("bound-decimal-empty", lambda: with_rows(MANIFEST, bound(b"", 3)), {"manifest.metrics.bound-length"}, 1, 2),
    ("bound-not-utf8", lambda: with_rows(MANIFEST, bound(b"\xff\xfe\x1b[2J", 2)), {"manifest.metrics.bound-utf8"}, 1, 2),
    ("bound-of-key-least", lambda: with_rows(MANIFEST, data_file(lower_bounds=[{"key": -(1 << 31), "value": {"hex": "00"}}])), set(), 0, 2),
]

# how many manifests are read: each once
READS = {"manifest-listed-200000-times": 4, "lists-share-20000": 4}


def main():
    checker = Checker(os.path.abspath(sys.argv[1]))
    work, only = sys.argv[2], sys.argv[3:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    bad = n = 0
    for name, make, rules, bits, not_bits in CASES:
        if only and name not in only:
            continue
        n += 1
        t = make()
        run = checker.check(t.write(os.path.join(work, "t")))
        size = sum(len(data) for data in t.files.values())
        faults = []
        if not rules <= run.rules:
            faults.append("not %s" % (rules - run.rules))
        if run.exit & bits != bits or run.exit & not_bits or run.complete != (run.exit & 2 == 0):
            faults.append("exit %d" % run.exit)
        if name in READS and run.summary["read"]["manifests"] != READS[name]:
            faults.append("%d manifests were read, not %d" % (run.summary["read"]["manifests"], READS[name]))
        if run.count["peak"] > (2 << 20) + 8 * size + (64 << 20 if name in READS else 0):
            faults.append("%d bytes of memory for %d" % (run.count["peak"], size))
        if any(not 0 < len(f["message"]) < 2000 for f in run.findings):
            faults.append("messages of %s bytes" % {len(f["message"]) for f in run.findings})
        if faults:
            bad += 1
            print("FAILED %s: %s: %s" % (name, ", ".join(faults), run))
    if checker.close() != 0:
        bad += 1
        print("FAILED the checker did not end well")
    shutil.rmtree(work, ignore_errors=True)
    print("%d tables, %d failed" % (n, bad))
    return 1 if bad or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
