"""Builds the table of a fixture directory. The language is described in fixtures/README.md."""

import copy
import json
import os

import avro
import pointer
from edited import GZIP, STAMP, FixtureError, Table, Words, read_lines
from pointer import PointerError

BASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures", "base")
NOT_TABLE = ("PROVENANCE", "aliases")

# --- json -----------------------------------------------------------------------------------------------------------

ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\", "'": b"'"}


def single_quoted(text):
    """Two 'literals' as bytes."""
    out = []
    at = 0
    while True:
        while at < len(text) and text[at] in " \t":
            at += 1
        if at == len(text):
            return out
        if text[at] != "'":
            raise FixtureError("text wants 'old' 'new' in single quotes")
        at += 1
        one = bytearray()
        while True:
            if at >= len(text):
                raise FixtureError("a quote is not closed")
            c = text[at]
            at += 1
            if c == "'":
                break
            if c != "\\":
                one += c.encode("utf-8")
                continue
            c = text[at : at + 1]
            at += 1
            if c == "x":
                one += bytes.fromhex(text[at : at + 2])
                at += 2
            elif c in ESCAPES:
                one += ESCAPES[c]
            else:
                raise FixtureError("escape \\%s is not known" % c)
        out.append(bytes(one))


def gunzip(data):
    import zlib

    packer = zlib.decompressobj(31)
    return packer.decompress(data) + packer.flush()


def gzip_(data):
    """gzip without a time or a name."""
    import zlib

    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    tail = zlib.crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + body + tail


def value_of(table, words, exact):
    text = table.expand(words.rest())
    try:
        return pointer.loads(text, exact)
    except ValueError as e:
        raise FixtureError("value is no JSON: %s: %s" % (e, text))


def edit_tree(table, doc, verb, words, exact, null=False):
    """One of the verbs that work on any tree of dicts and lists."""
    tokens = pointer.split(words.next("pointer"))
    if verb == "set":
        pointer.set_(doc, tokens, value_of(table, words, exact))
    elif verb in ("insert", "add"):
        pointer.insert(doc, tokens, value_of(table, words, exact))
    elif verb == "remove":
        pointer.remove(doc, tokens, null)
    elif verb == "rename":
        pointer.rename(doc, tokens, words.next("new key"))
    elif verb in ("copy", "move"):
        value = copy.deepcopy(pointer.get(doc, tokens))
        if verb == "move":
            pointer.remove(doc, tokens)
        target = pointer.split(words.next("second pointer"))
        where = pointer.parent(doc, target)
        if isinstance(where, list):
            pointer.insert(doc, target, value)
        else:
            where[target[-1]] = value
    else:
        raise FixtureError("%s is not known here" % verb)


def do_json(table, words):
    path = table.find(words.next("file"))
    verb = words.next("verb")
    data = table.read(path)
    packed = data.startswith(GZIP)
    if packed:
        data = gunzip(data)
    if verb == "text":
        how = words.next("s or all")
        pair = single_quoted(table.expand(words.rest()))
        if how not in ("s", "all") or len(pair) != 2:
            raise FixtureError("text wants: s 'old' 'new' or all 'old' 'new'")
        hits = data.count(pair[0])
        if hits == 0 or (how == "s" and hits != 1):
            raise FixtureError("%r is there %d times" % (pair[0].decode("utf-8", "replace"), hits))
        data = data.replace(*pair)
    else:
        try:
            text = data.decode("utf-8")
            doc = pointer.loads(text)
        except ValueError as e:
            raise FixtureError("%s is not plain JSON any more (%s): put text lines last" % (path, e))
        edit_tree(table, doc, verb, words, exact=True)
        indent = pointer.style(text)
        data = (pointer.dumps(doc, indent) + ("\n" if text.endswith("\n") else "")).encode("utf-8")
    table.write(path, gzip_(data) if packed else data)


# --- avro -----------------------------------------------------------------------------------------------------------


def header_text(table, words):
    text = table.expand(words.rest())
    if text[:1] in ('"', "{"):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, str):
            return value.encode("utf-8", "surrogatepass")
        if isinstance(value, dict) and set(value) == {"hex"}:
            return bytes.fromhex(value["hex"])
    return text.encode("utf-8")


