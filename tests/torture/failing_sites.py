#!/usr/bin/python3 -SEB
"""Every place of the code at which memory, or a file, can fail does so once.

  failing_sites.py DRIVER WORK [--every N] [--filter GLOB] [--what memory,files]
  failing_sites.py DRIVER WORK --tests ICEFSCK [--every N] [--filter GLOB] [--what memory,files]

The command lines are those of the fixtures (every N-th, rules by rules), and of every other command over a few of their tables.
With --tests they are those, or every N-th, that the tests of TESTS run, each over the files as they stood then.
"""

import fnmatch
import importlib
import os
import shutil
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
TESTS = ("cli.diff", "cli.rescue", "cli.history", "cli.pointers", "cli.listings", "cli.inspect_rows", "cli.rare_states", "cli.rare_pointers",
         "story.stale_reader", "story.stale_session", "story.cached_session")
# much input and no other code, a pipe that is read but once
LEFT_OUT = ("test_a_long_log_keeps_its_end", "test_effect_is_the_difference_of_live_files", "test_pipes")

WRONG_USE = 4  # no command line to the driver


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
        with open(os.path.join(there, "lines"), "w", encoding="utf-8") as f:
            f.write('{"path": "table", "table": "db.t", "max_age": "6h", "map": {"s3://other": "table"}, "pointer": "db.t=s3://other/metadata/v1.metadata.json"}\n'
                    '{"path": "table", "listing": "lines"}\n{"tabel": 1}\n{"path": ""}\n{\ntable\n')
        for name, text in (("earlier", ""), ("known.txt", "# icefsck baseline 1\n")):
            with open(os.path.join(there, name), "w", encoding="utf-8") as f:
                f.write(text)
        lines = [["inspect", what, "table", "-f", ROWS[i % 4]] for i, what in enumerate(INSPECT)]
        lines += [["inspect", what, "table", "-f", "arrow"] for what in ("all_files", "snapshots", "schemas")]
        lines += [["history", "table", *w] for w in (["-f", "table"], ["-f", "ndjson"], ["--graph"])]
        lines += [["rescue", "table", "-f", "json", "--storage", "local"], ["rescue", "table"]]
        lines += [["diff", "table", "--from", metadata[0]], ["diff", "table", "--from", metadata[0], "-f", "json"]]
        lines += [["dump", last], ["orphans", "table", "--storage", "local", "-f", "json"]]
        lines += [["check", "table", "--list-files", "-f", "tsv"], ["check", "table", "--storage", "local", "-f", "json"]]
        lines += [["check", "table", "-f", f, "-S", "info"] for f in FINDINGS]
        lines += [["batch", "table", "nosuch"], ["batch", "table", "-S", "info", "-o", "html:page.html", "-o", "json:out.json"],
                  ["batch", "table", "-S", "info", "--write-baseline", "found.txt"], ["batch", "--files-from", "lines"],
                  ["batch", "table", "--resume", "earlier", "-o", "json:out.json"], ["batch", "-r", "."],
                  ["check", "table", "-S", "info", "--baseline", "known.txt", "--write-baseline", "found.txt"]]
        lines += [["check", "-r", ".", "-f", "json"], ["check", "table", "--cache", "cache"], ["check", "table", "-o", "out.json", "-f", "json"]]
        lines += [["dump", os.path.join("table", "metadata", n)] for n in os.listdir(os.path.join(there, "table", "metadata")) if n.endswith(".avro")][:3]
        lines += [["pointers", "table", os.path.join(ROOT, "fixtures", "inputs", n)] for n in sorted(os.listdir(os.path.join(ROOT, "fixtures", "inputs")))]
        for words in lines:
            yield [there, *words, *([] if words[0] == "dump" else NOW), "--no-config"]
    for words in (["--help"], ["help", "check"], ["rules", "-f", "json"], ["explain", "avro.truncated"], ["explain", "SHOW TABLES"], ["version", "-f", "json"]):
        yield [work, *words]


def recorder(harness, plan):
    """A test that notes each command line, with a copy of its folder."""
    class Recorder(harness.Test):
        def run(self, *args, **more):
            there = "%s.%d" % (self.work, len(plan))
            shutil.copytree(self.work, there, symlinks=True)
            done = super().run(*args, **more)
            if args and more.get("stdin") is None and not more.get("env") and done.returncode != WRONG_USE:
                run_in = os.path.join(there, os.path.relpath(more.get("cwd", self.work), self.work))
                plan.append([run_in, *(a.replace(self.work, there) for a in args)])
            else:
                fixture.remove_tree(there)
            return done
    return Recorder


def of_tests(work, glob, binary):
    """The command lines of tests; what the tests find is asked where they run."""
    sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("cli", "story")]
    plan = []
    for name in TESTS:
        module = importlib.import_module(name.split(".")[1])
        make = recorder(module.harness, plan)
        for test, run in vars(module).items():
            if test.startswith("test_") and test not in LEFT_OUT and fnmatch.fnmatchcase(name + "." + test, glob):
                run(make(binary, os.path.join(work, name, test), False))
    return plan


def main(args):
    o = golden.options(args, ("--every", "--filter", "--what", "--tests"), ())
    if len(o[""]) != 2:
        print(__doc__, file=sys.stderr)
        return 4
    driver, work = (os.path.abspath(p) for p in o[""])
    if os.path.isdir(work):
        fixture.remove_tree(work)
    os.makedirs(work)
    plan, glob, every = os.path.join(work, "plan"), o.get("--filter", "*"), int(o.get("--every", "1"))
    if "--tests" in o:
        lines = of_tests(work, glob, os.path.abspath(o["--tests"]))[::every]
    else:
        lines = list(of_commands(work)) + list(of_fixtures(work, glob, every))
    with open(plan, "w", encoding="utf-8") as f:
        for words in lines:
            if not any("\t" in w or "\n" in w for w in words):
                f.write("\t".join(words) + "\n")
    env = {k: v for k, v in os.environ.items() if k not in golden.UNSET}
    env.update(LC_ALL="C", TZ="UTC", NO_COLOR="1", HOME=work, SOURCE_DATE_EPOCH="1767225600")  # ages are the same in each run
    codes = [subprocess.run([driver, what, plan], env=env, stdin=subprocess.DEVNULL).returncode
             for what in o.get("--what", "memory,files").split(",")]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
