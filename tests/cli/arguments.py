#!/usr/bin/python3 -SEB
"""Options, words, configuration and their errors. arguments.py ICEFSCK WORK [TEST...]"""

import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def summary(t, *args, **more):
    return t.lines(t.check(*args, "-f", "ndjson", **more).stdout)[-1]


def test_forms_of_options(t):
    t.table()
    first = t.check("table", "-j", "1", "-f", "ndjson", code=0).stdout
    for args in (["-j1", "-fndjson"], ["--jobs=1", "--format=ndjson"], ["--jobs", "1", "--format", "ndjson"], ["-rj1", "-f", "ndjson"]):
        t.equal(t.check("table", *args, code=0).stdout.replace("orders", "table") if "-rj1" in args else t.check("table", *args, code=0).stdout,
                first.replace("orders", "table") if "-rj1" in args else first, str(args))
    t.equal(t.run("table", "-f", "ndjson", "--now", harness.NOW, code=0).stdout, first, "icefsck PATH")
    t.equal(t.run("check", "-f", "ndjson", "--now", harness.NOW, "--", "table", code=0).stdout, first, "--")


def test_usage_errors(t):
    t.table()
    t.usage(has=["--help"])
    t.usage("check", has=["PATH"])
    t.usage("check", "table", "--formt", "json", has=["--formt", "--format"])
    t.usage("check", "table", "-x", has=["-x"])
    t.usage("check", "table", "--qu", has=["--qu"])
    t.usage("check", "table", "--quiet=1", has=["takes no value"])
    t.usage("check", "table", "-f", has=["needs a value"])
    t.usage("check", "table", "--format", has=["needs a value"])
    t.usage("check", "table", "-f", "xml", has=["xml", "ndjson"])
    t.usage("check", "table", "-f", "tsv", has=["tsv", "human"])
    t.usage("check", "table", "-o", "arrow:x", has=["arrow", "human"])
    t.usage("check", "table", "-o", "json:-", has=["file"])
    t.usage("check", "table", "--baseline", "no-file", has=["No such file"])
    t.usage("check", "table", "--cache", "table/d", has=["inside a table"])
    t.usage("check", "table", "--cache", "no/d", has=["does not exist"])
    t.usage("batch", "table", "--cache", "c", "--isolate", has=["--cache needs one process"])
    t.usage("check", "table", "--depth", "deep", has=["metadata, list, manifest, puffin"])
    t.usage("check", "table", "--severity", "hint.stal=off", has=["hint.stale"])
    t.usage("check", "table", "--severity", "hint.stale=fatal", has=["error, warn, info"])
    t.usage("check", "table", "--only", "nothing.at.all", has=["nothing.at.all"])
    t.usage("check", "table", "--fail-on", "off", has=["never"])
    t.usage("check", "table", "-S", "fatal", has=["error, warn, info"])
    t.usage("check", "table", "--now", "yesterday", has=["2026-03-01T09:00:00Z"])
    t.usage("check", "table", "--now", "2026-13-01", has=["2026-13-01"])
    t.usage("check", "table", "-j", "many", has=["many"])
    t.usage("check", "table", "-j", "-1", has=["-1"])
    t.usage("check", "table", "--max-memory", "0", has=["64M"])
    t.usage("check", "table", "--max-file", "99999999999999999999", has=["64M"])
    t.usage("check", "table", "--max-depth", "0", has=["1 to"])
    t.usage("check", "table", "--map", "nonsense", has=["FROM=TO"])
    t.usage("check", "table", "--color", "red", has=["always"])
    t.usage("check", "table", "--profile", "p", has=["strict"])
    t.usage("rules", "--only", "x", has=["does not belong"])
    t.usage("check", "table", env={"SOURCE_DATE_EPOCH": "soon"}, has=["SOURCE_DATE_EPOCH"])
    t.usage("check", "table", "--files-from", "nosuch", has=["nosuch"])


def test_words_that_are_no_command(t):
    t.usage("chek", has=["chek", "check"])
    t.usage("lint-conf", has=["of which files"])
    t.usage("lint-conf", "-", "-", has=["once"])
    t.usage("lint-conf", "x", "--platform", "moon", has=["databricks"])
    t.usage("lint-conf", "x", "--iam-profile", "all", has=["glue-read"])
    t.usage("help", "nosuch", has=["nosuch"])
    t.usage("inspect", "snapshots", has=["PATH"])
    t.usage("inspect", "snapshot", "x", has=["snapshots"])
    t.usage("inspect", has=["PATH"])
    t.usage("dump", has=["FILE"])
    t.usage("dump", "a", "b", has=["FILE"])
    t.usage("explain", has=["rule"])


