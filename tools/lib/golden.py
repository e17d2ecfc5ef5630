"""Builds a fixture, runs icefsck on it and turns the report into the text of `expect`; see fixtures/README.md."""

import json
import os
import signal
import sys

import fixture
import run_server

NOW = "2026-01-01T00:00:00Z"
SKIPPED = 77
TIMEOUT = 60 * int(os.environ.get("ICEFSCK_TEST_PATIENCE", "1"))  # seconds; more of them for a slow build
LEVELS = {"info": 0, "warn": 1, "error": 2}
UNSET = ("ICEFSCK_OPTS", "SOURCE_DATE_EPOCH", "GITHUB_STEP_SUMMARY")


class GoldenError(Exception):
    pass


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return None


def needs(folder):
    """Why the fixture cannot run here, or None. A file `needs` holds words: user = not as root. See lacks, too."""
    words = (read(os.path.join(folder, "needs")) or "").split()
    if "user" in words and os.geteuid() == 0:
        return "needs an ordinary user"
    return None


def lacks(folder, binary, work):
    """Which word of `needs` the build has no library for, or None: bzip2, xz, sqlite, avro-c, as `icefsck version` names them."""
    words = [w for w in (read(os.path.join(folder, "needs")) or "").split() if w != "user"]
    there = spawn([binary, "version"], work)[1].split() if words else ()
    return next(("needs %s, which this build leaves out" % w for w in words if w not in there), None)


def is_conf(folder):
    """A fixture of configuration: the files of one setup stand in setup/."""
    return os.path.isdir(os.path.join(folder, "setup"))


def conf_command(binary, folder):
    """lint-conf of all files of the setup, in the order of their names; the words of `options` behind."""
    import shlex

    words = shlex.split(read(os.path.join(folder, "options")) or "")
    files = sorted(os.listdir(os.path.join(folder, "setup")))
    return [binary, "lint-conf", "-f", "ndjson", "-S", "info", *words, *files]


def command_line(binary, folder, table):
    text = read(os.path.join(folder, "options"))
    words = []
    if text and text.strip():
        import shlex

        words = [w.replace("{fixture}", os.path.abspath(folder)) for w in shlex.split(text)]
    command = "check"
    if words and words[0][0] not in "-{":
        command = words.pop(0)
    out = [binary, command]
    if not any("{table}" in w for w in words):
        out.append("table")
    out += ["-f", "ndjson"]
    if command == "check":
        out += ["-S", "info"]
    if not any(w == "--now" or w.startswith("--now=") for w in words):
        out += ["--now", table.uri.get("now", NOW)]
    return out + [w.replace("{table}", "table") for w in words]


def as_word(code):
    return str(code) if code >= 0 else "signal %d" % -code


def text_of(name):
    with open(name, "rb") as f:
        return f.read().decode("utf-8", "backslashreplace")


def wait(child, end):
    """What the function `end` says that waits for the child, which is killed when it takes too long."""

    def too_long(*_):
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(TIMEOUT)
    code = end()
    signal.alarm(0)
    return code


def served(args, data, names, flags):
    """As a child of its own, by a fork of a command that was started before."""
    fds = [os.open("/dev/null", os.O_RDONLY), *(os.open(name, flags, 0o644) for name in names)]
    try:
        child = run_server.Run(args[0], data, fds)
        return wait(child.pid, child.wait), [text_of(name) for name in names]
    finally:
        for fd in fds:
            os.close(fd)


