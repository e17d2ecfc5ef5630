"""Avro schemas and data: between bytes and values that JSON can say.

Bytes, fixed, odd floats and strings that are no UTF-8 are {"hex": "…"}; a union is its natural value, or
{"branch": n, "value": v} where that would be taken for another branch.
"""

import json
import struct

PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
LONG_MIN, LONG_MAX = -(1 << 63), (1 << 63) - 1


class AvroError(Exception):
    pass


# --- schema ---------------------------------------------------------------------------------------------------------


class Type:
    """kind: a primitive, record, enum, fixed, array, map or union; `json` is the schema it was made from."""

    __slots__ = ("kind", "name", "json", "fields", "symbols", "size", "items", "branches")

    def __init__(self, kind, json_):
        self.kind = kind
        self.json = json_
        self.name = None
        self.fields = self.symbols = self.size = self.items = self.branches = None


def parse_schema(schema, names=None, space=""):
    """Return the Type of a schema given as JSON value; names may be used before they end (recursive types)."""
    names = {} if names is None else names
    if isinstance(schema, str):
        if schema in PRIMITIVES:
            return Type(schema, schema)
        full = schema if "." in schema or not space else space + "." + schema
        found = names.get(full) or names.get(schema)
        if found is None:
            raise AvroError("schema: type %s is not defined" % schema)
        return found
    if isinstance(schema, list):
        union = Type("union", schema)
        union.branches = [parse_schema(s, names, space) for s in schema]
        return union
    if not isinstance(schema, dict) or "type" not in schema:
        raise AvroError("schema: neither name, list nor object with type: %.60s" % json.dumps(schema))
    kind = schema["type"]
    if not isinstance(kind, str):
        return parse_schema(kind, names, space)
    if kind in PRIMITIVES:
        return Type(kind, schema)
    if kind == "array":
        out = Type(kind, schema)
        out.items = parse_schema(schema.get("items"), names, space)
        return out
    if kind == "map":
        out = Type(kind, schema)
        out.items = parse_schema(schema.get("values"), names, space)
        return out
    if kind not in ("record", "error", "enum", "fixed"):
        return parse_schema(kind, names, space)
    out = Type("record" if kind == "error" else kind, schema)
    name = schema.get("name", "")
    if "." in name:
        space = name.rpartition(".")[0]
    else:
        space = schema.get("namespace", space) or ""
    out.name = name
    names[name if "." in name or not space else space + "." + name] = out
    if kind == "enum":
        out.symbols = schema.get("symbols", [])
    elif kind == "fixed":
        out.size = schema.get("size")
        if not isinstance(out.size, int):
            raise AvroError("schema: fixed %s has no size" % name)
    else:
        out.fields = []
        for f in schema.get("fields", []):
            if not isinstance(f, dict) or not isinstance(f.get("name"), str) or "type" not in f:
                raise AvroError("schema: field without name or type in %s: %.60s" % (name, json.dumps(f)))
            out.fields.append((f["name"], parse_schema(f["type"], names, space), f))
    return out


# --- numbers --------------------------------------------------------------------------------------------------------


def write_long(out, n):
    """Append n as zigzag varint; n must fit 64 bits signed."""
    if not LONG_MIN <= n <= LONG_MAX:
        raise AvroError("%d does not fit a long" % n)
    n = (n << 1) ^ (n >> 63)
    n &= 0xFFFFFFFFFFFFFFFF
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)


def encode_long(n):
    out = bytearray()
    write_long(out, n)
    return bytes(out)


class Cursor:
    __slots__ = ("data", "at", "odd")

    def __init__(self, data, at=0):
        self.data = data
        self.at = at
        self.odd = False  # met an array or map piece with a byte size

    def long(self):
        n = shift = 0
        data = self.data
        while True:
            if self.at >= len(data):
                raise AvroError("data ends in a number at %d" % self.at)
            byte = data[self.at]
            self.at += 1
            n |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 63:
                raise AvroError("number of over 10 bytes at %d" % self.at)
        n = (n >> 1) ^ -(n & 1)
        if not LONG_MIN <= n <= LONG_MAX:
            raise AvroError("number beyond 64 bits at %d" % self.at)
        return n

    def take(self, size):
        if size < 0 or self.at + size > len(self.data):
            raise AvroError("%d bytes wanted at %d, %d left" % (size, self.at, len(self.data) - self.at))
        out = self.data[self.at : self.at + size]
        self.at += size
        return out

    def counts(self):
        """The counts of the pieces of an array or map, until the one of 0."""
        while True:
            n = self.long()
            if n == 0:
                return
            if n < 0:
                self.odd = True
                self.long()
                n = -n
            if n > len(self.data):
                raise AvroError("%d items at %d, in %d bytes of data" % (n, self.at, len(self.data)))
            yield n


# --- values ---------------------------------------------------------------------------------------------------------


