#!/usr/bin/python3 -SEB
"""What the linked program says of how it was built: hardening.py BUILD_TYPE FILE... reads ELF by readelf."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

# code that only these flags make: endbr64 of -fcf-protection, `orq $0, (%rsp)` of -fstack-clash-protection
ENDBR64, PROBE = b"\xf3\x0f\x1e\xfa", b"\x48\x83\x0c\x24\x00"


def readelf(option, file):
    return subprocess.run(["readelf", "-W", option, file], stdout=subprocess.PIPE, check=True, text=True, env={"LC_ALL": "C"}).stdout


def problems_of(file, is_release):
    header, segments, dynamic, symbols = (readelf(o, file) for o in ("-h", "-l", "-d", "--dyn-syms"))
    stack = re.search(r"GNU_STACK.* ([RWE ]+) 0x", segments)
    wanted = {
        "position independent (DYN)": re.search(r"Type:\s+DYN", header),
        "GNU_RELRO": "GNU_RELRO" in segments,
        "BIND_NOW": re.search(r"BIND_NOW|FLAGS.*NOW", dynamic),
        "a stack that cannot be executed": stack and "E" not in stack.group(1),
        "no segment that can be written and executed": not re.search(r"LOAD.* RWE ", segments),
        "no TEXTREL": "TEXTREL" not in dynamic,
        "no RPATH": not re.search(r"\((?:RPATH|RUNPATH)\)", dynamic),
        "-fstack-protector (__stack_chk_fail)": "__stack_chk_fail" in symbols,
    }
    if not os.path.basename(file).startswith("lib"):
        wanted["-pie"] = re.search(r"FLAGS_1.*PIE", dynamic)
    with open(file, "rb") as f:
        code = f.read()
    if is_release:
        wanted["_FORTIFY_SOURCE (__memcpy_chk or another)"] = re.search(r"__(?:snprintf|vsnprintf|memcpy|read|pread|fprintf)\w*_chk", symbols)
        if "X86-64" in header:
            wanted["-fstack-clash-protection"] = code.count(PROBE) > 3
    if "X86-64" in header:
        wanted["-fcf-protection"] = code.count(ENDBR64) > 100
    return ["%s: lacks %s" % (os.path.basename(file), what) for what, holds in wanted.items() if not holds]


def main(build_type, *files):
    problems = []
    for file in files:
        problems += problems_of(file, "Rel" in build_type)
    tree.finish(problems, "%d files" % len(files))


main(*sys.argv[1:])
