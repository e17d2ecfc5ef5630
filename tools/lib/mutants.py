"""Puts mutants of rule conditions into C text: every one a call that a number in the environment switches on."""

import bisect
import re

TOKEN = re.compile(
    r"(?P<space>\s+|/\*.*?\*/|//[^\n]*|\#(?:\\\n|[^\n])*)"
    r'|(?P<str>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?P<id>[A-Za-z_]\w*)|(?P<num>\.?\d[\w.]*)"
    r"|(?P<op>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|.)",
    re.S,
)
OPEN, CLOSE = "([{", ")]}"
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
EQUAL = ("==", "!=")
ASSIGN = ("=", "+=", "-=", "|=", "&=", "^=", "*=", "/=", "%=", "<<=", ">>=")
FOUND = ("FOUND", "FOUND_AS", "FOUND_VS")
WORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "case"}
# What allocates, fails or is switched off decides no finding.
PLUMBING = re.compile(
    r"\bstatus\b|\bice_status_|\bice_emit_is_on\b|\bice_emit_severity\b|\bice_check_cancelled\b|\bis_cut\b"
    r"|\balloc\b|_alloc\(|\barena\b|\bice_\w+\(.*\)\s*(?:<|>=)\s*0$|\bICE_ENOMEM\b",
    re.S,
)
FAILS = re.compile(r"\bice_error_memory\b|\bICE_ENOMEM\b|\bICE_ECANCELLED\b|\breturn status\b|\bice_error_set\b")
FREES = re.compile(r"^ice_free\([^;]*;$")
SAYS_ONLY = re.compile(r"^(arg_\w+|ice_emit_not_evaluated|ice_error_set|snprintf|ICE_TRY|assert|printf)$")
TOLERANCE = re.compile(r"^-?(?:0x[0-9a-f]+u?|[A-Z][A-Z0-9_]*|INT64_C\(\d+\)|[2-9]\d*|1\d+)$")
GENERAL = ("src/check/fault.c",)  # reports whatever cannot be read; those that call it decide nothing
NO_TOLERANCE = re.compile(r"^(?:U?INT\d*_(?:MAX|MIN)|SIZE_MAX|NULL)$|_COUNT$|_MAX$|^ICE_(?:ERROR|WARN|INFO|OFF|OK)$")


class Token:
    __slots__ = ("kind", "text", "start", "end")

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end


class Mutant:
    def __init__(self, number, file, line, function, how, where, text, rules):
        self.number, self.file, self.line, self.function = number, file, line, function
        self.how, self.where, self.text, self.rules = how, where, " ".join(text.split()), rules

    def name(self):
        """What the list of equivalent mutants knows it by: no line, which would move."""
        return "%s:%s: %s: %s" % (self.file, self.function, self.how, self.text)


class Function:
    def __init__(self, file, name, start, end, is_bool):
        self.file, self.name, self.start, self.end, self.is_bool = file, name, start, end, is_bool
        self.rules, self.calls = [], []  # (token index, rule token), (token index, name)
        self.all_rules = set()
        self.last_guarded = None  # a mere caller: conditions behind this token decide nothing


class Source:
    """The tokens of a file, its brackets and functions."""

    def __init__(self, file, text):
        self.file, self.text, self.tokens = file, text, []
        for m in TOKEN.finditer(text):
            if m.lastgroup != "space":
                self.tokens.append(Token(m.lastgroup, m.group(), m.start(), m.end()))
        self.pair, stack = {}, []
        for i, t in enumerate(self.tokens):
            if t.text in OPEN and t.kind == "op":
                stack.append(i)
            elif t.text in CLOSE and t.kind == "op":
                self.pair[stack[-1]] = i
                self.pair[i] = stack.pop()
        self.lines = [m.start() for m in re.finditer(r"^", text, re.M)]
        self.functions = list(self._find_functions())

    def line(self, at):
        return bisect.bisect_right(self.lines, self.tokens[at].start)

    def part(self, i, j):
        return self.text[self.tokens[i].start : self.tokens[j - 1].end] if i < j else ""

    def _find_functions(self):
        t, i, begin = self.tokens, 0, 0
        while i < len(t):
            if t[i].text == "{":
                end = self.pair[i]
                if i > 1 and t[i - 1].text == ")":
                    open_ = self.pair[i - 1]
                    if t[open_ - 1].kind == "id":
                        kind = [x.text for x in t[begin : open_ - 1]]
                        f = Function(self.file, t[open_ - 1].text, i, end, "bool" in kind and "*" not in kind)
                        self._fill(f)
                        yield f
                i = begin = end + 1
                continue
            if t[i].text == ";":
                begin = i + 1
            i += 1

    def _fill(self, f):
        """What is called within arg_…(…) makes words, and decides nothing."""
        t, words_end = self.tokens, 0
        for k in range(f.start, f.end):
            if t[k].text.startswith("arg_") and t[k + 1].text == "(":
                words_end = max(words_end, self.pair[k + 1])
            if t[k].kind != "id":
                continue
            if t[k].text.startswith("ICE_RULE_"):
                f.rules.append((k, t[k].text[9:]))
            elif t[k].text in FOUND:
                f.rules.append((k, ""))
            if t[k + 1].text == "(" and t[k].text not in WORDS and k >= words_end:
                f.calls.append((k, t[k].text))


