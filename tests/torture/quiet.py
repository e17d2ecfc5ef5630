#!/usr/bin/python3 -SEB
"""What the system is asked for: no network, no other program, and no write but where the command line says. strace watches.

    quiet.py ICEFSCK WORK
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness  # noqa: E402

WATCHED = "network,execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,mknod,mknodat," \
          "truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,utimensat,setxattr,mount"
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
# without a target: run(2) itself, and the null device for streams that are closed
HARMLESS = ('"/dev/null"', '"/dev/tty"')


def calls(t, *command, allowed=(), stdin=None):
    """Watched calls of a run that are not for one of the allowed places."""
    log = os.path.join(t.work, "calls")
    words = ["strace", "-f", "-y", "-qq", "-s", "300", "-o", log, "-e", "trace=" + WATCHED, t.binary, *command]
    done = subprocess.run(words, cwd=t.work, env=t.environment(), input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    t.true(done.returncode < 16, "%s: exit %d\n%s" % (command, done.returncode, done.stderr.decode(errors="replace")))
    with open(log, encoding="utf-8", errors="replace") as f:
        lines = [re.sub(r"^\d+ +", "", line).strip() for line in f]
    t.true(any(line.startswith("execve(") for line in lines), "strace saw nothing: %s" % done.stderr)
    return [line for line in lines[1:] if is_telling(line, [*HARMLESS, *(mark + place for place in allowed for mark in '"<')])]


def is_telling(line, allowed):
    name = line.split("(", 1)[0]
    if not re.match(r"[a-z0-9]+\(", line) or any(place in line for place in allowed):
        return False
    if name.startswith(("open", "creat")):
        return bool(WRITING.search(line)) or name == "creat"
    if name in ("ftruncate", "fchmod"):
        return False  # of what is open already
    return True


def test_nothing_is_asked_for(t):
    """Every command: on a sound table, a damaged one, and one that leads elsewhere."""
    t.table("damaged")
    t.table("plain-v2", "plain")
    t.table("rust-v3-gzip", "w/db/gzip")
    t.write("glue.json", '{"Table": {"Name": "s3://x/y", "Parameters": {"table_type": "ICEBERG", "metadata_location": "http://127.0.0.1:1/metadata/v1.metadata.json"}}}')
    t.write("spark.conf", "spark.sql.catalog.c.uri http://127.0.0.1:1/\n")
    t.write("list.csv", "path,size,mtime\ns3://lake/wh/db/orders/data/f1.parquet,1,2025-01-01T00:00:00Z\n")
    for command in (
        ("check", "table", "-S", "info"), ("check", "plain", "--storage", "local", "--depth", "puffin"), ("check", "-r", "w"), ("check", "plain", "--pointer", "glue.json"),
        ("check", "plain", "--listing", "list.csv", "--base", "s3://lake"), ("check", "s3://bucket/table"), ("check", "http://127.0.0.1:1/table"),
        ("check", "table", "-f", "html"), ("check", "table", "-f", "sarif"), ("check", "table", "-f", "junit"), ("inspect", "files", "plain"),
        ("inspect", "live", "plain", "-f", "oracle"), ("dump", "plain/metadata/m1.avro"), ("history", "plain", "--graph"), ("diff", "plain", "--from", "101"),
        ("orphans", "plain", "--storage", "local"), ("rescue", "plain"), ("pointers", "glue.json"), ("lint-conf", "spark.conf"), ("explain", "avro.truncated"), ("rules",),
        ("version",), ("help",), ("bench", "plain", "--repeat", "1"), ("check", "nowhere")):
        t.equal(calls(t, *command), [], str(command))
    for stdin, command in ((b"plain\ntable\n", ("batch",)), (b"TABLE_OR_VIEW_NOT_FOUND\n", ("explain", "-"))):
        t.equal(calls(t, *command, stdin=stdin), [], str(command))


def test_writes_where_it_is_told(t):
    """-o, --cache and one temporary file: nowhere else. A second thread and a child change nothing."""
    t.table("plain-v2", "plain")
    out, cache, temporary = (os.path.join(t.work, name) for name in ("out", "cache", "tmp"))
    os.mkdir(out)
    allowed = (out + "/", "out/", cache, "cache")
    t.equal(calls(t, "check", "plain", "-o", "out/report.txt", "-o", "json:out/report.json", "-o", "html:" + out + "/page.html", allowed=allowed), [], "-o")
    t.equal(sorted(os.listdir(out)), ["page.html", "report.json", "report.txt"])
    t.equal(calls(t, "check", "plain", "--cache", "cache", allowed=allowed), [], "--cache")
    t.true(os.listdir(cache), "nothing was kept")
    t.equal(calls(t, "check", "plain", "-j", "4"), [], "-j")
    for command, stdin in ((("batch", "--isolate", "-j", "2"), b"plain\n"), (("check", "plain", "--max-memory", "600k"), None)):
        told = calls(t, *command, stdin=stdin)
        others = [line for line in told if '"%s/' % t.work not in line and "O_TMPFILE" not in line]
        t.equal(others, [], "a temporary file elsewhere: %s" % (command,))
    left = [name for name in os.listdir(t.work) if name not in ("out", "cache", "plain", "calls")]
    t.equal(left, [], "left behind")
    t.true(not os.path.exists(temporary), temporary)


def test_the_tree_is_as_it_was(t):
    """Not a byte, name, mode or time of a table is changed by any command."""
    t.table("damaged")

    def state():
        out = {}
        for where, folders, files in os.walk(os.path.join(t.work, "table")):
            for name in folders + files:
                path = os.path.join(where, name)
                info = os.lstat(path)
                out[path] = (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ino)
        return out

    before = state()
    for command in (("check",), ("inspect", "files"), ("history",), ("orphans",), ("rescue",), ("pointers",), ("diff",)):
        more = {"inspect": (), "orphans": ("--storage", "local"), "diff": ("--from", "v1")}.get(command[0], ())
        t.run(*command, "table", *more)
        t.equal(state(), before, str(command))


if __name__ == "__main__":
    if shutil.which("strace") is None:
        print("not run: there is no strace to watch system calls: tools/install-packages test")
        sys.exit(1)
    harness.main(globals())
