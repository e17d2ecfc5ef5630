"""DuckDB: METADATA.json; entries and rows of the current snapshot by iceberg_metadata(), which has no statistics. The extensions are the
packages beside duckdb, so nothing is fetched."""

import glob
import os
import sys

import duckdb

beside = os.path.dirname(os.path.dirname(os.path.abspath(duckdb.__file__)))
connection = duckdb.connect(config={"threads": 1})
for name in ("avro", "iceberg"):
    found = glob.glob(os.path.join(beside, "duckdb_extension_" + name, "extensions", "**", "*.duckdb_extension"), recursive=True)
    connection.execute("LOAD '%s'" % found[0])
query = "SELECT count(*), sum(record_count), sum(length(file_path)) FROM iceberg_metadata(?) WHERE status <> 'DELETED'"
print(*connection.execute(query, [sys.argv[1]]).fetchone())
