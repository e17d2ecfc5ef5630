"""README.md, docs/HOWTO-AT-SCALE.md: every command in it is run, every output shown is the program's, every figure stands where it was measured.

A block ```console has commands after "$ " and what they print; a line "…" stands for lines left out. Other commands that begin with
icefsck must do what they are shown for, on tables and exports that are laid out here as the README calls them.
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import types

import harness

def page(name="README.md"):
    with open(os.path.join(harness.ROOT, name), encoding="utf-8") as f:
        return f.read()


def blocks(language, name="README.md"):
    return re.findall(r"^```%s\n(.*?)^```$" % language, page(name), re.M | re.S)


def steps():
    """(command, lines shown) of all console blocks, in order: they are one session."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.splitlines()


def shell(t, command, where):
    environment = t.environment()
    environment["PATH"] = os.path.dirname(os.path.abspath(t.binary)) + ":" + environment["PATH"]
    return subprocess.run(["bash", "-c", command], cwd=where, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_outputs_are_the_programs(t):
    shutil.copytree(os.path.join(harness.ROOT, "examples"), os.path.join(t.work, "examples"))
    where, n = t.work, 0
    for command, shown in steps():
        if command.startswith("cd "):
            where = os.path.join(where, command[3:])
            continue
        if "catalog.db" in command and not t.has_library("sqlite"):
            print("NOT RUN: %s, of a catalog that this build cannot read" % command)
            continue
        done = shell(t, command, where)
        t.true(done.returncode & 12 == 0, "%s ends with %d: %s" % (command, done.returncode, done.stdout))
        t.true(harness.is_shown(shown, done.stdout.splitlines()), "$ %s\nprints\n%s\nand the README shows\n%s" % (command, done.stdout, "\n".join(shown)))
        n += 1
    t.true(n >= (9 if t.has_library("sqlite") else 8), "only %d commands" % n)


def test_the_first_example(t):
    block = next(block for block in blocks("") if block.startswith("$ icefsck check examples/cut-manifest"))
    command, _, output = block[2:].partition("\n")
    t.equal(shell(t, command, harness.ROOT).stdout, output)


def lay_out(t):
    """What the README calls ./orders, glue-tables.json and so on."""
    inputs = os.path.join(harness.ROOT, "fixtures", "inputs")
    story = os.path.join(harness.ROOT, "tests", "story", "spark")
    shutil.copytree(os.path.join(story, "orders"), os.path.join(t.work, "orders"))
    shutil.copy(os.path.join(story, "driver.log"), t.work)
    shutil.copy(os.path.join(inputs, "glue-get-tables.json"), os.path.join(t.work, "glue-tables.json"))
    for name in ("warehouse", "lake"):
        shutil.copytree(os.path.join(story, "orders"), os.path.join(t.work, name, "orders"))
    os.mkdir(os.path.join(t.work, "inventory"))
    metadata = os.path.join(t.work, "warehouse", "orders", "metadata")
    rows = "".join('"b","warehouse/shop/orders/metadata/%s","%d","2026-11-30T02:00:00.000Z"\n' % (name, os.path.getsize(os.path.join(metadata, name))) for name in sorted(os.listdir(metadata)))
    t.write("inventory/data.csv", rows)
    t.write("inventory/manifest.json", json.dumps({
        "sourceBucket": "b", "destinationBucket": "arn:aws:s3:::inv", "version": "2016-11-30", "creationTimestamp": "1796004000000", "fileFormat": "CSV",
        "fileSchema": "Bucket, Key, Size, LastModifiedDate", "files": [{"key": "inventory/data.csv", "size": len(rows)}]}))


def test_the_other_commands_run(t):
    lay_out(t)
    snapshot = next(name for name in sorted(os.listdir(os.path.join(t.work, "orders", "metadata"))) if name.startswith("snap-"))
    commands = [line.split("   #")[0].split("  # ")[0].strip() for block in blocks("") for line in block.splitlines() if line.startswith("icefsck ")]
    t.true(len(commands) >= 10, "only %d commands" % len(commands))
    for command in commands:
        done = shell(t, command.replace("snap-….avro", snapshot), t.work)
        t.true(done.returncode & 12 == 0, "%s ends with %d: %s" % (command, done.returncode, done.stdout))


AT_SCALE = os.path.join("docs", "HOWTO-AT-SCALE.md")


def test_tables_at_scale(t):
    lay_out(t)
    t.write("all-tables.txt", "warehouse/orders\nlake/orders\nnowhere\n")
    for command in "".join(blocks("sh", AT_SCALE)).splitlines():
        done = shell(t, command, t.work)
        t.true(done.returncode & 12 == 0, "%s ends with %d: %s" % (command, done.returncode, done.stdout))
    t.true("nowhere" in t.read("results.ndjson") and "<html" in t.read("night.html") and "<testsuite" in t.read("night.xml"), "reports")
    t.equal(t.read("rest.ndjson").count("\n"), 1, "what could not be checked is tried again")


def test_the_shards_of_airflow_are_all_tables(t):
    """The snippet with a stand-in for Airflow's two names: its commands run, and their lines are those of one run."""
    lay_out(t)
    os.mkdir(os.path.join(t.work, "lake", "results"))
    t.write("lake/all-tables.txt", "".join('{"table":"t%d","path":"warehouse/orders"}\n' % i for i in range(40)))
    commands = []
    stand_in = {"airflow": types.ModuleType("airflow"), "airflow.decorators": types.ModuleType("airflow.decorators"),
                "airflow.operators": types.ModuleType("airflow.operators"), "airflow.operators.bash": types.ModuleType("airflow.operators.bash")}
    stand_in["airflow.decorators"].dag = lambda **_: lambda function: function
    stand_in["airflow.operators.bash"].BashOperator = lambda task_id, bash_command: commands.append(bash_command)
    sys.modules.update(stand_in)
    exec(blocks("python", AT_SCALE)[0], {})
    t.equal(len(commands), 16, "tasks")
    for command in commands:
        done = shell(t, command.replace("/lake/", "lake/"), t.work)
        t.equal(done.returncode, 0, command + done.stdout)
    lines = [line for i in range(16) for line in t.read("lake/results/%d.ndjson" % i).splitlines()]
    one = shell(t, "icefsck batch --quiet --files-from lake/all-tables.txt", t.work).stdout.splitlines()
    t.equal(sorted(lines), sorted(one), "lines")


def test_the_comparison_is_what_was_measured(t):
    with open(os.path.join(harness.ROOT, "tests", "oracle", "refusals.tsv"), encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f][1:]
    severity = {rule["id"]: rule["severity"] for rule in json.loads(t.run("rules", "-f", "json", code=0).stdout)["rules"]}
    counts = collections.defaultdict(collections.Counter)
    for rule, case, reader, version, verdict, _stage, _message in rows:
        if severity[rule] == "error":
            counts[version][verdict] += 1
    total = None
    for version, *cells in re.findall(r"^\| ([^|]*\d[^|]*) \| (\d+) \| (\d+|–) \| (\d+) \| (\d+) \|$", page(), re.M):
        measured = counts[version]
        t.equal([int(cell.replace("–", "0")) for cell in cells], [measured[k] for k in ("reject", "crash", "differs", "accept")], version)
        total = sum(measured.values())
    t.true(total and "| icefsck | %d:" % total in page(), "the number of tables is %s" % total)


def test_what_is_left_out_must_be_marked(t):
    """harness.is_shown can fail."""
    t.true(harness.is_shown(["a", "b"], ["a", "b"]), "equal")
    t.true(harness.is_shown(["…", "b", "…"], ["a", "b", "c"]), "left out")
    t.true(not harness.is_shown(["b"], ["a", "b"]) and not harness.is_shown(["a"], ["a", "b"]), "not marked")
    t.true(harness.is_shown(["a … c"], ["a b c"]) and not harness.is_shown(["a … c"], ["a b"]), "inside of a line")
    t.true(not harness.is_shown(["…", "x", "…"], ["a", "b"]) and not harness.is_shown(["b", "…", "a"], ["a", "b"]), "not there, or in another order")


if __name__ == "__main__":
    harness.main(dict(globals()))
