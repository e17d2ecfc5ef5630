#!/usr/bin/python3 -SEB
"""No text of a table reaches a report or a message as it is: each %s of src/cli and src/report prints a text of ours.

Texts of tables are struct ice_str: in src/report none may be printed with %.*s or ice_text_raw, and of texts that end in NUL none whose name says
that it is not ours. In src/cli, which has paths and messages as such texts, each %s stands for a literal, for a call that escapes or knows our texts
only, for the name of a rule, option or command, or for a row of raw-text.tsv: file, expression, why it is safe. Rows that nothing needs are named.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree

# function: how many arguments stand before the format
PRINTERS = {"printf": 0, "fprintf": 1, "snprintf": 2, "cli_say": 0, "ice_html_printf": 1, "ice_error_set": 4, "ice_buf_printf": 1, "ice_text_printf": 1}
# takes words of ours, one of them alone
PUTTERS = {"ice_text_put": 1, "ice_html_put": 1, "ice_html_words": 1, "ice_text_raw": 1, "fputs": 0}
SAFE = "shell_quote shell_word plural cli_format_name cli_quoted strerror ice_status_name ice_severity_name cli_command_name ice_system_reason ice_rule_group_title ice_version ice_catalog_nothing ICE_STR"
OURS = re.compile(r"(.*->|cli_options\[\w+\]\.|option->|commands\[\w+\]\.|list\[i\]\.)(name|argument|spec|fix|why|refused_by|compiled|running)")
# members that hold what a table, a path or a person said
FOREIGN = re.compile(r"(^|[^a-z])(message|file|path|pointer|location|table|uri|text|value|key|detail|argument|word|line|untrusted)$")
CONVERSION = re.compile(r"%(?:%|[-+ #0']*(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|z|j|t)?([a-zA-Z]))")


def conversions(format_source):
    """For each argument behind the format: "s" for a text that ends in NUL, "*" for one with its length, else "". PRI... of inttypes.h is a number."""
    text = re.sub(r'"\s*PRI[a-zA-Z0-9]+\s*"', "d", format_source)
    text = re.sub(r'"\s*PRI[a-zA-Z0-9]+', 'd"', text)
    joined = "".join(tree.STRING.findall(text))
    out = []
    for match in CONVERSION.finditer(joined):
        if match.group(0) == "%%":
            continue
        stars = [match.group(1), match.group(2)].count("*")
        out += [""] * stars + [("*" if stars else "s") if match.group(3) == "s" else ""]
    return out


def split_ternary(source):
    """The values of a ? b : c, without the condition; or the expression itself."""
    depth, mark, colon = 0, None, None
    for at, c in enumerate(re.sub(tree.STRING, lambda m: "_" * len(m.group(0)), source)):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c == "?" and mark is None:
            mark, nested = at, 0
        elif depth == 0 and c == "?":
            nested += 1
        elif depth == 0 and c == ":" and mark is not None:
            if nested == 0:
                colon = at
                break
            nested -= 1
    if mark is None or colon is None:
        return [source.strip()]
    return split_ternary(source[mark + 1 : colon]) + split_ternary(source[colon + 1 :])


def is_safe(expression):
    while expression.startswith("(") and expression.endswith(")"):
        expression = expression[1:-1].strip()
    called = re.match(r"([A-Za-z_]\w*)\s*\(", expression)
    if tree.string(expression) is not None or expression == "NULL" or OURS.fullmatch(expression):
        return True
    return called is not None and called.group(1) in SAFE.split()


def texts(text, everything):
    """(line, expression) of what is printed as a text and is not safe by itself; of NUL-ended texts only the foreign ones, if not everything."""

    def looked_at(value, has_length=False):
        return not is_safe(value) and (everything or has_length or FOREIGN.search(value))

    for name, before in PRINTERS.items():
        for args, line in tree.calls(text, name):
            if len(args) <= before or not tree.STRING.search(args[before]):
                continue
            kinds = conversions(args[before])
            values = args[before + 1 :]
            for at, kind in enumerate(kinds):
                if kind and at < len(values) and "ICE_STR_FMT" not in values[at]:
                    yield from ((line, value) for value in split_ternary(values[at]) if looked_at(value, kind == "*"))
            yield from ((line, value) for value in values if value.startswith("ICE_STR_FMT"))
    for name, at in PUTTERS.items():
        for args, line in tree.calls(text, name):
            for value in split_ternary(args[at]) if len(args) > at else ():
                if looked_at(value, name == "ice_text_raw") and not value.startswith(("const char *", "struct ice_str bytes")):
                    yield line, value


def main():
    rows = [line.split("\t") for line in tree.read("tests/meta/raw-text.tsv").splitlines() if line and not line.startswith("#")]
    allowed = {(row[0], row[1]) for row in rows if len(row) == 3 and row[2]}
    problems = ["raw-text.tsv: no file, expression and reason: %s" % row for row in rows if len(row) != 3 or not row[2]]
    used, n = set(), 0
    for file in tree.files("src/cli", ".c") + tree.files("src/report", ".c"):
        for line, expression in texts(tree.without_comments(tree.read(file)), file.startswith("src/cli/")):
            expression = re.sub(r"\s+", " ", expression)
            n += 1
            used.add((file, expression))
            if (file, expression) not in allowed:
                problems.append("%s:%d: %s is printed as it is: escape it, or say in tests/meta/raw-text.tsv why it is a text of ours" % (file, line, expression))
    problems += ["raw-text.tsv: nothing prints %s in %s" % (expression, file) for file, expression in sorted(allowed - used)]
    tree.finish(problems, "%d texts" % n)


main()