def test_time_forms(t):
    t.table()
    first = t.check("table", "-S", "info", "-f", "ndjson").stdout
    for form in ("2026-01-01", "2026-01-01T00:00", "2026-01-01 01:00:00+01:00", "2025-12-31T23:30:00.000-0030"):
        t.equal(t.run("check", "table", "-S", "info", "-f", "ndjson", "--now", form, code=0).stdout, first, form)


def test_values(t):
    """Values that are none of their kind are refused, each with the form that is meant; those that are, are taken."""
    t.table()
    wrong = {
        "--now": ("2026-03-01T09:00:00Z", (
            "0000-01-01", "2026-00-01", "2026-13-01", "2026-02-30", "2026-01-00", "26-01-01", "2026/01/01", "2026-1-01", "2026-01 01",
            "2026-01-1", "2026-01-01T9:00", "2026-01-01T09-00", "2026-01-01T09:0", "2026-01-01T24:00", "2026-01-01T09:60",
            "2026-01-01T09:00:6", "2026-01-01T09:00:61", "2026-01-01T09:00:00.", "2026-01-01T09:00+1", "2026-01-01T09:00+19:00",
            "2026-01-01T09:00+01:60", "2026-01-01T09:00+01:", "2026-01-01T09:00ZZ", "2026-01-01x", "2026-01-01T09:00?")),
        "--listing-tz": ("+02:00", ("", "CET", "02:00", "+2", "+02", "+02:6", "+02:60", "+19:00", "+02:00x", "UTC0")),
        "--max-file": ("64M", ("", "M", "0", "0K", "64 ", "64 K", "64X", "64MM", "64Kx", "64BB", "18446744073709551616", "184467440737095516150",
                               "18014398509481984K", "99999999T")),
        "--max-age": ("90s, 15m", ("", "d", "3", "3w", "3dd", "1000000001s")),
        "--max-depth": ("1 to", ("", "x", "0", "100001", "7x")),
        "--max-findings": ("number", ("", "-1", "18446744073709551615", "1x")),
        "-j": ("0 to 1024", ("", "1025", "2x")),
        "--map": ("FROM=TO", ("", "x", "=x", "x=")),
        "-o": ("file", ("", "json:", "-")),
        "--pointer": ("FILE", ("",)),
        "--severity": ("error, warn, info", ("hint.stale", "hint.stale=")),
        "--storage": ("local", ("", "s3")),
    }
    for option, (form, values) in wrong.items():
        for value in values:
            t.usage("check", "table", option, value, has=[form])
    for value in ("1", "/", "x/2", "1/x", "2/2", "3/2", "0/0"):
        t.usage("batch", "table", "--shard", value, has=["I/N"])
    for value in ("", "x", "0", "1001"):
        t.usage("bench", "table", "--repeat", value, has=["1 to 1000"])
    first = t.check("table", "-f", "ndjson", code=0).stdout
    right = {"--max-file": ("1000000", "1000000B", "64k", "64K", "64KB", "64KiB", "64Ki", "1M", "1G", "1T"), "--max-age": ("900000000s", "9000000m", "900000h", "90000d"),
             "--max-findings": ("0", "5", "2000", "200000"), "--listing-tz": ("Z", "UTC", "+02:00", "-0730"),
             "--max-depth": ("1000", "100000"), "--now": ("2026-01-01T00:00:00.123456Z",)}
    for option, values in right.items():
        for value in values:
            t.equal(t.check("table", option, value, "-f", "ndjson", code=0).stdout, first, "%s %s" % (option, value))


def test_severities(t):
    t.table("damaged")
    rules = {line["rule"]: line["severity"] for line in t.lines(t.check("table", "-f", "ndjson").stdout)[:-1]}
    t.equal(rules.get("avro.truncated"), "error")
    done = t.lines(t.check("table", "-f", "ndjson", "--severity", "avro.*=off", "--severity", "*.truncated=info", "-S", "info").stdout)
    t.equal([line["severity"] for line in done if line.get("rule") == "avro.truncated"], ["info"], "the last match wins")
    only = {line["rule"] for line in t.lines(t.check("table", "-f", "ndjson", "--only", "avro.*,hint.stale").stdout)[:-1]}
    t.equal(only, {"avro.truncated"})
    t.equal(t.check("table", "--only", "avro.truncated", "--severity", "avro.truncated=off").returncode, 2)
    t.equal(t.check("table", "--fail-on", "never").returncode, 2)
    t.equal(t.check("table", "-S", "error", "-f", "short").stdout.count(" warn: "), 0)


