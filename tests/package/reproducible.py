#!/usr/bin/python3 -SEB
"""Two builds in different places, at different times, in different zones and modes of files, give equal bytes.  reproducible.py WORK

Compares the command, both libraries and the deb packages. Takes two whole builds.
"""

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ENTRIES = ["CMakeLists.txt", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "cmake", "docs", "include", "schemas", "src"]
EPOCH = "1700000000"


def copy(root, source):
    os.makedirs(source)
    for name in ENTRIES:
        entry = os.path.join(root, name)
        if os.path.isdir(entry):
            shutil.copytree(entry, os.path.join(source, name), copy_function=shutil.copyfile)
        elif os.path.exists(entry):
            shutil.copyfile(entry, os.path.join(source, name))


def build(root, place, umask, **more):
    """Digests of what is built and packed, by name."""
    source, out = os.path.join(place, "source"), os.path.join(place, "out")
    os.umask(umask)
    copy(root, source)
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "CCACHE_DISABLE": "1", **more}
    for command in (["cmake", "-S", source, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DICE_TESTS=OFF", "-DCMAKE_INSTALL_PREFIX=/usr"], ["cmake", "--build", out],
                    ["cpack", "-G", "DEB", "-B", os.path.join(out, "packages"), "--config", os.path.join(out, "CPackConfig.cmake")]):
        # the frame of a deb takes its modes from the umask of cpack, which nothing in it can set
        os.umask(0o022 if command[0] == "cpack" else umask)
        done = subprocess.run(command, env=env, cwd=place, capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s: exit %d\n%s%s" % (" ".join(command), done.returncode, done.stdout[-3000:], done.stderr[-3000:]))
    files = {"icefsck": os.path.join(out, "icefsck")}
    files.update((name, os.path.join(out, "src", name)) for name in ("libicefsck.a", "libicefsck.so"))
    packages = os.path.join(out, "packages")
    files.update((name, os.path.join(packages, name)) for name in os.listdir(packages) if name.endswith(".deb"))
    return {name: hashlib.sha256(open(path, "rb").read()).hexdigest() for name, path in sorted(files.items())}


def main():
    work = os.path.abspath(sys.argv[1])
    shutil.rmtree(work, ignore_errors=True)
    # the tree may be worked on meanwhile
    root = os.path.join(work, "root")
    copy(ROOT, root)
    first = build(root, os.path.join(work, "a"), 0o022, TZ="UTC", LC_ALL="C")
    second = build(root, os.path.join(work, "another", "and a longer", "place"), 0o077, TZ="Pacific/Kiritimati", LC_ALL="C.UTF-8", HOME=os.path.join(work, "another"))
    differ = [name for name in sorted(set(first) | set(second)) if first.get(name) != second.get(name)]
    for name in differ:
        print("%s differs: %s, %s" % (name, first.get(name), second.get(name)))
    if not differ:
        shutil.rmtree(work)
    print("%d files, %d differ" % (len(first), len(differ)))
    sys.exit(1 if differ or len(first) != 7 else 0)


main()
