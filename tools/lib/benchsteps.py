"""What tools/bench measures of icefsck itself, table by table."""

import json
import os
import shutil

import benchrun
from benchfigures import MIB
from benchtables import FILES

NO_CONFIG = "--no-config"


class Steps:
    def __init__(self, icefsck, tables, measured, repeat):
        self.icefsck, self.tables, self.measured, self.repeat = icefsck, tables, measured, repeat
        self.options = benchrun.run([icefsck, "help", "check"], keep=True).out.decode()

    def check(self, path, *options, codes=(0,)):
        return benchrun.run([self.icefsck, "check", path, *options, NO_CONFIG], codes)

    def bench(self, path, *options, repeat=None):
        done = benchrun.run([self.icefsck, "bench", path, "--repeat", str(repeat or self.repeat), "-f", "json", NO_CONFIG, *options], keep=True)
        return {row["step"]: row for row in json.loads(done.out)}

    def memory(self, peak):
        # a child's peak is at least what this interpreter held when it forked
        floor = benchrun.run([self.icefsck, "version"]).peak
        return "%s%.1f MiB" % ("" if peak > floor + 256 else "at most ", peak / 1024)

    # ---- in one process

    def inflate_ratio(self, key, path, *options):
        row = self.bench(path, "-j", "1", *options)["check"]
        self.measured.figure(key, benchrun.Spread([row["ratio_least"], row["ratio"], row["ratio_most"]]),
                             "%.3f s CPU, %d entries/s" % (row["cpu_seconds"], row["entries_per_second"]))

    def raw_speed(self, key, path):
        rates = [self.bench(path, "-j", "1", "--snapshot", "main", repeat=1)["check"]["mb_per_second"] for _ in range(self.repeat)]
        self.measured.figure(key, benchrun.Spread(rates))

    def threads(self, key, path):
        if (os.cpu_count() or 1) < 2:
            return
        found = benchrun.pairs(lambda: self.check(path, "-j", "1", "--snapshot", "main"), lambda: self.check(path, "-j", "2", "--snapshot", "main"), self.repeat)
        self.measured.figure(key, benchrun.Spread([one.wall / two.wall for one, two in found]), "%.2f s with two" % min(two.wall for _, two in found))

    def variant(self, name, path):
        """Another format version, codec or mix: no figure of its own."""
        row = self.bench(path, "-j", "1", "--snapshot", "main")["check"]
        self.measured.row(name + ".head", "`check`, current snapshot, one thread", "%.2f × inflate (%.2f to %.2f), %.3f s CPU" %
                          (row["ratio"], row["ratio_least"], row["ratio_most"], row["cpu_seconds"]))

    # ---- whole processes

    def resident(self, key, path):
        done = benchrun.run([self.icefsck, "check", path, "-f", "ndjson", "-j", "1", NO_CONFIG], keep=True)
        read = json.loads(done.out.splitlines()[-1])["read"]
        bound = 16 * MIB + 4 * MIB + 32 * read["entries"] + 128 * read["snapshots"]
        peaks = [self.check(path, "-j", "1").peak for _ in range(self.repeat)]
        self.measured.figure(key, benchrun.Spread([peak * 1024 / bound for peak in peaks]), "%s of %.1f MiB" % (self.memory(max(peaks)), bound / MIB))

    def costs(self, key, what, *args, codes=(0, 1)):
        costs = [benchrun.run([self.icefsck, *args, NO_CONFIG], codes) for _ in range(self.repeat)]
        cpu = benchrun.Spread([cost.cpu for cost in costs])
        self.measured.row(key, what, "%.3f s CPU (%.3f to %.3f), %s" % (cpu.median, cpu.least, cpu.most, self.memory(max(cost.peak for cost in costs))))

    def whole(self, name, path):
        listing = os.path.join(path, "listing.tsv")
        self.costs(name + ".check", "`check`, all snapshots, one thread", "check", path, "-j", "1")
        self.costs(name + ".check-listing", "`check --listing`, one thread", "check", path, "-j", "1", "--listing", listing)
        self.costs(name + ".orphans", "`orphans --listing`", "orphans", path, "--listing", listing)
        self.costs(name + ".diff", "`diff`, first snapshot to the current one", "diff", path, "--from", "first", "--to", "main")
        self.costs(name + ".inspect-files", "`inspect files`, tsv", "inspect", "files", path, "-f", "tsv")

    def orphans(self, name, path):
        listing = os.path.join(path, "listing.tsv")
        # the listing tells of orphans and missing files: exit 1
        found = benchrun.pairs(lambda: self.check(path, "-j", "1"), lambda: self.check(path, "-j", "1", "--listing", listing, codes=(0, 1)), self.repeat)
        self.measured.figure(name + ".orphans", benchrun.Spread([max(0, more.cpu - less.cpu) for less, more in found]))
        self.measured.figure(name + ".orphans.bytes", benchrun.Spread([(more.peak - less.peak) * 1024 / FILES[name] for less, more in found]))

    def cache(self, key, path):
        if "--cache" not in self.options:
            return
        twin, before, after = self.tables.before_and_after_a_commit(path)
        folder, found = twin + ".cache", []
        for _ in range(self.repeat):
            shutil.rmtree(folder, ignore_errors=True)
            before()
            self.check(twin, "-j", "1", "--cache", folder)
            after()
            full = benchrun.run([self.icefsck, "check", twin, "-j", "1", NO_CONFIG], keep=True)
            again = benchrun.run([self.icefsck, "check", twin, "-j", "1", "--cache", folder, NO_CONFIG], keep=True)
            if full.out != again.out:
                raise SystemExit("bench: the check with --cache says something else than the check without")
            found.append((full, again))
        self.measured.figure(key, benchrun.Spread([again.cpu / full.cpu for full, again in found]),
                             "%.3f s CPU, same report byte for byte" % benchrun.Spread([again.cpu for _, again in found]).median)

    def metadata(self, name, path):
        size = os.path.getsize(self.tables.metadata(path))
        costs = [self.check(path, "--depth", "metadata") for _ in range(self.repeat)]
        self.measured.figure(name + ".speed", benchrun.Spread([size / cost.cpu / 1e6 for cost in costs]), "%.1f MB" % (size / 1e6))
        bound = 24 * MIB + 128 * 100000
        self.measured.figure(name + ".resident", benchrun.Spread([cost.peak * 1024 / bound for cost in costs]), self.memory(max(cost.peak for cost in costs)))

    def start(self, key, path):
        costs = [self.check(path) for _ in range(4 * self.repeat)]
        # wall time is that of whoever else runs
        self.measured.figure(key, benchrun.Spread([cost.cpu * 1000 for cost in costs]), "wall time from %.1f ms" % (1000 * min(cost.wall for cost in costs)))

    def huge(self, path):
        """Both in one process, with two threads each; once, for a round takes minutes."""
        for key, options in (("L", ()), ("L.spilled", ("--max-memory", "128M"))):
            steps = self.bench(path, "-j", "2", *options, repeat=1)
            check, inflate = steps["check"], steps["inflate"]
            wall = check["wall_seconds"] / inflate["wall_seconds"]
            self.measured.figure("L.wall" if key == "L" else key, benchrun.Spread([wall]),
                                 "%.0f s / %.0f s; CPU %.2f ×" % (check["wall_seconds"], inflate["wall_seconds"], check["ratio"]))
            self.measured.figure(key + ".resident", benchrun.Spread([check["peak_kib"] / 1024]))