def avro_header(table, got, verb, tokens, words):
    if len(tokens) < 2:
        raise FixtureError("which key of the header?")
    key = tokens[1].encode("utf-8")
    if len(tokens) == 2:
        if verb == "remove":
            if not got.header.remove(key):
                raise FixtureError("no key %s in the header" % tokens[1])
        elif verb == "set":
            got.header.set(key, header_text(table, words))
        elif verb == "add":
            got.header.add(key, header_text(table, words))
        else:
            raise FixtureError("%s is not known for header keys" % verb)
        return
    text = got.header.text(key)
    if text is None:
        raise FixtureError("no key %s in the header" % tokens[1])
    doc = [pointer.loads(text)]
    line = "".join("/" + t.replace("~", "~0").replace("/", "~1") for t in ["0"] + tokens[2:])
    edit_tree(table, doc, verb, Words(json.dumps(line) + " " + words.rest(), None), exact=True)
    got.header.set(key, pointer.dumps(doc[0]).encode("utf-8"))


def by_alias(table, rows, token):
    """The index of the record that is about the file of an alias: `@m2@` in a list, `@f1@` in a manifest."""
    if not (len(token) > 2 and token[0] == token[-1] == "@"):
        return token
    uri = table.expand(token)
    hits = [i for i, row in enumerate(rows) if uri in row.values() or uri == row.get("data_file", {}).get("file_path")]
    if len(hits) != 1:
        raise FixtureError("%d records are about %s" % (len(hits), uri))
    return str(hits[0])


def avro_records(table, got, verb, tokens, words):
    rows = got.all_rows()
    if len(tokens) == 1:
        raise FixtureError("which record?")
    tokens[1] = by_alias(table, rows, tokens[1])
    if verb == "copy":
        value = copy.deepcopy(pointer.get({"records": rows}, tokens))
        tokens = pointer.split(words.next("second pointer"))
        if tokens[:1] != ["records"] or len(tokens) < 2:
            raise FixtureError("second pointer must be in /records")
        tokens[1] = by_alias(table, rows, tokens[1])
        verb = "insert" if len(tokens) == 2 or isinstance(pointer.parent({"records": rows}, tokens), list) else "set"
    elif verb in ("set", "insert", "add"):
        value = value_of(table, words, exact=False)
    elif verb != "remove":
        raise FixtureError("%s is not known for records" % verb)
    new = verb in ("insert", "add")
    n = pointer.index(rows, tokens[1], behind=len(tokens) == 2 and (new or tokens[1] == "-"))
    if not got.blocks:
        got.blocks.append(avro.Block(None, []))
    block, at = got.place(n)
    got.touch(block)
    local = {"records": got.blocks[block].rows}
    tokens = ["records", str(at)] + tokens[2:]
    if verb == "remove":
        pointer.remove(local, tokens, null=len(tokens) > 2)
    elif new:
        pointer.insert(local, tokens, value)
    elif at == len(local["records"]):
        local["records"].append(value)
    else:
        pointer.set_(local, tokens, value)
    if not got.blocks[block].rows:
        del got.blocks[block]


def avro_schema(table, got, words):
    verb = words.next("verb")
    doc = {"": json.loads(got.header.text(b"avro.schema") or "null")}
    first = words.next("pointer")
    inner = Words(json.dumps("/" + first) + " ", None)
    if verb in ("copy", "move"):
        inner.text += json.dumps("/" + words.next("second pointer"))
    else:
        inner.text += words.rest()
    edit_tree(table, doc, verb, inner, exact=False)
    got.set_schema(doc[""])


def block_of(got, words):
    n = words.int("block")
    if not -len(got.blocks) <= n < len(got.blocks):
        raise FixtureError("no block %d, there are %d" % (n, len(got.blocks)))
    return n % len(got.blocks)


def do_avro(table, words):
    path = table.find(words.next("file"))
    verb = words.next("verb")
    got = table.container(path)
    if verb in ("set", "remove", "insert", "add", "copy"):
        tokens = pointer.split(words.next("pointer"))
        if tokens[:1] == ["header"]:
            avro_header(table, got, verb, tokens, words)
        elif tokens[:1] == ["records"]:
            avro_records(table, got, verb, tokens, words)
        else:
            raise FixtureError("pointers into Avro files begin with /header or /records")
    elif verb == "header-dup":
        got.header.add(words.next("key").encode("utf-8"), header_text(table, words))
    elif verb == "schema":
        avro_schema(table, got, words)
    elif verb == "codec":
        got.recode(words.next("codec"))
    elif verb == "blocks":
        got.reblock(max(1, words.int("records a block")))
    elif verb == "compact":
        got.reblock(1 << 62)
    elif verb in ("count", "size", "sync"):
        block = got.blocks[block_of(got, words)]
        setattr(block, verb, words.hex("sync marker") if verb == "sync" else words.int(verb))
    elif verb in ("raw", "datum"):
        n = block_of(got, words)
        data = words.hex("bytes")
        block = got.blocks[n]
        block.n = block.n if block.rows is None else len(block.rows)
        block.rows = None
        block.stored = data if verb == "raw" else avro.blockcodec.compress(got.codec, data)
    elif verb == "magic":
        got.magic = words.hex("magic")
    else:
        raise FixtureError("%s is not known for avro" % verb)
    table.avro[path].encode()  # errors belong to this line


