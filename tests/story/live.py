#!/usr/bin/python3 -SEB
"""The story of stale_reader.py on a table that PyIceberg makes now. live.py ICEFSCK WORK

STORY_PYTHON names a Python with pyiceberg[sql-sqlite,pyarrow] (tried with 0.12.0); without it the test is skipped."""

import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import stale_reader

SKIPPED = 77


def made(t):
    """Made once, by the first question; the others get a copy of it."""
    place = os.path.join(os.path.dirname(t.work), "made")
    if not os.path.exists(place + "/answers.json"):
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([python(), os.path.join(HERE, "six_commits.py"), place], check=True)
    for name in ("catalog.db", "listing.txt", "answers.json"):
        shutil.copy(os.path.join(place, name), t.work)
    shutil.copytree(place + "/removed", t.work + "/removed")
    shutil.copytree(place + "/shop/orders/metadata", t.work + "/orders/metadata")
    tomorrow = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))
    options = ["--map", "file://%s/shop/orders=orders" % place, "--listing", "listing.txt", "--now", tomorrow]
    return json.loads(t.read("answers.json")), options


def python():
    return os.environ.get("STORY_PYTHON") or os.environ.get("ORACLE_PYTHON") or ""


def question(ask):
    return lambda t: ask(t, *made(t))


def main():
    try:
        subprocess.run([python(), "-c", "import pyarrow, pyiceberg.catalog.sql"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        print("skipped: STORY_PYTHON names no Python with pyiceberg[sql-sqlite,pyarrow]")
        sys.exit(SKIPPED)
    shutil.rmtree(os.path.join(sys.argv[2], "made"), ignore_errors=True)
    stale_reader.harness.main({"test_" + ask.__name__: question(ask) for ask in stale_reader.QUESTIONS})


if __name__ == "__main__":
    main()
