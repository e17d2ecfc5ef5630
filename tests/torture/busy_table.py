#!/usr/bin/python3 -SEB
"""Checks a table over and over while a writer commits to it and removes what each commit makes needless.

tests/torture/busy_table.py ICEFSCK WORK COMMITS

No run may find an error or end in any other way than: clean, about a state that existed and wholly read (scan.changed as info is
fine), or scan.unsettled with exit bit 2.
"""

import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import busy_writer

OPTIONS = ([], ["--storage", "local"], ["--depth", "list"], ["--only", "storage.*,scan.*"])


def write(root, is_hadoop, log_path, commits):
    """In a child; it ends with a message on stderr if the writer itself fails."""
    with open(log_path, "a", encoding="utf-8") as log:
        writer = busy_writer.BusyWriter(root, is_hadoop, log)
        for _ in range(commits):
            writer.commit()
            if writer.commit_number == 1:
                os.rename(log_path + ".wait", log_path + ".go")
            time.sleep(0.002)


def start_writer(root, is_hadoop, log_path, commits):
    open(log_path + ".wait", "w").close()
    child = os.fork()
    if child == 0:
        try:
            write(root, is_hadoop, log_path, commits)
        except BaseException as e:  # noqa: B902 the child must not run on into the parent's code
            print("writer: %r" % e, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    while not os.path.exists(log_path + ".go"):
        time.sleep(0.001)
    return child


class Run:
    def __init__(self, binary, root, options):
        self.args = [binary, "check", root, "-f", "ndjson", "-S", "info", "--no-config"] + options
        self.options = options
        done = subprocess.run(self.args, capture_output=True, text=True, timeout=60)
        self.code, self.stderr = done.returncode, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.summary = lines[-1] if lines else {}
        self.findings = lines[:-1]
        self.rules = {f["rule"] for f in self.findings}

    def problem(self, states):
        """What may not be, or None."""
        is_unsettled = "scan.unsettled" in self.rules
        # the hint is behind for as long as a commit lasts, whatever else moves
        may_be = ("hint.stale", "scan.unsettled", "source.changed") if is_unsettled else ("hint.stale",)
        bad = [f for f in self.findings if f["severity"] != "info" and f["rule"] not in may_be]
        missed = [n for n in self.summary.get("not_evaluated", []) if n["asked"]]
        # what other metadata files would have told, where they come and go faster than they are read
        is_blocked = "scan.changed" in self.rules and missed and {n["what"] for n in missed} <= {"storage.orphan.*", "history.*"}
        state = states.get(self.summary.get("metadata_file"))
        if self.code != (2 if is_unsettled or is_blocked else 0) or bad:
            found = ["%(severity)s %(rule)s %(file)s: %(message)s" % f for f in bad]
            return "\n  ".join(["exit %d %s" % (self.code, self.stderr)] + found + ["not evaluated: %(what)s %(file)s: %(why)s" % n for n in missed])
        is_unread = is_unsettled and self.summary.get("current_snapshot_id") is None
        if state is None or not (is_unread or self.summary["current_snapshot_id"] == state["snapshot"]):
            return "no state of the table: %s" % self.summary
        read = self.summary["read"]
        wanted = {"manifest_lists": state["lists"]}
        if "list" not in self.options:
            wanted.update(manifests=state["manifests"], entries=state["entries"])
        if not is_unsettled and any(read[k] != v for k, v in wanted.items()):
            return "not the whole state was read: %s of %s" % (read, wanted)
        return None


def states_of(log_path):
    with open(log_path, encoding="utf-8") as f:
        return {state["metadata_file"]: state for state in map(json.loads, f)}


def campaign(binary, work, is_hadoop, commits):
    name = "hadoop" if is_hadoop else "catalog"
    root, log = os.path.join(work, name), os.path.join(work, name + ".log")
    child = start_writer(root, is_hadoop, log, commits)
    runs, is_written = [], False
    while not is_written:
        is_written = os.waitpid(child, os.WNOHANG)[0] == child
        runs.append(Run(binary, root, OPTIONS[len(runs) % len(OPTIONS)]))
    runs += [Run(binary, root, options) for options in OPTIONS]
    states = states_of(log)
    problems = ["%s: %s" % (" ".join(run.args[1:]), p) for run in runs for p in [run.problem(states)] if p]
    changed, unsettled = (sum(rule in run.rules for run in runs) for rule in ("scan.changed", "scan.unsettled"))
    print("%s: %d commits, %d checks, %d of them of a table that moved, %d unsettled" % (name, len(states), len(runs), changed, unsettled))
    if len(states) != commits:
        problems.append("the writer made %d commits of %d" % (len(states), commits))
    if changed == 0:
        problems.append("the table never moved during a check: nothing was tested")
    for run in runs[-len(OPTIONS):]:
        if "scan.changed" in run.rules or "scan.unsettled" in run.rules or run.summary.get("current_snapshot_id") != str(commits):
            problems.append("the table at rest: %s" % run.summary)
    return problems


def main():
    binary, work, commits = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    problems = campaign(binary, work, False, commits) + campaign(binary, work, True, commits)
    for problem in problems[:20]:
        print(problem)
    if not problems:
        shutil.rmtree(work)
    sys.exit(1 if problems else 0)


main()