# --- files ----------------------------------------------------------------------------------------------------------


def bytes_of(table, words):
    heredoc = words.heredoc is not None
    text = table.expand(words.rest())
    if heredoc:
        return (text + "\n").encode("utf-8")
    if text[:1] == '"':
        return json.loads(text).encode("utf-8", "surrogatepass")
    if text[:1] == "{":
        return avro.to_bytes(json.loads(text)) or b""
    return bytes.fromhex(text)


def do_cut(table, words):
    path = table.find(words.next("file"))
    data = table.read(path)
    n = words.int("length")
    table.remember(path)
    table.write(path, data[:n] if n < 0 else data[: min(n, len(data))])


def do_byte(table, words):
    path = table.find(words.next("file"))
    data = table.read(path)
    at = words.int("offset")
    new = words.hex("bytes")
    at = at + len(data) if at < 0 else at
    if at < 0 or at + len(new) > len(data):
        raise FixtureError("offset %d is outside, the file has %d bytes" % (at, len(data)))
    table.remember(path)
    table.write(path, data[:at] + new + data[at + len(new) :])


def do_append(table, words, front=False):
    path = table.find(words.next("file"))
    data = table.read(path)
    more = bytes_of(table, words)
    table.remember(path)
    table.write(path, more + data if front else data + more)


def do_write(table, words):
    word = words.next("file")
    path = table.alias.get(word, word)
    if os.path.isfile(table.full(path)):
        table.flush(path)
        table.remember(path)
    table.write(path, bytes_of(table, words))


def do_delete(table, words):
    path = table.find(words.next("file"))
    table.avro.pop(path, None)
    full = table.full(path)
    if os.path.isdir(full) and not os.path.islink(full):
        remove_tree(full)
    else:
        os.unlink(full)


def do_rename(table, words, keep=False):
    path = table.find(words.next("file"))
    new = words.next("new path")
    table.flush(path)
    if path in table.length:
        table.length[new] = table.length[path]
    elif path.endswith(".avro"):
        table.remember(path)
        table.length[new] = table.length[path]
    os.makedirs(os.path.dirname(table.full(new)), exist_ok=True)
    if keep:
        table.write(new, table.read(path))
        return
    os.rename(table.full(path), table.full(new))
    if path in table.edited:
        table.edited.add(new)
    for name in [n for n, p in table.alias.items() if p == path]:
        table.alias[name] = new


def do_alias(table, words):
    name = words.next("alias")
    table.alias[name] = table.find(words.next("file"))
    table.uri[name] = table.uri.get("location", "") + "/" + table.alias[name]


def do_gzip(table, words, un=False):
    path = table.find(words.next("file"))
    data = table.read(path)
    table.remember(path)
    table.write(path, gunzip(data) if un else gzip_(data))


