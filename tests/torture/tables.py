"""Tables in memory for the tests of this folder: a base table, changed by code instead of by an edit file, written out whole."""

import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import avro  # noqa: E402
from avrovalue import encode_long  # noqa: E402,F401 for users of this module

# Sanitizers cost much: where a test tries every place, such a build tries one in this many.
ONE_IN = 5 if os.environ.get("ICEFSCK_SANITIZED") else 1

CURRENT, LIST, MANIFEST = "metadata/v3.metadata.json", "metadata/snap-3.avro", "metadata/m3.avro"


BASES = {}


class Table:
    """The files of fixtures/base/NAME, by path."""

    def __init__(self, base="plain-v2"):
        if base in BASES:
            self.files = dict(BASES[base])
            return
        self.files = {}
        top = os.path.join(ROOT, "fixtures", "base", base)
        for where, _, names in os.walk(os.path.join(top, "metadata")):
            for name in names:
                path = os.path.join(where, name)
                with open(path, "rb") as f:
                    self.files[os.path.relpath(path, top)] = f.read()
        BASES[base] = dict(self.files)

    def metadata(self):
        return json.loads(self.files[CURRENT])

    def set_metadata(self, document):
        self.files[CURRENT] = json.dumps(document).encode()

    def property(self, text, key='"x"'):
        """A property with this JSON text as value (and key), in the text of the current metadata file."""
        mark = b'"properties": {'
        whole = self.files[CURRENT]
        at = whole.index(mark) + len(mark)
        self.files[CURRENT] = whole[:at] + ("%s: %s," % (key, text)).encode("utf-8", "surrogatepass") + whole[at:]

    def container(self, path=LIST):
        return avro.Container.parse(self.files[path])

    def write(self, place):
        """Write all files, but those that stand there from the last table of this program; returns the table's directory."""
        there = WRITTEN.get(place)
        if there is None or not os.path.isdir(place):
            shutil.rmtree(place, ignore_errors=True)
            there = WRITTEN[place] = {}
        for path in [path for path in there if path not in self.files]:
            os.remove(os.path.join(place, path))
            del there[path]
        for path, data in self.files.items():
            if there.get(path) == data:
                continue
            full = os.path.join(place, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as f:
                f.write(data)
            there[path] = data
        return place


WRITTEN = {}  # place: files as last written


class Run:
    """What limited_check said of one table."""

    def __init__(self, lines):
        self.count = lines[-1]
        self.summary = next((line for line in lines if line["kind"] == "summary"), None)
        self.findings = [line for line in lines if line["kind"] == "finding"]
        self.rules = {f["rule"] for f in self.findings}
        self.exit = self.summary["exit"] if self.summary else -1
        self.complete = self.summary["complete"] if self.summary else False

    def __str__(self):
        return "exit %d, complete %s, peak %d, %s" % (self.exit, self.complete, self.count["peak"], sorted(self.rules))


class Checker:
    """Runs tests/torture/limited_check.c: one process for all tables of a test."""

    def __init__(self, binary):
        self.child = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def check(self, path, **options):
        words = [path] + ["%s=%s" % option for option in options.items()]
        self.child.stdin.write(("\t".join(words) + "\n").encode())
        self.child.stdin.flush()
        lines = []
        while not lines or lines[-1]["kind"] != "run":
            line = self.child.stdout.readline()
            if not line:
                raise SystemExit("%s: the check died, exit %s" % (path, self.child.wait()))
            lines.append(json.loads(line))
        return Run(lines)

    def close(self):
        self.child.stdin.close()
        return self.child.wait()