def choose(sources):
    """The functions whose conditions decide findings: those with a FOUND, their helpers in the file, their callers."""
    every = [f for s in sources for f in s.functions]
    by_name = {}
    for f in every:
        by_name.setdefault(f.name, []).append(f)

    def called(f):
        for at, name in f.calls:
            own = [g for g in by_name.get(name, ()) if g.file == f.file]
            for g in own or by_name.get(name, ()):
                yield at, g

    deciding = {f for f in every if f.rules}
    for f in deciding:
        f.all_rules = {r for _, r in f.rules if r}
    _callers(every, deciding, called)
    _helpers(deciding, called)
    chosen = deciding | {f for f in every if f.last_guarded is not None or f.all_rules}
    return sorted(chosen, key=lambda f: (f.file, f.start))


def _callers(every, deciding, called):
    """Callers of what reports: up the whole file, one step in other files."""
    reporting = set(deciding)
    while True:
        more = []
        for f in every:
            hits = [(at, g) for at, g in called(f) if g in reporting]
            hits = [(at, g) for at, g in hits if g.file == f.file or (g in deciding and g.file not in GENERAL)]
            rules = {r for _, g in hits for r in g.all_rules}
            if not hits or (f in reporting and rules <= f.all_rules):
                continue
            f.all_rules = f.all_rules | rules
            if f not in deciding:
                f.last_guarded = max(at for at, _ in hits)
            more.append(f)
        if not more:
            return
        reporting.update(more)


def _helpers(deciding, called):
    """What they ask in the same file; a helper serves the rules of those that ask it."""
    open_ = list(deciding)
    while open_:
        f = open_.pop()
        for _, g in called(f):
            if g.file == f.file and g is not f and not f.all_rules <= g.all_rules and not g.rules:
                g.all_rules = g.all_rules | f.all_rules
                g.last_guarded = None
                open_.append(g)


