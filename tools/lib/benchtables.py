"""The tables of tools/bench: what gen-table is asked for, made once in WORK and made anew when that changes."""

import json
import os
import shutil
import subprocess

SMALL = {  # name: options of gen-table
    "S": ["-L", "tsv"],
    "S-v3": ["-v", "3"],
    "S-v1": ["-v", "1"],
    "S-zstd": ["-c", "zstd"],
    "S-snappy": ["-c", "snappy"],
    "S-null": ["-c", "null"],
    "S-deletes": ["-D", "20", "-E"],
    "S-v3-deletes": ["-v", "3", "-D", "20", "-E"],
    "one-manifest": ["-m", "1", "-k", "1"],
    "J100": ["-J", "-k", "100000"],
    "tiny": ["-n", "3", "-m", "1", "-k", "3"],
}
LARGE = {"M": ["-n", "1000000", "-m", "200", "-k", "500", "-L", "tsv"]}
HUGE = {"L": ["-n", "10000000", "-m", "1000", "-k", "1000"]}
FILES = {"S": 100000, "M": 1000000, "L": 10000000}


class Tables:
    def __init__(self, gen, work):
        self.gen, self.work = gen, os.path.abspath(work)
        os.makedirs(self.work, exist_ok=True)

    def path(self, name):
        return os.path.join(self.work, name)

    def make(self, name, options):
        path = self.path(name)
        wanted = json.dumps(options)
        note = path + ".options"
        if not os.path.exists(note) or open(note).read() != wanted:
            shutil.rmtree(path, ignore_errors=True)
            subprocess.run([self.gen, *options, path], check=True)
            with open(note, "w") as out:
                out.write(wanted)
        return path

    def make_local(self, name, options):
        """The same table for readers that know no mapping: its metadata names files of this machine."""
        options = [*(option for option in options if option not in ("-L", "tsv")), "-d", "s3://lake/warehouse/db/events/data"]
        path = self.path(name + "-local")
        return self.make(name + "-local", [*options, "-l", path])

    def metadata(self, path):
        folder = os.path.join(path, "metadata")
        return os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".metadata.json")))

    def before_and_after_a_commit(self, path):
        """A table with the same files but two snapshots less, and the metadata.json of one more commit, which appends."""
        with open(self.metadata(path)) as file:
            whole = json.load(file)
        n = len(whole["snapshots"])
        twin = path + "-commit"
        shutil.rmtree(twin, ignore_errors=True)
        os.makedirs(os.path.join(twin, "metadata"))
        for name in os.listdir(os.path.join(path, "metadata")):
            if name.endswith(".avro"):
                os.link(os.path.join(path, "metadata", name), os.path.join(twin, "metadata", name))

        def commit(n_snapshots):
            for name in os.listdir(os.path.join(twin, "metadata")):
                if name.endswith(".metadata.json"):
                    os.remove(os.path.join(twin, "metadata", name))
            kept = whole["snapshots"][:n_snapshots]
            last = kept[-1]
            document = {**whole, "snapshots": kept, "snapshot-log": whole["snapshot-log"][:n_snapshots], "current-snapshot-id": last["snapshot-id"],
                        "last-sequence-number": last["sequence-number"], "last-updated-ms": last["timestamp-ms"],
                        "refs": {**whole["refs"], "main": {"snapshot-id": last["snapshot-id"], "type": "branch"}}}
            with open(os.path.join(twin, "metadata", "v%d.metadata.json" % n_snapshots), "w") as out:
                json.dump(document, out)

        return twin, lambda: commit(n - 2), lambda: commit(n - 1)
