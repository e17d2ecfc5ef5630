#!/usr/bin/python3 -SEB
"""Every call that can fail does, in turn. faults.py ICEFSCK SHIM WORK [--full] [TEST...] [--only SCENARIO,...]

Each scenario is a command on small inputs (fault_runs.py). For each call of each kind that it makes: that call fails, or from it on all
of its kind. The run must end with the report of the undisturbed run, or say that it is not that: exit bit and message. Without
--full every point of the first 40 (with sanitizers 2) is tried, and then a sample; of the ways to fail each at the first points only.
"""

import errno
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fault_runs
import harness

IS_FULL = "--full" in sys.argv
ONLY = sys.argv.pop(sys.argv.index("--only") + 1).split(",") if "--only" in sys.argv else list(fault_runs.SCENARIOS)
sys.argv = [a for a in sys.argv if a not in ("--full", "--only")]
SHIM = os.path.abspath(sys.argv.pop(2))
# Points tried one by one, and how many of the rest; a sanitizer makes a process of its own slow to begin.
IS_SANITIZED = bool(os.environ.get("ICEFSCK_SANITIZED"))
EACH, SAMPLE, ALL_WAYS = (2, 2, 0) if IS_SANITIZED else (40, 15, 5)
ERRORS = {"open": (errno.EACCES, errno.EMFILE, errno.EIO), "read": (errno.EIO,), "stat": (errno.EIO, errno.EACCES), "list": (errno.EIO,), "link": (errno.EIO,),
          "write": (errno.ENOSPC, errno.EIO), "sync": (errno.EIO,), "rename": (errno.EIO, errno.EXDEV), "chmod": (errno.EPERM,), "close": (errno.EIO,),
          "thread": (errno.EAGAIN,), "pipe": (errno.EMFILE,), "fork": (errno.EAGAIN,), "wait": (errno.ENOMEM,), "random": (errno.ENOSYS,)}


def points(n):
    if IS_FULL or n <= EACH:
        return range(1, n + 1)
    return sorted(set(range(1, EACH + 1)) | set(range(EACH + 1, n + 1, max(1, (n - EACH) // SAMPLE))) | {n})


def campaigns(t):
    fault_runs.make_inputs(t)
    problems = 0
    has_avro_c = '"avro-c"' in t.run("version", "-f", "json").stdout
    for name in ONLY:
        if "--second-opinion" in fault_runs.SCENARIOS[name].args and not has_avro_c:
            print("not run: %s, this build has no Avro C" % name)
            continue
        campaign = fault_runs.Campaign(t, SHIM, name)
        try:
            yield campaign
        finally:
            campaign.close()
        problems += campaign.problems
    t.equal(problems, 0, "runs that ended in another way than they may")


def report(what, n):
    print("%s: %s" % (what, ", ".join("%s %d" % pair for pair in n.items())))


def test_allocations(t):
    runs = {}
    for c in campaigns(t):
        total = c.good.n["alloc"]
        for nth in points(total):
            for sticky in (False, True):
                plan = dict(call="alloc", nth=nth, sticky=sticky, error=errno.ENOMEM)
                result = c.run(**plan)
                c.judge(result, plan, (8, 2) if c.name.startswith("batch") else (8,))
                if result.code & 8 and b"out of memory" not in result.err:
                    c.complain("the message does not say why", result, plan)
                runs[c.name] = runs.get(c.name, 0) + 1
    report("runs in which an allocation failed", runs)


def test_interrupted_calls(t):
    """Every call ends early by a signal, once; and every read and write moves only some bytes."""
    for c in campaigns(t):
        for plan in (dict(restarted=True), dict(most=7), dict(most=1, restarted=True)):
            result = c.run(**plan)
            c.judge(result, plan, ())
            if not c.is_same(result):
                c.complain("another report", result, plan)


def test_offsets(t):
    """Reading a file fails at an offset: the report says so with the offset, and what other files give is the same."""
    fault_runs.make_inputs(t)
    c = fault_runs.Campaign(t, SHIM, "check-ndjson")
    where = os.path.join(t.work, "orders", "metadata")
    for file in ("v3.metadata.json", "snap-3.avro", "m2.avro", "d1.avro", "version-hint.text"):
        size = os.path.getsize(os.path.join(where, file))
        for at in range(0, size, 1 if IS_FULL else max(1, size // 23)):
            plan = dict(at=at, file="/" + file if at % 2 else file)
            result = c.run(**plan)
            lines = t.lines(result.out.decode())
            told = [f for f in lines if f.get("rule") == "source.unreadable" and f["file"].endswith(file)]
            c.judge(result, plan, (2,))
            if result.hits == 0 or c.is_same(result) and file != "v3.metadata.json":
                continue  # behind what is read of it
            if not told or not result.code & 2 or lines[-1]["complete"]:
                c.complain("the fault is not told", result, plan)
            elif told[0]["offset"] is None or told[0]["offset"] > at:
                c.complain("told at offset %s" % told[0]["offset"], result, plan)
            if file == "m2.avro" and lines[-1]["read"]["manifests"] < 3:
                c.complain("other files were not read", result, plan)
    c.close()
    t.equal(c.problems, 0)


def test_signals(t):
    """SIGINT at every call of a check: once, a report as far as it came; twice, the end."""
    fault_runs.make_inputs(t)
    for name in ("check-ndjson", "check-files", "batch", "lint-conf", "inspect-file", "rescue"):
        c = fault_runs.Campaign(t, SHIM, name)
        n = c.good.n["system"]
        for nth in range(1, n + 1, 1 if IS_FULL else max(1, n // 40)):
            for signals in (1, 2):
                plan = dict(call="system", nth=nth, signals=signals)
                result = c.run(**plan)
                if result.code not in ((130,) if signals == 2 else (130, c.good.code)):
                    c.complain("exit %d" % result.code, result, plan)
                if sorted(os.listdir(t.work)) != c.names:
                    c.complain("left behind", result, plan)
                if signals == 1 and name == "check-ndjson":
                    summary = t.lines(result.out.decode())[-1]
                    if summary["kind"] != "summary" or summary["complete"] and not c.is_whole(result.out) and result.out != c.good.out:
                        c.complain("no summary, or one that says it is whole", result, plan)
                for got, whole in zip(c.files(), c.good_files):
                    if signals == 2 and got not in ("old", whole):
                        c.complain("half a report: %r" % got[-80:], result, plan)
        c.close()
        t.equal(c.problems, 0, name)


def test_calls(t):
    runs = {}
    for c in campaigns(t):
        for call, errors in ERRORS.items():
            for nth in points(c.good.n[call]):
                # one way to fail at each point, by turns, but at the first few: what differs is the message, not the way out
                ways = [(error, sticky) for error in errors for sticky in (False, True)]
                for error, sticky in ways if IS_FULL or nth <= ALL_WAYS else [ways[nth % len(ways)]]:
                    plan = dict(call=call, nth=nth, sticky=sticky, error=error)
                    c.judge(c.run(**plan), plan, (8, 4, 2))
                    runs[call] = runs.get(call, 0) + 1
    report("runs in which a call failed", runs)
    is_all = len(ONLY) == len(fault_runs.SCENARIOS)
    t.true(not is_all or all(runs.get(call, 0) > 0 for call in ERRORS if call != "thread"), "not all kinds of calls were made: %s" % runs)


harness.main(dict(globals()))
