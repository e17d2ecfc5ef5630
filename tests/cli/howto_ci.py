#!/usr/bin/python3 -SEB
"""docs/HOWTO-CI.md and the hooks: every command in them is run. howto_ci.py ICEFSCK WORK [TEST...]"""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def page():
    with open(os.path.join(harness.ROOT, "docs", "HOWTO-CI.md"), encoding="utf-8") as f:
        return f.read()


def commands():
    """Of all blocks: of shell, of workflows and of pipelines."""
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", page(), re.M | re.S):
        for line in block.splitlines():
            match = re.search(r"(?:^|run: |- |sh ')(icefsck (?:check|batch|lint-conf) [^']*)", line.strip())
            if match and "entry:" not in line:
                yield language, match.group(1)


def warehouse(t):
    t.table("damaged", "warehouse/orders")
    t.table("plain-v3", "warehouse/customers")
    os.symlink(t.binary, os.path.join(t.work, "icefsck"))


def shell(t, line):
    env = t.environment(PATH=t.work + ":" + os.environ["PATH"], SOURCE_DATE_EPOCH="1767225600", GITHUB_STEP_SUMMARY=os.path.join(t.work, "summary.md"))
    return subprocess.run(["sh", "-c", line], cwd=t.work, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_every_command_runs(t):
    warehouse(t)
    lines = list(commands())
    t.true(len(lines) >= 10 and {language for language, _ in lines} == {"sh", "yaml", "groovy"}, lines)
    for _, line in lines:
        done = shell(t, line)
        code = 0 if "customers" in line else 2 if "--fail-on never" in line or "--baseline" in line else 3
        t.equal(done.returncode, code, "%s\n%s%s" % (line, done.stdout, done.stderr))
        for name in re.findall(r" -o \w+:(\S+)", line) + re.findall(r" > (\S+)", line):
            t.true(os.path.getsize(os.path.join(t.work, name)) > 100, name)
    t.equal(len(ElementTree.fromstring(t.read("tables.xml"))), 2)
    t.equal(len(json.loads(t.read("icefsck.sarif"))["runs"][0]["results"]), 4)
    t.has(t.read("summary.md"), "# icefsck: 3 errors")
    t.has(t.read("icefsck.md"), "| error | `avro.truncated`")


def test_the_line_that_is_shown(t):
    """Its words are those of the program."""
    warehouse(t)
    path = "warehouse/orders/metadata/v3.metadata.json"
    document = json.loads(t.read(path))
    t.check("warehouse/orders", "--write-baseline", "b")
    document.pop("x-unknown")
    t.write(path, json.dumps(document))
    line = re.search(r"^orders: .*$", page(), re.M).group()
    shown = t.check("warehouse/customers", "--baseline", "b", "-q").stdout + t.check("warehouse/orders", "--baseline", "b", "-q").stdout
    t.has(shown, "orders: no new findings · 4 in baseline")
    for part in line.split(" · "):
        pattern = re.sub(r"\d+(\\\.\d+)?", r"\\d+(\\.\\d+)?", re.escape(part)).replace(r"fixed:\ remove\ them", "fixed: remove (it|them)")
        t.true(re.search(pattern, shown) or "fixed" in part, part)


def test_hooks(t):
    warehouse(t)
    with open(os.path.join(harness.ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as f:
        hooks = f.read().split("\n- ")[1:]
    entries = {re.search(r"id: (\S+)", h).group(1): (re.search(r"entry: (.*)", h).group(1), re.search(r"files: (.*)", h).group(1)) for h in hooks}
    t.equal(sorted(entries), ["icefsck", "icefsck-lint-conf"])
    entry, files = entries["icefsck"]
    t.has(page(), "entry: " + entry)
    t.has(page(), "files: " + files)
    for name, code in (("warehouse/orders/metadata/v3.metadata.json", 3), ("warehouse/customers/metadata/v3.metadata.json", 0)):
        t.true(re.search(files, name) and not re.search(files, name.replace("metadata.json", "json")), name)
        t.equal(shell(t, "%s %s" % (entry, name)).returncode, code, name)
    entry, files = entries["icefsck-lint-conf"]
    t.write("conf/spark-defaults.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.lake.type hve\n")
    t.true(re.search(files, "conf/spark-defaults.conf"), files)
    t.equal(shell(t, entry + " conf/spark-defaults.conf").returncode, 1)


harness.main(dict(globals()))
