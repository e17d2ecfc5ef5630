#!/usr/bin/python3 -SEB
"""src/LAYERS against every #include; names of files are unique; each header stands behind its guard."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree


def layers():
    out = {}
    for line in tree.read("src/LAYERS").splitlines():
        match = re.match(r"([a-z]+):(.*)", line)
        if match:
            out[match.group(1)] = set(match.group(2).split())
    out["cli"] = set()  # sees the library through icefsck.h alone
    return out


def main():
    allowed, problems, n, seen = layers(), [], 0, {}
    for number, layer in enumerate(allowed):
        for need in allowed[layer]:
            if need not in list(allowed)[:number]:
                problems.append("src/LAYERS: %s may include %s, which does not stand above it" % (layer, need))
    for file in tree.files("src", ".c", ".h", ".def"):
        parts = file.split("/")
        if len(parts) < 3:
            continue
        layer = parts[1]
        if layer not in allowed:
            problems.append("%s: %s is not in src/LAYERS" % (file, layer))
            continue
        if parts[-1] in seen and not file.endswith(".def"):
            problems.append("%s: there is %s too" % (file, seen[parts[-1]]))
        seen[parts[-1]] = file
        text = tree.without_comments(tree.read(file))
        if file.endswith(".h") and not re.search(r"#ifndef ICE_[A-Z0-9_]+_H\n#define ICE_[A-Z0-9_]+_H\n", text):
            problems.append("%s: no include guard ICE_..._H" % file)
        for name in re.findall(r'#\s*include\s+"([^"]+)"', text):
            n += 1
            if name == "icefsck.h":
                continue
            if "/" not in name or not os.path.exists(os.path.join(tree.ROOT, "src", name)):
                problems.append('%s: "%s" is no file of src/' % (file, name))
            elif name.split("/")[0] not in allowed[layer] | {layer}:
                problems.append("%s: %s may not include %s" % (file, layer, name))
    if n < 100:
        problems.append("only %d includes were found" % n)
    tree.finish(problems, "%d includes" % n)


main()