def hexed(data):
    return {"hex": data.hex()}


def _float(cursor, code, size):
    raw = bytes(cursor.take(size))
    value = struct.unpack(code, raw)[0]
    if value != value or value in (float("inf"), float("-inf")):
        return hexed(raw)
    return value


def decode(t, cursor):
    kind = t.kind
    if kind == "record":
        return {name: decode(ft, cursor) for name, ft, _ in t.fields}
    if kind == "union":
        n = cursor.long()
        if not 0 <= n < len(t.branches):
            raise AvroError("union branch %d of %d" % (n, len(t.branches)))
        value = decode(t.branches[n], cursor)
        return value if branch_of(t, value) == n else {"branch": n, "value": value}
    if kind == "long" or kind == "int":
        return cursor.long()
    if kind == "string":
        raw = bytes(cursor.take(cursor.long()))
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return hexed(raw)
    if kind == "bytes":
        return hexed(cursor.take(cursor.long()))
    if kind == "fixed":
        return hexed(cursor.take(t.size))
    if kind == "null":
        return None
    if kind == "boolean":
        byte = cursor.take(1)[0]
        if byte > 1:
            raise AvroError("boolean byte %d" % byte)
        return byte == 1
    if kind == "float":
        return _float(cursor, "<f", 4)
    if kind == "double":
        return _float(cursor, "<d", 8)
    if kind == "array":
        return [decode(t.items, cursor) for n in cursor.counts() for _ in range(n)]
    if kind == "map":
        out = {}
        for n in cursor.counts():
            for _ in range(n):
                key = bytes(cursor.take(cursor.long())).decode("utf-8")
                if key in out:
                    raise AvroError("map key %s twice" % key)
                out[key] = decode(t.items, cursor)
        return out
    n = cursor.long()
    if not 0 <= n < len(t.symbols):
        raise AvroError("enum index %d of %d" % (n, len(t.symbols)))
    return t.symbols[n]


BYTE_FORMS = {"hex", "int", "long", "float", "double", "text", "decimal"}


