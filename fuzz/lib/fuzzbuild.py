"""The targets of fuzz/, how they are built for an engine, and their seeds."""

import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FUZZ = os.path.join(ROOT, "fuzz")
LAST_LINES = 40  # of what a command said that failed
MAX_BYTES = 1 << 16  # of an input: what the promise of one second is about


def patterns():
    """{target: patterns of fixtures} as fuzz/targets says."""
    out = {}
    with open(os.path.join(FUZZ, "targets"), encoding="ascii") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, _, rest = line.partition(":")
                out[name] = [p for p in rest.split() if p != "-"]
    return out


def targets():
    return sorted(patterns())


def must_run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.stderr.writelines(done.stdout.decode("utf-8", "replace").splitlines(keepends=True)[-LAST_LINES:])
        sys.exit("run: '%s' failed" % " ".join(command[:4]))


def configure(folder, compiler, *options, **more):
    if not shutil.which(compiler):
        sys.exit("run: no %s; as root: tools/install-packages build test ci fuzz" % compiler)
    command = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1 -g", "-DCMAKE_C_COMPILER=" + compiler]
    if shutil.which("ccache") and not compiler.startswith("afl-"):
        command.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    must_run(command + list(options), **more)


def compile_all(folder, programs, jobs, **more):
    must_run(["cmake", "--build", folder, "-j", str(jobs), "--target"] + programs, **more)


def build(folder, names, jobs):
    """Programs fuzz_NAME in FOLDER/fuzz, under libFuzzer with the address and undefined-behaviour sanitizers."""
    configure(folder, "clang", "-DICE_FUZZ=ON", "-DICE_SANITIZE=address,undefined")
    compile_all(folder, ["fuzz_" + n for n in names], jobs)


def seed_files(target):
    wanted = patterns()[target]
    for where in (os.path.join(FUZZ, "regress", target), os.path.join(ROOT, "fixtures")):
        for folder, folders, names in os.walk(where):
            folders.sort()
            for name in sorted(names):
                if not where.endswith("fixtures") or any(fnmatch.fnmatch(name, p) for p in wanted):
                    yield os.path.join(folder, name)


def make_seeds(target, folder):
    """Fill FOLDER with the seeds of a target, each once; no larger than an input may be."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for path in seed_files(target):
        if os.path.getsize(path) > MAX_BYTES:
            continue
        with open(path, "rb") as f:
            data = f.read()
        with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as f:
            f.write(data)
    makers = [p[1:] + "_seeds.py" for p in patterns()[target] if p.startswith("+")]
    if os.path.exists(os.path.join(FUZZ, target + "_seeds.py")):
        makers.append(target + "_seeds.py")
    for maker in makers:
        must_run([sys.executable, "-S", "-E", "-B", os.path.join(FUZZ, maker), os.path.join(ROOT, "fixtures", "base"), folder])


def commit():
    """The commit that is fuzzed; "+" behind it when the tree holds more than that."""
    git = ["git", "-C", ROOT]
    done = subprocess.run(git + ["rev-parse", "--short=12", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        return "unknown"
    changed = subprocess.run(git + ["diff", "--quiet", "HEAD"], stderr=subprocess.DEVNULL).returncode != 0
    return done.stdout.decode().strip() + ("+" if changed else "")
