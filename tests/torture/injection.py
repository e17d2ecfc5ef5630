#!/usr/bin/python3 -SEB
"""No table can attack whoever reads a report of it: one hostile text in every place, every command, every format.

    injection.py ICEFSCK WORK [TEST...]
"""

import copy
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness  # noqa: E402
import hostile  # noqa: E402
from hostile import BYTES, TEXT, Unsafe  # noqa: E402
from tables import CURRENT, LIST, MANIFEST, ONE_IN, ROOT, Table, avro  # noqa: E402

NOW = harness.NOW


class Reports:
    """Runs commands in every format that they have, and holds each output against the rules of its format."""

    def __init__(self, t):
        self.t, self.documents, self.runs = t, hostile.Documents(), 0
        self.formats = hostile.formats(self.documents)

    def of(self, *command):
        """The formats of a command, by its own words; each has a check here."""
        for foreign in ("table", "human"):
            done = self.t.run(*command, "-f", foreign)
            named = re.search(r"has no format %s; there are (.*)" % foreign, done.stderr)
            if named:
                names = re.findall(r"[a-z]+", named.group(1).split("(")[0].replace(" and ", ", "))
                names = [name for name in names if "not in this release" not in self.t.run(*command, "-f", name, text=False).stderr.decode()]
                missing = set(names) - set(self.formats)
                self.t.true(not missing, "formats without a check in tests/torture/hostile.py: %s" % missing)
                return names
        raise harness.Failed("%s takes both kinds of formats" % (command,))

    def judge(self, what, command, check, data):
        try:
            check(data)
        except Unsafe as e:
            raise harness.Failed("%s: %s: %s" % (what, " ".join(map(repr, command)), e))

    def run(self, what, *command, check=hostile.terminal, codes=range(16), **more):
        """One run with one format; what it says on stderr counts as read by people."""
        done = self.t.run(*command, text=False, **more)
        self.runs += 1
        self.t.true(done.returncode in codes, "%s: %s: exit %d\n%s" % (what, command, done.returncode, done.stderr[-2000:]))
        self.judge(what, command, check, done.stdout)
        self.judge(what + ", stderr", command, hostile.terminal, done.stderr)
        return done.stdout

    def findings(self, what, *command, names=("human", "short", "json", "ndjson"), **more):
        """All formats of one run."""
        files = {name: os.path.join(self.t.work, "out." + name) for name in names}
        outputs = [word for name, path in files.items() for word in ("-o", "%s:%s" % (name, path))]
        self.run(what, *command, *outputs, "-f", "human", **more)
        for name, path in files.items():
            with open(path, "rb") as f:
                self.judge("%s, %s" % (what, name), command, self.formats[name], f.read())
            os.remove(path)

    def rows(self, what, *command, **more):
        return {name: self.run(what, *command, "-f", name, check=self.formats[name], **more) for name in self.of(*command[:1], "x")}

    def second_parser(self):
        """jq reads what Python's parser read, and sees the same strings."""
        self.t.true(shutil.which("jq") is not None, "jq is not there: tools/install-packages test")
        done = subprocess.run(["jq", "-c", "."], input="\n".join(self.documents.seen).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.t.equal(done.returncode, 0, done.stderr.decode(errors="replace"))
        lines = done.stdout.decode().split("\n")[:-1]
        self.t.equal(len(lines), len(self.documents.seen), "documents")
        for ours, line in zip(self.documents.seen, lines):
            self.t.equal(hostile.strings(json.loads(line)), hostile.strings(json.loads(ours)), "strings of %s" % ours[:200])


def test_checks(t):
    """Each format's check refuses the text as it is, and takes a harmless output."""
    raw = {"tsv": "a\tb\n" + TEXT + "\t1\n", "json": '{"a": "%s"}' % TEXT, "ndjson": '{"a": "%s"}\n' % TEXT, "sarif": '{"a": "%s"}' % TEXT,
           "junit": "<testsuites><testcase name='%s'/></testsuites>" % TEXT, "github": "::error file=a::" + TEXT}
    for name, check in hostile.formats(hostile.Documents()).items():
        for part in (raw.get(name, TEXT).encode(), BYTES):
            try:
                check(part)
            except Unsafe:
                continue
            raise harness.Failed("%s takes %r" % (name, part))
    for part in hostile.PARTS[:5] + ("\x7f", "\nNEXT-LINE", "::error::x", "##vso[a]"):
        for name in ("human", "short", "table"):
            try:
                hostile.terminal(part.encode())
            except Unsafe:
                continue
            raise harness.Failed("%s takes %r" % (name, part))


# ---- where a text may stand in metadata.json ----


def places(value, path=()):
    """The paths of all keys and strings, numbers for array elements."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield path + (key,), True
            yield from places(one, path + (key,))
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from places(one, path + (i,))
    elif isinstance(value, str):
        yield path, False


def pattern(path):
    return "/".join("*" if isinstance(part, int) else part for part in path)


def spoil(document, wanted, is_key, text):
    """A copy with the text in every place of a pattern."""
    out = copy.deepcopy(document)
    for path, key in list(places(document)):
        if pattern(path) != wanted or key != is_key:
            continue
        at = out
        for part in path[:-1]:
            at = at.get(part, at.get(part + text)) if isinstance(at, dict) else at[part]
        if is_key:
            items = list(at.items())
            at.clear()
            at.update((k + text if k == path[-1] else k, v) for k, v in items)
        else:
            at[path[-1]] = at[path[-1]] + text
    return out


def rich_table():
    """plain-v3, with a text in whatever may hold one."""
    t = Table("plain-v3")
    m = t.metadata()
    m["properties"].update({"comment": "c", "write.parquet.compression-codec": "zstd", "schema.name-mapping.default": '[{"field-id": 1, "names": ["id"]}]'})
    m["encryption-keys"] = [{"key-id": "k", "encrypted-key-metadata": "aGk=", "encrypted-by-id": "k", "properties": {"a": "b"}}]
    m["schemas"][0]["fields"][1].update({"doc": "d", "initial-default": "x", "write-default": "y"})
    m["snapshots"][0]["key-id"] = "k"
    m["snapshots"][0]["summary"].update({"engine-name": "spark", "engine-version": "3", "app-id": "a", "spark.app.id": "local-1", "wap.id": "w"})
    m["metadata-log"] = m.get("metadata-log") or [{"timestamp-ms": 1740960000000, "metadata-file": "s3://lake/wh/db/orders/metadata/v2.metadata.json"}]
    t.set_metadata(m)
    return t


def test_metadata(t):
    """Every key and every string of metadata.json, one kind at a time."""
    r = Reports(t)
    names = r.of("check", "x")
    table = rich_table()
    document = table.metadata()
    kinds = sorted({(pattern(path), is_key) for path, is_key in places(document)})
    t.true(len(kinds) > 150, "only %d places" % len(kinds))
    for wanted, is_key in kinds[:: (ONE_IN + 1) // 2]:
        spoilt = copy.copy(table)
        spoilt.files = dict(table.files)
        spoilt.set_metadata(spoil(document, wanted, is_key, TEXT))
        place = spoilt.write(os.path.join(t.work, "table"))
        r.findings("%s %s" % ("key" if is_key else "text", wanted), "check", place, "-S", "info", "--now", NOW, names=names)
    r.second_parser()
    print("metadata.json: %d places, %d runs, %d documents" % (len(kinds), r.runs, len(r.documents.seen)))



# ---- Avro: headers, schemas, records, blocks ----


def spoilt_containers(path):
    """(what, bytes of the file) with a text in one place of a manifest list or manifest."""
    original = rich_table().files[path]

    def fresh():
        return avro.Container.parse(original)

    for i, (key, value) in enumerate(fresh().header.items()):
        for what, pair in (("key", (key + BYTES, value)), ("value", (key, value + BYTES)), ("whole value", (key, BYTES))):
            c = fresh()
            c.header.items()[i][:] = pair
            yield "header %s, %s" % (key.decode(), what), c.encode()
        try:
            document = json.loads(value)
        except ValueError:
            continue
        for wanted, is_key in sorted({(pattern(p), k) for p, k in places(document)}):
            c = fresh()
            c.header.items()[i][1] = json.dumps(spoil(document, wanted, is_key, TEXT)).encode()
            yield "header %s, %s %s" % (key.decode(), "key" if is_key else "text", wanted), c.encode()
    c = fresh()
    c.header.add(b"k" + BYTES, b"1")
    c.header.add(b"k" + BYTES, b"2")
    yield "header key twice", c.encode()
    for text in (TEXT.encode(), BYTES):
        for wanted in sorted({w for row in fresh().all_rows() for w in texts_of_row(row)}):
            c = fresh()
            for row in c.all_rows():
                set_text(row, wanted, text)
            for i in range(len(c.blocks)):
                c.touch(i)
            yield "record %s" % wanted, c.encode()
    yield "blocks", fresh().encode() + BYTES
    yield "all of it", BYTES


def texts_of_row(row, path=""):
    """Paths of the strings and bytes of a record, * for elements."""
    if isinstance(row, dict) and set(row) == {"hex"} or isinstance(row, str):
        yield path
    elif isinstance(row, dict):
        for key, one in row.items():
            yield from texts_of_row(one, path + "/" + key)
    elif isinstance(row, list):
        for one in row:
            yield from texts_of_row(one, path + "/*")


def set_text(row, wanted, text, path=""):
    """Put the text behind the strings and bytes of that path; returns what takes the place of row."""
    if isinstance(row, dict) and set(row) == {"hex"}:
        return {"hex": row["hex"] + text.hex()} if path == wanted else row
    if isinstance(row, str):
        return row + text.decode("utf-8", "surrogateescape") if path == wanted else row
    if isinstance(row, dict):
        for key in row:
            row[key] = set_text(row[key], wanted, text, path + "/" + key)
    elif isinstance(row, list):
        row[:] = [set_text(one, wanted, text, path + "/*") for one in row]
    return row


def test_avro(t):
    """Every text in and around manifest lists and manifests."""
    r = Reports(t)
    names, n = r.of("check", "x"), 0
    for path in (LIST, MANIFEST, "metadata/d1.avro"):
        table = rich_table()
        for i, (what, data) in enumerate(spoilt_containers(path)):
            if i % ((ONE_IN + 1) // 2) != 0:
                continue
            table.files[path] = data
            place = table.write(os.path.join(t.work, "table"))
            r.findings("%s, %s" % (path, what), "check", place, "-S", "info", "--now", NOW, names=names)
            if n % 5 == 0:
                r.run("dump, " + what, "dump", os.path.join(place, path), check=r.documents.json)
                r.run("files, " + what, "inspect", "files", place, "-f", "tsv", check=hostile.tsv)
                r.run("entries, " + what, "inspect", "all_entries", place, "-f", "ndjson", check=r.documents.ndjson)
            n += 1
    r.second_parser()
    print("Avro: %d places, %d runs, %d documents" % (n, r.runs, len(r.documents.seen)))


# ---- rows: one table with a text in every place that leaves it readable ----


def hostile_table():
    t = rich_table()
    m = t.metadata()
    m["properties"] = {key + TEXT: value + TEXT for key, value in m["properties"].items() if key != "schema.name-mapping.default"}
    for one in m["snapshots"]:
        one["summary"].update({"engine-name": TEXT, "app-id": TEXT, "k" + TEXT: TEXT, "operation": one["summary"]["operation"]})
    m["snapshots"][0]["summary"]["operation"] = TEXT
    m["refs"].update({name + TEXT: dict(ref, type=ref["type"]) for name, ref in list(m["refs"].items()) if name != "main"})
    m["refs"][TEXT] = {"snapshot-id": 101, "type": "branch"}
    for schema in m["schemas"]:
        for field in schema["fields"]:
            field["name"] += TEXT
            field["doc"] = TEXT
    for spec in m["partition-specs"]:
        for field in spec["fields"]:
            field["name"] += TEXT
    for statistics in m.get("statistics", []):
        statistics["statistics-path"] += TEXT
        for blob in statistics.get("blob-metadata", []):
            blob["type"] += TEXT
            blob["properties"] = {TEXT: TEXT}
    m["metadata-log"].append({"timestamp-ms": m["last-updated-ms"] - 1, "metadata-file": m["location"] + "/metadata/" + TEXT})
    t.set_metadata(m)
    c = t.container(MANIFEST)
    for row in c.all_rows():
        row["data_file"]["file_path"] += TEXT
        for key in ("lower_bounds", "upper_bounds"):
            for one in row["data_file"].get(key) or []:
                if one["key"] == 2:
                    one["value"] = {"hex": BYTES.hex()}
        if row["data_file"]["partition"].get("customer"):
            row["data_file"]["partition"]["customer"] = TEXT
    for i in range(len(c.blocks)):
        c.touch(i)
    t.files[MANIFEST] = c.encode()
    lists = t.container(LIST)
    for row in lists.all_rows():
        if row["manifest_path"].endswith("m3.avro"):
            row["manifest_length"] = len(t.files[MANIFEST])
    lists.touch(0)
    t.files[LIST] = lists.encode()
    return t


def tsv_value(cell):
    """The text that a cell of TSV stands for."""
    known = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    return re.sub(r"\\(?:([tnr\\])|x([0-9a-f]{2})|u\{([0-9a-f]+)\})", lambda m: known[m.group(1)] if m.group(1) else chr(int(m.group(2) or m.group(3), 16)), cell)


def test_rows(t):
    """inspect, diff, history, orphans, pointers, rescue: every format; and what is JSON gives the text back whole."""
    r = Reports(t)
    place = hostile_table().write(os.path.join(t.work, "table"))
    for name in ("data/x" + TEXT[:40].replace("/", "") + ".parquet", "metadata/" + TEXT[20:50].replace("/", "") + ".avro"):
        t.write("table/" + name, "x")
    listed = t.run("inspect", "x", "x", code=4).stderr
    tables = re.findall(r"[a-z_]+", listed.split("there are")[1])
    t.true(len(tables) > 15, listed)
    seen = {}
    for what in tables:
        out = r.rows("inspect " + what, "inspect", what, place)
        seen[what] = {s for line in out["ndjson"].decode().split("\n")[:-1] for s in hostile.strings(json.loads(line))}
        r.run("inspect %s, readable" % what, "inspect", what, place, "--readable-bounds", "-f", "tsv", check=hostile.tsv)
        seen[what] |= {tsv_value(cell) for line in out["tsv"].decode().split("\n")[1:-1] for cell in line.split("\t")}
        missing = [s for s in seen[what] if "[2J" in s and TEXT not in s and "{" not in s]
        t.true(not missing, "inspect %s lost a part of the text: %r" % (what, missing[:3]))
    # TSV and JSON both come back to the very text
    for what in ("properties", "refs", "files", "schemas", "snapshots", "statistics", "metadata_log_entries"):
        t.true(any(s.endswith(TEXT) for s in seen[what]), "inspect %s lost the text: %r" % (what, sorted(seen[what])[:9]))
    r.run("oracle", "inspect", "live", place, "-f", "oracle", check=r.documents.json)
    for command in (("history", place), ("history", place, "--snapshot", TEXT), ("diff", place, "--from", "101"), ("diff", place, "--from", TEXT),
                    ("diff", place, "--from", "101", "--to", TEXT), ("orphans", place, "--storage", "local", "--older-than", "0s"),
                    ("rescue", place), ("rescue", place, "--storage", "local"), ("pointers", place), ("pointers", place, "--at", "2025-03-02T00:00:00Z")):
        r.rows(command[0], *command, "--now", NOW)
    r.run("graph", "history", place, "--graph")
    r.run("list files", "check", place, "--list-files", "-f", "tsv", check=hostile.tsv)
    r.run("list files", "check", place, "--list-files", "-f", "json", check=r.documents.json)
    r.run("verbose", "check", place, "-vv")
    r.run("dump", "dump", os.path.join(place, CURRENT), check=r.documents.json)
    r.second_parser()


# ---- names in a file system ----


def file_names():
    """The text in pieces that may be a name."""
    for part in hostile.PARTS + ("\xff", "\udcff\udcc3\udced\udca0"):
        name = part.replace("/", "").replace("\0", "")
        if name:
            yield name


def test_names(t):
    """Directory entries, directories of tables, and the words of a command line."""
    r = Reports(t)
    names = r.of("check", "x")
    for name in file_names():
        t.table("plain-v2", "w/t")
        top = os.path.join(t.work, "w", "t", "metadata")
        for path in ("v9%s.metadata.json", "%s.metadata.json", "%s.avro", "%s", "snap-%s.avro", "v3.metadata.json%s", "%s.stats", "version-hint.text%s"):
            with open(os.path.join(top, path % name), "w") as f:
                f.write("{}")
        with open(os.path.join(top, "version-hint.text"), "w", errors="surrogateescape") as f:
            f.write(name)
        os.rename(os.path.join(t.work, "w", "t"), os.path.join(t.work, "w", "t" + name))
        place = os.path.join("w", "t" + name)
        r.findings("name %r" % name, "check", "-r", "w", "-S", "info", "--now", NOW, "-v", names=names)
        r.findings("name %r, storage" % name, "check", place, "-S", "info", "--now", NOW, "--storage", "local", names=names)
        r.run("name %r, list" % name, "check", place, "--list-files", "-f", "tsv", check=hostile.tsv)
        r.run("name %r, history" % name, "history", place, "-f", "ndjson", check=r.documents.ndjson)
        r.run("name %r, pointers" % name, "pointers", "-r", "w", "-f", "tsv", check=hostile.tsv)
        r.run("name %r, orphans" % name, "orphans", place, "--storage", "local", "--older-than", "0s")
        r.run("name %r, batch" % name, "batch", "-r", "w", check=r.documents.ndjson)
        r.run("name %r, lone" % name, "check", os.path.join(place, "metadata", name + ".avro"))
        r.run("name %r, dump" % name, "dump", os.path.join(place, "metadata", name + ".avro"))
        shutil.rmtree(os.path.join(t.work, "w"))
    r.second_parser()


def test_words(t):
    """What is typed, or stands in a configuration file or in the environment, comes back in messages."""
    r = Reports(t)
    t.table()
    word = TEXT.replace("\0", "")
    help_text = t.run("help", "check", code=0).stdout + t.run("help", "lint-conf", code=0).stdout
    options = sorted(set(re.findall(r"--([a-z-]+)", help_text)))
    t.true(len(options) > 30, options)
    for option in options:
        if option in ("output", "write-baseline", "cache"):
            continue
        for command in (("check", "table"), ("lint-conf", "table")):
            r.run("--" + option, *command, "--%s=%s" % (option, word), stdin=b"")
    r.run("batch", "batch", word, stdin=b"", check=r.documents.ndjson)
    for command in ("check", "inspect", "dump", "explain", "rules", "pointers", "orphans", "diff", "history", "rescue", "lint-conf", "bench", "help"):
        r.run(command, command, word, stdin=b"")
    for command in ("check", "inspect", "dump", "explain", "rules", "batch", "pointers", "orphans", "diff", "history", "rescue", "lint-conf", "bench", "help"):
        r.run(command, command, "--" + word, stdin=b"")
        r.run(command, command, "-" + word, stdin=b"")
    r.run("command", word)
    r.run("columns", "inspect", "files", "table", "--columns", word)
    r.run("what", "inspect", word, "table")
    r.run("output", "check", "table", "-o", "x/" + word.replace("\n", ""))
    for line in (word, "severity=" + word, "no-such=" + word, "max-memory " + word, "quiet=" + word, word + "=1"):
        t.write(".icefsck", line.replace("\n", "\r") + "\n")
        r.run("config", "check", "table")
    os.remove(os.path.join(t.work, ".icefsck"))
    for variable in ("ICEFSCK_OPTS", "SOURCE_DATE_EPOCH"):
        r.run(variable, "check", "table", env={variable: word})
        r.run(variable, "check", "table", env={variable: "--" + word})
    r.run("files-from", "check", "--files-from", "-", stdin=TEXT.replace("NEXT-LINE", "").encode())
    r.run("batch", "batch", check=r.documents.ndjson, stdin=BYTES + b"\n" + json.dumps({"table": TEXT, "path": TEXT}).encode() + b"\n"
          + json.dumps({"table": TEXT, "path": "table", "map": {TEXT: TEXT}}).encode() + b"\n" + json.dumps({TEXT: 1}).encode() + b"\n")
    for cloud in ("s3://b/", "gs://b/", "hdfs://n/", "abfss://c@a.dfs.core.windows.net/", "http://"):
        r.run("cloud", "check", cloud + word)


# ---- inputs: catalogs, listings, logs ----


def inputs():
    """(name, bytes) of what tools printed, with the text in all strings of one kind, or at the end of each line."""
    top = os.path.join(ROOT, "fixtures", "inputs")
    for name in sorted(os.listdir(top)):
        with open(os.path.join(top, name), "rb") as f:
            data = f.read()
        try:
            document = json.loads(data)
        except ValueError:
            yield name, b"".join(line + TEXT.replace("\n", "").encode() + b"\n" for line in data.split(b"\n"))
            yield name, b"".join(line + BYTES.replace(b"\n", b"") + b"\n" for line in data.split(b"\n"))
            continue
        for wanted, is_key in sorted({(pattern(p), k) for p, k in places(document)}):
            if not is_key:
                yield name + " " + wanted, json.dumps(spoil(document, wanted, is_key, TEXT)).encode()


def test_inputs(t):
    """Pointers and listings."""
    r = Reports(t)
    t.table()
    names, n = r.of("check", "x"), 0
    for name, data in inputs():
        n += 1
        if n % ((ONE_IN + 1) // 2) != 0:
            continue
        t.write("input", data)
        if name.startswith(("driver", "rest-metrics")):
            r.run(name, "diff", "table", "--from", "input", "--now", NOW)
            r.run(name, "explain", "-", stdin=data)
        elif name.startswith(("rclone", "s3-l")):
            r.findings(name, "check", "table", "--listing", "input", "--base", "s3://lake", "-S", "info", "--now", NOW, names=names)
            r.run(name, "orphans", "table", "--listing", "input", "--base", "s3://lake", "-f", "tsv", "--older-than", "0s", check=hostile.tsv)
            r.run(name, "history", "table", "--listing", "input", "--base", "s3://lake", "-f", "ndjson", check=r.documents.ndjson)
        else:
            r.run(name, "pointers", "input", "-f", ("table", "tsv")[n % 2], check=(hostile.terminal, hostile.tsv)[n % 2])
            r.run(name, "pointers", "input", "-f", "ndjson", check=r.documents.ndjson)
            r.run(name, "check", "table", "--pointer", "input", "-S", "info", "-v")
    rows = b"path,size,mtime\n" + b"".join(b'"s3://lake/wh/db/orders/data/%s",1,2025-03-01T00:00:00Z\n' % part.encode().replace(b'"', b'""')
                                            for part in hostile.PARTS) + b'"s3://lake/wh/db/orders/data/' + BYTES.replace(b'"', b'""') + b'",1,x\n'
    t.write("rows.csv", rows)
    for command in (("orphans", "table", "--listing", "rows.csv", "--older-than", "0s"), ("rescue", "table", "--listing", "rows.csv")):
        r.rows("rows.csv", *command, "--now", NOW)
    r.findings("rows.csv", "check", "table", "--listing", "rows.csv", "-S", "info", "--now", NOW, names=names)
    database = sqlite3.connect(os.path.join(t.work, "catalog.db"))
    database.execute("create table iceberg_tables (catalog_name text, table_namespace text, table_name text, metadata_location text, previous_metadata_location text)")
    for i in range(5):
        database.execute("insert into iceberg_tables values (?, ?, ?, ?, ?)", ["x%d" % j + (TEXT if i == j else "") for j in range(5)])
    database.commit()
    database.close()
    r.rows("sqlite", "pointers", "catalog.db")
    r.run("hint", "pointers", "table", "--pointer", "a%s=s3://b/%s" % (TEXT, TEXT))
    r.second_parser()
    print("inputs: %d, %d runs, %d documents" % (n, r.runs, len(r.documents.seen)))


# ---- configuration ----


def spoilt_setup(source, target):
    """A copy of a setup with the text in all strings that a person may have written."""
    line = TEXT.replace("\n", "").replace("\r", "").replace('"', "").replace("'", "").replace("\\", "")
    for where, _, files in os.walk(source):
        for name in files:
            with open(os.path.join(where, name), "rb") as f:
                data = f.read()
            out = os.path.join(target, os.path.relpath(where, source), name)
            os.makedirs(os.path.dirname(out), exist_ok=True)
            try:
                document = json.loads(data)
                for wanted in sorted({pattern(p) for p, is_key in places(document) if not is_key}):
                    if not wanted.endswith(("Version", "Effect")):
                        document = spoil(document, wanted, False, TEXT)
                data = json.dumps(document).encode()
            except ValueError:
                text = data.decode("utf-8", "surrogateescape")
                text = re.sub(r'"([^"\n]+)"', lambda m: '"%s%s"' % (m.group(1), line), text)
                if name.endswith((".conf", ".properties")):
                    text = re.sub(r"(?m)^([^#\n=]*[= ].*)$", lambda m: m.group(1) + line, text)
                data = text.encode("utf-8", "surrogateescape")
            with open(out, "wb") as f:
                f.write(data)


def test_configuration(t):
    """lint-conf, over every setup among the fixtures."""
    r = Reports(t)
    names = r.of("lint-conf", "x")
    top = os.path.join(ROOT, "fixtures", "conf")
    n = 0
    for rule in sorted(os.listdir(top)):
        for case in sorted(os.listdir(os.path.join(top, rule))):
            setup = os.path.join(top, rule, case, "setup")
            if not os.path.isdir(setup):
                continue
            n += 1
            if n % ((ONE_IN + 1) // 2) != 0:
                continue
            target = os.path.join(t.work, "setup")
            shutil.rmtree(target, ignore_errors=True)
            spoilt_setup(setup, target)
            files = sorted(os.path.relpath(os.path.join(where, f), t.work) for where, _, found in os.walk(target) for f in found)
            r.findings("%s/%s" % (rule, case), "lint-conf", "-S", "info", *files, names=names)
    t.true(n > 100, "%d setups" % n)
    r.second_parser()
    print("configuration: %d setups, %d documents" % (n, len(r.documents.seen)))


if __name__ == "__main__":
    harness.main(globals())