def to_bytes(value):
    """The bytes of {"hex": …} and its sisters, or None when value is none of these."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    form, v = next(iter(value.items()))
    try:
        if form == "hex":
            return bytes.fromhex(v)
        if form == "int":
            return struct.pack("<i", v)
        if form == "long":
            return struct.pack("<q", v)
        if form == "float":
            return struct.pack("<f", v)
        if form == "double":
            return struct.pack("<d", v)
        if form == "text":
            return v.encode("utf-8")
        if form == "decimal":
            size = max(1, ((v if v >= 0 else ~v).bit_length() + 8) // 8)
            return v.to_bytes(size, "big", signed=True)
    except (ValueError, TypeError, AttributeError, struct.error) as e:
        raise AvroError("%s: %s" % (json.dumps(value), e))
    return None


def fits(t, value):
    """Whether the natural value can be one of type t: decides on the branch of a union."""
    kind = t.kind
    if value is None:
        return kind == "null"
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int):
        return kind in ("int", "long", "float", "double")
    if isinstance(value, float):
        return kind in ("float", "double")
    if isinstance(value, str):
        return kind == "string" or (kind == "enum" and value in t.symbols)
    if isinstance(value, list):
        return kind == "array"
    if kind in ("bytes", "fixed", "string", "float", "double"):
        return len(value) == 1 and next(iter(value)) in BYTE_FORMS
    if kind == "record":
        names = {f[0] for f in t.fields}
        return all(k in names for k in value)
    return kind == "map"


def branch_of(t, value):
    for i, branch in enumerate(t.branches):
        if fits(branch, value):
            return i
    return -1


def zero(t, field=None):
    """The value of a field that a record leaves out: its default, else null, 0, empty."""
    if field is not None and "default" in field:
        default = field["default"]
        if t.kind in ("bytes", "fixed") and isinstance(default, str):
            return hexed(default.encode("latin-1"))
        return default
    kind = t.kind
    if kind == "null":
        return None
    if kind == "union":
        nulls = [b for b in t.branches if b.kind == "null"]
        return None if nulls or not t.branches else zero(t.branches[0])
    if kind == "boolean":
        return False
    if kind in ("int", "long"):
        return 0
    if kind in ("float", "double"):
        return 0.0
    if kind == "string":
        return ""
    if kind == "bytes":
        return {"hex": ""}
    if kind == "fixed":
        return {"hex": "00" * max(t.size, 0)}
    if kind == "array":
        return []
    if kind == "enum":
        return t.symbols[0] if t.symbols else ""
    return {}


def _fail(path, t, value):
    text = json.dumps(value)
    raise AvroError("%s: %s is no %s" % (path or "/", text if len(text) < 60 else text[:57] + "...", t.kind))


def encode(t, value, out, path="", sized=False):
    """Append value to out. `sized`: write arrays and maps in the form with a byte size."""
    kind = t.kind
    if kind == "record":
        if not isinstance(value, dict):
            _fail(path, t, value)
        known = 0
        for name, ft, field in t.fields:
            if name in value:
                known += 1
                encode(ft, value[name], out, path + "/" + name, sized)
            else:
                encode(ft, zero(ft, field), out, path + "/" + name, sized)
        if known != len(value):
            names = {f[0] for f in t.fields}
            raise AvroError("%s: no field %s in the schema" % (path, ", ".join(k for k in value if k not in names)))
    elif kind == "union":
        if isinstance(value, dict) and set(value) == {"branch", "value"}:
            n, value = value["branch"], value["value"]
        else:
            n = branch_of(t, value)
        if not 0 <= n < len(t.branches):
            _fail(path, t, value)
        write_long(out, n)
        encode(t.branches[n], value, out, path, sized)
    elif kind == "int" or kind == "long":
        if not isinstance(value, int) or isinstance(value, bool):
            _fail(path, t, value)
        write_long(out, value)
    elif kind == "string":
        raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else to_bytes(value)
        if raw is None:
            _fail(path, t, value)
        write_long(out, len(raw))
        out += raw
    elif kind == "bytes" or kind == "fixed":
        raw = to_bytes(value)
        if raw is None or (kind == "fixed" and len(raw) != t.size):
            _fail(path, t, value)
        if kind == "bytes":
            write_long(out, len(raw))
        out += raw
    elif kind == "null":
        if value is not None:
            _fail(path, t, value)
    elif kind == "boolean":
        if not isinstance(value, bool):
            _fail(path, t, value)
        out.append(1 if value else 0)
    elif kind == "float" or kind == "double":
        raw = to_bytes(value)
        if raw is None:
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                _fail(path, t, value)
            raw = struct.pack("<f" if kind == "float" else "<d", value)
        out += raw
    elif kind == "array":
        if not isinstance(value, list):
            _fail(path, t, value)
        body = bytearray()
        for i, item in enumerate(value):
            encode(t.items, item, body, "%s/%d" % (path, i), sized)
        _pieces(out, len(value), body, sized)
    elif kind == "map":
        if not isinstance(value, dict):
            _fail(path, t, value)
        body = bytearray()
        for key, item in value.items():
            raw = key.encode("utf-8")
            write_long(body, len(raw))
            body += raw
            encode(t.items, item, body, "%s/%s" % (path, key), sized)
        _pieces(out, len(value), body, sized)
    else:
        if value not in t.symbols:
            _fail(path, t, value)
        write_long(out, t.symbols.index(value))


def _pieces(out, count, body, sized):
    if count:
        write_long(out, -count if sized else count)
        if sized:
            write_long(out, len(body))
        out += body
    out.append(0)


def convert(value, old, new):
    """The value of type `old` as one of type `new`: record fields by name, by position where only names differ."""
    if old.kind == "union" and isinstance(value, dict) and set(value) == {"branch", "value"}:
        return convert(value["value"], old.branches[value["branch"]], new)
    if old.kind == "union":
        n = branch_of(old, value)
        return convert(value, old.branches[n], new) if n >= 0 else zero(new)
    if new.kind == "union":
        same = [b for b in new.branches if b.kind == old.kind]
        other = [b for b in new.branches if b.kind != "null"]
        if value is None or not (same or other):
            return zero(new)
        return convert(value, old, (same or other)[0])
    if new.kind == "record" and old.kind == "record":
        was = {name: ft for name, ft, _ in old.fields}
        names = [f[0] for f in new.fields]
        out = {}
        by_place = len(was) == len(names) and set(names) != set(was)
        for i, (name, ft, field) in enumerate(new.fields):
            source = old.fields[i][0] if by_place and name not in was else name
            out[name] = convert(value[source], was[source], ft) if source in was else zero(ft, field)
        return out
    if new.kind == "array" and old.kind == "array":
        return [convert(v, old.items, new.items) for v in value]
    if new.kind == "map" and old.kind == "map":
        return {k: convert(v, old.items, new.items) for k, v in value.items()}
    if new.kind in ("bytes", "fixed", "string") and to_bytes(value) is not None:
        raw = to_bytes(value)
        if new.kind == "fixed":
            raw = raw[: new.size].rjust(new.size, b"\0")
        return hexed(raw)
    if new.kind == "string":
        return value if isinstance(value, str) else json.dumps(value)
    if new.kind == "bytes" and isinstance(value, str):
        return hexed(value.encode("utf-8"))
    if new.kind in ("float", "double") and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if new.kind in ("int", "long") and isinstance(value, bool):
        return int(value)
    if new.kind == "boolean" and isinstance(value, int):
        return bool(value)
    return value if fits(new, value) else zero(new)
