"""Avro containers as text that people can read and review, and back.

    avrotext 1
    magic 4f626a01                          # only if it is another
    header 3                                # pairs of this piece of the map; -3: piece with a byte size
     avro.codec: deflate
     format-version: 2
     avro.schema: compact <<                # the JSON, in lines; written compact, or `spaced` (", " and ": ")
    {
      "type": "record", …
    >>
    sync 00112233445566778899aabbccddeeff
    arrays sized                            # arrays and maps are written in the form with a byte size
    block count=2 codec=deflate             # also size=N, sync=HEX; each may be wrong on purpose
    {"status": 1, …}                        # one record a line
    {"status": 1, …}
    block count=9 codec=deflate
    datum: 0204                             # the block's data before compression, or
    stored: 63620600                        # as it is in the file
    tail: 00ff                              # bytes behind the last block
    cut -20                                 # leave out the last 20 bytes of it all
    hex: 4f62                               # more bytes; alone: the whole file

Values are those of fixtures/README.md. A line that begins with # is a comment.
"""

import json
import re

import avro
import blockcodec
import pointer

HEAD = "avrotext 1"
STYLES = {"compact": (",", ":"), "spaced": (", ", ": ")}


class TextError(Exception):
    pass


def _in_style(value, style):
    return json.dumps(value, ensure_ascii=False, separators=STYLES[style])