class Rewriter:
    """Rewrites the chosen functions of one file; mutants are numbered from `first`."""

    def __init__(self, source, functions, first):
        self.s, self.functions, self.next = source, functions, first
        self.mutants = []

    def run(self):
        t, out, at = self.s.tokens, [], 0
        for f in self.functions:
            self.f = f
            for i, j, text in self.body(f.start + 1, f.end):
                out += [self.s.text[at : t[i].start], text]
                at = t[j - 1].end
        return "".join(out) + self.s.text[at:]

    # --- mutants

    def rules_of(self, i, span):
        """The rules that a condition decides: named in what it guards, else behind it, else all of the function."""
        near = {r for k, r in self.f.rules if r and span[0] <= k < span[1]}
        behind = {r for k, r in self.f.rules if r and k >= i}
        return sorted(near or behind or self.f.all_rules)

    def where(self):
        """guard: right around a finding; before: earlier in its function; helper; caller."""
        if any(self.span[0] <= k < self.span[1] for k, _ in self.f.rules):
            return "guard"
        return "before" if self.f.rules else "helper" if self.f.last_guarded is None else "caller"

    def mutant(self, how, i, text):
        number = self.next
        self.next += 1
        rules = self.rules_of(i, self.span)
        line = self.s.line(i)
        self.mutants.append(Mutant(number, self.s.file, line, self.f.name, how, self.where(), text, rules))
        return number

    def wrap(self, function, how, i, text, shown):
        return "ice_mutant_%s(%d, %s)" % (function, self.mutant(how, i, shown), text)

    # --- statements

    def body(self, i, end):
        """Yield (from, to, new text) for the conditions between tokens i and end."""
        t, pair = self.s.tokens, self.s.pair
        while i < end:
            self.span = (i, i)
            word = t[i].text if t[i].kind in ("id", "op") else ""
            if word == "if":
                close = pair[i + 1]
                yield from self.if_(i + 2, close)
                i = close + 1
            elif word in ("while", "switch"):
                i = pair[i + 1] + 1
            elif word == "for":
                close = pair[i + 1]
                yield from self.loop(i + 2, close)
                i = close + 1
            elif word in ("else", "do", "{", "}", ";"):
                i += 1
            elif word in ("case", "default") or (t[i].kind == "id" and t[i + 1].text == ":"):
                while t[i].text != ":":
                    i += 1
                i += 1
            else:
                j = self.statement_end(i, end)
                if self.f.last_guarded is None:
                    yield from self.statement(i, j)
                i = j + 1

    def statement_end(self, i, end):
        t, pair = self.s.tokens, self.s.pair
        while i < end and t[i].text != ";":
            i = pair[i] + 1 if t[i].text in OPEN and t[i].kind == "op" else i + 1
        return i

    def statement(self, i, j):
        t = self.s.tokens
        self.span = (i, j)
        if t[i].text == "return":
            if FAILS.search(self.s.part(i, j)):
                return
            if i + 1 < j:
                yield i + 1, j, self.expression(i + 1, j, "value" if not self.f.is_bool else "bool")
            return
        if t[i].text == "static":
            return
        yield i, j, self.expression(i, j, "value")

    def loop(self, i, close):
        semicolons = [k for k in self.top(i, close) if self.s.tokens[k].text == ";"]
        if len(semicolons) != 2 or self.f.last_guarded is not None:
            return
        i, j = semicolons[0] + 1, semicolons[1]
        parts = self.split(i, j, ("&&",))
        if len(parts) < 2:
            return
        for a, b in parts:
            plain = self.s.part(a, b)
            if not PLUMBING.search(plain) and not any(self.s.tokens[k].text in RELATIONS for k in self.top(a, b)):
                yield a, b, self.wrap("true", "drop", a, plain, plain)

    def if_(self, i, close):
        t = self.s.tokens
        body_end = self.body_end(close + 1)
        text = self.s.part(close + 1, body_end)
        if (FAILS.search(text) and "FOUND" not in text) or FREES.match(text):
            return
        leaves = re.search(r"\b(?:return|continue|break|goto)\b[^;]*;\s*\}?$", text) is not None
        has_else = t[body_end].text == "else"
        if self.f.last_guarded is not None:
            end = self.body_end(body_end + 1) if has_else else body_end
            calls = any(close < at < end for at, _ in self.f.calls if at <= self.f.last_guarded)
            if i > self.f.last_guarded or not (leaves or calls):
                return
        self.span = (close, body_end)
        yield i, close, self.expression(i, close, "leave" if leaves and "FOUND" not in text else "if")

    def body_end(self, i):
        """One behind the statement that begins at token i."""
        t, pair = self.s.tokens, self.s.pair
        while t[i].text in ("if", "for", "while"):
            i = pair[i + 1] + 1
        if t[i].text == "{":
            return pair[i] + 1
        return self.statement_end(i, len(t)) + 1

    # --- expressions

    def top(self, i, j):
        """The tokens of i..j that stand in no bracket."""
        while i < j:
            yield i
            t = self.s.tokens[i]
            i = self.s.pair[i] + 1 if t.kind == "op" and t.text in OPEN else i + 1

    def split(self, i, j, ops):
        out, start = [], i
        for k in self.top(i, j):
            if self.s.tokens[k].kind == "op" and self.s.tokens[k].text in ops:
                out.append((start, k))
                start = k + 1
        return out + [(start, j)]

    def expression(self, i, j, role):
        """New text of the tokens i..j. role: if, leave (an `if` that ends), bool, operand, value."""
        t = self.s.tokens
        if i >= j:
            return ""
        commas = self.split(i, j, (",",))
        if len(commas) > 1:
            return self.joined(commas, role)
        assigned = [k for k in self.top(i, j) if t[k].kind == "op" and t[k].text in ASSIGN]
        if assigned:
            k = assigned[0] + 1
            return self.s.text[t[i].start : t[k].start] + self.expression(k, j, "value")
        marks = [k for k in self.top(i, j) if t[k].text == "?"]
        if marks:
            return self.ternary(i, marks[0], j, role)
        for op, function in (("||", "false"), ("&&", "true")):
            parts = self.split(i, j, (op,))
            if len(parts) > 1:
                return self.whole(i, j, role, self.operands(parts, function, op), True)
        return self.whole(i, j, role, self.leaf(i, j), False)

    def joined(self, parts, role):
        out, at = [], self.s.tokens[parts[0][0]].start
        for a, b in parts:
            if a < b:
                out += [self.s.text[at : self.s.tokens[a].start], self.expression(a, b, role)]
                at = self.s.tokens[b - 1].end
        return "".join(out) + self.s.text[at : self.s.tokens[parts[-1][1] - 1].end]

    def operands(self, parts, function, op):
        out = []
        for a, b in parts:
            plain = self.s.part(a, b)
            if PLUMBING.search(plain):
                out.append(plain)
                continue
            out.append(self.wrap(function, "drop", a, self.expression(a, b, "operand"), plain))
        return (" %s " % op).join(out)

    def whole(self, i, j, role, text, is_composite):
        plain = self.s.part(i, j)
        if role == "operand" or (not is_composite and PLUMBING.search(plain)):
            return text
        if role == "value":
            ops = [self.s.tokens[k].text for k in self.top(i, j)]
            if not is_composite and not any(o in RELATIONS or o in EQUAL for o in ops[1:]):
                return text
            role = "bool"
        if role == "bool" and not is_composite:
            if plain in ("true", "false"):
                return text
            text = self.wrap("true", "make true", i, text, plain)
            return self.wrap("false", "make false", i, text, plain)
        if role in ("if", "leave"):
            text = self.wrap("false" if role == "leave" else "true", "drop all", i, text, plain)
        return self.wrap("not", "negate", i, text, plain)

    def ternary(self, i, mark, j, role):
        t, depth, colon = self.s.tokens, 0, None
        for k in self.top(mark, j):
            depth += (t[k].text == "?") - (t[k].text == ":")
            if depth == 0:
                colon = k
                break
        condition, a, b = self.s.part(i, mark), self.s.part(mark + 1, colon), self.s.part(colon + 1, j)
        if (a[0] == '"' or b[0] == '"') and "NULL" not in (a, b):
            return self.s.part(i, j)  # wording
        text = self.expression(i, mark, "operand")
        if not PLUMBING.search(condition):
            text = self.wrap("true", "take first", i, text, self.s.part(i, j))
            text = self.wrap("false", "take second", i, text, self.s.part(i, j))
        role = "value" if role in ("if", "leave", "operand") else role
        return "%s ? %s : %s" % (text, self.expression(mark + 1, colon, role), self.expression(colon + 1, j, role))

    def leaf(self, i, j):
        t = self.s.tokens
        ops = [k for k in self.top(i, j) if k > i and t[k].kind == "op"]
        texts = [t[k].text for k in ops]
        relations = [k for k in ops if t[k].text in RELATIONS]
        plain = self.s.part(i, j)
        simple = not any(x in texts for x in ("&", "|", "^", "<<", ">>") + EQUAL)
        if len(relations) == 1 and simple and not PLUMBING.search(plain):
            return self.relation(i, relations[0], j)
        return self.inner(i, j)

    def relation(self, i, at, j):
        op = self.s.tokens[at].text
        left, right = self.s.part(i, at), self.s.part(at + 1, j)
        mutated = "a_ %s b_" % RELATIONS[op]
        other = None
        if any(TOLERANCE.match(x) and not NO_TOLERANCE.search(x) for x in (left, right)):
            # the boundary on the other side of the tolerance
            other = "a_ %s b_ %s 1" % (op, "+" if op in (">", "<=") else "-")
        number = self.mutant("boundary", i, "%s %s %s" % (left, RELATIONS[op], right))
        text = "ice_mutant_pick(%d, a_ %s b_, %s)" % (number, op, mutated)
        if other:
            shown = other.replace("a_", left).replace("b_", right)
            text = "ice_mutant_pick(%d, %s, %s)" % (self.mutant("tolerance", i, shown), text, other)
        return "({ __auto_type a_ = (%s) + 0; __auto_type b_ = (%s) + 0; %s; })" % (
            self.inner(i, at),
            self.inner(at + 1, j),
            text,
        )

    def inner(self, i, j):
        """The text of i..j with what stands in its brackets rewritten."""
        t, out, at = self.s.tokens, [], self.s.tokens[i].start
        for k in self.top(i, j):
            if t[k].kind != "op" or t[k].text not in "({" or self.s.pair[k] == k + 1:
                continue
            if t[k].text == "(" and k > 0 and t[k - 1].kind == "id":
                if SAYS_ONLY.match(t[k - 1].text) or t[k - 1].text == "sizeof":
                    continue
                role = "value"
            else:
                role = "operand" if t[k].text == "(" else "value"
            close = self.s.pair[k]
            out += [self.s.text[at : t[k].end], self.expression(k + 1, close, role)]
            at = t[close].start
        return "".join(out) + self.s.text[at : t[j - 1].end]