def test_undecided(t):
    t.table()
    done = t.check("table", "-f", "ndjson", "--only", "v4.metrics-maps", code=2)
    missed = t.lines(done.stdout)[-1]["not_evaluated"]
    t.true(("v4.metrics-maps", True) in {(m["what"], m["asked"]) for m in missed}, missed)
    t.equal(t.check("table", "--only", "v4.*").returncode, 0)
    t.true("status      not-decidable" in t.run("explain", "v4.metrics-maps", code=0).stdout, "no status")


def test_fail_on(t):
    t.table()
    metadata = t.read("table/metadata/v3.metadata.json")
    t.write("table/metadata/v3.metadata.json", metadata.replace("{", '{"x-foo": 1,', 1))
    for level, code in (("error", 0), ("warn", 0), ("info", 1), ("never", 0)):
        t.check("table", "--fail-on", level, code=code)


def test_configuration(t):
    t.table("damaged")
    t.write(".icefsck", "# comment\n\nformat short\n--min-severity=error\nfail-on = never\n")
    t.has(t.check("table", code=2).stdout, ": error: ")
    t.lacks(t.check("table", "--no-config", code=3).stdout, ": error: ")
    t.check("table", "--fail-on", "error", code=3)
    t.check("table", env={"ICEFSCK_OPTS": "--fail-on error"}, code=3)
    t.check("table", "--fail-on", "never", env={"ICEFSCK_OPTS": "--fail-on error"}, code=2)
    t.run("rules", "hint.stale", "-f", "tsv", code=0)
    t.write("mine", "fail-on never\n")
    t.check("table", "--config", "mine", code=2)
    t.write(".icefsck", "fail-no never\n")
    done = t.run("check", "table", code=4)
    t.has(done.stderr, "did you mean --fail-on")
    t.has(done.stderr, "icefsck: ./.icefsck:1: ")
    os.remove(os.path.join(t.work, ".icefsck"))
    t.write("home/icefsck/config", "fail-on never\n")
    t.check("table", env={"XDG_CONFIG_HOME": os.path.join(t.work, "home")}, code=2)
    t.usage("check", "table", "--config", "nosuch", has=["nosuch"])
    t.usage("check", "table", env={"ICEFSCK_OPTS": "-q"}, has=["ICEFSCK_OPTS"])


def test_places_of_bad_values(t):
    """Who did not write the option on the command line is told where it stands; of an argument there is nothing to tell."""
    t.table()
    for text, line, said in (("quiet\nfail-on nope\n", 2, "'nope' is no level"), ("severity x.y=warn\n", 1, "'x.y'"), ("\n\nformat tsv\n", 3, "no format tsv"),
                             ("\noutput tsv:a\n", 2, "no format tsv"), ("no-config\n", 1, "no place in a configuration")):
        t.write("mine", text)
        t.usage("check", "table", "--config", "mine", has=[said, "icefsck: mine:%d: " % line])
    for text, said in (("--fail-on nope", "'nope' is no level"), ("--format tsv", "no format tsv"), ("--nosuch", "unknown option")):
        t.usage("check", "table", env={"ICEFSCK_OPTS": text}, has=[said, "icefsck: ICEFSCK_OPTS: "])
        t.lacks(t.run("check", "table", *text.split(), code=4).stderr, "ICEFSCK_OPTS")
    t.write("mine", "format tsv\n")
    t.lacks(t.run("check", "table", "--config", "mine", "-f", "human", "--fail-on", "nope", code=4).stderr, "mine")
    t.run("check", "table", "--config", "mine", "-f", "human", "--now", harness.NOW, code=0)


