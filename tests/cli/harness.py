"""Runs the command in a work folder. A test file defines functions test_...(t); each gets a fresh Test."""

import functools
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import traceback

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import fixture
import run_server

DEBIAN = "/usr/lib/python3/dist-packages"  # what tools/packages installs; tests run without site packages

HERE = os.path.join(ROOT, "tests", "cli")
NOW = "2026-01-01T00:00:00Z"
PATIENCE = int(os.environ.get("ICEFSCK_TEST_PATIENCE", "1"))  # times as long as usual, for a slow build


def package(name):
    """A Python package of Debian. Where it lacks the test fails: install it with tools/install-packages test."""
    if DEBIAN not in sys.path:
        sys.path.append(DEBIAN)
    return importlib.import_module(name)


def schema_errors(schema, document):
    """What jsonschema has against the document, at most three lines; "" if it is valid."""
    jsonschema = package("jsonschema")
    checker = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
    return "\n".join("%s: %s" % (e.json_path, e.message[:300]) for e in list(checker.iter_errors(document))[:3])


LEFT_OUT = "…"  # in what a page shows of an output: lines, or a part of a line


def is_shown(shown, printed):
    """Lines shown are lines printed, in order; only where a line is left out may there be others between."""
    places, may_skip = {0}, False
    for line in shown:
        if line == LEFT_OUT:
            may_skip = True
            continue
        like = re.compile(".*".join(re.escape(part) for part in line.split(LEFT_OUT))).fullmatch
        starts = range(min(places, default=len(printed)), len(printed)) if may_skip else sorted(places)
        places = {i + 1 for i in starts if i < len(printed) and like(printed[i])}
        may_skip = False
    return bool(places) if may_skip else len(printed) in places


class Failed(Exception):
    pass


def needs(library):
    """A test that runs where `icefsck version` names the library, and says so where the build leaves it out."""

    def of(test):
        @functools.wraps(test)
        def run(t):
            if t.has_library(library):
                test(t)
            else:
                print("NOT RUN %s: it needs %s, which this build leaves out" % (test.__name__, library))

        return run

    return of


class Test:
    def __init__(self, binary, work, bless):
        self.binary, self.work, self.bless = binary, work, bless
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def environment(self, **more):
        out = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "MSAN_OPTIONS")}
        out.update(LC_ALL="C", TZ="UTC", HOME=self.work, TMPDIR=self.work)
        out.update({k: v for k, v in more.items() if v is not None})
        return out

    def run(self, *args, code=None, text=True, stdin=None, env=None, **more):
        """The finished process; its exit code must be `code` if that is given."""
        command, environment, seconds = [self.binary, *args], self.environment(**(env or {})), 200 * PATIENCE
        done = None
        if stdin is None and not more.keys() - {"cwd"}:
            done = run_server.run(command, more.get("cwd", self.work), environment, text, seconds)
        if done is None:
            done = subprocess.run(command, env=environment, text=text, input=stdin, timeout=seconds,
                                  **{"cwd": self.work, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
        if code is not None and done.returncode != code:
            raise Failed("%s: exit %d, not %d\n%s%s" % (" ".join(args), done.returncode, code, done.stdout, done.stderr))
        return done

    def has_library(self, name):
        return name in self.run("version", code=0).stdout.split()

    def check(self, *args, **more):
        return self.run("check", *args, "--now", NOW, **more)

    def table(self, base="plain-v2", name="table"):
        """Copy a base table, or build the fixture tests/cli/NAME, into the work folder."""
        place = os.path.join(self.work, name)
        if base == "damaged":
            fixture.build(os.path.join(HERE, base), place)
        else:
            shutil.copytree(os.path.join(ROOT, "fixtures", "base", base), place)
        return place

    def build(self, edit, name="table"):
        """Build a table from lines of fixtures/README.md into the work folder."""
        place = os.path.join(self.work, name)
        self.write(name + ".fixture/edit", edit)
        fixture.build(place + ".fixture", place)
        return place

    def write(self, name, text):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.work, name), encoding="utf-8") as f:
            return f.read()

    def on_page(self, name, part, printed):
        """The block of docs/NAME that holds `part` is an excerpt of an output, which the program really made."""
        with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as f:
            blocks = [block for block in re.findall(r"^```\n(.*?)^```$", f.read(), re.M | re.S) if part in block and "icefsck " + part not in block]
        self.equal(len(blocks), 1, "blocks with %r in %s" % (part, name))
        shown = [LEFT_OUT, *blocks[0].splitlines(), LEFT_OUT]
        self.true(is_shown(shown, printed.splitlines()), "docs/%s shows\n%s\nand the output is\n%s" % (name, blocks[0], printed))

    def equal(self, got, wanted, what=""):
        if got != wanted:
            raise Failed("%s\ngot    %r\nwanted %r" % (what, got, wanted))

    def true(self, truth, what):
        if not truth:
            raise Failed(what)

    def has(self, text, part):
        if part not in text:
            raise Failed("no %r in:\n%s" % (part, text))

    def lacks(self, text, part):
        if part in text:
            raise Failed("%r in:\n%s" % (part, text))

    def expected(self, name, got):
        """Compare with tests/cli/expected/NAME, byte for byte."""
        path = os.path.join(HERE, "expected", name)
        if self.bless:
            with open(path, "w", encoding="utf-8") as f:
                f.write(got)
        with open(path, encoding="utf-8") as f:
            wanted = f.read()
        if got != wanted:
            import difflib

            raise Failed("if the change is wanted, run this with --bless\n" + "".join(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True), name, "got")))

    def usage(self, *args, has=(), **more):
        """A usage error: exit 4, nothing on stdout, one line that names the fault and the way out."""
        done = self.run(*args, code=4, **more)
        self.equal(done.stdout, "", "stdout of %s" % (args,))
        for part in has:
            self.has(done.stderr, part)
        self.equal(done.stderr.count("\n"), 1, done.stderr)
        self.true(done.stderr.startswith("icefsck: "), done.stderr)

    @staticmethod
    def lines(text):
        return [json.loads(line) for line in text.split("\n") if line]


def main(tests):
    args = [a for a in sys.argv[1:] if a != "--bless"]
    if len(args) < 2:
        sys.exit("usage: %s ICEFSCK WORK [TEST...] [--bless]" % sys.argv[0])
    names = args[2:] or [n for n in tests if n.startswith("test_")]
    failed = 0
    for name in names:
        test = Test(os.path.abspath(args[0]), os.path.join(os.path.abspath(args[1]), name), "--bless" in sys.argv)
        try:
            tests[name](test)
        except (Failed, AssertionError, OSError, subprocess.SubprocessError, ValueError, KeyError) as e:
            failed += 1
            print("FAILED %s: %s" % (name, e if isinstance(e, Failed) else traceback.format_exc()))
            continue
        shutil.rmtree(test.work, ignore_errors=True)
    print("%d tests, %d failed" % (len(names), failed))
    sys.exit(1 if failed or not names else 0)
