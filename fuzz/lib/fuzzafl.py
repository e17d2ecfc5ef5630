"""Runs targets under AFL++ in persistent mode, from the corpus of libFuzzer's runs and back into it."""

import hashlib
import os
import shutil
import time

import fuzzbuild
import fuzzdict
import fuzzrun

SANITIZERS = {"AFL_USE_ASAN": "1", "AFL_USE_UBSAN": "1"}
HANG_MS = 20000
ENVIRONMENT = {"AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1", "AFL_NO_UI": "1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1", "AFL_IGNORE_PROBLEMS": "1",
               "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1"}


def is_avro(target):
    return "@avro" in fuzzbuild.patterns()[target]


class AflCampaign(fuzzrun.Campaign):
    engine = "AFL++"

    def __init__(self, work, seconds):
        super().__init__(work, seconds, False)
        self.build = os.path.join(self.work, "build-afl")
        self.plain = os.path.join(self.work, "build-mutator")

    def replay(self, target, path):
        return fuzzrun.execute([self.program(target) + "_replay", path])

    def make(self, names, jobs):
        compiling = {**os.environ, **SANITIZERS, "AFL_QUIET": "1"}
        fuzzbuild.configure(self.build, "afl-clang-fast", "-DICE_FUZZ=ON", env=compiling)
        fuzzbuild.compile_all(self.build, ["fuzz_" + n + end for n in names for end in ("", "_replay")], jobs, env=compiling)
        if any(is_avro(n) for n in names):
            fuzzbuild.configure(self.plain, "cc")
            fuzzbuild.compile_all(self.plain, ["afl_mutator"], jobs)

    def stats(self, out):
        path = os.path.join(out, "default", "fuzzer_stats")
        if not os.path.exists(path):
            return {}
        with open(path, encoding="ascii", errors="replace") as f:
            return dict(tuple(part.strip() for part in line.split(":", 1)) for line in f if ":" in line)

    def collect(self, target, out):
        for kind, to in (("queue", "corpus"), ("crashes", "findings"), ("hangs", "findings")):
            for path in fuzzrun.files_of(os.path.join(out, "default", kind)):
                if not os.path.basename(path).startswith("id:") or os.path.getsize(path) > fuzzbuild.MAX_BYTES:
                    continue
                with open(path, "rb") as f:
                    data = f.read()
                before = "" if kind == "queue" else "afl-" + kind + "-"
                place = os.path.join(self.folder(to, target), before + hashlib.sha1(data).hexdigest())
                if not os.path.exists(place):
                    with open(place, "wb") as f:
                        f.write(data)

    def one(self, target):
        started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        seeds = self.folder("corpus", target)
        if not fuzzrun.files_of(seeds):
            fuzzbuild.make_seeds(target, seeds)
        out = self.folder("afl", target)
        shutil.rmtree(out)
        command = ["afl-fuzz", "-V", str(self.seconds), "-m", "none", "-t", "%d" % HANG_MS, "-G", str(fuzzbuild.MAX_BYTES), "-i", seeds, "-o", out]
        dictionary = fuzzdict.make(target, os.path.join(self.work, "dict"))
        if dictionary:
            command += ["-x", dictionary]
        more = dict(ENVIRONMENT)
        if is_avro(target):
            more["AFL_CUSTOM_MUTATOR_LIBRARY"] = os.path.join(self.plain, "fuzz", "libafl_mutator.so")
        done = fuzzrun.execute(command + ["--", self.program(target)], os.path.join(self.folder("log", target), "afl"), **more)
        stats = self.stats(out)
        self.collect(target, out)
        return self.finish(target, started, done, (int(stats.get("execs_done", 0)), int(stats.get("edges_found", 0)), 0))

    def run(self, names, jobs):
        self.make(names, os.cpu_count() or 1)
        return super().run(names, jobs)
