#!/usr/bin/python3 -SEB
"""Every place of the code at which memory, or a file, can fail does so once. failing_sites.py DRIVER WORK [--every N] [--filter GLOB]

The command lines are those of the fixtures (every N-th, rules by rules), and of every other command over a few of their tables.
"""

import fnmatch
import os
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import fixture
import golden

NOW = ["--now", golden.NOW]
TABLES = ("plain-v2", "plain-v3", "spark-v1-v2-v3", "java-v3-dv")
INSPECT = ("history", "snapshots", "refs", "metadata_log_entries", "schemas", "specs", "sort_orders", "properties", "statistics",
           "manifests", "all_manifests", "entries", "all_entries", "files", "data_files", "delete_files", "all_files", "partitions",
           "live")
ROWS = ("table", "tsv", "json", "ndjson")
FINDINGS = ("human", "short", "json", "ndjson", "html")


def of_fixtures(work, glob, every):
    """[directory, word...] of each chosen fixture, made below work."""
    found = [f for f in golden.find(ROOT) if fnmatch.fnmatchcase(f[0], glob)]
    for name, folder in found[::every]:
        if golden.needs(folder):
            continue
        there = os.path.join(work, name)
        os.makedirs(there)
        args, run_in = golden.prepare(folder, there, "icefsck")
        if "--max-memory" not in args:  # there a request that fails is part of the plan
            jobs = [] if golden.is_conf(folder) else ["-j", "1"]
            yield [run_in, *args[1:], "--no-config", *jobs]


def of_commands(work):
    """The other commands, over base tables."""
    for table in TABLES:
        there = os.path.join(work, "commands", table)
        os.makedirs(there)
        fixture.copy_tree(os.path.join(ROOT, "fixtures", "base", table), os.path.join(there, "table"))
        metadata = sorted(n for n in os.listdir(os.path.join(there, "table", "metadata")) if n.endswith(".metadata.json"))
        last = os.path.join("table", "metadata", metadata[-1])
        lines = [["inspect", what, "table", "-f", ROWS[i % 4]] for i, what in enumerate(INSPECT)]
        lines += [["history", "table", *w] for w in (["-f", "table"], ["-f", "ndjson"], ["--graph"])]
        lines += [["rescue", "table", "-f", "json", "--storage", "local"], ["rescue", "table"]]
        lines += [["diff", "table", "--from", metadata[0]], ["diff", "table", "--from", metadata[0], "-f", "json"]]
        lines += [["dump", last], ["orphans", "table", "--storage", "local", "-f", "json"]]
        lines += [["check", "table", "--list-files", "-f", "tsv"], ["check", "table", "--storage", "local", "-f", "json"]]
        lines += [["check", "table", "-f", f, "-S", "info"] for f in FINDINGS]
        lines += [["check", "-r", ".", "-f", "json"], ["check", "table", "--cache", "cache"], ["check", "table", "-o", "out.json", "-f", "json"]]
        lines += [["dump", os.path.join("table", "metadata", n)] for n in os.listdir(os.path.join(there, "table", "metadata")) if n.endswith(".avro")][:3]
        lines += [["pointers", "table", os.path.join(ROOT, "fixtures", "inputs", n)] for n in sorted(os.listdir(os.path.join(ROOT, "fixtures", "inputs")))]
        for words in lines:
            yield [there, *words, *([] if words[0] == "dump" else NOW), "--no-config"]
    for words in (["--help"], ["help", "check"], ["rules", "-f", "json"], ["explain", "avro.truncated"], ["explain", "SHOW TABLES"], ["version", "-f", "json"]):
        yield [work, *words]


def main(args):
    o = golden.options(args, ("--every", "--filter", "--what"), ())
    if len(o[""]) != 2:
        print(__doc__, file=sys.stderr)
        return 4
    driver, work = (os.path.abspath(p) for p in o[""])
    if os.path.isdir(work):
        fixture.remove_tree(work)
    os.makedirs(work)
    plan = os.path.join(work, "plan")
    with open(plan, "w", encoding="utf-8") as f:
        for words in list(of_commands(work)) + list(of_fixtures(work, o.get("--filter", "*"), int(o.get("--every", "1")))):
            if not any("\t" in w or "\n" in w for w in words):
                f.write("\t".join(words) + "\n")
    env = {k: v for k, v in os.environ.items() if k not in golden.UNSET}
    env.update(LC_ALL="C", TZ="UTC", NO_COLOR="1", HOME=work)
    codes = [subprocess.run([driver, what, plan], env=env, stdin=subprocess.DEVNULL).returncode
             for what in o.get("--what", "memory,files").split(",")]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
