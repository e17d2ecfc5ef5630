#!/usr/bin/python3 -SEB
"""What tools/coverage counts: objects that CMake built and nothing beside them, no branches of assert, no way past a
switch over all cases.

test_coverage.py"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import gcovlines

PROGRAM = """\
#include <assert.h>
enum kind { ONE, TWO };
void put(int *out, int value);
void put(int *out, int value) {
    *out = value;
}
static int of(enum kind kind) {
    int out;
    assert(kind == ONE || kind == TWO);
    switch (kind) {
    case ONE:
        put(&out, 1);
        break;
    case TWO:
        put(&out, 2);
        break;
    }
    return out;
}
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        return of(TWO);
    return of(ONE) - 1;
}
"""


def compile_to(folder, root, *options):
    os.makedirs(folder)
    subprocess.run(["gcc", "--coverage", "-ffile-prefix-map=%s=." % root, "-o", "program.o", "-c", os.path.join(root, "src", "program.c"),
                    *options], cwd=folder, check=True)


def counted(build, root):
    text, known = gcovlines.read(build, root)["src/program.c"]
    return {text[n - 1].strip(): (line.count, [min(b, 1) for b in line.branches]) for n, line in known.items()}


def main():
    with tempfile.TemporaryDirectory() as root:
        build = os.path.join(root, "build")
        objects = os.path.join(build, "src", "CMakeFiles", "program.dir")
        os.mkdir(os.path.join(root, "src"))
        with open(os.path.join(root, "src", "program.c"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        compile_to(objects, root, "-O0")
        subprocess.run(["gcc", "--coverage", "program.o", "-o", "program"], cwd=objects, check=True)
        subprocess.run(["./program"], cwd=objects, check=True)
        compile_to(os.path.join(build, "stray"), root, "-g", "-O1")
        lines = counted(build, root)
        assert lines["if (argc > 1)"] == (1, [0, 1]), lines
        assert lines["return of(TWO);"][0] == 0, lines
        assert lines["return of(ONE) - 1;"][0] == 1, lines
        assert lines["case ONE:"][0] == 1 and lines["case TWO:"][0] == 0, lines
        assert sorted(lines["switch (kind) {"][1]) == [0, 1], lines
        assert lines["assert(kind == ONE || kind == TWO);"] == (1, []), lines
        assert "int out;" not in lines, lines
        subprocess.run(["./program", "more"], cwd=objects)
        lines = counted(build, root)
        assert lines["if (argc > 1)"] == (2, [1, 1]), lines
        assert lines["switch (kind) {"] == (2, [1, 1]), lines
    print("lines and branches: counted")


if __name__ == "__main__":
    main()
