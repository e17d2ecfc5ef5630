"""Dictionaries of the targets: what fuzz/<target>.dict says, and words that the sources know ("%" in fuzz/targets)."""

import glob
import os
import re

import fuzzbuild

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def literals(*patterns):
    """String literals without escapes, each once."""
    words = set()
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(fuzzbuild.ROOT, "src", pattern))):
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
            words |= {w for w in LITERAL.findall(text) if "\\" not in w}
    return words


def fields():
    """Members of metadata, columns of lists and manifests: rows of the field tables."""
    names = {part for word in literals("iceberg/fields/*.def") for part in word.split("|")}
    return sorted(n for n in names if re.fullmatch(r"[a-z][a-z0-9_.-]*", n))


def header():
    """Keys of Avro headers and the attributes of Avro schemas."""
    names = literals("avro/avro_schema*.c", "avro/container*.c", "iceberg/manifest*.c", "iceberg/avro_fields.c")
    return sorted(n for n in names if re.fullmatch(r"[a-z][a-z0-9-]*(-[a-z0-9]+)*", n) and len(n) < 24) + ["avro.codec", "avro.schema"]


def conf():
    """Keys and classes that configuration is asked for."""
    return sorted(n for n in literals("conf/*.c", "conf/*.def") if re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9_-]+)+", n) and len(n) < 64)


KINDS = {"%fields": fields, "%header": header, "%conf": conf}


def make(target, folder):
    """Path of the dictionary, made in FOLDER; None: there is none."""
    lines = []
    own = os.path.join(fuzzbuild.FUZZ, target + ".dict")
    if os.path.exists(own):
        with open(own, encoding="utf-8") as f:
            lines += [line.rstrip("\n") for line in f]
    for kind in [p for p in fuzzbuild.patterns()[target] if p.startswith("%")]:
        lines += ['"%s"' % word for word in KINDS[kind]()]
    if not lines:
        return None
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, target)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return path
