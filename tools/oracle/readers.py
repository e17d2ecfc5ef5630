#!/usr/bin/env python3
"""One Iceberg reader as a long-lived process: readers.py pyiceberg|rust|duckdb|fastavro|avrocat

One request a line on standard input, one answer a line on standard output, both JSON; tools/oracle-refusals speaks to it.

request   metadata: file to read; location: URI prefix that stands for directory root; filters: [op, column, value]…
answer    version; errors: [stage, class, message]…, stage = load, list, manifest, plan, vector, statistics or avro;
          snapshots: {id: [[path, content, records]…]} of live files; plans: {filter: [[data file, [delete file…]]…]},
          the deleted rows of each deletion vector under "vectors ID", and the blobs of statistics files
"""

import functools
import glob
import json
import os
import resource
import subprocess
import sys


class Mapped:
    def __init__(self, request):
        self.location, self.root = self.fold(request["location"]), request["root"]

    @staticmethod
    def fold(uri):
        """file:///x, file:/x and /x are one place; writers mix them within one table."""
        return "file:/" + uri[8:] if uri.startswith("file:///") else "file:" + uri if uri.startswith("/") else uri

    def path(self, uri):
        folded = self.fold(uri)
        path = self.root + folded[len(self.location):] if folded.startswith(self.location + "/") else uri
        if not path.startswith(self.root + "/"):
            raise ValueError("not mapped: %s" % uri)
        return path


class Answer:
    def __init__(self, version):
        self.version, self.errors, self.snapshots, self.plans = version, [], {}, {}

    def failed(self, stage, e):
        self.errors.append([stage, type(e).__name__, str(e)])


def pyiceberg(request, mapped):
    import pyiceberg as package
    from pyiceberg import expressions
    from pyiceberg.io.pyarrow import PyArrowFileIO
    from pyiceberg.manifest import clear_manifest_cache
    from pyiceberg.serializers import FromInputFile
    from pyiceberg.table import StaticTable

    class IO(PyArrowFileIO):
        def new_input(self, location):
            return super().new_input(mapped.path(location))

    out, io = Answer("PyIceberg " + package.__version__), IO()
    try:
        metadata = FromInputFile.table_metadata(io.new_input(request["metadata"]))
    except Exception as e:
        out.failed("load", e)
        return out
    clear_manifest_cache()  # it is keyed by path, and every fixture has the same paths
    table = StaticTable(("t",), metadata, request["metadata"], io, None)
    for words in [None, *request["filters"]]:
        try:
            if words is None:
                scan = table.scan()
            elif words[0] == "eq":
                scan = table.scan(row_filter=expressions.EqualTo(words[1], words[2]))
            else:
                scan = table.scan(row_filter={"null": expressions.IsNull, "nan": expressions.IsNaN}[words[0]](words[1]))
            out.plans["all" if words is None else json.dumps(words, separators=(",", ":"))] = [
                [t.file.file_path, [d.file_path for d in t.delete_files]] for t in scan.plan_files()]
        except Exception as e:
            out.failed("plan", e)
    for s in metadata.snapshots:
        clear_manifest_cache()
        try:
            manifests = s.manifests(io)
        except Exception as e:
            out.failed("list", e)
            continue
        try:
            out.snapshots[str(s.snapshot_id)] = [
                [e.data_file.file_path, int(e.data_file.content or 0), e.data_file.record_count]
                for m in manifests for e in m.fetch_manifest_entry(io)]
        except Exception as e:
            out.failed("manifest", e)
            continue
        try:
            out.plans["vectors %d" % s.snapshot_id] = list(vectors(manifests, io, mapped))
        except Exception as e:
            out.failed("vector", e)
    return out


def vectors(manifests, io, mapped):
    """[data file, [deleted rows]] as PyIceberg's scan reads it; files that fixtures do not hold are left out."""
    from pyiceberg.manifest import FileFormat, ManifestContent
    from pyiceberg.table.puffin import PuffinFile

    for m in manifests:
        if m.content != ManifestContent.DELETES:
            continue
        for e in m.fetch_manifest_entry(io):
            if e.data_file.file_format != FileFormat.PUFFIN or not os.path.exists(mapped.path(e.data_file.file_path)):
                continue
            with io.new_input(e.data_file.file_path).open() as f:
                for name, rows in PuffinFile(f.read()).to_vector().items():
                    yield [name, [str(len(rows))]]


