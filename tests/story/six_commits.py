"""What happens in the story, done by PyIceberg on a real SQL catalog; make() returns what PyIceberg says of it.

  commits 1 to 3   appends of ten orders each
  a reader loads the table now, keeps what it loaded, and asks the catalog no more
  commit 4         ten orders more
  commit 5         one order of commit 1 is deleted: its file is written anew
  commit 6         a column more, and ten orders with it
  expiry           snapshots 1 to 4 are dropped, and what only they needed is removed from storage
"""

import datetime
import json
import os
import shutil
import sys

import pyarrow
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DateType, DoubleType, LongType, NestedField, StringType

TABLE = "shop.orders"
SCHEMA = Schema(NestedField(1, "id", LongType()), NestedField(2, "day", DateType()), NestedField(3, "amount", DoubleType()))
BY_DAY = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day"))


def orders(first, **more):
    """Ten orders from number `first` on, five a day."""
    ids = list(range(first, first + 10))
    days = [datetime.date(2026, 5, 1 + n // 5) for n in range(10)]
    columns = {"id": ids, "day": days, "amount": [n * 1.5 for n in ids], **{k: [v] * 10 for k, v in more.items()}}
    return pyarrow.table(columns)


def state(table):
    """What a reader of this state sees: PyIceberg's own answers."""
    tasks = list(table.scan().plan_files())
    rows = table.scan().to_arrow()
    by_day = {}
    for day in rows["day"].to_pylist():
        by_day[str(day)] = by_day.get(str(day), 0) + 1
    return {
        "metadata_location": table.metadata_location,
        "snapshot_id": table.current_snapshot().snapshot_id,
        "rows": len(rows),
        "rows_by_day": dict(sorted(by_day.items())),
        "columns": table.schema().column_names,
        "files": sorted(task.file.file_path for task in tasks),
        "bytes": sum(task.file.file_size_in_bytes for task in tasks),
    }


def needed(table):
    """All that the kept snapshots of this state refer to."""
    out = set()
    for snapshot in table.metadata.snapshots:
        out.add(snapshot.manifest_list)
        for manifest in snapshot.manifests(table.io):
            out.add(manifest.manifest_path)
            out.update(entry.data_file.file_path for entry in manifest.fetch_manifest_entry(table.io))
    return out


def make(catalog_file, warehouse, before_removal=None, **properties):
    """before_removal(paths): called with what expiry is about to remove."""
    catalog = SqlCatalog("lake", uri="sqlite:///" + catalog_file, warehouse=warehouse, **properties)
    catalog.create_namespace("shop")
    table = catalog.create_table(TABLE, SCHEMA, partition_spec=BY_DAY, properties={"write.parquet.compression-codec": "uncompressed"})
    for first in (1, 11, 21):
        table.append(orders(first))
    reader = catalog.load_table(TABLE)
    answers = {"reader": state(reader)}
    table.append(orders(31))
    table.delete("id == 5")
    answers["at_commit_5"] = state(table)
    with table.update_schema() as update:
        update.add_column("note", StringType())
    table.append(orders(41, note="late"))
    answers["before_expiry"] = state(table)
    answers["snapshots"] = [s.snapshot_id for s in table.metadata.snapshots]

    all_files = needed(table)
    table.maintenance.expire_snapshots().by_ids(answers["snapshots"][:4]).commit()
    removed = sorted(all_files - needed(table))
    if before_removal:
        before_removal(removed)
    for path in removed:
        table.io.delete(path)
    answers["removed"] = removed
    answers["current"] = state(catalog.load_table(TABLE))
    answers["gone"] = sorted(set(answers["reader"]["files"]) & set(removed))
    # the reader asks no catalog: it plans with what it holds, and runs into what expiry took away
    try:
        reader.scan().to_arrow()
        answers["reader_fails"] = False
    except FileNotFoundError:
        answers["reader_fails"] = True
    return answers


def main(place):
    """The same on this machine: PLACE/catalog.db, PLACE/shop/orders, PLACE/removed, PLACE/listing.txt, PLACE/answers.json."""
    os.makedirs(place + "/removed/metadata")

    def keep(paths):
        for path in paths:
            if path.endswith(".avro"):
                shutil.copy(path.removeprefix("file://"), place + "/removed/metadata")

    answers = make(place + "/catalog.db", "file://" + place, keep)
    with open(place + "/answers.json", "w") as f:
        json.dump(answers, f, indent=1)
    with open(place + "/listing.txt", "w") as f:
        for folder, _, names in os.walk(place + "/shop"):
            for path in (os.path.join(folder, name) for name in names):
                f.write("%d\t%.10f\t%s\n" % (os.path.getsize(path), os.path.getmtime(path), path))


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
