"""The package against those who take its streams: pyarrow, polars, DuckDB. Needs them and the wheel; `.ci/run python` has both.

  python -m unittest discover python/tests
"""

import datetime
import gc
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import duckdb
import polars
import pyarrow
import pyarrow.ipc

import icefsck

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BASE = os.path.join(ROOT, "fixtures", "base")
NAMES = icefsck._rows._core.names()


def command(*arguments):
    return subprocess.run([icefsck.binary(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def plain(field, value):
    """A value of pyarrow as -f json shows it."""
    if value is None:
        return None
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    if pyarrow.types.is_map(field.type):
        return {str(key): one.hex() if isinstance(one, bytes) else one for key, one in value}
    if isinstance(value, bytes):
        return value.hex()
    return json.loads(value) if "json" in str(field.type) else value


def rows_of(table):
    return [{field.name: plain(field, row[field.name]) for field in table.schema} for row in table.to_pylist()]


class Tables(unittest.TestCase):
    def test_every_table_of_every_writer_is_that_of_the_command(self):
        compared = 0
        for base in sorted(os.listdir(BASE)):
            place = os.path.join(BASE, base)
            for name in NAMES if os.path.isdir(place) else []:
                done = command("inspect", name, place, "-f", "json")
                if done.returncode != 0:
                    continue
                table = pyarrow.table(icefsck.open(place).rows(name))
                table.validate(full=True)
                self.assertEqual(rows_of(table), json.loads(done.stdout), (base, name))
                compared += 1
        self.assertGreater(compared, 400)

    def test_the_stream_of_the_command_is_the_same_table(self):
        place = os.path.join(BASE, "java-v3-dv")
        for name in ("files", "snapshots", "entries"):
            stream = command("inspect", name, place, "-f", "arrow").stdout
            self.assertEqual(pyarrow.ipc.open_stream(stream).read_all(), pyarrow.table(icefsck.open(place).rows(name)))

    def test_polars_and_duckdb_take_the_stream(self):
        files = icefsck.open(os.path.join(BASE, "spark-v2-partitioned")).files(ref="main")
        wanted = pyarrow.table(files)
        frame = polars.DataFrame(files)
        self.assertEqual(frame["record_count"].to_list(), wanted["record_count"].to_pylist())
        self.assertEqual(frame["file_path"].to_list(), wanted["file_path"].to_pylist())
        self.assertEqual(frame.height, 20)
        total = sum(wanted["record_count"].to_pylist())
        self.assertEqual(duckdb.sql("select count(*), sum(record_count) from files").fetchall(), [(20, total)])
        by_part = duckdb.sql("select partition->>'$.cat' as cat, count(*) as n from files group by 1 order by 1").fetchall()
        self.assertEqual(sum(n for _, n in by_part), 20)
        sizes = duckdb.sql("select column_sizes[1] from files limit 1").fetchall()
        self.assertEqual(sizes[0][0], dict(wanted["column_sizes"][0].as_py())[1])

    def test_columns_refs_and_bounds(self):
        table = icefsck.open(os.path.join(BASE, "spark-v2-partitioned"))
        picked = pyarrow.table(table.files(columns=["record_count", "file_path"]))
        self.assertEqual(picked.column_names, ["record_count", "file_path"])
        snapshots = pyarrow.table(table.snapshots())["snapshot_id"].to_pylist()
        first = pyarrow.table(table.files(ref=snapshots[0])).num_rows
        self.assertLess(first, pyarrow.table(table.files()).num_rows)
        bounds = pyarrow.table(table.files(readable_bounds=True, columns="lower_bounds"))
        self.assertIsInstance(json.loads(bounds["lower_bounds"][0].as_py()), dict)

    def test_differences_and_history(self):
        place = os.path.join(BASE, "spark-v2-partitioned")
        metadata = sorted(name for name in os.listdir(os.path.join(place, "metadata")) if name.endswith(".metadata.json"))
        older, newer = (os.path.join(place, "metadata", name) for name in (metadata[0], metadata[-1]))
        for rows, words in ((icefsck.diff(older, newer), ("diff", older, "--to", newer)), (icefsck.open(place).history(), ("history", place))):
            self.assertEqual(rows_of(pyarrow.table(rows)), json.loads(command(*words, "-f", "json").stdout))


class Trouble(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp()
        self.table = shutil.copytree(os.path.join(BASE, "spark-v2-partitioned"), os.path.join(self.work, "t"))
        manifests = [row["path"] for row in pyarrow.table(icefsck.open(self.table).manifests()).to_pylist()]
        self.cut = os.path.join(self.table, "metadata", os.path.basename(manifests[0]))
        os.truncate(self.cut, os.path.getsize(self.cut) - 20)

    def tearDown(self):
        shutil.rmtree(self.work)

    def test_a_cut_manifest_is_never_a_short_table(self):
        with self.assertRaisesRegex(Exception, os.path.basename(self.cut)):
            pyarrow.table(icefsck.open(self.table).files())
        with self.assertRaises(Exception):
            polars.DataFrame(icefsck.open(self.table).files())
        with self.assertRaises(Exception):
            files = icefsck.open(self.table).files()
            duckdb.sql("select count(*) from files").fetchall()
            self.fail(files)

    def test_the_rest_comes_if_it_is_asked_for(self):
        files = icefsck.open(self.table).files(partial=True)
        self.assertEqual(files.troubles, [])
        rows = pyarrow.table(files).num_rows
        self.assertLess(rows, 20)
        self.assertEqual((len(files.troubles), files.n_troubles), (1, 1))
        self.assertIn(os.path.basename(self.cut), files.troubles[0])

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(Exception, "No such file"):
            pyarrow.table(icefsck.open(os.path.join(self.work, "nowhere")).files())
        with self.assertRaisesRegex(ValueError, "partitions"):
            icefsck.open(self.table).rows("partitons")
        with self.assertRaisesRegex(Exception, "nix"):
            pyarrow.table(icefsck.open(self.table).refs(columns="nix"))

    def test_streams_may_be_left_anywhere(self):
        table = icefsck.open(os.path.join(BASE, "spark-v2-partitioned"))
        for _ in range(100):
            table.files().__arrow_c_stream__()
            reader = pyarrow.RecordBatchReader.from_stream(table.rows("all_entries"))
            reader.read_next_batch()
        del reader
        gc.collect()
        with open("/proc/self/status") as status:
            threads = [line for line in status if line.startswith("Threads:")]
        self.assertLess(int(threads[0].split()[1]), 40)

    def test_text_that_is_not_utf8_stays_text(self):
        name = os.path.join(os.fsencode(self.work), b"t\xff")
        shutil.copytree(os.fsencode(os.path.join(BASE, "plain-v2")), name)
        self.assertEqual(pyarrow.table(icefsck.open(os.fsdecode(name)).refs()).num_rows, pyarrow.table(icefsck.open(os.path.join(BASE, "plain-v2")).refs()).num_rows)


class Check(unittest.TestCase):
    def test_a_sound_table(self):
        report = icefsck.check(os.path.join(BASE, "spark-v2-partitioned"))
        self.assertTrue(report.ok and bool(report))
        self.assertEqual((report.exit_code, report.findings, len(report.tables)), (0, [], 1))

    def test_a_broken_one_with_options(self):
        with tempfile.TemporaryDirectory() as work:
            table = shutil.copytree(os.path.join(BASE, "plain-v2"), os.path.join(work, "t"))
            manifest = next(name for name in sorted(os.listdir(os.path.join(table, "metadata"))) if name.endswith("-m0.avro") or "manifest" in name or name.startswith("m"))
            os.truncate(os.path.join(table, "metadata", manifest), 100)
            report = icefsck.check(table, min_severity="info", only=["avro.*", "list.*"], now="2026-01-01T00:00:00Z")
            self.assertEqual(report.exit_code & 3, 3)
            self.assertTrue(all(finding["rule"].startswith(("avro.", "list.")) for finding in report.findings))
            self.assertTrue(report.findings)

    def test_wrong_options_are_errors(self):
        with self.assertRaisesRegex(icefsck.Usage, "no_such|no-such"):
            icefsck.check(BASE, no_such=True)
        for option, value in (("output", "x.json"), ("format", "human"), ("list_files", True), ("help", True), ("f", "sarif")):
            with self.assertRaisesRegex(icefsck.Usage, option):
                icefsck.check(BASE, **{option: value})
        self.assertFalse(os.path.exists("x.json"))

    def test_the_options_of_a_shell_are_not_those_of_a_caller(self):
        os.environ["ICEFSCK_OPTS"] = "--snapshot nope"
        try:
            self.assertEqual(icefsck.check(os.path.join(BASE, "spark-v2-partitioned")).exit_code, 0)
        finally:
            del os.environ["ICEFSCK_OPTS"]

    def test_wrong_paths_are_errors(self):
        with self.assertRaisesRegex(icefsck.Usage, "s3 sync|aws"):
            icefsck.check("s3://bucket/table")

    def test_the_version_is_that_of_the_command(self):
        self.assertIn(icefsck.__version__, command("version").stdout.decode())


if __name__ == "__main__":
    unittest.main()
