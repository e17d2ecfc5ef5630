"""Builds icefsck with its mutants in, and runs fixtures on it through mutant_driver.c."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import threading

import fixture
import golden
import mutants

LIB = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(LIB, "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "property"))
import sets

TABLES = 150  # as many random tables as the test property.sets judges
FLAGS = "-O1 -DNDEBUG -w -ftrivial-auto-var-init=zero"  # what a dropped condition leaves unset is the same each run
MOST = 600  # fixtures a mutant, beside those of the rules of its file: what they do not notice counts as alive
A_FILE = 1024  # numbers for the mutants of one file, so that a change of one file rebuilds only that


class Failed(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write_if_new(path, text):
    if os.path.exists(path) and read(path) == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def rules():
    """{token: (name, group number)} of src/rule/rules/*.def."""
    out = {}
    folder = os.path.join(ROOT, "src", "rule", "rules")
    for name in sorted(os.listdir(folder)):
        for token, rule in re.findall(r'ICE_RULE\w*\(\s*([A-Z0-9_]+)\s*,\s*"([^"]+)"', read(os.path.join(folder, name))):
            out[token] = (rule, int(name[:2]))
    return out


# --- the build -------------------------------------------------------------------------------------------------------


def copy_sources(target):
    """Copy what the build needs; return the mutants put in."""
    checks, plain = {}, []
    for top in ("src", "include", "cmake"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                is_check = path.startswith("src/check/") and path.endswith(".c")
                if is_check:
                    checks[path] = read(os.path.join(ROOT, path))
                else:
                    plain.append(path)
    for path in plain:
        text = read(os.path.join(ROOT, path))
        if path == "src/cli/main.c":
            text = re.sub(r"^int main\(", "int icefsck_main(int, char **);\nint icefsck_main(", text, flags=re.M)
        write_if_new(os.path.join(target, path), text)
    for name in ("CMakeLists.txt", "LICENSE"):
        write_if_new(os.path.join(target, name), read(os.path.join(ROOT, name)))
    write_if_new(os.path.join(target, "src", "cli", "mutant_driver.c"), read(os.path.join(LIB, "mutant_driver.c")))
    write_if_new(os.path.join(target, "mutant.h"), read(os.path.join(LIB, "mutant.h")))
    found = []
    sources = [mutants.Source(path, checks[path]) for path in sorted(checks)]
    chosen = mutants.choose(sources)
    for n, source in enumerate(sources):
        rewriter = mutants.Rewriter(source, [f for f in chosen if f.file == source.file], n * A_FILE + 1)
        write_if_new(os.path.join(target, source.file), rewriter.run())
        if len(rewriter.mutants) >= A_FILE:
            raise Failed("%s: too many mutants" % source.file)
        found += rewriter.mutants
    remove_strange(target, set(plain) | set(checks) | {"src/cli/mutant_driver.c"})
    return found


def remove_strange(target, known):
    for folder, _, names in os.walk(os.path.join(target, "src")):
        for name in names:
            if os.path.relpath(os.path.join(folder, name), target) not in known:
                os.unlink(os.path.join(folder, name))


def build(folder, jobs):
    """Return (path of the driver, mutants)."""
    source, binary = os.path.join(folder, "source"), os.path.join(folder, "binary")
    found = copy_sources(source)
    configure = ["cmake", "-S", source, "-B", binary, "-DCMAKE_BUILD_TYPE=Release", "-DICE_TESTS=OFF"]
    configure += ["-DCMAKE_C_FLAGS=-include %s" % os.path.join(source, "mutant.h"), "-DCMAKE_C_FLAGS_RELEASE=" + FLAGS]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    for command in (configure, ["cmake", "--build", binary, "-j", str(jobs), "--target", "icefsck"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failed("%s\n%s" % (" ".join(command), done.stdout[-4000:]))
    return os.path.join(binary, "icefsck"), found


# --- fixtures --------------------------------------------------------------------------------------------------------


class Fixture:
    def __init__(self, name, folder, argv, expect, work):
        self.name, self.folder, self.argv, self.work = name, folder, argv, work
        first = expect.partition("\n")[0].split()
        self.least = first[1] if first[:1] == ["min-severity"] else "info"
        self.expect = expect.partition("\n")[2] if first[:1] == ["min-severity"] else expect

    def serves(self, rule):
        kind, _, rest = self.name.partition("/")
        if kind == "rules":
            return rest.partition("/")[0] == rule
        return rest == rule or rest.startswith(rule + "-")

    def is_same(self, code, out):
        text = out.decode("utf-8", "backslashreplace")
        word = str(code) if code >= 0 else "signal %d" % -code
        try:
            return golden.render(text, word, self.folder, self.least) == self.expect
        except (golden.GoldenError, KeyError):
            return False


class Random:
    """A random table of tests/property/sets.py: there a set a snapshot has proven what must be found."""

    def __init__(self, seed, work):
        self.name, self.work, self.found = "sets/%d" % seed, os.path.join(work, "sets", str(seed)), None
        self.argv = sets.command("icefsck", os.path.join(self.work, "table"))
        if not os.path.isdir(self.work):
            sets.Table(seed).write(os.path.join(self.work, "table"))

    def serves(self, rule):
        return rule in sets.JUDGED

    def is_same(self, code, out):
        try:
            found = sets.found_in(out.decode("utf-8", "backslashreplace")) if 0 <= code < 4 else None
        except (ValueError, KeyError):
            return False
        if self.found is None:  # the first run has no mutant on
            self.found = found
        return found is not None and found == self.found


def stamp(folder):
    out = []
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name != "expect":
                info = os.lstat(os.path.join(where, name))
                out.append("%s %d %d" % (name, info.st_size, info.st_mtime_ns))
    return "\n".join(out)


def prepare(share, work, out):
    """Build the tables that are not there yet; runs in a child of its own."""
    for name, folder in share:
        place, want = os.path.join(work, name), stamp(folder)
        mark = os.path.join(place, "stamp")
        if not os.path.exists(mark) or read(mark) != want:
            os.makedirs(place, exist_ok=True)
            try:
                table = fixture.build(folder, os.path.join(place, "table"))
            except fixture.FixtureError as e:
                print("%s: %s" % (name, e))
                continue
            write_if_new(os.path.join(place, "argv"), "\t".join(golden.command_line("icefsck", folder, table)))
            write_if_new(mark, want)
        out.write("%s\n" % name)
    out.flush()


def fixtures(work, jobs, glob):
    """Those whose name matches one of the patterns of glob, which commas separate."""
    every = [f for f in golden.find(ROOT) if not golden.needs(f[1])]
    every = [f for f in every if any(fnmatch.fnmatchcase(f[0], g) for g in glob.split(","))]
    ready = set()
    os.makedirs(work, exist_ok=True)
    children = []
    for n in range(jobs):
        path = os.path.join(work, "built-%d" % n)
        child = os.fork()
        if child == 0:
            with open(path, "w", encoding="utf-8") as out:
                prepare(every[n::jobs], work, out)
            os._exit(0)
        children.append((child, path))
    for child, path in children:
        os.waitpid(child, 0)
        ready.update(read(path).split())
    out = []
    for name, folder in every:
        expect = golden.read(os.path.join(folder, "expect"))
        if name in ready and expect is not None:
            place = os.path.join(work, name)
            out.append(Fixture(name, folder, read(os.path.join(place, "argv")).split("\t"), expect, place))
    seeds = [s for s in range(TABLES) if any(fnmatch.fnmatchcase("sets/%d" % s, g) for g in glob.split(","))]
    return out + [Random(s, work) for s in seeds]


# --- running ---------------------------------------------------------------------------------------------------------


class Driver:
    def __init__(self, path, n_mutants, fixtures):
        env = {k: v for k, v in os.environ.items() if k not in golden.UNSET}
        env.update(LC_ALL="C", TZ="UTC", HOME="/nonexistent", XDG_CONFIG_HOME="/nonexistent", NO_COLOR="1")
        self.process = subprocess.Popen([path, str(n_mutants)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.fixtures, self.kept, self.differs, self.wrong = fixtures, [], {}, []
        for at, f in enumerate(fixtures):
            self.ask("add %s\t%s" % (f.work, "\t".join(f.argv)))
            code, out = self.run_answer(self.answer())
            numbers = self.answer().split()
            if f.is_same(code, out):
                self.kept.append(at)
                for n in numbers:
                    self.differs.setdefault(int(n), []).append(at)
            else:
                self.wrong.append(f.name)

    def ask(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the driver has ended")
        return line.decode().rstrip("\n")

    def run_answer(self, line):
        words = line.split()
        return int(words[-2]), self.process.stdout.read(int(words[-1]))

    def killer(self, number, order):
        """(name of the fixture that the mutant fails or None, whether some report differed in its words)."""
        worded = False
        while order:
            self.ask("%d %s" % (number, " ".join(map(str, order))))
            line = self.answer()
            if line == "same":
                return None, worded
            at = int(line.split()[1])
            code, out = self.run_answer(line)
            if not self.fixtures[at].is_same(code, out):
                return self.fixtures[at].name, worded
            worded = True
            order = order[order.index(at) + 1 :]
        return None, worded

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def matches(mutant, names, glob):
    return any(fnmatch.fnmatchcase(names.get(r, (r, 0))[0], glob) for r in mutant.rules)


def select(order, of_rule, own, near):
    """The fixtures of the rules first, those of other rules of the same file, one of each other rule, then any."""
    out = []
    for rules in (own, near):
        serving = set().union(*(of_rule.get(r, ()) for r in rules))
        out += [at for at in order if at in serving and at not in out]
    taken, known = set(out), set(order)
    ones = [min(serving & known) for serving in of_rule.values() if serving & known]
    rest = sorted(set(ones) - taken)
    taken.update(rest)
    return out + (rest + [at for at in order if at not in taken])[:MOST]


def fixtures_of(fixtures, names):
    """{rule: indexes of its fixtures}"""
    out = {}
    for at, f in enumerate(fixtures):
        for rule, _ in names.values():
            if f.serves(rule):
                out.setdefault(rule, set()).add(at)
    return out


def judge(driver_path, found, chosen, names, work, jobs, glob, tell):
    """Give every chosen mutant .killer and .worded; return the names of fixtures that fail without a mutant."""
    every = fixtures(work, jobs, glob)
    of_rule, of_file = fixtures_of(every, names), {}
    for m in found:
        of_file.setdefault(m.file, set()).update(names[r][0] for r in m.rules if r in names)
    last = max(m.number for m in found) + 1
    drivers = [None] * jobs
    queue, lock, done = list(reversed(chosen)), threading.Lock(), [0]

    def work_on(n):
        driver = drivers[n] = Driver(driver_path, last, every)
        while True:
            with lock:
                if not queue:
                    break
                mutant = queue.pop()
            own = {names[r][0] for r in mutant.rules if r in names}
            order = driver.differs.get(mutant.number, [])
            mutant.n_differs = len(order)
            mutant.killer, mutant.worded = driver.killer(mutant.number, select(order, of_rule, own, of_file[mutant.file]))
            with lock:
                done[0] += 1
                tell(done[0], len(chosen))
        driver.close()

    threads = [threading.Thread(target=work_on, args=(n,)) for n in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if queue or any(d is None for d in drivers):
        raise Failed("the driver has ended before all mutants were judged")
    return drivers[0].wrong, len(every)
