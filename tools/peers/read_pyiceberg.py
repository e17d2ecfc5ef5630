"""PyIceberg: METADATA.json; entries and rows of the current snapshot."""

import sys

from pyiceberg.table import StaticTable

table = StaticTable.from_metadata(sys.argv[1])
n_entries = n_rows = 0
for manifest in table.current_snapshot().manifests(table.io):
    for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
        n_entries += 1
        n_rows += entry.data_file.record_count
print(n_entries, n_rows)
