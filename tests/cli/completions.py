#!/usr/bin/python3 -SEB
"""Completions in the shells themselves: bash, zsh and fish. completions.py ICEFSCK WORK [TEST...]

A shell that is not there fails its test: install it with tools/install-packages test.
"""

import os
import pty
import select
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

# the line so far, what is offered among other things, what is not
CASES = [
    ("icefsck ch", ["check"], ["batch"]),
    ("icefsck li", ["lint-conf"], ["check"]),
    ("icefsck some", ["somewhere"], ["check"]),
    ("icefsck check some", ["somewhere"], ["snapshots"]),
    ("icefsck check somewhere/ta", ["somewhere/table"], []),
    ("icefsck check --f", ["--format", "--fail-on", "--files-from"], ["--older-than", "--from"]),
    ("icefsck check somewhere --max-a", ["--max-age"], ["--max-file"]),
    ("icefsck orphans --ol", ["--older-than"], []),
    ("icefsck --min", ["--min-severity"], []),
    ("icefsck check --format s", ["sarif", "short"], ["table", "json"]),
    ("icefsck check -f nd", ["ndjson"], ["json"]),
    ("icefsck rules -f t", ["table", "tsv"], ["short"]),
    ("icefsck check --fail-on ", ["error", "warn", "info", "never"], ["somewhere"]),
    ("icefsck lint-conf --platform da", ["databricks"], []),
    ("icefsck check --listing some", ["somewhere"], []),
    ("icefsck explain avro.trunc", ["avro.truncated"], ["avro.length"]),
    ("icefsck rules hint.", ["hint.stale", "hint.dangling"], ["avro.truncated"]),
    ("icefsck check --only hint.st", ["hint.stale"], []),
    ("icefsck check --severity hint.st", ["hint.stale="], []),
    ("icefsck inspect snap", ["snapshots"], ["somewhere"]),
    ("icefsck inspect snapshots some", ["somewhere"], ["snapshots"]),
    ("icefsck help poi", ["pointers"], []),
    ("icefsck help --completion ", ["bash", "zsh", "fish"], []),
]


def start(t, shell):
    """Files to be offered, the script, and what the shells run with."""
    for name in ("somewhere/table/x", "bin/.keep"):
        t.write(name, "")
    os.symlink(t.binary, os.path.join(t.work, "bin", "icefsck"))
    script = t.write({"zsh": "scripts/_icefsck"}.get(shell, "scripts/icefsck." + shell), t.run("help", "--completion", shell, code=0).stdout)
    env = t.environment(PATH=os.path.join(t.work, "bin") + ":" + os.environ["PATH"], TERM="dumb", HOME=t.work)
    return script, env


def judge(t, line, offered, wanted, unwanted):
    offered = [word.strip().rstrip("/") for word in offered]
    for word in wanted:
        t.true(word in offered, "%r offers no %s but %s" % (line, word, offered))
    for word in unwanted:
        t.true(word not in offered, "%r offers %s: %s" % (line, word, offered))


def test_bash(t):
    script, env = start(t, "bash")
    for line, wanted, unwanted in CASES:
        words = line.split(" ")
        text = 'set -u; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _icefsck icefsck; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "--norc", "-c", text, "bash", script, *words], cwd=t.work, env=env, capture_output=True, text=True, timeout=30)
        t.equal(done.stderr, "", line)
        judge(t, line, done.stdout.splitlines(), wanted, unwanted)
    # readline hands --format=js over as three words
    for words in (["icefsck", "check", "--format", "=", "js"], ["icefsck", "check", "--fail-on", "="]):
        done = subprocess.run(["bash", "--norc", "-c", text, "bash", script, *words], cwd=t.work, env=env, capture_output=True, text=True, timeout=30)
        t.has(done.stdout, "json" if "js" in words else "never")
    done = subprocess.run(["bash", "--norc", "-c", text, "bash", script, "icefsck", "check", "--only", "avro.length,hint.st"], cwd=t.work, env=env, capture_output=True, text=True, timeout=30)
    t.equal(done.stdout.split(), ["avro.length,hint.stale"])


