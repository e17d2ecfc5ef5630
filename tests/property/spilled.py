#!/usr/bin/python3 -SEB
"""Run `spilled` on base tables and on all fixtures of rules that need several files: spilled.py SPILLED WORK"""

import fnmatch
import os
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import fixture
import golden

GLOBS = ("rules/live.*", "rules/delete.*", "rules/lineage.*", "rules/manifest.entry.*", "rules/manifest.file.dv*",
         "rules/manifest.file.blob*", "rules/summary.*", "rules/puffin.*")


def main(program, work):
    shutil.rmtree(work, ignore_errors=True)
    bases = os.path.join(ROOT, "fixtures", "base")
    tables = [os.path.join(bases, b) for b in sorted(os.listdir(bases)) if os.path.isdir(os.path.join(bases, b, "metadata"))]
    for name, folder in golden.find(ROOT):
        if any(fnmatch.fnmatchcase(name, g + "/*") for g in GLOBS) and not golden.needs(folder):
            tables.append(os.path.join(work, name, "table"))
            os.makedirs(os.path.dirname(tables[-1]))
            fixture.build(folder, tables[-1])
    every = 3 if os.environ.get("ICEFSCK_SANITIZED") else 1
    tables = tables[::every]
    print("one table in %d" % every)
    done = subprocess.run([program] + tables, stdout=subprocess.PIPE, text=True)
    print("%d tables: %s" % (len(tables), done.stdout))
    needed = int(done.stdout.split()[2])
    return 1 if done.returncode != 0 or needed < len(tables) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
