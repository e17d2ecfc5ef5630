"""Runs targets under libFuzzer: seeds, corpus, findings, log and one line of record for each run."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

import fuzzbuild
import fuzzdict

COLUMNS = ("started", "target", "commit", "engine", "cpu_s", "inputs", "corpus", "edges", "features", "findings")
ARTIFACTS = ("crash-", "leak-", "oom-", "timeout-", "slow-unit-")
# libFuzzer sees only the clock on the wall, which other work on the machine delays: what took this long is timed again
# by its processor seconds, and is a finding when it took more than one for each 64 KiB that it has.
SLOW_S, HANG_S, REPLAY_S, SECONDS_A_PIECE = 2, 20, 300, 1.0
RSS_MB, MALLOC_MB = 1024, 600
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:symbolize=1", "UBSAN_OPTIONS": "print_stacktrace=1"}


class Outcome:
    def __init__(self):
        self.cpu, self.text, self.code = 0.0, "", 0

    def last(self, pattern):
        found = re.findall(pattern, self.text)
        return int(found[-1]) if found else 0

    def sum(self, pattern):
        return sum(int(n) for n in re.findall(pattern, self.text))

    def summary(self):
        lines = [line for line in self.text.splitlines() if "SUMMARY:" in line or "ERROR:" in line or "runtime error:" in line]
        return lines[-1].strip() if lines else "ended with %d" % self.code


def execute(command, log=None, **environment):
    """Run to the end; processor seconds of the process, with those of its children."""
    out = Outcome()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **ENVIRONMENT, **environment}) as process:
        out.text = process.stdout.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = out.code = os.waitstatus_to_exitcode(status)
    out.cpu = usage.ru_utime + usage.ru_stime
    if log:
        with open(log, "w", encoding="utf-8") as f:
            f.write(out.text)
    return out


def files_of(folder):
    return sorted(os.path.join(folder, n) for n in os.listdir(folder)) if os.path.isdir(folder) else []


class Campaign:
    engine = "libFuzzer"

    def __init__(self, work, seconds, merges, by_processor=False):
        self.work, self.seconds, self.merges, self.by_processor = os.path.abspath(work), seconds, merges, by_processor
        self.build = os.path.join(self.work, "build")
        ENVIRONMENT["TMPDIR"] = os.path.join(self.work, "tmp")
        os.makedirs(ENVIRONMENT["TMPDIR"], exist_ok=True)

    def folder(self, kind, target):
        path = os.path.join(self.work, kind, target)
        os.makedirs(path, exist_ok=True)
        return path

    def program(self, target):
        return os.path.join(self.build, "fuzz", "fuzz_" + target)

    # ---- corpus ----

    def merge(self, target, *sources):
        """Replace the corpus by the least of it and of SOURCES that reaches the same."""
        corpus = self.folder("corpus", target)
        least = corpus + ".least"
        shutil.rmtree(least, ignore_errors=True)
        os.makedirs(least)
        done = execute([self.program(target), "-merge=1", "-max_len=%d" % fuzzbuild.MAX_BYTES, "-rss_limit_mb=%d" % RSS_MB, "-timeout=%d" % HANG_S,
                        "-artifact_prefix=" + self.folder("findings", target) + os.sep, least, corpus, *sources], os.path.join(self.folder("log", target), "merge"))
        if done.code != 0:
            print("%s: corpus not merged: %s" % (target, done.summary()), flush=True)
        elif files_of(least):  # none: only the empty input was there
            shutil.rmtree(corpus)
            os.rename(least, corpus)
        shutil.rmtree(least, ignore_errors=True)

    def prepare(self, target):
        seeds = self.folder("seeds", target)
        fuzzbuild.make_seeds(target, seeds)
        return [seeds] if files_of(seeds) else []

    # ---- findings ----

    def replay(self, target, path):
        return execute([self.program(target), "-timeout=%d" % REPLAY_S, "-rss_limit_mb=%d" % RSS_MB, "-malloc_limit_mb=%d" % MALLOC_MB,
                        "-artifact_prefix=" + os.devnull, path])

    def is_finding(self, target, path):
        """Does the input fail still, or take more processor time than it may?"""
        done = self.replay(target, path)
        pieces = max(1, -(-os.path.getsize(path) // fuzzbuild.MAX_BYTES))
        start = self.cost_of_start(target)
        return done.code != 0 or done.cpu - start > pieces * SECONDS_A_PIECE, done

    def cost_of_start(self, target):
        empty = os.path.join(self.work, "empty")
        if not os.path.exists(empty):
            with open(empty, "wb"):
                pass
        return self.replay(target, empty).cpu

    def sift(self, target):
        """Drop what no longer fails; say what does."""
        n = 0
        for path in files_of(self.folder("findings", target)):
            fails, done = self.is_finding(target, path)
            if fails:
                n += 1
                self.tell(target, path, done)
                continue
            os.replace(path, os.path.join(self.folder("passed", target), os.path.basename(path)))
        return n

    def tell(self, target, path, done):
        print("\n%s: %s (%.1f s of processor time)" % (target, done.summary(), done.cpu))
        print("  input    %s (%d bytes)" % (path, os.path.getsize(path)))
        print("  again    %s %s" % (self.program(target), path))
        print("  smaller  fuzz/run minimise %s %s --work %s" % (target, path, self.work))
        print("  keep     cp %s fuzz/regress/%s/WHAT-IT-SHOWS" % (path, target))
        print("           then mend the cause; ctest -R '^fuzz.%s$' replays it from then on" % target, flush=True)

    def minimise(self, target, path):
        out = os.path.join(self.folder("smaller", target), os.path.basename(path))
        execute([self.program(target), "-minimize_crash=1", "-max_total_time=%d" % self.seconds, "-exact_artifact_path=" + out, path],
                os.path.join(self.folder("log", target), "minimise"))
        if not os.path.exists(out):
            print("no smaller input fails within %d s" % self.seconds)
            return 1
        print("%s (%d bytes, was %d)" % (out, os.path.getsize(out), os.path.getsize(path)))
        return 0

    # ---- runs ----

    def fuzz(self, target, seeds):
        """One run, or by the clock of the processor as many as make up the seconds."""
        done = self.fuzz_once(target, seeds, self.seconds)
        while self.by_processor and done.code == 0 and done.cpu < self.seconds - 1:
            more = self.fuzz_once(target, seeds, self.seconds - done.cpu)
            done.cpu, done.text, done.code = done.cpu + more.cpu, done.text + more.text, more.code
        return done

    def fuzz_once(self, target, seeds, seconds):
        command = [self.program(target), "-max_total_time=%d" % max(1, seconds), "-max_len=%d" % fuzzbuild.MAX_BYTES, "-rss_limit_mb=%d" % RSS_MB,
                   "-malloc_limit_mb=%d" % MALLOC_MB, "-timeout=%d" % HANG_S, "-report_slow_units=%d" % SLOW_S, "-print_final_stats=1",
                   "-artifact_prefix=" + self.folder("findings", target) + os.sep]
        dictionary = fuzzdict.make(target, os.path.join(self.work, "dict"))
        if dictionary:
            command.append("-dict=" + dictionary)
        return execute(command + [self.folder("corpus", target)] + seeds, os.path.join(self.folder("log", target), "fuzz"))

    def one(self, target):
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        seeds = self.prepare(target)
        if self.merges and seeds:
            self.merge(target, *seeds)
            seeds = []
        done = self.fuzz(target, seeds)
        if self.merges:
            self.merge(target)
        return self.finish(target, started, done, (done.sum(r"stat::number_of_executed_units: (\d+)"), done.last(r" cov: (\d+)"), done.last(r" ft: (\d+)")))

    def finish(self, target, started, done, reached):
        """The line of record of a run; reached: inputs, edges, features."""
        findings = self.sift(target)
        if findings == 0 and (done.code != 0 or reached[0] == 0):
            print("%s: %s; log in %s" % (target, done.summary(), self.folder("log", target)), flush=True)
            findings = 1
        row = (started, target, fuzzbuild.commit(), self.engine, "%.0f" % done.cpu, reached[0], len(files_of(self.folder("corpus", target))), reached[1],
               reached[2], findings)
        print("%-18s %5.0f CPU s %9d inputs %6d corpus %6d edges %7d features %d findings"
              % (target, done.cpu, row[5], row[6], row[7], row[8], findings), flush=True)
        return row

    def note(self, row):
        path = os.path.join(self.work, "record.tsv")
        is_new = not os.path.exists(path)
        with open(path, "a", encoding="ascii") as f:
            if is_new:
                f.write("\t".join(COLUMNS) + "\n")
            f.write("\t".join(str(v) for v in row) + "\n")

    def run(self, names, jobs):
        findings = 0
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(self.one, name) for name in names]):
                self.note(done.result())
                findings += done.result()[-1]
        print("\n%d targets, %d findings; record: %s" % (len(names), findings, os.path.join(self.work, "record.tsv")))
        return 1 if findings else 0
