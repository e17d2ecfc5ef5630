#!/usr/bin/python3 -SEB
"""Run many fixtures: run_all.py --icefsck BIN [--jobs N] [--filter GLOB] [--work DIR] [--bless] [--keep]

GLOB is matched against the path below fixtures/ (rules/list.*, clean/*, *truncated*). Exit 0 all ok, 1 not.
"""

import fnmatch
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import golden


def worker(share, o, out):
    """Run a share of the fixtures and write one line a result, its text with the lines behind it."""
    for name, folder in share:
        work = os.path.join(o["--work"], name)
        status, text = golden.check(folder, work, o["--icefsck"], "--bless" in o, "--keep" in o)
        out.write("%s\t%s\n" % (status, name))
        for line in text.rstrip("\n").split("\n") if text else ():
            out.write("\t%s\n" % line)
    out.flush()


def run(found, o, jobs):
    """Fork `jobs` workers; return their lines."""
    children = []
    for n in range(jobs):
        path = os.path.join(o["--work"], "result-%d" % n)
        child = os.fork()
        if child == 0:
            with open(path, "w", encoding="utf-8") as out:
                worker(found[n::jobs], o, out)
            os._exit(0)
        children.append((child, path))
    lines, ok = [], True
    for child, path in children:
        ok = os.waitpid(child, 0)[1] == 0 and ok
        with open(path, encoding="utf-8") as f:
            lines += f.read().splitlines()
    return lines, ok


def main(args):
    o = golden.options(args, ("--icefsck", "--jobs", "--filter", "--work"), ("--bless", "--keep"))
    if "--icefsck" not in o or o[""]:
        print(__doc__, file=sys.stderr)
        return 4
    o["--icefsck"] = os.path.abspath(o["--icefsck"])
    if "--work" not in o:
        import tempfile

        o["--work"] = tempfile.mkdtemp(prefix="icefsck-golden-")
    o["--work"] = os.path.abspath(o["--work"])
    os.makedirs(o["--work"], exist_ok=True)
    glob = o.get("--filter", "*")
    found = [f for f in golden.find(ROOT) if fnmatch.fnmatchcase(f[0], glob) or fnmatch.fnmatchcase(f[0], glob + "/*")]
    jobs = max(1, min(int(o.get("--jobs", os.cpu_count() or 1)), len(found) or 1))
    lines, alive = run(found, o, jobs)
    count = {}
    for line in lines:
        if not line.startswith("\t"):
            status = line.partition("\t")[0]
            count[status] = count.get(status, 0) + 1
        if not line.startswith("ok\t"):
            print(line)
    words = ", ".join("%d %s" % (count[k], k) for k in sorted(count))
    print("%d fixtures: %s" % (len(found), words or "none found"))
    return 0 if alive and found and not count.get("failed") and sum(count.values()) == len(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
