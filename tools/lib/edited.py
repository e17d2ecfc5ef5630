"""The lines of an edit file, and the table that they change."""

import fnmatch
import json
import os
import re

import avro

STAMP = 1748736000  # every file of a built table has this time, 2025-06-01
GZIP = b"\x1f\x8b"


class FixtureError(Exception):
    pass


# --- lines ----------------------------------------------------------------------------------------------------------


def strip_comment(line):
    quoted = escaped = False
    single = bool(re.match(r"\s*json\s+\S+\s+text\s", line))
    mark = None
    for i, c in enumerate(line):
        if escaped:
            escaped = False
        elif quoted:
            if c == "\\":
                escaped = True
            elif c == mark:
                quoted = False
        elif c == '"' or (c == "'" and single):
            quoted, mark = True, c
        elif c == "#" and (i == 0 or line[i - 1] in " \t"):
            return line[:i].rstrip()
    return line.rstrip()


def read_lines(path):
    """Yield (line number, text, heredoc or None)."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    n = 0
    while n < len(lines):
        start = n
        line = strip_comment(lines[n])
        n += 1
        if not line.strip():
            continue
        if not re.search(r"(^|\s)<<$", line):
            yield start + 1, line.strip(), None
            continue
        body = []
        while n < len(lines) and lines[n].strip() != ">>":
            body.append(lines[n])
            n += 1
        if n == len(lines):
            raise FixtureError("%s:%d: no line >> ends this" % (path, start + 1))
        n += 1
        yield start + 1, line[:-2].strip(), "\n".join(body)


class Words:
    """The words of a line; a word may be a JSON string."""

    def __init__(self, text, heredoc):
        self.text = text
        self.heredoc = heredoc

    def next(self, what):
        text = self.text.lstrip()
        if not text:
            raise FixtureError("%s is missing" % what)
        if text[0] == '"':
            try:
                word, end = json.JSONDecoder().raw_decode(text)
            except ValueError as e:
                raise FixtureError("%s: %s" % (what, e))
            self.text = text[end:]
            return word
        word, _, self.text = text.partition(" ")
        return word

    def int(self, what):
        word = self.next(what)
        try:
            return int(word, 0)
        except ValueError:
            raise FixtureError("%s is no number: %s" % (what, word))

    def hex(self, what):
        word = self.next(what)
        try:
            return bytes.fromhex(word)
        except ValueError:
            raise FixtureError("%s is not hexadecimal: %s" % (what, word))

    def rest(self):
        out, self.text = self.text.strip(), ""
        if self.heredoc is not None:
            out, self.heredoc = self.heredoc, None
        return out

    def end(self):
        if self.text.strip() or self.heredoc is not None:
            raise FixtureError("too much: %s" % (self.text.strip() or "<<"))


# --- the table ------------------------------------------------------------------------------------------------------


class Table:
    def __init__(self, root):
        self.root = root
        self.alias = {}  # name -> path inside the table
        self.uri = {}  # name -> URI as metadata names it
        self.avro = {}  # path -> Container with changes not yet written
        self.length = {}  # path -> length that the base's lists know
        self.edited = set()
        self.keep_lengths = self.follow_counts = False

    # paths

    def inside(self, path):
        parts = path.split("/")
        if path.startswith("/") or ".." in parts or path == "":
            raise FixtureError("path %s is not inside the table" % path)
        return path

    def full(self, path):
        return os.path.join(self.root, self.inside(path))

    def files(self):
        for folder, dirs, names in os.walk(self.root):
            dirs.sort()
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), self.root).replace(os.sep, "/")

    def find(self, word):
        """The path of an existing file: alias, path or glob."""
        if word in self.alias:
            return self.alias[word]
        if os.path.lexists(self.full(word)):
            return word
        hits = [f for f in self.files() if fnmatch.fnmatchcase(f, word)]
        if len(hits) != 1:
            raise FixtureError(
                "%s is no alias and no file" % word if not hits else "%s matches %d files" % (word, len(hits))
            )
        return hits[0]

    def expand(self, text):
        def uri(m):
            name = m.group(1)
            if name not in self.uri:
                raise FixtureError("no alias %s" % name)
            return self.uri[name]

        return re.sub("@([a-z]+[0-9]*)@", uri, text)

    # content

    def read(self, path):
        self.flush(path)
        with open(self.full(path), "rb") as f:
            return f.read()

    def write(self, path, data):
        full = self.full(path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(data)
        os.utime(full, (STAMP, STAMP))
        self.edited.add(path)

    def container(self, path, change=True):
        if path not in self.avro:
            with open(self.full(path), "rb") as f:
                data = f.read()
            try:
                got = avro.Container.parse(data)
            except avro.AvroError as e:
                raise FixtureError("%s: %s" % (path, e))
            self.length.setdefault(path, len(data))
            if not change:
                return got
            self.avro[path] = got
        if change:
            self.edited.add(path)
        return self.avro[path]

    def flush(self, path=None):
        for p in [path] if path is not None else sorted(self.avro):
            if p in self.avro:
                data = self.avro[p].encode()
                del self.avro[p]
                self.write(p, data)

    def remember(self, path):
        """Note the length that the lists of the base know, before the first change."""
        if path.endswith(".avro") and path not in self.length:
            self.length[path] = os.path.getsize(self.full(path))

    # what follows

    def by_uri(self):
        out = {}
        for name, uri in self.uri.items():
            if name in self.alias:
                out[uri] = self.alias[name]
        location = self.uri.get("location")
        if location:
            for path in self.files():
                out.setdefault(location + "/" + path, path)
        return out

    def settle(self):
        self.flush()
        changed = set()
        for path in sorted(self.edited):
            full = self.full(path)
            if path in self.length and os.path.isfile(full):
                changed.add(path)
        if not changed or (self.keep_lengths and not self.follow_counts):
            return
        paths = self.by_uri()
        for path in [p for p in self.files() if p.endswith(".avro")]:
            self._follow(path, paths, changed)
        self.flush()

    def _follow(self, path, paths, changed):
        full = self.full(path)
        if os.path.islink(full) or not os.path.isfile(full):
            return
        try:
            with open(full, "rb") as f:
                data = f.read()
            if b"manifest_path" not in data and b'"field-id":500' not in data.replace(b" ", b""):
                return
            got = avro.Container.parse(data)
            ids = _field_names(got.schema)
            if 500 not in ids or 501 not in ids:
                return
            for i in range(len(got.blocks)):
                for row in got.rows(i):
                    target = paths.get(row[ids[500]])
                    if target in changed and self._follow_row(row, ids, target):
                        got.touch(i)
        except (avro.AvroError, avro.CodecError, ValueError, TypeError, KeyError):
            return  # a list that was damaged on purpose stays as it is
        if any(b.stored is None for b in got.blocks):
            self.write(path, got.encode())

    def _follow_row(self, row, ids, target):
        hit = False
        size = os.path.getsize(self.full(target))
        if not self.keep_lengths and row[ids[501]] == self.length[target] and size != row[ids[501]]:
            row[ids[501]] = size
            hit = True
        if self.follow_counts:
            try:
                counts = count_entries(self.container(target, change=False))
            except (FixtureError, avro.AvroError, avro.CodecError):
                counts = {}  # damaged on purpose
            for key, value in counts.items():
                if key in ids and row[ids[key]] != value:
                    row[ids[key]] = value
                    hit = True
        return hit


def _field_names(schema):
    return {f.get("field-id"): name for name, _, f in schema.fields or ()}


def count_entries(container):
    """Counts of a manifest's entries by the field ids of the list: 504–506 files, 512–514 rows."""
    out = {504: 0, 505: 0, 506: 0, 512: 0, 513: 0, 514: 0}
    for row in container.all_rows():
        status = row.get("status")
        if status in (0, 1, 2):
            files, rows = ((505, 513), (504, 512), (506, 514))[status]
            out[files] += 1
            out[rows] += row.get("data_file", {}).get("record_count") or 0
    return out
