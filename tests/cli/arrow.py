"""inspect -f arrow: the stream is read here by the format's own description, without Arrow, and must hold the rows of
-f json. (python/tests reads it with Arrow itself.)"""

import datetime
import json

import harness
from arrowstream import BINARY, TIMESTAMP, read

TABLES = ("history metadata_log_entries snapshots refs entries files data_files delete_files manifests partitions all_files"
          " all_manifests schemas specs sort_orders properties statistics live").split()
BASES = ("spark-v2-partitioned", "java-v3-dv", "duckdb-v2-part", "spark-v2-empty", "spark-v3-stats", "flink-v2-upsert", "java-0.7-v1")


def plain(column, value):
    if value is None or column.type not in (TIMESTAMP, BINARY):
        return value
    if column.type == BINARY:
        return value.hex()
    time = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=value)
    return time.isoformat(timespec="milliseconds") + "Z"


def test_rows_are_those_of_json(t):
    n_rows = 0
    for base in BASES:
        place = t.table(base, base)
        for what in TABLES:
            for more in ([], ["--readable-bounds"]):
                arrow = t.run("inspect", what, place, "-f", "arrow", *more, code=0, text=False).stdout
                expected = json.loads(t.run("inspect", what, place, "-f", "json", *more, code=0).stdout)
                columns, rows = read(arrow)
                got = [{c.name: plain(c, row[c.name]) for c in columns} for row in rows]
                t.equal(got, expected, "%s of %s" % (what, base))
                n_rows += len(rows)
    assert n_rows > 500, n_rows


def test_columns_are_told_without_rows_and_picked(t):
    place = t.table("spark-v2-empty")
    columns, rows = read(t.run("inspect", "files", place, "-f", "arrow", "--columns", "record_count,column_sizes", code=0, text=False).stdout)
    t.equal(([c.name for c in columns], rows), (["record_count", "column_sizes"], []), "columns")
    t.equal(t.run("inspect", "files", place, "-f", "tsv", "--columns", "record_count,content", code=0).stdout, "record_count\tcontent\n", "head")
    t.run("inspect", "files", place, "-f", "arrow", "--columns", "nix", code=4, text=False)


def test_rows_of_any_command(t):
    _, rows = read(t.run("rules", "-f", "arrow", code=0, text=False).stdout)
    t.equal(rows, json.loads(t.run("rules", "-f", "json", code=0).stdout)["rules"], "rules")


def test_damage_is_told_and_the_other_rows_come(t):
    place = t.table("damaged", "damaged")
    done = t.run("inspect", "all_files", place, "-f", "arrow", text=False)
    json_done = t.run("inspect", "all_files", place, "-f", "json")
    t.equal(done.returncode, json_done.returncode, "exit code")
    t.equal(done.stderr.decode(), json_done.stderr, "messages")
    t.equal(len(read(done.stdout)[1]), len(json.loads(json_done.stdout)), "rows")


if __name__ == "__main__":
    harness.main(dict(globals()))
