#!/usr/bin/python3 -SEB
"""deb and rpm packages as their users meet them.  packages.py DIRECTORY WORK [ROOT]

DIRECTORY holds what cpack made. ROOT is a root of Debian made by debootstrap, which is copied first: apt installs the packages there, from
its mirror what they depend on, and the command runs in it; needs root. Without ROOT that part is left out, and said so. The rpm packages
are always installed, into an empty root of their own without what they depend on, and the command runs with the libraries of the host.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

TREE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SOUND, CUT = "fixtures/base/plain-v2", "examples/cut-manifest"
# names of the packages, and what lies in them
DEBS = {
    "icefsck": ["usr/bin/icefsck", "usr/share/man/man1/icefsck.1", "usr/share/man/man1/icefsck-check.1", "usr/share/bash-completion/completions/icefsck", "usr/share/zsh/vendor-completions/_icefsck",
                "usr/share/fish/vendor_completions.d/icefsck.fish", "usr/share/icefsck/report.json", "usr/share/doc/icefsck/copyright"],
    "libicefsck0": [r"usr/lib/[^/]*/libicefsck\.so\.0", "usr/share/doc/libicefsck0/copyright"],
    "libicefsck-dev": ["usr/include/icefsck.h", r"usr/lib/[^/]*/libicefsck\.a", r"usr/lib/[^/]*/libicefsck\.so", r"usr/lib/[^/]*/pkgconfig/icefsck\.pc", r"usr/lib/[^/]*/cmake/icefsck/icefsckConfig\.cmake"],
    "icefsck-doc": ["usr/share/doc/icefsck/README.md", "usr/share/doc/icefsck/docs/RULES.md"],
}
RPMS = {"icefsck": DEBS["icefsck"][:1], "libicefsck0": [r"usr/lib.*/libicefsck\.so\.0"], "icefsck-devel": ["usr/include/icefsck.h"], "icefsck-doc": ["usr/share/doc/icefsck/README.md"]}
NEEDS = ["zlib1g", "libzstd1", "libdeflate0", "libsnappy1v5", "libc6"]
ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": "/dev/null", "DEBIAN_FRONTEND": "noninteractive"}


def run(*args, code=0, **more):
    done = subprocess.run(args, capture_output=True, text=True, env={**ENV, **more.pop("env", {})}, **more)
    if done.returncode != code:
        sys.exit("%s: exit %d, not %d\n%s%s" % (" ".join(args), done.returncode, code, done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout


def must(truth, what):
    if not truth:
        sys.exit(what)


def holds(name, files, patterns):
    for pattern in patterns:
        must(any(re.fullmatch(pattern, file) for file in files), "%s has no %s:\n%s" % (name, pattern, "\n".join(files)))


def debs(directory):
    """{name: path}, after a look at what each says and holds."""
    paths = {run("dpkg-deb", "-f", path, "Package").strip(): path for path in glob.glob(os.path.join(directory, "*.deb"))}
    must(set(paths) == set(DEBS), "deb packages %s in %s, not %s" % (sorted(paths), directory, sorted(DEBS)))
    for name, path in paths.items():
        lines = [line.split(None, 5) for line in run("dpkg-deb", "-c", path).splitlines()]
        holds(name, [line[5].split(" -> ")[0][2:] for line in lines], DEBS[name])
        for mode, owner, *_, file in lines:
            must(owner == "root/root" and (mode[0] == "l" or mode in ("drwxr-xr-x", "-rw-r--r--") or (mode == "-rwxr-xr-x" and "/bin/" in file)), "%s: %s %s %s" % (name, mode, owner, file))
        depends = re.findall(r"[\w.+-]+", run("dpkg-deb", "-f", path, "Depends"))
        if name in ("icefsck", "libicefsck0"):
            must(set(NEEDS) <= set(depends), "%s depends on %s" % (name, depends))
    must(re.search(r"libicefsck0 \(= ", run("dpkg-deb", "-f", paths["libicefsck-dev"], "Depends")), "libicefsck-dev does not depend on the same libicefsck0")
    return paths


def works(*command, tables=TREE):
    """The command tells its version, a sound table and one that is cut."""
    must(run(*command, "version").startswith("icefsck "), "version")
    run(*command, "check", os.path.join(tables, SOUND))
    must("avro.truncated" in run(*command, "check", os.path.join(tables, CUT), code=3), "the cut manifest is not found")


def install_debs(paths, work, root):
    place = os.path.join(work, "root")
    run("cp", "-a", root, place)
    for name, path in paths.items():
        shutil.copyfile(path, os.path.join(place, "tmp", name + ".deb"))
    for table in (SOUND, CUT):
        shutil.copytree(os.path.join(TREE, table), place + "/tables/" + table)
    inside = ["chroot", place]
    run(*inside, "apt-get", "update", "-q")
    files = ["/tmp/%s.deb" % name for name in paths]
    run(*inside, "apt-get", "install", "-q", "-y", "--no-install-recommends", *[f for f in files if "-dev" not in f])
    run(*inside, "apt-get", "install", "-q", "-s", "/tmp/libicefsck-dev.deb")
    works(*inside, "icefsck", tables="/tables")
    must("may be" in run(*inside, "icefsck", "explain", "SHOW", "TABLES", "is", "empty"), "explain")
    must(run(*inside, "sh", "-c", "ldconfig -p").count("libicefsck.so.0"), "ldconfig does not know libicefsck.so.0")
    run(*inside, "dpkg", "--verify", "icefsck", "libicefsck0", "icefsck-doc")
    run(*inside, "apt-get", "purge", "-q", "-y", "icefsck", "libicefsck0", "icefsck-doc")
    left = run("find", place + "/usr", "-name", "*icefsck*")
    must(left == "", "left behind after purge: %s" % left)


def rpms(directory, work):
    paths = {run("rpm", "-qp", "--qf", "%{NAME}", path): path for path in glob.glob(os.path.join(directory, "*.rpm"))}
    must(set(paths) == set(RPMS), "rpm packages %s, not %s" % (sorted(paths), sorted(RPMS)))
    for name, path in paths.items():
        holds(name, [line.lstrip("/") for line in run("rpm", "-qpl", path).splitlines()], RPMS[name])
        must(run("rpm", "-qp", "--qf", "%{LICENSE}", path) == "Apache-2.0", "%s has another licence" % name)
    needs = run("rpm", "-qpR", paths["icefsck"])
    must("libzstd.so.1()(64bit)" in needs and "libc.so.6" in needs, "the rpm asks for no libraries: %s" % needs)
    must("libicefsck.so.0(ICEFSCK_0.1)(64bit)" in run("rpm", "-qp", "--provides", paths["libicefsck0"]), "libicefsck0 provides no versioned symbols")
    owned = [line for line in run("rpm", "-qpl", paths["icefsck"]).splitlines() if line in ("/usr", "/usr/bin", "/usr/share", "/usr/share/man", "/usr/share/man/man1", "/usr/lib")]
    must(not owned, "the rpm owns folders of the system: %s" % owned)
    place = os.path.join(work, "rpm-root")
    os.makedirs(place)
    run("rpm", "--root", place, "--initdb")
    run("rpm", "--root", place, "-i", "--nodeps", "--ignoreos", *paths.values())
    run("rpm", "--root", place, "-V", "--nodeps", *paths)
    works(os.path.join(place, "usr", "bin", "icefsck"))


def main():
    directory, work = (os.path.abspath(path) for path in sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    paths = debs(directory)
    rpms(directory, work)
    if len(sys.argv) > 3:
        install_debs(paths, work, os.path.abspath(sys.argv[3]))
        print("4 deb and 4 rpm packages, installed and run, the debs by apt in a clean root")
    else:
        print("4 deb and 4 rpm packages; the rpms installed and run; NOT RUN: apt in a clean root")
    shutil.rmtree(work)


main()
