"""batch side by side, by GNU parallel: parts of a list in its order, and shards of the same list."""

import json
import os

import harness

COPIES = 4


def listed(t):
    base = os.path.join(harness.ROOT, "fixtures", "base")
    paths = [os.path.join(base, name) for name in sorted(os.listdir(base)) if os.path.isdir(os.path.join(base, name))]
    lines = [json.dumps({"table": "db%d.t%d" % (copy, i), "path": path}) for copy in range(COPIES) for i, path in enumerate(paths)]
    t.write("tables.txt", "".join(line + "\n" for line in lines))
    return os.path.join(t.work, "tables.txt"), lines


def run_parallel(t, *arguments):
    """stdout of GNU parallel, which ends with the number of its jobs that failed: none may."""
    command, t.binary = t.binary, "parallel"
    try:
        return t.run("--will-cite", "--no-notice", *arguments, code=0).stdout
    finally:
        t.binary = command


@harness.needs("bzip2")
def test_parts_in_order_are_one_run(t):
    source, lines = listed(t)
    one = t.run("batch", "--quiet", "--fail-on", "never", "--now", harness.NOW, "--files-from", source, code=0).stdout
    t.equal(one.count("\n"), len(lines), "lines")
    parts = run_parallel(t, "-j", "4", "-k", "--pipepart", "-a", source, "--block", "1k", t.binary, "batch", "--quiet", "--fail-on", "never", "--jobs", "1", "--now", harness.NOW)
    t.equal(parts, one, "parts")


@harness.needs("bzip2")
def test_shards_are_one_run_in_another_order(t):
    source, lines = listed(t)
    one = t.run("batch", "--quiet", "--fail-on", "never", "--now", harness.NOW, "--files-from", source, code=0).stdout
    shards = run_parallel(t, "-j", "4", "-k", t.binary, "batch", "--quiet", "--fail-on", "never", "--now", harness.NOW, "--files-from", source, "--shard", "{}/5", ":::", "0", "1", "2", "3", "4")
    t.equal(sorted(shards.splitlines()), sorted(one.splitlines()), "shards")


if __name__ == "__main__":
    harness.main(dict(globals()))
