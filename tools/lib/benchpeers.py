"""Other readers of Iceberg on the same tables, as whole processes in turn with icefsck's check.

A peer is measured where its program can be started; elsewhere the page says that it was not measured. Each reads every live entry of the
current snapshot with its statistics and prints how many there are, so that one that reads too little shows.
"""

import os
import shutil
import subprocess

import benchrun
from benchtables import FILES, LARGE, SMALL

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers")


def told_by(command):
    """The one line that a command prints; "" where it cannot be run."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return ""
    return done.stdout.decode().strip() if done.returncode == 0 else ""


class Peer:
    """command: a function of metadata.json that gives an argument list. missing: why it cannot be measured here, or ""."""

    def __init__(self, key, name, how, command, version, missing=""):
        self.key, self.name, self.how, self.command, self.version, self.missing = key, name, how, command, version, missing


def python_peer(key, name, script, variable, module):
    python = os.environ.get(variable, "")
    version = told_by([python, "-c", "import importlib.metadata as m; print(m.version('%s'))" % module]) if python else ""
    command = lambda metadata: [python, os.path.join(HERE, script), metadata]
    how = "%s=PYTHON, `pip install %s`" % (variable, "duckdb duckdb-extension-avro duckdb-extension-iceberg" if module == "duckdb" else
                                           "'pyiceberg[pyarrow]'" if module == "pyiceberg" else module)
    return Peer(key, name, how, command, version, "" if version else how)


def java_peer(build):
    jars, how = os.environ.get("ORACLE_JAVA_CP", ""), "ORACLE_JAVA_CP=CLASSPATH of iceberg-core with its dependencies"
    if not jars or not shutil.which("javac"):
        return Peer("java", "Iceberg Java", how, None, "", how)
    classes = os.path.join(build, "java")
    os.makedirs(classes, exist_ok=True)
    subprocess.run(["javac", "-cp", jars, "-d", classes, os.path.join(HERE, "ReadManifests.java")], check=True)
    command = lambda metadata: ["java", "-cp", classes + os.pathsep + jars, "ReadManifests", metadata]
    version = told_by(["java", "-cp", classes + os.pathsep + jars, "ReadManifests", "--version"])
    return Peer("java", "Iceberg Java", how, command, version)


def built_peer(key, name, how, build, make, source, version):
    """make: builds the program in its own folder; none, or a failed one, and the peer is not measured."""
    folder = os.path.join(build, key)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "read")
    try:
        done = subprocess.run(make(program, folder), cwd=os.path.join(HERE, source), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError:
        return Peer(key, name, how, None, "", how)
    if done.returncode != 0:
        return Peer(key, name, how, None, "", how)
    return Peer(key, name, how, lambda metadata: [program, metadata], version)


def version_in(path, after):
    with open(os.path.join(HERE, path)) as file:
        for line in file:
            if after in line:
                return line.split(after)[1].strip().strip('"= v').split('"')[0]
    return ""


def makers(work):
    """By key, functions that give the peer: some build a program, which only who is wanted is worth."""
    build = os.path.join(os.path.abspath(work), "peers")
    return {
        "java": lambda: java_peer(build),
        "pyiceberg": lambda: python_peer("pyiceberg", "PyIceberg", "read_pyiceberg.py", "ORACLE_PYTHON", "pyiceberg"),
        "fastavro": lambda: python_peer("fastavro", "fastavro", "read_fastavro.py", "ORACLE_PYTHON", "fastavro"),
        "duckdb": lambda: python_peer("duckdb", "DuckDB iceberg_metadata", "read_duckdb.py", "DUCKDB_PYTHON", "duckdb"),
        "go": lambda: built_peer("go", "iceberg-go", "a Go compiler and its module proxy", build, lambda program, _: ["go", "build", "-o", program, "."], "go",
                                 version_in("go/go.mod", "github.com/apache/iceberg-go ")),
        "rust": lambda: built_peer("rust", "iceberg-rust", "cargo and a registry", build, lambda program, folder:
                                   ["sh", "-c", 'cargo build -q --release --target-dir "$1" && cp "$1/release/read" "$0"', program, folder], "rust",
                                   version_in("rust/Cargo.toml", "iceberg = ")),
        "avro-c": lambda: built_peer("avro-c", "Avro C, values (reads no Iceberg)", "a C compiler and libavro-dev", build,
                                     lambda program, _: ["cc", "-O2", "-o", program, "read_avro.c", "-lavro"], ".",
                                     told_by(["pkg-config", "--modversion", "avro-c"])),
    }


PEERS = tuple(makers("."))


def manifests_of(icefsck, path):
    """Paths of the current snapshot's manifests, for a reader of Avro alone."""
    out = benchrun.run([icefsck, "inspect", "manifests", path, "--columns", "path", "-f", "tsv", "--no-config"], keep=True).out.decode()
    return [line for line in out.splitlines()[1:]]


def measure(steps, peer, name, path, figure=None):
    """CPU of the check as a part of the peer's, pair by pair; the row and, of some, a figure."""
    metadata = steps.tables.metadata(path)
    given = metadata
    if peer.key == "avro-c":
        given = os.path.join(steps.tables.work, name + ".manifests")
        with open(given, "w") as out:
            out.writelines(line + "\n" for line in manifests_of(steps.icefsck, path))

    def read():
        cost = benchrun.run(peer.command(given), keep=True)
        if cost.out.split()[:1] != [b"%d" % FILES[name]]:
            raise SystemExit("bench: %s read %s entries of %d" % (peer.name, cost.out[:40], FILES[name]))
        return cost

    found = benchrun.pairs(lambda: steps.check(path, "-j", "1", "--snapshot", "main"), read, max(2, min(3, steps.repeat)))
    times = benchrun.Spread([theirs.cpu / ours.cpu for ours, theirs in found])
    last = max(theirs.peak for _, theirs in found)
    cpu = benchrun.Spread([theirs.cpu for _, theirs in found])
    steps.measured.put("peers", peer.key + "." + name, name=peer.name, peer_version=peer.version, times=times.median, least=times.least, most=times.most,
                       cpu=cpu.median, peak_mib=last / 1024, missing="")
    print("%-20s %.1f × the CPU of the check (%.1f to %.1f), %.2f s, %.0f MiB" % (peer.key + "." + name, times.median, times.least, times.most, cpu.median, last / 1024),
          flush=True)
    if figure:
        steps.measured.figure(figure, benchrun.Spread([ours.cpu / theirs.cpu for ours, theirs in found]), "%s %s" % (peer.name, peer.version))


def measure_all(steps, tables, only):
    for key, make in makers(tables.work).items():
        if only and key not in only:
            continue
        peer = make()
        if peer.missing:
            steps.measured.put("peers", key + ".S", name=peer.name, missing=peer.missing)
            print("%-20s not measured here: needs %s" % (key, peer.missing), flush=True)
            continue
        measure(steps, peer, "S", tables.make_local("S", SMALL["S"]), key + ".S" if key in ("pyiceberg", "go") else None)
        if key == "java":
            measure(steps, peer, "M", tables.make_local("M", LARGE["M"]), "java.M")
