#!/usr/bin/python3 -SEB
"""PATHs in the cloud: nothing opened, exit 4, the message can be pasted. cloud.py ICEFSCK WORK [TEST...]"""

import os
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

CASES = {
    "s3://lake/wh/db/orders": ["aws s3 sync s3://lake/wh/db/orders/metadata ./orders/metadata --only-show-errors",
                               "icefsck check ./orders --map s3://lake/wh/db/orders=./orders"],
    "s3a://lake/wh/db/orders/": ["aws s3 sync s3://lake/wh/db/orders/metadata ./orders/metadata --only-show-errors",
                                 "icefsck check ./orders --map s3a://lake/wh/db/orders=./orders"],
    "s3n://b/t/metadata/v3.metadata.json": ["aws s3 sync s3://b/t/metadata ./t/metadata --only-show-errors",
                                            "icefsck check ./t/metadata/v3.metadata.json --map s3n://b/t=./t"],
    "gs://lake/t": ["mkdir -p ./t/metadata && gcloud storage rsync -r gs://lake/t/metadata ./t/metadata",
                    "icefsck check ./t --map gs://lake/t=./t"],
    "abfss://c@acct.dfs.core.windows.net/wh/t": [
        "azcopy copy 'https://acct.blob.core.windows.net/c/wh/t/metadata/*' ./t/metadata --recursive",
        "icefsck check ./t --map abfss://c@acct.dfs.core.windows.net/wh/t=./t"],
    "wasbs://c@acct.blob.core.windows.net/t": [
        "azcopy copy 'https://acct.blob.core.windows.net/c/t/metadata/*' ./t/metadata --recursive",
        "icefsck check ./t --map wasbs://c@acct.blob.core.windows.net/t=./t"],
    "hdfs://nn:8020/wh/t": ["mkdir -p ./t && hdfs dfs -get hdfs://nn:8020/wh/t/metadata ./t/",
                            "icefsck check ./t --map hdfs://nn:8020/wh/t=./t"],
    "s3://lake": ["aws s3 sync s3://lake ./lake --only-show-errors --exclude '*' --include '*/metadata/*'",
                  "icefsck check -r ./lake --map s3://lake=./lake"],
    "s3://b//": ["aws s3 sync s3://b ./b --only-show-errors --exclude '*' --include '*/metadata/*'", "icefsck check -r ./b --map s3://b=./b"],
    "s3://b/t/x.txt": ["aws s3 sync s3://b/t/x.txt/metadata ./x.txt/metadata --only-show-errors",
                       "icefsck check ./x.txt --map s3://b/t/x.txt=./x.txt"],
    "s3:///t/": ["aws s3 sync s3:///t/metadata ./t/metadata --only-show-errors", "icefsck check ./t --map s3:///t=./t"],
    "s3://": ["aws s3 sync s3:// ./copy --only-show-errors --exclude '*' --include '*/metadata/*'", "icefsck check -r ./copy --map s3://=./copy"],
    "gs://lake": ["mkdir -p ./lake && gcloud storage rsync -r gs://lake ./lake", "icefsck check -r ./lake --map gs://lake=./lake"],
    "hdfs://nn/": ["mkdir -p ./nn && hdfs dfs -get 'hdfs://nn/*' ./nn/", "icefsck check -r ./nn --map hdfs://nn=./nn"],
    "abfs://c/wh/t": ["azcopy copy 'https://ACCOUNT.blob.core.windows.net/c/wh/t/metadata/*' ./t/metadata --recursive",
                      "icefsck check ./t --map abfs://c/wh/t=./t"],
    "abfss://c@acct": ["azcopy copy 'https://acct.blob.core.windows.net/c/*' ./c --recursive --include-regex '(^|/)metadata/'",
                       "icefsck check -r ./c --map abfss://c@acct=./c"],
}


def test_what_to_paste(t):
    for uri, wanted in CASES.items():
        for words in (["check", uri], [uri], ["check", "-f", "json", uri], ["inspect", "files", uri], ["dump", uri]):
            done = t.run(*words, code=4)
            lines = done.stderr.splitlines()
            t.equal([line.strip() for line in lines[1:]], wanted, uri)
            t.has(lines[0], uri)
            t.equal(done.stdout, "")


def test_recursive(t):
    done = t.run("check", "-r", "s3://lake/wh", code=4)
    t.has(done.stderr, "aws s3 sync s3://lake/wh ./wh --only-show-errors --exclude '*' --include '*/metadata/*'")
    t.has(done.stderr, "icefsck check -r ./wh --map s3://lake/wh=./wh")


def test_odd_names_are_quoted(t):
    uri = "s3://b/it's $(x) \033[2J"
    lines = t.run("check", uri, code=4).stderr.splitlines()
    t.lacks("".join(lines), "\033")
    for line in lines[1:]:
        t.true(any("it's $(x)" in word for word in shlex.split(line)), line)


def test_other_uris(t):
    for uri in ("http://x/t", "file:///tmp/t", "oss://b/t"):
        t.usage("check", uri, has=[uri, "local path"])


def test_nothing_is_opened(t):
    if shutil.which("strace") is None:
        print("skipped: strace is not here")
        return
    t.write("s3:/lake/t/metadata/v1.metadata.json", "{}")
    log = os.path.join(t.work, "log")
    done = subprocess.run(["strace", "-f", "-e", "trace=open,openat,stat,newfstatat,access", "-o", log, t.binary, "check", "s3://lake/t"],
                          cwd=t.work, env=t.environment(), capture_output=True, text=True)
    if "ptrace" in done.stderr or not os.path.exists(log):
        print("skipped: strace may not trace here")
        return
    with open(log, encoding="utf-8", errors="replace") as f:
        t.lacks(f.read(), "lake")


harness.main(dict(globals()))