def test_names_of_files(t):
    """A file that is not there is told before anything is read, by each command that takes one, whether it needs it or not."""
    t.table()
    for command in (["check", "table", "--only", "schema.*"], ["diff", "table", "--from", "v3"], ["rescue", "table"], ["orphans", "table"], ["batch", "table"],
                    ["pointers", "table"], ["history", "table"]):
        for option in ("--listing", "--pointer"):
            if command[0] != "batch" or option == "--listing":
                t.usage(*command, option, "nosuch.json", has=["%s 'nosuch.json': no such file" % option])
    t.write("bad.json", '{"a": 1}')
    for command, code in (["history", "table"], 2), (["diff", "table", "--from", "v1"], 3), (["rescue", "table"], 2):
        t.has(t.run(*command, "--pointer", "bad.json", code=code).stderr, "'bad.json': it is JSON, but no catalog export")
    name = "db.orders=s3://lake/wh/db/orders/metadata/v3.metadata.json"
    t.equal(t.run("diff", "table", "--from", "v1", "--pointer", name, code=1).stderr, "")


def test_links_below(t):
    """A link to a directory elsewhere may lead to tables that were not looked at; one within the root, of a table or to a file does not."""
    t.table(name="wh/a")
    t.table(name="elsewhere/b")
    t.write("file", "x")
    for place, to in (("wh/inner", "a"), ("wh/file", "../file"), ("wh/a/data", "../../elsewhere"), ("wh/lost", "nowhere")):
        os.symlink(to, os.path.join(t.work, place))
    t.equal(t.check("wh", "-r", code=0).stderr, "")
    os.symlink("../elsewhere", os.path.join(t.work, "wh/two"))
    t.has(t.check("wh", "-r", code=2).stderr, "'wh': 1 symbolic link to a directory was not followed: 'wh/two'")
    os.makedirs(os.path.join(t.work, "wh/sub"))
    os.symlink("../../elsewhere", os.path.join(t.work, "wh/sub/one"))
    t.has(t.check("wh", "-r", code=2).stderr, "'wh': 2 symbolic links to directories were not followed, as 'wh/sub/one'")
    lines = t.lines(t.run("batch", "-r", "wh", "--now", harness.NOW, code=2).stdout)
    t.equal([line["summary"]["table"] for line in lines], ["a", "wh"])
    t.has(t.check("wh/sub", "-r", code=2).stderr, "was not followed")
    t.lacks(t.check("wh/sub", "-r", code=2).stderr, "no table below")


def test_forms_of_configuration(t):
    """Blanks and quotes as people write them; what is no configuration file is refused by name."""
    t.table("damaged")
    codes = {"never": 2, "error": 3}
    for text in ("   fail-on never", "\tfail-on\t never  \t\n", "fail-on   =   never\n\n   \n # c\n", "--fail-on never\nquiet\n", "\nfail-on never"):
        t.write(".icefsck", text)
        t.check("table", code=codes["never"])
    os.remove(os.path.join(t.work, ".icefsck"))
    for text in (" --fail-on  never ", "--fail-on 'never'", '--fail-on "never"\n', "--fail-on='nev'er", "\n--fail-on\tnever\n--quiet", "--quiet --fail-on never"):
        t.check("table", env={"ICEFSCK_OPTS": text}, code=codes["never"])
    for text in ("", "  ", "\n"):
        t.check("table", env={"ICEFSCK_OPTS": text}, code=codes["error"])
    for text in ("--fail-on 'never", "'--quiet", "never", "--quiet never"):
        t.usage("check", "table", env={"ICEFSCK_OPTS": text}, has=["ICEFSCK_OPTS"])
    t.usage("check", "table", env={"ICEFSCK_OPTS": "--fail-on warm"}, has=["did you mean warn?"])
    t.usage("check", "table", "--config", "table", has=["directory"])
    t.write("large", "#" * (1 << 20))
    t.usage("check", "table", "--config", "large", has=["too long"])
    for more in ({"HOME": None}, {"HOME": ""}, {"XDG_CONFIG_HOME": "nosuch"}, {"HOME": "large"}):
        env = t.environment(**more)
        env = {k: v for k, v in env.items() if more.get(k, v) is not None}
        t.equal(subprocess.run([t.binary, "check", "table", "--now", harness.NOW], cwd=t.work, env=env, stdout=subprocess.DEVNULL).returncode, codes["error"], str(more))