def pretty(value, depth=0):
    """JSON in lines of up to 140 characters: what fits stays on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + depth <= 140 or not isinstance(value, (dict, list)):
        return flat
    pad = "\n" + " " * (depth + 1)
    if isinstance(value, dict):
        parts = [json.dumps(k, ensure_ascii=False) + ": " + pretty(v, depth + 1) for k, v in value.items()]
    else:
        parts = [pretty(v, depth + 1) for v in value]
    ends = "{}" if isinstance(value, dict) else "[]"
    return ends[0] + pad + ("," + pad).join(parts) + ends[1]


# --- to text --------------------------------------------------------------------------------------------------------


def _header_value(key, raw):
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return json.dumps({"hex": raw.hex()})
    if key == b"avro.schema":
        for style in STYLES:
            try:
                value = json.loads(text)
                if isinstance(value, (dict, list)) and _in_style(value, style) == text:
                    return "%s <<\n%s\n>>" % (style, pretty(value))
            except ValueError:
                pass
    plain = re.fullmatch(r"[^\s\"#{](.*\S)?|\{\"type.*\}", text) and text.isprintable() and not text.endswith("<<")
    return text if plain else pointer.quote(text)


def _block(got, i, exact):
    block = got.blocks[i]
    line = "block count=%d codec=%s" % (block.n, got.codec)
    if block.sync is not None:
        line += " sync=" + block.sync.hex()
    stored = "stored: " + block.stored.hex()
    try:
        data = got.datum(i)
        same = blockcodec.compress(got.codec, data) == block.stored
    except (blockcodec.CodecError, OSError, EOFError):
        return [line, stored]
    try:
        rows = got.rows(i)
        if got.encode_rows(rows) == data:
            lines = [line] + [json.dumps(row, ensure_ascii=False) for row in rows]
            return lines + ([stored] if exact and not same else [])
    except (avro.AvroError, ValueError, RecursionError):
        pass
    return [line, ("datum: " + data.hex()) if same or not exact else stored]


def to_text(data, exact=False):
    """The text of a file. `exact`: keep compressed bytes that we would compress in another way."""
    try:
        got = avro.Container.parse(data, lenient=True)
        sound = got.encode() == data
    except avro.AvroError:
        sound = False
    if not sound:
        return "%s\nhex: %s\n" % (HEAD, data.hex())
    out = [HEAD]
    for sized, pairs in got.header.pieces:
        out.append("header %d" % (-len(pairs) if sized else len(pairs)))
        for key, value in pairs:
            name = key.decode("utf-8", "backslashreplace")
            if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
                name = json.dumps({"hex": key.hex()})
            out.append(" %s: %s" % (name, _header_value(key, value)))
    out.append("sync " + got.sync.hex())
    blocks = [_block(got, i, exact) for i in range(len(got.blocks))]
    if got.sized:
        out.append("arrays sized")
    for lines in blocks:
        out += lines
    if got.tail:
        out.append("tail: " + got.tail.hex())
    return "\n".join(out) + "\n"


# --- from text ------------------------------------------------------------------------------------------------------


def _bytes(text):
    if text.startswith(("{", '"')):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, str):
            return value.encode("utf-8", "surrogatepass")
        if isinstance(value, dict) and set(value) == {"hex"}:
            return bytes.fromhex(value["hex"])
    return text.encode("utf-8")


class _Reader:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.at = 0
        self.out = avro.Container()
        self.cut = None
        self.more = b""
        self.hex_only = True

    def next(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if line.strip() and not line.startswith("#"):
                return line
        return None

    def heredoc(self):
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at] != ">>":
            self.at += 1
        if self.at == len(self.lines):
            raise TextError("no line >> ends the value")
        self.at += 1
        return "\n".join(self.lines[start : self.at - 1])

    def header(self, count):
        pairs = []
        for _ in range(abs(count)):
            line = self.next()
            m = re.fullmatch(r" (\{.*?\}|[A-Za-z0-9._-]+): ?(.*)", line or "")
            if not m:
                raise TextError("a header key was expected: %s" % line)
            key, value = _bytes(m.group(1)), m.group(2)
            style = re.fullmatch(r"(compact|spaced) <<", value)
            if style:
                value = _in_style(json.loads(self.heredoc()), style.group(1))
                pairs.append([key, value.encode("utf-8")])
            else:
                pairs.append([key, _bytes(value)])
        self.out.header.pieces.append((count < 0, pairs))

    def block(self, words):
        block = avro.Block(None, [])
        for word in words:
            name, _, value = word.partition("=")
            if name in ("count", "size"):
                setattr(block, name, int(value))
            elif name == "sync":
                block.sync = bytes.fromhex(value)
            elif name != "codec":
                raise TextError("%s is not known for a block" % name)
        self.out.blocks.append(block)

    def run(self):
        if self.next() != HEAD:
            raise TextError("the first line must be: %s" % HEAD)
        line = self.next()
        while line is not None:
            self.line(line)
            line = self.next()
        data = b"" if self.hex_only else self.out.encode()
        if self.cut is not None:
            data = data[: self.cut]
        return data + self.more

    def line(self, line):
        word, _, rest = line.partition(" ")
        self.hex_only = self.hex_only and word == "hex:"
        out = self.out
        if word == "magic":
            out.magic = bytes.fromhex(rest)
        elif word == "header":
            self.header(int(rest))
        elif word == "sync":
            out.sync = bytes.fromhex(rest)
        elif word == "arrays":
            out.sized = rest == "sized"
        elif word == "block":
            self.block(rest.split())
        elif word in ("datum:", "stored:"):
            data = bytes.fromhex(rest)
            block = out.blocks[-1]
            block.n = len(block.rows) if block.rows else block.count or 0
            block.rows = None
            block.stored = data if word == "stored:" else blockcodec.compress(out.codec, data)
        elif word == "tail:":
            out.tail += bytes.fromhex(rest)
        elif word == "cut":
            self.cut = int(rest)
        elif word == "hex:":
            self.more += bytes.fromhex(rest)
        elif out.blocks and out.blocks[-1].rows is not None:
            out.blocks[-1].rows.append(json.loads(line))
        else:
            raise TextError("not understood: %.60s" % line)


def from_text(text):
    reader = _Reader(text)
    try:
        return reader.run()
    except (ValueError, IndexError) as e:
        raise TextError("line %d: %s" % (reader.at, e))
    except TextError as e:
        raise TextError("line %d: %s" % (reader.at, e))