def typed(command, env, cwd, setup, line, wanted):
    """What a terminal shows when the line is typed and tab is pressed, until wanted is there."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execvpe(command[0], command, env)
    shown = b""
    try:
        os.write(fd, setup.encode() + b"\n")
        end = time.monotonic() + 30
        is_typed = False
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.2)[0]:
                shown += os.read(fd, 65536)
            if not is_typed and b"READY" in shown.replace(b"RE\"ADY", b""):
                shown, is_typed = b"", True
                os.write(fd, line.encode() + b"\t")
            if is_typed and wanted.encode() in shown:
                return True
        return False
    finally:
        os.close(fd)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def test_bash_at_a_terminal(t):
    script, env = start(t, "bash")
    for line, wanted in (("icefsck check --form", "--format "), ("icefsck check --format=nd", "--format=ndjson"), ("icefsck che", "check "), ("icefsck check somewh", "somewhere/")):
        t.true(typed(["bash", "--norc", "-i"], env, t.work, 'source %s; echo RE"ADY"' % script, line, wanted), "%r and tab do not give %r" % (line, wanted))


def test_fish(t):
    script, env = start(t, "fish")
    for line, wanted, unwanted in CASES:
        done = subprocess.run(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line], cwd=t.work, env=env, capture_output=True, text=True, timeout=30)
        t.equal(done.stderr, "", line)
        judge(t, line, [word.split("\t")[0] for word in done.stdout.splitlines()], wanted, unwanted)
    done = subprocess.run(["fish", "--no-config", "-c", "source $argv[1]; complete -C 'icefsck check --format=js'; complete -C 'icefsck check --only avro.length,hint.st'", script], cwd=t.work, env=env, capture_output=True, text=True, timeout=30)
    t.has(done.stdout, "--format=json\t")
    t.has(done.stdout, "avro.length,hint.stale\t")


# compadd tells what it was given and matches, one a line
ZSH = r"""
fpath=(%s $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a hits
    if [[ "$*" == *(-O|-A|-D)* ]]; then builtin compadd "$@"; return; fi
    local suffix=
    local -i at=${@[(i)-S]}
    (( at <= $# )) && suffix=${@[at+1]}
    builtin compadd -O hits "$@"
    local hit
    for hit in $hits; do print -r -- "HIT $hit$suffix END" >> $RESULT; done
    builtin compadd "$@"
}
tell() { zle complete-word; print END >> $RESULT }
zle -N tell
bindkey '^I' tell
unsetopt BEEP LIST_BEEP
LISTMAX=100000
echo RE"ADY"
"""


def test_zsh(t):
    script, env = start(t, "zsh")
    t.write("setup", ZSH % os.path.dirname(script))
    result = os.path.join(t.work, "result")
    more = [("icefsck check --format=js", ["json"], ["short"]), ("icefsck check --only avro.length,hint.st", ["hint.stale"], [])]
    for line, wanted, unwanted in CASES + more:
        open(result, "w").close()
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(t.work)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**env, "TERM": "vt100", "RESULT": result})
        try:
            os.write(fd, b"source ./setup\n")
            end, shown, is_typed = time.monotonic() + 30, b"", False
            while time.monotonic() < end and "\nEND\n" not in "\n" + t.read("result"):
                if select.select([fd], [], [], 0.1)[0]:
                    shown += os.read(fd, 65536)
                if not is_typed and b"READY" in shown:
                    is_typed = True
                    os.write(fd, line.encode() + b"\t")
            offered = [text[4:-4].rstrip(",") for text in t.read("result").splitlines() if text.startswith("HIT ")]
        finally:
            os.close(fd)
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        # zsh adds what stands before the last slash by itself
        judge(t, line, offered + ["somewhere/" + word for word in offered if "/" in line], wanted, unwanted)


if __name__ == "__main__":
    harness.main(globals())
