#!/usr/bin/python3 -SEB
"""Every call that can fail does, in turn. faults.py ICEFSCK SHIM WORK [--full] [TEST...] [--only SCENARIO,...]

Each scenario is a command on small inputs (fault_runs.py). For each call of each kind that it makes: that call fails, or from it on all
of its kind. The run must end with the report of the undisturbed run, or say that it is not that: exit bit and message. Without
--full every point of the first 120 is tried, and then a sample.
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
EACH, SAMPLE = 120, 40  # points tried one by one, and how many of the rest
ERRORS = {"open": (errno.EACCES, errno.EMFILE, errno.EIO), "read": (errno.EIO,), "stat": (errno.EIO, errno.EACCES), "list": (errno.EIO,), "link": (errno.EIO,),
          "write": (errno.ENOSPC, errno.EIO), "sync": (errno.EIO,), "rename": (errno.EIO, errno.EXDEV), "chmod": (errno.EPERM,), "close": (errno.EIO,),
          "thread": (errno.EAGAIN,), "pipe": (errno.EMFILE,), "fork": (errno.EAGAIN,), "wait": (errno.ECHILD,), "random": (errno.ENOSYS,)}


def points(n):
    if IS_FULL or n <= EACH:
        return range(1, n + 1)
    return sorted(set(range(1, EACH + 1)) | set(range(EACH + 1, n + 1, max(1, (n - EACH) // SAMPLE))) | {n})


def campaigns(t):
    fault_runs.make_inputs(t)
    problems = 0
    for name in ONLY:
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


def test_calls(t):
    runs = {}
    for c in campaigns(t):
        for call, errors in ERRORS.items():
            for nth in points(c.good.n[call]):
                for error in errors if IS_FULL or nth <= EACH else errors[:1]:
                    for sticky in (False, True):
                        plan = dict(call=call, nth=nth, sticky=sticky, error=error)
                        c.judge(c.run(**plan), plan, (8, 4, 2))
                        runs[call] = runs.get(call, 0) + 1
    report("runs in which a call failed", runs)
    t.true(all(runs.get(call, 0) > 0 for call in ERRORS if call != "thread"), "not all kinds of calls were made: %s" % runs)


harness.main(dict(globals()))