def spawn(args, work):
    """Run args in directory `work`; return (exit word, stdout, stderr). Changes the working directory."""
    env = {k: v for k, v in os.environ.items() if k not in UNSET}
    env.update(LC_ALL="C", TZ="UTC", HOME=work, XDG_CONFIG_HOME=os.path.join(work, "none"), NO_COLOR="1")
    names = [os.path.join(work, n) for n in ("stdout", "stderr")]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    data = run_server.request(args, work, env)
    if data:
        code, texts = served(args, data, names, flags)
        return as_word(code), *texts
    actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)]
    actions += [(os.POSIX_SPAWN_OPEN, i + 1, name, flags, 0o644) for i, name in enumerate(names)]
    os.chdir(work)
    try:
        child = os.posix_spawn(args[0], args, env, file_actions=actions)
    except OSError as e:
        raise GoldenError("%s: %s" % (args[0], e.strerror))

    code = wait(child, lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return as_word(code), *map(text_of, names)


def place(finding, folder):
    file = finding.get("file")
    if not file:
        return ""
    file = file.replace(os.path.abspath(folder), "{fixture}")
    if is_conf(folder):
        return " %s:%d:%d" % (file, finding.get("line") or 0, finding.get("column") or 0)
    if finding.get("pointer"):
        return " %s#%s" % (file, finding["pointer"])
    inside = finding.get("block") is not None or finding.get("record") is not None
    return " %s%s" % (file, "#" if inside else "")


def render(stdout, code, folder, least):
    """The text of `expect`, without its min-severity line."""
    lines, missing = [], []
    for number, line in enumerate(stdout.splitlines()):
        try:
            row = json.loads(line)
        except ValueError as e:
            raise GoldenError("line %d of the report is no JSON: %s: %.200s" % (number + 1, e, line))
        kind = row.get("kind") if isinstance(row, dict) else None
        if kind == "finding" and LEVELS.get(row["severity"], 9) >= LEVELS[least]:
            lines.append("%s %s%s" % (row["severity"], row["rule"], place(row, folder)))
        elif kind == "summary":
            missing += ["not-evaluated %s" % item["what"] for item in row.get("not_evaluated", []) if item.get("asked")]
    return "\n".join(lines + missing + ["exit %s" % code]) + "\n"


def copy_setup(folder, work):
    """The setup's files in a directory of their own, where the reports of the run may stand beside it."""
    import shutil

    there = os.path.join(work, "run")
    if os.path.isdir(there):
        fixture.remove_tree(there)
    shutil.copytree(os.path.join(folder, "setup"), there)
    return there


def prepare(folder, work, binary):
    """Make what a fixture runs on in directory `work`; its command line, and the directory to run it in."""
    if is_conf(folder):
        return conf_command(binary, folder), copy_setup(folder, work)
    table = fixture.build(folder, os.path.join(work, "table"))
    return command_line(binary, folder, table), work


def check(folder, work, binary, bless=False, keep=False):
    """Run one fixture. Returns (status word, text to show): ok, blessed, skipped, failed."""
    folder, work, binary = (os.path.abspath(p) for p in (folder, work, binary))
    reason = needs(folder)
    if reason:
        return "skipped", reason
    os.makedirs(work, exist_ok=True)
    reason = lacks(folder, binary, work)
    if reason:
        return "skipped", reason
    stderr = ""
    try:
        args, there = prepare(folder, work, binary)
        code, stdout, stderr = spawn(args, there)
        path = os.path.join(folder, "expect")
        old = read(path)
        first = (old or "").partition("\n")[0].split()
        least = first[1] if len(first) == 2 and first[0] == "min-severity" and first[1] in LEVELS else "info"
        new = render(stdout, code, folder, least)
    except (GoldenError, fixture.FixtureError) as e:
        return "failed", "%s\n%s" % (e, stderr)
    if least != "info":
        new = "min-severity %s\n%s" % (least, new)
    if bless and old != new:
        with open(path, "w", encoding="utf-8") as f:
            f.write(new)
        return "blessed", difference(old or "", new)
    if old is None:
        return "failed", "no file expect; tools/bless writes one. Got:\n%s%s" % (new, stderr)
    if old != new:
        shown = " ".join(a if " " not in a else '"%s"' % a for a in args)
        return "failed", "%s\ncd %s && %s\n%s" % (difference(old, new), work, shown, stderr)
    if not keep:
        clean(work)
    return "ok", ""


def clean(work):
    os.chdir(os.path.dirname(work))
    fixture.remove_tree(work)


def difference(old, new):
    import difflib

    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "expect", "found", lineterm="")
    return "\n".join(lines)


def find(root):
    """All fixture directories below `root`/fixtures, as (name, directory)."""
    out = []
    for group, depth in (("rules", 2), ("clean", 1), ("broken", 1), ("conf", 2)):
        level = [os.path.join(root, "fixtures", group)]
        for _ in range(depth):
            level = [os.path.join(d, n) for d in level if os.path.isdir(d) for n in sorted(os.listdir(d))]
        for folder in level:
            if os.path.isfile(os.path.join(folder, "edit")) or os.path.isdir(os.path.join(folder, "table")) or is_conf(folder):
                out.append((os.path.relpath(folder, os.path.join(root, "fixtures")), folder))
    return out


def options(args, known, flags=()):
    """A dict of --name VALUE and --flag; the rest of the words under ''."""
    out = {"": []}
    words = list(args)
    while words:
        word = words.pop(0)
        if word in flags:
            out[word] = True
        elif word in known and words:
            out[word] = words.pop(0)
        elif word.startswith("--"):
            print("unknown option or no value: %s" % word, file=sys.stderr)
            sys.exit(4)
        else:
            out[""].append(word)
    return out
