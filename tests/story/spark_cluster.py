#!/usr/bin/env python3
"""examples/spark on a cluster of two executor processes, one of which is killed on the way: the lines must be those of one
`icefsck batch`, byte for byte. Skipped unless SPARK_PYTHON names a Python with pyspark, pyarrow and the wheel of icefsck.

  spark_cluster.py BINARY WORK
"""

import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLES = os.path.join(ROOT, "examples", "spark")
NOW = "2026-01-01T00:00:00Z"

# Before the command: the first task that comes here on an executor kills it, together with all that runs there.
KILLER = """#!/bin/sh
if mkdir "%(marker)s" 2>/dev/null; then
    pid=$$
    while [ "$(cat /proc/$pid/comm)" != java ]; do
        pid=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$pid/status)
    done
    tr '\\0' ' ' </proc/$pid/cmdline >"%(marker)s/killed"
    kill -9 "$pid"
    sleep 60
fi
exec "%(binary)s" "$@"
"""


def python_of_spark():
    return os.environ.get("SPARK_PYTHON")


def submit(work, script, *arguments):
    code = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    environment = dict(os.environ, PYSPARK_PYTHON=python_of_spark(), PYSPARK_SUBMIT_ARGS=" ".join((
        "--master local-cluster[2,1,900]", "--conf spark.ui.enabled=false", "--conf spark.executor.memory=800m", "--conf spark.driver.bindAddress=127.0.0.1",
        "--conf spark.driver.host=127.0.0.1", "--conf spark.local.dir=%s" % work, "pyspark-shell")))
    environment.setdefault("SPARK_HOME", subprocess.check_output([python_of_spark(), "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"], text=True).strip())
    environment["SPARK_SCALA_VERSION"] = "2.12"
    done = subprocess.run([python_of_spark(), "-c", code, os.path.join(EXAMPLES, script), *arguments], env=environment, cwd=work,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with open(os.path.join(work, script + ".log"), "w") as log:
        log.write(done.stdout)
    if done.returncode != 0:
        sys.exit("%s ended with %d:\n%s" % (script, done.returncode, done.stdout[-4000:]))


def tables(work):
    """Sound ones, a cut one, one that is not there; every third as an object with a name."""
    base = os.path.join(ROOT, "fixtures", "base")
    paths = [os.path.join(base, name) for name in sorted(os.listdir(base)) if os.path.isdir(os.path.join(base, name))]
    cut = shutil.copytree(os.path.join(base, "plain-v2"), os.path.join(work, "cut"))
    lists = [name for name in sorted(os.listdir(os.path.join(cut, "metadata"))) if name.endswith(".avro")]
    os.truncate(os.path.join(cut, "metadata", lists[0]), 200)
    paths += [cut, os.path.join(work, "nowhere")]
    return [json.dumps({"table": "db.t%d" % i, "path": path}) if i % 3 == 0 else path for i, path in enumerate(paths * 3)]


def main(binary, work):
    binary = os.path.abspath(binary)  # executors have other folders
    if not python_of_spark():
        print("skipped: SPARK_PYTHON names no Python with pyspark")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    lines = tables(work)
    source, results, marker = (os.path.join(work, name) for name in ("tables.txt", "results.ndjson", "marker"))
    with open(source, "w") as out:
        out.writelines(line + "\n" for line in lines)
    wanted = subprocess.run([binary, "batch", "--quiet", "--now", NOW, "--files-from", source], stdout=subprocess.PIPE).stdout
    assert wanted.count(b"\n") == len(lines)
    killer = os.path.join(work, "icefsck-once-killed")
    with open(killer, "w") as out:
        out.write(KILLER % {"marker": marker, "binary": binary})
    os.chmod(killer, 0o755)
    submit(work, "check_tables.py", source, results, "--partitions", "7", "--icefsck", "'%s' batch --jobs 1 --quiet --now %s" % (killer, NOW))
    with open(os.path.join(marker, "killed")) as killed:
        assert "CoarseGrainedExecutorBackend" in killed.read(), "no executor was killed"
    with open(results, "rb") as got:
        assert got.read() == wanted, "the lines of the cluster are not those of one run: %s" % results

    paths = sorted({json.loads(line)["path"] if line.startswith("{") else line for line in lines})
    with open(source, "w") as out:
        out.writelines(path + "\n" for path in paths)
    submit(work, "all_files.py", source, os.path.join(work, "files.parquet"))
    script = ("import json, sys, pyarrow.parquet as p; rows = p.read_table(sys.argv[1]).to_pylist();"
              "print(json.dumps([[r['path'], r['file_path'], r['record_count'], r['file_size_in_bytes'], r['trouble']] for r in rows]))")
    rows = json.loads(subprocess.check_output([python_of_spark(), "-c", script, os.path.join(work, "files.parquet")]))
    expected, unread = [], set()
    for path in paths:
        done = subprocess.run([binary, "inspect", "files", path, "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            unread.add(path)
        if done.stdout:
            expected += [[path, r["file_path"], r["record_count"], r["file_size_in_bytes"]] for r in json.loads(done.stdout)]
    key = lambda row: [str(value) for value in row]
    assert sorted((row[:4] for row in rows if row[4] is None), key=key) == sorted(expected, key=key), "files differ"
    assert {row[0] for row in rows if row[4] is not None} == unread, "what could not be read is not told"
    print("%d lines equal after a lost executor, %d files, %d tables not wholly readable" % (len(lines), len(expected), len(unread)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
