#!/usr/bin/python3 -SEB
"""cmake --install into an empty prefix, and examples/check_tables.c built and run against it.  installed.py ICEFSCK WORK [TEST...]

ICEFSCK lies in its build folder. Compilers: those of the list in ICE_TEST_COMPILERS.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import harness

EXAMPLES = os.path.join(harness.ROOT, "examples")
SOUND = os.path.join(harness.ROOT, "fixtures", "base", "plain-v2")
CUT = os.path.join(harness.ROOT, "examples", "cut-manifest")


def command(t, *args, code=0, **more):
    done = subprocess.run(args, cwd=t.work, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C", **more.pop("env", {})}, **more)
    if done.returncode != code:
        raise harness.Failed("%s: exit %d, not %d\n%s%s" % (" ".join(args), done.returncode, code, done.stdout, done.stderr))
    return done


def install(t, *components):
    """The prefix, and the installed files below it."""
    stage = os.path.join(t.work, "stage")
    for component in components or (None,):
        command(t, "cmake", "--install", os.path.dirname(t.binary), "--prefix", stage, *(["--component", component] if component else []))
    return stage, sorted(os.path.relpath(os.path.join(where, name), stage) for where, _, names in os.walk(stage) for name in names)


def libdir(t, stage):
    return os.path.dirname(next(os.path.join(where, name) for where, _, names in os.walk(stage) for name in names if name == "libicefsck.a"))


def compilers():
    found = [cc for cc in os.environ["ICE_TEST_COMPILERS"].split() if shutil.which(cc)]
    for cc in set(os.environ["ICE_TEST_COMPILERS"].split()) - set(found):
        print("NOT RUN with %s: it is not installed" % cc)
    return found


def runs(t, program, **env):
    """The example gives what the command gives."""
    done = command(t, program, SOUND, env=env)
    t.has(done.stdout, "0 findings in 4 manifests")
    done = command(t, program, CUT, code=3, env=env)
    t.has(done.stdout, "error avro.truncated metadata/9df66256")
    t.has(done.stdout, "not checked: manifest: avro.truncated")
    done = command(t, program, "nosuch", code=8, env=env)
    t.has(done.stderr, "nosuch")
    t.has(command(t, program, code=4, env=env).stderr, "with icefsck 0.")


def test_components(t):
    """Each component holds its part; together they are the whole."""
    wanted = {
        "bin": [r"bin/icefsck$", r"man/man1/icefsck\.1$", r"man/man1/icefsck-lint-conf\.1$", r"bash-completion/completions/icefsck$", r"zsh/(site-functions|vendor-completions)/_icefsck$", r"fish/vendor_completions\.d/icefsck\.fish$"],
        "lib": [r"libicefsck\.so\.0$", r"libicefsck\.so\.0\.\d+\.\d+$"],
        "dev": [r"include/icefsck\.h$", r"libicefsck\.a$", r"libicefsck\.so$", r"pkgconfig/icefsck\.pc$", r"cmake/icefsck/icefsckConfig\.cmake$", r"cmake/icefsck/icefsckConfigVersion\.cmake$"],
        "doc": [r"/README\.md$", r"/docs/RULES\.md$", r"/LICENSE$"],
    }
    seen = []
    for component, patterns in wanted.items():
        shutil.rmtree(os.path.join(t.work, "stage"), ignore_errors=True)
        _, files = install(t, component)
        for pattern in patterns:
            t.true(any(re.search(pattern, name) for name in files), "%s: nothing is named %s: %s" % (component, pattern, files))
        seen += files
    shutil.rmtree(os.path.join(t.work, "stage"))
    t.equal(sorted(seen), install(t)[1], "the components and the whole")


def test_the_command_runs_alone(t):
    """It needs no file of ours beside it."""
    stage, _ = install(t, "bin")
    t.has(command(t, os.path.join(stage, "bin", "icefsck"), "version").stdout, "icefsck 0.")
    command(t, os.path.join(stage, "bin", "icefsck"), "check", SOUND)
    t.lacks(command(t, "ldd", os.path.join(stage, "bin", "icefsck")).stdout, "libicefsck")


def test_find_package(t):
    stage, _ = install(t)
    for cc in compilers():
        for target in ("icefsck::icefsck", "icefsck::static"):
            build = "build-%s-%s" % (os.path.basename(cc), target.split(":")[-1])
            command(t, "cmake", "-S", EXAMPLES, "-B", build, "-DCMAKE_PREFIX_PATH=" + stage, "-DICEFSCK_LIBRARY=" + target, "-DCMAKE_C_COMPILER=" + cc, "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror")
            command(t, "cmake", "--build", build)
            program = os.path.join(t.work, build, "check_tables")
            t.equal("libicefsck.so.0" in command(t, "ldd", program).stdout, target == "icefsck::icefsck", target)
            runs(t, program)


def test_versions_of_find_package(t):
    stage, _ = install(t)
    ours = command(t, os.path.join(stage, "bin", "icefsck"), "version").stdout.split()[1]
    major, minor, _ = ours.split(".")
    for asked, found in ((ours, True), ("%s.%s" % (major, minor), True), ("%s.%d" % (major, int(minor) + 1), False), ("99", False)):
        t.write("p/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\nfind_package(icefsck %s QUIET)\nfile(WRITE found \"${icefsck_FOUND}\")\n" % asked)
        command(t, "cmake", "-S", "p", "-B", "p/build", "-DCMAKE_PREFIX_PATH=" + stage)
        t.equal(t.read("p/found") in ("1", "TRUE"), found, asked)


def test_pkg_config(t):
    """The Makefile, with the shared library and where only the archive is there; and the example as C++."""
    stage, _ = install(t)
    lib = libdir(t, stage)
    env = {"PKG_CONFIG_PATH": os.path.join(lib, "pkgconfig")}
    shutil.copytree(EXAMPLES, os.path.join(t.work, "examples"), ignore=shutil.ignore_patterns("cut-manifest"))
    for cc in compilers():
        for static in (False, True):
            for name in os.listdir(lib):
                if static and name.startswith("libicefsck.so"):
                    os.rename(os.path.join(lib, name), os.path.join(t.work, name))
            command(t, "make", "-C", "examples", "clean", "check_tables", "CC=" + cc, "CFLAGS=-Wall -Wextra -Wpedantic -Werror", *(["PKG_CONFIG=pkg-config --static"] if static else []), env=env)
            runs(t, os.path.join(t.work, "examples", "check_tables"), **({} if static else {"LD_LIBRARY_PATH": lib}))
        for name in os.listdir(t.work):
            if name.startswith("libicefsck.so"):
                os.rename(os.path.join(t.work, name), os.path.join(lib, name))
    flags = command(t, "pkg-config", "--cflags", "--libs", "icefsck", env=env).stdout.split()
    command(t, os.environ["ICE_TEST_CXX"], "-std=c++20", "-x", "c++", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-missing-field-initializers",
            os.path.join(EXAMPLES, "check_tables.c"), "-x", "none", "-o", "as_cxx", *flags)
    runs(t, os.path.join(t.work, "as_cxx"), LD_LIBRARY_PATH=lib)


if __name__ == "__main__":
    harness.main(globals())
