"""JSON pointers over Python values, with selectors, and JSON text that keeps numbers as written."""

import json
import re


class PointerError(Exception):
    pass


class Raw(str):
    """A number exactly as it was written."""


# --- text -----------------------------------------------------------------------------------------------------------


def _raw_int(text):
    if len(text) < 25 and str(int(text)) == text:
        return int(text)
    return Raw(text)


def _constant(text):
    raise ValueError("%s is no JSON" % text)


def _unique(pairs):
    out = dict(pairs)
    if len(out) != len(pairs):
        keys = [k for k, _ in pairs]
        raise ValueError("key %s twice in one object" % next(k for k in keys if keys.count(k) > 1))
    return out


def loads(text, exact=True):
    """Parse JSON. `exact`: floats and odd integers become Raw; keys that stand twice are an error."""
    if exact:
        return json.loads(
            text, parse_float=Raw, parse_int=_raw_int, parse_constant=_constant, object_pairs_hook=_unique
        )
    return json.loads(text, parse_constant=_constant)


_SURROGATE = re.compile("[\ud800-\udfff]")


def quote(text):
    out = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda m: "\\u%04x" % ord(m.group()), out)


def dumps(value, indent=None, depth=0, colon=None):
    """Write JSON: compact, or one member a line with `indent` blanks a level."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, (dict, list)) and value:
        if colon is None:
            colon = ":" if indent is None else ": "
        if isinstance(value, dict):
            parts = [quote(k) + colon + dumps(v, indent, depth + 1, colon) for k, v in value.items()]
        else:
            parts = [dumps(v, indent, depth + 1, colon) for v in value]
        ends = "{}" if isinstance(value, dict) else "[]"
        if indent is None:
            return ends[0] + ",".join(parts) + ends[1]
        pad = "\n" + " " * (indent * (depth + 1))
        return ends[0] + pad + ("," + pad).join(parts) + "\n" + " " * (indent * depth) + ends[1]
    return json.dumps(value)


def style(text):
    """The indent that a text was written with, None when it is compact."""
    found = re.match(r"\s*[\[{]\s*\n( *)\S", text)
    return len(found.group(1)) if found else None


# --- pointers -------------------------------------------------------------------------------------------------------


def split(pointer):
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise PointerError("pointer %s does not begin with /" % pointer)
    return [t.replace("~1", "/").replace("~0", "~") for t in pointer[1:].split("/")]


def _selects(item, key, want):
    if not isinstance(item, dict):
        return False
    key = "field-id" if key == "field" and "field" not in item else key
    if key not in item:
        return False
    value = item[key]
    return value == want if isinstance(value, str) and not isinstance(value, Raw) else json.dumps(value) == want


def index(array, token, behind=False):
    """The index that a token names in a list; `behind`: the place behind the last one is fine too."""
    if token == "-":
        if not behind:
            raise PointerError("- names no element")
        return len(array)
    if "=" in token:
        key, _, want = token.partition("=")
        hits = [i for i, item in enumerate(array) if _selects(item, key, want)]
        if len(hits) != 1:
            raise PointerError("%d elements have %s" % (len(hits), token))
        return hits[0]
    try:
        n = int(token)
    except ValueError:
        raise PointerError("%s is no array index" % token)
    n = n + len(array) if n < 0 else n
    if not 0 <= n < len(array) + (1 if behind else 0):
        raise PointerError("no element %s, the array has %d" % (token, len(array)))
    return n


def get(value, tokens):
    for token in tokens:
        if isinstance(value, list):
            value = value[index(value, token)]
        elif isinstance(value, dict):
            if token not in value:
                raise PointerError("no key %s here; there are: %s" % (token, " ".join(value) or "none"))
            value = value[token]
        else:
            raise PointerError("nothing below %s: it is %s" % (token, json.dumps(value)))
    return value


def parent(value, tokens):
    if not tokens:
        raise PointerError("this needs a pointer to a member, not to the whole")
    value = get(value, tokens[:-1])
    if not isinstance(value, (list, dict)):
        raise PointerError("%s is in no object or array but in %s" % (tokens[-1], json.dumps(value)))
    return value


def set_(doc, tokens, value):
    where = parent(doc, tokens)
    if isinstance(where, dict):
        where[tokens[-1]] = value
        return
    n = index(where, tokens[-1], behind=tokens[-1] == "-")
    where[n : n + 1] = [value]


def insert(doc, tokens, value):
    where = parent(doc, tokens)
    if isinstance(where, dict):
        if tokens[-1] in where:
            raise PointerError("key %s is there already" % tokens[-1])
        where[tokens[-1]] = value
        return
    where.insert(index(where, tokens[-1], behind=True), value)


def remove(doc, tokens, null=False):
    """Take a member away. `null`: members of objects become null instead."""
    where = parent(doc, tokens)
    get(where, tokens[-1:])
    if isinstance(where, list):
        del where[index(where, tokens[-1])]
    elif null:
        where[tokens[-1]] = None
    else:
        del where[tokens[-1]]


def rename(doc, tokens, key):
    where = parent(doc, tokens)
    get(where, tokens[-1:])
    if not isinstance(where, dict):
        raise PointerError("only keys of objects can be renamed")
    pairs = [(key if k == tokens[-1] else k, v) for k, v in where.items()]
    where.clear()
    where.update(pairs)
