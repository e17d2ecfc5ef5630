"""Tables in memory for the tests of this folder: a base table, changed by code instead of by an edit file, written out whole."""

import json
import os
import re
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
    """Runs tests/torture/limited_check.c: one process for all tables of a test.

    A second process checks the same under a limit of memory of 32 MiB, whatever the first one made of it: neither what the library asks
    for may pass the limit (and OWN), nor what the process has resident the limit and 16 MiB. Not with sanitizers, whose own memory is beyond any.
    """

    LIMIT, BESIDE = 32 << 20, 16 << 20
    OWN = 16 << 10  # what the source and the report of a check ask for beside it

    def __init__(self, binary, is_tight=True):
        self.children = [self.begin(binary)]
        if is_tight and not os.environ.get("ICEFSCK_SANITIZED"):
            self.children.append(self.begin(binary))
        self.faults = 0

    @staticmethod
    def begin(binary):
        return subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @staticmethod
    def ask(child, path, options):
        words = [path] + ["%s=%s" % option for option in options.items()]
        child.stdin.write(("\t".join(words) + "\n").encode())
        child.stdin.flush()
        lines = []
        while not lines or lines[-1]["kind"] != "run":
            line = child.stdout.readline()
            if not line:
                raise SystemExit("%s: the check died, exit %s" % (path, child.wait()))
            lines.append(json.loads(line))
        return Run(lines)

    def check(self, path, **options):
        if len(self.children) > 1:
            run = self.ask(self.children[1], path, dict(options, memory=min(self.LIMIT, options.get("memory", self.LIMIT))))
            self.expect_at_most(self.LIMIT + self.OWN, run.count["peak"], "asked for, by %s %s" % (path, options))
        return self.ask(self.children[0], path, options)

    def expect_at_most(self, limit, n, what):
        if n > limit:
            self.faults += 1
            print("%d bytes of memory %s, with a limit of %d" % (n, what, limit))

    def close(self):
        if len(self.children) > 1:
            # not ru_maxrss, in which this process counts until the other program is loaded
            with open("/proc/%d/status" % self.children[1].pid, encoding="ascii") as f:
                most = int(re.search(r"^VmHWM:\s+(\d+) kB$", f.read(), re.M).group(1)) << 10
            print("at most %d KiB resident under a limit of %d" % (most >> 10, self.LIMIT >> 10))
            self.expect_at_most(self.LIMIT + self.BESIDE, most, "resident")
        codes = []
        for child in self.children:
            child.stdin.close()
            codes.append(child.wait())
        return max(codes) or min(codes) or self.faults
