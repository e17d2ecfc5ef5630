#!/usr/bin/python3 -SEB
"""libicefsck.so exports the functions of icefsck.h under their versions, and nothing else.  exports.py LIBRARY SONAME"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "meta"))
import tree


def listed():
    """{symbol: node} of src/icefsck.map."""
    out = {}
    for node, text in re.findall(r"(ICEFSCK_[0-9.]+) \{(.*?)\}", tree.without_comments(tree.read("src/icefsck.map")), re.S):
        for name in re.findall(r"\b(ice_\w+);", text):
            if name in out:
                sys.exit("src/icefsck.map: %s stands twice" % name)
            out[name] = node
    return out


def declared():
    header = tree.without_comments(tree.read("include/icefsck.h"))
    header = header.replace("#define ICE_API", "")
    return {re.search(r"\b(ice_\w+)\s*\(", text).group(1) for text in re.findall(r"\bICE_API\b([^;]*);", header)}


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], check=True, capture_output=True, text=True).stdout.splitlines()
    found = [line.split() for line in lines]
    return {name.split("@")[0]: name.split("@")[-1] for _, kind, name in found if kind != "A"}


def main():
    library, soname = sys.argv[1:3]
    problems, wanted = [], listed()
    for what, have in (("declared in include/icefsck.h", declared()), ("exported by %s" % os.path.basename(library), set(exported(library)))):
        problems += ["src/icefsck.map lists %s, which is not %s" % (name, what) for name in sorted(set(wanted) - have)]
        problems += ["%s is %s: add it to src/icefsck.map" % (name, what) for name in sorted(have - set(wanted))]
    problems += ["%s has version %s, src/icefsck.map says %s" % (name, node, wanted[name]) for name, node in sorted(exported(library).items()) if wanted.get(name, node) != node]
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    if re.findall(r"SONAME.*\[(.*)\]", dynamic) != [soname]:
        problems.append("the soname is %s, not %s" % (re.findall(r"SONAME.*\[(.*)\]", dynamic), soname))
    if "TEXTREL" in dynamic or "RUNPATH" in dynamic or "RPATH" in dynamic:
        problems.append("the library has text relocations or a run path")
    tree.finish(problems, "%d functions" % len(wanted))


main()