def do_place(table, words, what):
    path = words.next("path")
    full = table.full(path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if what == "mkdir":
        os.makedirs(full, exist_ok=True)
    elif what == "symlink":
        os.symlink(words.next("target"), full)
    else:
        os.mkfifo(full)


def do_chmod(table, words):
    path = table.find(words.next("file"))
    table.flush(path)
    os.chmod(table.full(path), int(words.next("mode"), 8))


def do_mtime(table, words):
    import calendar
    import time

    path = table.find(words.next("file"))
    table.flush(path)
    when = calendar.timegm(time.strptime(words.next("time"), "%Y-%m-%dT%H:%M:%SZ"))
    os.utime(table.full(path), (when, when))


def do_keep(table, words):
    if words.next("what") != "lengths":
        raise FixtureError("keep wants: lengths")
    table.keep_lengths = True


def do_follow(table, words):
    if words.next("what") != "counts":
        raise FixtureError("follow wants: counts")
    table.follow_counts = True


VERBS = {
    "json": do_json,
    "avro": do_avro,
    "cut": do_cut,
    "byte": do_byte,
    "append": do_append,
    "prepend": lambda t, w: do_append(t, w, front=True),
    "write": do_write,
    "delete": do_delete,
    "rename": do_rename,
    "copy": lambda t, w: do_rename(t, w, keep=True),
    "alias": do_alias,
    "gzip": do_gzip,
    "gunzip": lambda t, w: do_gzip(t, w, un=True),
    "mkdir": lambda t, w: do_place(t, w, "mkdir"),
    "symlink": lambda t, w: do_place(t, w, "symlink"),
    "fifo": lambda t, w: do_place(t, w, "fifo"),
    "chmod": do_chmod,
    "mtime": do_mtime,
    "keep": do_keep,
    "follow": do_follow,
}


# --- build ----------------------------------------------------------------------------------------------------------


def remove_tree(path):
    for folder, dirs, _ in os.walk(path):  # fixtures may have closed a directory
        for name in dirs:
            if not os.path.islink(os.path.join(folder, name)):
                os.chmod(os.path.join(folder, name), 0o755)
    for folder, dirs, names in os.walk(path, topdown=False):
        for name in names:
            os.unlink(os.path.join(folder, name))
        for name in dirs:
            full = os.path.join(folder, name)
            os.unlink(full) if os.path.islink(full) else os.rmdir(full)
    os.rmdir(path)


def copy_tree(source, target, leave=()):
    for folder, dirs, names in os.walk(source):
        dirs.sort()
        where = os.path.join(target, os.path.relpath(folder, source))
        os.makedirs(where, exist_ok=True)
        for name in names:
            if folder == source and name in leave:
                continue
            old, new = os.path.join(folder, name), os.path.join(where, name)
            if os.path.islink(old):
                os.symlink(os.readlink(old), new)
                continue
            with open(old, "rb") as f:
                data = f.read()
            with open(new, "wb") as f:
                f.write(data)
            os.utime(new, (STAMP, STAMP))


def assemble(table):
    """Turn every NAME.avrotext of a whole table into NAME.avro, unless that is there too."""
    for path in [p for p in table.files() if p.endswith(".avrotext")]:
        import avrotext

        target = path[: -len("text")]
        if not os.path.exists(table.full(target)):
            with open(table.full(path), encoding="utf-8", errors="surrogatepass") as f:
                text = f.read()
            try:
                table.write(target, avrotext.from_text(text))
            except (avrotext.TextError, avro.AvroError) as e:
                raise FixtureError("%s: %s" % (path, e))
        os.unlink(table.full(path))
    table.edited.clear()


def read_aliases(table, path):
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8") as f:
        for line in f:
            if not line.strip() or line.startswith("#"):
                continue
            name, place, *uri = line.rstrip("\n").split("\t")
            if place != "-":
                table.alias[name] = place
            if uri:
                table.uri[name] = uri[0]


def start(table, words, fixture):
    name = words.next("name of a base table")
    base = os.path.join(BASES, name)
    if "/" in name or not os.path.isdir(base):
        raise FixtureError("no base table %s; there are: %s" % (name, " ".join(sorted(os.listdir(BASES)))))
    copy_tree(base, table.root, NOT_TABLE)
    read_aliases(table, os.path.join(base, "aliases"))


def build(fixture, out):
    """Make the table of directory `fixture` in `out`, replacing what a former build left there."""
    mark = out.rstrip("/") + ".built"
    if os.path.lexists(out):
        if not os.path.exists(mark):
            raise FixtureError("%s is there already, and no fixture was built there" % out)
        remove_tree(out)
    os.makedirs(out)
    with open(mark, "w") as f:
        f.write("%s\n" % os.path.basename(fixture.rstrip("/")))
    table = Table(out)
    edit = os.path.join(fixture, "edit")
    whole = os.path.join(fixture, "table")
    begun = os.path.isdir(whole)
    if begun:
        copy_tree(whole, out)
        assemble(table)
        read_aliases(table, os.path.join(fixture, "aliases"))
    elif not os.path.isfile(edit):
        raise FixtureError("%s has neither edit nor table" % fixture)
    if os.path.isfile(edit):
        for number, text, heredoc in read_lines(edit):
            try:
                words = Words(text, heredoc)
                verb = words.next("verb")
                if verb == "base" and not begun:
                    start(table, words, fixture)
                    begun = True
                elif not begun:
                    raise FixtureError("the first line must be: base NAME")
                elif verb not in VERBS:
                    raise FixtureError("%s is not known; there are: base %s" % (verb, " ".join(VERBS)))
                else:
                    VERBS[verb](table, words)
                words.end()
            except (FixtureError, PointerError, avro.AvroError, avro.CodecError, OSError, ValueError, KeyError) as e:
                raise FixtureError("%s:%d: %s" % (edit, number, e))
    try:
        table.settle()
    except (avro.AvroError, avro.CodecError) as e:
        raise FixtureError("%s: %s" % (edit, e))
    return table