def rust(request, mapped):
    """iceberg-rust as pyiceberg-core ships it: its table metadata, list and manifest readers."""
    from importlib.metadata import version
    from pyiceberg_core import datafusion, manifest

    def content(uri):
        with open(mapped.path(uri), "rb") as f:
            return f.read()

    out = Answer("iceberg-rust in pyiceberg-core " + version("pyiceberg-core"))
    try:
        datafusion.IcebergDataFusionTable(["db", "t"], "file://" + request["metadata"], {})
    except BaseException as e:  # a panic is no Exception
        out.failed("load", e)
        return out
    for s in plain_metadata(request["metadata"]).get("snapshots") or []:
        try:
            if "manifest-list" in s:
                paths = [m.manifest_path for m in manifest.read_manifest_list(content(s["manifest-list"])).entries()]
            else:
                paths = s["manifests"]
        except BaseException as e:
            out.failed("list", e)
            continue
        try:
            out.snapshots[str(s["snapshot-id"])] = [
                [e.data_file.file_path, e.data_file.content, e.data_file.record_count]
                for p in paths for e in manifest.read_manifest_entries(content(p)).entries() if e.status != 2]
        except BaseException as e:
            out.failed("manifest", e)
    return out


def plain_metadata(path):
    """The metadata file by Python: nothing behind the first gzip member, and nothing at all where Python is stricter."""
    import zlib

    with open(path, "rb") as f:
        data = f.read()
    try:
        return json.loads(zlib.decompressobj(31).decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (ValueError, zlib.error):
        return {}


@functools.lru_cache
def duckdb_connection():
    import duckdb as package

    con = package.connect()
    con.execute("SET threads = 1")
    beside = os.path.dirname(os.path.dirname(package.__file__))
    for name in ("avro", "iceberg"):
        found = glob.glob(os.path.join(beside, "duckdb_extension_" + name, "extensions", "**", "*.duckdb_extension"), recursive=True)
        con.execute("LOAD '%s'" % found[0])
    return con


def duckdb(request, mapped):
    """The current snapshot; the extensions are packages beside duckdb, so that nothing is fetched."""
    import duckdb as package

    out = Answer("DuckDB " + package.__version__)
    try:
        duckdb_connection().execute("SELECT 1").fetchall()
    except package.Error:  # an internal error of the table before has ended the database
        duckdb_connection.cache_clear()
    con = duckdb_connection()
    name = os.path.basename(request["metadata"])
    version = name.replace(".gz", "").replace(".metadata.json", "")
    try:
        con.execute("SELECT * FROM iceberg_snapshots(?, version=?, metadata_compression_codec=?)",
                    [mapped.root, version, "gzip" if ".gz" in name else "none"]).fetchall()
    except Exception as e:
        out.failed("load", e)
        return out
    try:
        rows = con.execute("SELECT file_path, content, record_count FROM iceberg_metadata(?, allow_moved_paths=true, version=?, "
                           "metadata_compression_codec=?) WHERE status <> 'DELETED'",
                           [mapped.root, version, "gzip" if ".gz" in name else "none"]).fetchall()
        kinds = {"EXISTING": 0, "DATA": 0, "POSITION_DELETES": 1, "EQUALITY_DELETES": 2}
        out.snapshots["current"] = [[p, kinds.get(c, c), n] for p, c, n in rows]
    except Exception as e:
        out.failed("scan", e)
    return out


def containers(mapped):
    return sorted(glob.glob(os.path.join(mapped.root, "metadata", "*.avro")))


def fastavro(request, mapped):
    import fastavro as package

    out = Answer("fastavro " + package.__version__)
    for path in containers(mapped):
        try:
            with open(path, "rb") as f:
                out.snapshots[os.path.basename(path)] = [[n, 0, 1] for n, _ in enumerate(package.reader(f))]
        except Exception as e:
            out.failed("avro", e)
    return out


def avrocat(request, mapped):
    out = Answer("Avro C")
    for path in containers(mapped):
        done = subprocess.run(["avrocat", path], capture_output=True, timeout=10, check=False)
        if done.returncode or done.stderr:
            text = done.stderr.decode("utf-8", "backslashreplace")
            out.errors.append(["avro", "exit %d" % done.returncode, text])
        else:
            out.snapshots[os.path.basename(path)] = [[n, 0, 1] for n in range(done.stdout.count(b"\n"))]
    return out


def main(args):
    reader = {f.__name__: f for f in (pyiceberg, rust, duckdb, fastavro, avrocat)}[args[1]]
    resource.setrlimit(resource.RLIMIT_AS, (int(args[2]) << 30,) * 2)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin:
        request = json.loads(line)
        out = reader(request, Mapped(request))
        json.dump({"version": out.version, "errors": out.errors, "snapshots": out.snapshots, "plans": out.plans}, answers)
        answers.write("\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv)
