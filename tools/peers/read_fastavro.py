"""fastavro: METADATA.json; entries and rows of the current snapshot, as dictionaries."""

import json
import sys

import fastavro


def records(path):
    with open(path, "rb") as file:
        yield from fastavro.reader(file)


with open(sys.argv[1]) as file:
    metadata = json.load(file)
snapshot = next(one for one in metadata["snapshots"] if one["snapshot-id"] == metadata["current-snapshot-id"])
n_entries = n_rows = 0
for manifest in records(snapshot["manifest-list"]):
    for entry in records(manifest["manifest_path"]):
        if entry["status"] != 2:
            n_entries += 1
            n_rows += entry["data_file"]["record_count"]
print(n_entries, n_rows)