def test_inputs_of_options(t):
    """A directory is no list, no baseline and no export; standard input is read once; an output has a format of its command."""
    t.table()
    t.usage("check", "--files-from", "table", has=["directory"])
    t.usage("check", "table", "--baseline", "table", has=["directory"])
    t.usage("pointers", has=["icefsck pointers glue-tables.json"])
    t.has(t.run("batch", "--files-from", "table", code=2).stderr, "directory")
    for args in (["check", "-", "--pointer", "-"], ["check", "-", "-"], ["check", "-", "--listing", "-"], ["check", "table", "--pointer", "-", "--listing", "-"],
                 ["check", "table", "table", "--listing", "-"], ["pointers", "-", "-"], ["pointers", "-", "--pointer", "-"]):
        t.usage(*args, has=["once"], stdin="")
    t.usage("rules", "-o", "tsv:x", "-f", "json", has=["one format"])
    t.usage("diff", "table", "table", "--from", "1", has=[])
    t.usage("check", "table", "--list-files", "-f", "html", has=["--list-files", "html"])
    t.run("rules", "ref.*", "-f", "json", "-o", "json:rules.json", code=0)
    t.run("rules", "ref.*", "-f", "json", "-o", "more.json", code=0)
    t.equal({one["group"] for one in json.loads(t.read("rules.json"))["rules"]}, {one["group"] for one in json.loads(t.read("more.json"))["rules"]})
    t.has(t.run("rules", "avro.trucated", code=1).stderr, "no rule matches 'avro.trucated'; the nearest is avro.truncated")
    t.equal(t.run("inspect", "refs", "table", "-f", "tsv", "-o", "a", "-o", "json:b", code=0).stdout, "")
    t.true(len(t.read("a")) > 0 and len(json.loads(t.read("b"))) > 0, "both are written")
    for word, way in (("chek", "did you mean check?"), ("zzzzzzz", "see icefsck --help")):
        t.usage(word, has=[word, way])
    t.has(t.run("nosuch/table", "-f", "short", code=2).stdout + t.run("nosuch/table", code=2).stderr, "nosuch")
    t.run("table/metadata", "-f", "short", "--now", harness.NOW, code=0)


def test_time_of_the_environment(t):
    """SOURCE_DATE_EPOCH is the time of the check, where it says one and no option does."""
    t.table()
    run = lambda epoch, *args: t.run("check", "table", "-S", "info", "-f", "ndjson", "--max-age", "1d", *args, env={"SOURCE_DATE_EPOCH": epoch}).stdout
    old = run("1767225600")
    t.equal(old, run("1000000000", "--now", "2026-01-01"))
    t.true(old != run("1740960000"), "it counts")
    t.equal(run("").count("stale") > 0, run(None).count("stale") > 0)


def test_colors(t):
    """Colors are for terminals that have them and people who want them."""
    t.table("damaged")

    def shown(*args, **env):
        master, slave = os.openpty()
        child = subprocess.Popen([t.binary, "check", "table", "--now", harness.NOW, *args], cwd=t.work, env=t.environment(**env), stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        text = b""
        try:
            while more := os.read(master, 1 << 16):
                text += more
        except OSError:  # the other end is closed
            pass
        os.close(master)
        t.equal(child.wait(timeout=60), 3)
        return b"\x1b[" in text

    for args, env, wanted in (([], {"TERM": "xterm"}, True), ([], {"TERM": None}, True), ([], {"TERM": "dumb"}, False), ([], {"TERM": "xterm", "NO_COLOR": "1"}, False),
                              ([], {"TERM": "xterm", "NO_COLOR": ""}, True), (["--color", "never"], {"TERM": "xterm"}, False), (["--color", "always"], {"TERM": "dumb"}, True)):
        t.equal(shown("--progress", "off", *args, **env), wanted, "%s %s" % (args, env))
    t.equal("\x1b[" in t.check("table", "--color", "always", code=3).stdout, True)
    t.equal("\x1b[" in t.check("table", code=3).stdout, False)


def test_places_of_configuration(t):
    """Arguments before ICEFSCK_OPTS, before one file: ./.icefsck, else that of XDG_CONFIG_HOME, else ~/.config."""
    t.table("damaged")
    xdg = {"XDG_CONFIG_HOME": os.path.join(t.work, "xdg")}
    levels = {"never": 2, "error": 3}
    t.write(".config/icefsck/config", "fail-on never\n")
    t.check("table", code=levels["never"])
    t.write("xdg/icefsck/config", "fail-on error\n")
    t.check("table", env=xdg, code=levels["error"])
    t.check("table", env={"XDG_CONFIG_HOME": ""}, code=levels["never"])
    t.write(".icefsck", "fail-on never\n")
    t.check("table", env=xdg, code=levels["never"])
    t.check("table", env={**xdg, "ICEFSCK_OPTS": "--fail-on=error"}, code=levels["error"])
    t.check("table", "--fail-on", "never", env={**xdg, "ICEFSCK_OPTS": "--fail-on=error"}, code=levels["never"])
    t.check("table", env={**xdg, "ICEFSCK_OPTS": "--no-config"}, code=levels["error"])
    t.write("a b", "fail-on error\n")
    t.check("table", env={**xdg, "ICEFSCK_OPTS": "--config 'a b'"}, code=levels["error"])
    t.has(t.check("table", "-v", code=levels["never"]).stderr, "options of './.icefsck' are in force")
    t.write(".icefsck", "only avro.*\nseverity avro.truncated=info\n")
    t.check("table", code=2)
    t.check("table", "--severity", "avro.truncated=error", code=3)
    t.write(".icefsck", "strict\nolder-than 3d\n")  # of another command: left aside
    t.check("table", code=3)
    for text, part in (("config other\n", "no place"), ("quiet yes\n", "takes no value"), ("fail-on\n", "needs a value"), ("\n# c\nfail-on warm\n", "did you mean warn?")):
        t.write(".icefsck", text)
        t.has(t.check("table", code=4).stderr, part)


def test_lists_of_paths(t):
    t.table("plain-v1", "a b")
    t.table("plain-v2", "c")
    for text in ("a b\nc\n", "a b\r\nc", "a b\0c\0"):
        t.write("list", text)
        t.equal(len(t.lines(t.check("--files-from", "list", "-f", "ndjson", code=0).stdout)), 2)
        t.equal(len(t.lines(t.check("--files-from", "-", "-f", "ndjson", stdin=text, code=0).stdout)), 2)
    t.write("list", "\n")
    t.has(t.check("--files-from", "list", code=2).stderr, "empty")


def test_inputs_that_cannot_be_checked(t):
    os.mkdir(os.path.join(t.work, "empty"))
    t.write("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    t.write("nothing.avro", b"")
    for path, reason, code in (("nosuch/x", "o such file", 2), ("empty", "metadata", 2), ("picture.png", "picture.png", 2),
                               ("nothing.avro", "nothing.avro", 3)):
        done = t.check(path, code=code)
        t.has((done.stdout + done.stderr).lower(), reason.lower())
        last = t.lines(t.check(path, "-f", "ndjson", code=code).stdout)[-1]
        t.equal((last["complete"], last["exit"]), (False, code), path)
        t.true(any(n["asked"] for n in last["not_evaluated"]), path)
    t.has(t.check("empty", code=2).stdout, "-r")
    t.has(t.check("-r", "empty", code=2).stderr, "no table below")
    t.table(name="wh/sound")
    for i, left in enumerate(("version-hint.text", "snap-1-1-a.avro", "0b2a-m0.avro")):  # of tables that lost their metadata files
        t.write("wh/lost%d/metadata/%s" % (i, left), "1")
        t.has(t.check("-r", "wh", code=3 if left == "version-hint.text" else 2).stdout, "lost%d" % i)  # a hint says that a table is there
        shutil.rmtree(os.path.join(t.work, "wh", "lost%d" % i))
    t.write("wh/other/metadata/part-0.avro", "1")
    t.write("wh/other/metadata/a-model.avro", "1")
    t.true("other" not in t.check("-r", "wh", code=0).stdout, "Avro files of other programs are no table")
    t.has(t.run("inspect", "snapshots", "nosuch", code=2).stderr, "nosuch")
    t.has(t.run("dump", "nosuch", code=2).stderr, "nosuch")
    t.has(t.run("dump", "picture.png", code=2).stderr, "picture.png")


def test_files_of_other_kinds(t):
    """What is given instead of a table is named by its kind, with what to give instead."""
    t.table()
    kinds = {"a.puffin": (b"PFA1" + bytes(40) + b"PFA1", "Puffin file"), "a.db": (b"SQLite format 3\0" + bytes(100), "SQLite database"),
             "a.zip": (b"PK\x03\x04" + bytes(40), "archive"), "a.parquet": (b"PAR1" + bytes(20) + b"PAR1", "data file"), "a.orc": (b"ORC" + bytes(20), "data file"),
             "version-hint.text": (b"3", "version hint"), "a.agz": (b"AGS1" + bytes(40), "encrypted"), "a.json": (b"[]", "JSON document"),
             "nothing": (b"", "empty"), "noise": (bytes(range(256)), "no Iceberg metadata")}
    for name, (data, word) in kinds.items():
        t.write(name, data)
        done = t.check(name, "-f", "ndjson", code=2)
        lines = t.lines(done.stdout)
        t.equal([one["rule"] for one in lines[:-1] if one["severity"] != "info"], ["source.unknown"], name)
        t.has(lines[0]["message"], word)
        t.equal((lines[-1]["complete"], [n["what"] for n in lines[-1]["not_evaluated"] if n["asked"]]), (False, ["table"]), name)


def test_unreadable(t):
    table = t.table()
    who = {"user": 65534} if os.geteuid() == 0 else {}  # nobody
    try:
        t.check("table", code=0, **who)
    except (PermissionError, harness.Failed):
        print("skipped: an ordinary user cannot come here")
        return
    list_file, metadata = os.path.join(table, "metadata", "snap-1.avro"), os.path.join(table, "metadata")
    os.chmod(list_file, 0)
    done = t.check("table", "-S", "info", code=2, **who)
    t.has(done.stdout, "source.unreadable")
    t.has(done.stdout, "snap-1.avro")
    t.has(done.stdout, "ermission denied")
    os.chmod(metadata, 0)
    done = t.check("table", code=2, **who)
    t.has(done.stdout + done.stderr, "ermission denied")
    done = t.check("-r", ".", code=2, **who)
    t.has(done.stdout + done.stderr, "ermission denied")
    os.chmod(metadata, 0o755)


def test_standard_input(t):
    table = t.table()
    with open(os.path.join(table, "metadata", "v3.metadata.json"), encoding="utf-8") as f:
        text = f.read()
    t.check("-", "--depth", "metadata", stdin=text, code=0)
    t.check("-", stdin=text[:-9], code=3)
    t.check("-", stdin="", code=2)
    t.equal(summary(t, "-", "--max-file", "1K", stdin=text)["complete"], False)


def test_explain_and_rules(t):
    t.has(t.run("explain", "avro.trunc", code=0).stdout, "avro.truncated")
    t.has(t.run("explain", "AVRO", "Truncated", code=0).stdout, "avro.truncated")
    t.has(t.run("explain", "avro.trucated", code=1).stderr, "avro.truncated")
    t.has(t.run("explain", "zzzzzz", code=1).stderr, "zzzzzz")
    t.has(t.run("explain", "-", stdin="x error: cut [avro.truncated]\n", code=0).stdout, "avro.truncated")
    t.run("explain", "-", stdin="nothing here", code=1)
    t.run("rules", "nothing.*", code=1)
    names = [line["id"] for line in t.lines(t.run("rules", "-f", "ndjson", code=0).stdout)]
    t.equal(len(names), len(set(names)))
    t.true(len(names) > 200, "%d rules" % len(names))


def test_version(t):
    text = t.run("version", code=0).stdout
    t.true(text.startswith("icefsck 0."), text)
    t.equal(t.run("--version", code=0).stdout, text)
    t.true({"version", "libraries", "codecs", "limits"} <= set(json.loads(t.run("version", "-f", "json", code=0).stdout)), text)


def test_notes(t):
    t.table()
    t.equal(t.check("table", code=0).stderr, "")
    one, two = t.check("table", "-v", code=0).stderr, t.check("table", "-vv", code=0).stderr
    t.true(0 < len(one) < len(two), "-v %r -vv %r" % (one, two))
    t.true(all(line.startswith("icefsck: ") for line in two.splitlines()), two)


def test_metadata_files_of_any_name(t):
    table = t.table()
    os.rename(os.path.join(table, "metadata", "v2.metadata.json"), os.path.join(table, "metadata", "backup.json"))
    for name in ("backup.json", "table/metadata/backup.json"):
        done = summary(t, "table", "--metadata", name)
        t.equal((done["metadata_file"], done["picked_by"], done["current_snapshot_id"]), ("metadata/backup.json", "argument", "102"))
    t.has(t.check("table", "--metadata", "backup.json", code=0).stdout, "metadata.file.name.unparseable")
    for name in ("nosuch.json", "..", ".", "/", "metadata"):
        t.has(t.check("table", "--metadata", name, code=4).stderr, "there is no metadata file")
    t.equal(summary(t, "table", "--metadata", "m1.avro")["complete"], False)


harness.main(dict(globals()))
