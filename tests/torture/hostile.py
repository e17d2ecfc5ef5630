"""One hostile text, and what each format may make of it. FORMATS: name -> a function that raises Unsafe, with the bytes of one whole output."""

import html.parser
import json
import os
import re
import struct
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "lib"))
import arrowstream

# Each of what a terminal, a browser, a spreadsheet, a log viewer, a CI runner or a template might act on.
PARTS = ("\x1b]0;title\x07\x1b[2J", "\u202egnp.exe", "\x85", "\u2028", "\u2066", "\x7f", "\ufeff", "\rRETURNED", "\tNEXT-CELL", "\nNEXT-LINE",
         "</script><img src=x onerror=alert(1)>", '"><svg/onload=alert(2)>', "{{x}}", "]]>", "<!--", "&amp;", "`|*_[a](javascript:alert(3))",
         "::error::x", "\n::error file=a::x", "%0A::error::y", "=cmd()", "%0A", "##[error]x", "##vso[task.setvariable variable=a]b", "%s%n", "\\", "$(id)", "a:1:1: error: x\n", "\0"[:0], "\ud7ff", "é")
TEXT = "".join(PARTS)
BYTES = TEXT.encode() + b"\xff\xc3\xed\xa0\x80"  # and what is no UTF-8
MARKS = ("NEXT-LINE", "RETURNED", "NEXT-CELL")

HAZARDS = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")


class Unsafe(Exception):
    pass


def decoded(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Unsafe("no UTF-8: %s" % e)


def no_hazards(text, but=""):
    for match in HAZARDS.finditer(text):
        if match.group() not in but:
            raise Unsafe("raw U+%04X in %r" % (ord(match.group()), text[max(0, match.start() - 60) : match.start() + 20]))


def starts_no_line(text):
    """No line of ours begins with what stood behind a line end of theirs, nor is it a command to a CI runner."""
    for line in text.split("\n"):
        bare = line.lstrip()
        if bare.startswith(MARKS) or bare.startswith("::") or "##[" in line or "##vso[" in line:
            raise Unsafe("a line begins with %r" % bare[:60])


def terminal(data):
    """What people read, also from a pipe: human, short, table, and every message on stderr."""
    text = decoded(data)
    no_hazards(text)
    starts_no_line(text)


def tsv(data):
    text = decoded(data)
    no_hazards(text, "\t")
    rows = [line.split("\t") for line in text.split("\n")[:-1]]
    for row in rows:
        if len(row) != len(rows[0]):
            raise Unsafe("%d cells under %d columns: %r" % (len(row), len(rows[0]), row))
        if any(cell.startswith(MARKS) for cell in row):
            raise Unsafe("a cell begins with what stood behind a tab: %r" % row)


class Documents:
    """All JSON that was seen, for the second parser."""

    def __init__(self):
        self.seen = []

    def parsed(self, text):
        try:
            value = json.loads(text, parse_constant=bad_constant)
        except ValueError as e:
            raise Unsafe("no JSON: %s: %r" % (e, text[:200]))
        self.seen.append(text.replace("\n", " "))
        return value

    def json(self, data):
        self.parsed(decoded(data))

    def ndjson(self, data):
        text = decoded(data)
        if text and not text.endswith("\n"):
            raise Unsafe("the last line has no end")
        for line in text.split("\n")[:-1]:
            if not isinstance(self.parsed(line), dict):
                raise Unsafe("no object: %r" % line[:100])


def bad_constant(word):
    raise ValueError("%s is no JSON" % word)


def strings(value, out=None):
    """All keys and strings of a JSON value, in order."""
    out = [] if out is None else out
    if isinstance(value, str):
        out.append(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            out.append(key)
            strings(one, out)
    elif isinstance(value, list):
        for one in value:
            strings(one, out)
    return out


# ---- reports for other programs ----

JUNIT = {"testsuites", "testsuite", "testcase", "failure", "error", "skipped", "properties", "property", "system-out", "system-err"}
# characters of XML 1.0
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(data):
    text = decoded(data)
    match = NOT_XML.search(text)
    if match:
        raise Unsafe("U+%04X is no character of XML 1.0" % ord(match.group()))
    try:
        root = xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as e:
        raise Unsafe("no XML: %s" % e)
    for element in root.iter():
        if element.tag not in JUNIT:
            raise Unsafe("element %r" % element.tag)


COMMAND = re.compile(r"::(error|warning|notice)( [a-zA-Z]+=[^,:\r\n]*(,[a-zA-Z]+=[^,:\r\n]*)*)?::(.*)")
ENDED = re.compile(r"%(?!25|0A|0D|3A|2C)")


def github(data):
    """Lines for the runner: a command of ours, or a line that it does not take for one."""
    text = decoded(data)
    no_hazards(text)
    for line in text.split("\n"):
        if line.lstrip().startswith(MARKS):
            raise Unsafe("a line begins with %r" % line[:60])
        if "##[" in line or "##vso[" in line:
            raise Unsafe("a command of another form: %r" % line[:200])
        if not line.lstrip().startswith("::"):
            continue
        match = COMMAND.fullmatch(line)
        if not match:
            raise Unsafe("no command of ours: %r" % line[:200])
        if ENDED.search(line):
            raise Unsafe("raw %% in %r" % line[:200])


# what a page may hold; names that start with @ are attributes of any element
ELEMENTS = set("""html head meta title style body main header footer nav section article aside div span p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd
    table caption colgroup col thead tbody tfoot tr th td details summary code pre kbd samp em strong b i small sub sup abbr time mark a figure figcaption
    svg g path rect circle line polyline polygon text tspan title desc defs use marker clippath ellipse""".split())
ATTRIBUTES = set("""charset content name lang class id title href colspan rowspan scope open datetime role aria-label aria-hidden aria-labelledby aria-describedby
    viewbox xmlns width height x y x1 y1 x2 y2 cx cy r rx ry d fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin points transform dx dy
    text-anchor dominant-baseline font-size font-weight font-family opacity preserveaspectratio http-equiv tabindex for type value style start dir
    rel marker-end marker-start refx refy markerwidth markerheight orient""".split())
LINK = re.compile(r"(https://[a-z0-9./_-]+|)(#[A-Za-z0-9._:-]*)?")
POLICY = "default-src 'none'"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.policy, self.inside = [], "", []

    def handle_starttag(self, tag, attributes):
        if tag not in ELEMENTS:
            raise Unsafe("element <%s>" % tag)
        for name, value in attributes:
            if name not in ATTRIBUTES:
                raise Unsafe("attribute %s of <%s>" % (name, tag))
            if name == "href" and not LINK.fullmatch(value or ""):
                raise Unsafe("link %r" % value)
            if name == "style" and re.search(r"url|expression|import|[^-\w.:;%#(), ]", value or ""):
                raise Unsafe("style %r" % value)
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"]
        self.inside.append(tag)

    def handle_data(self, data):
        if "style" in self.inside[-1:] and hostile_part(data):
            raise Unsafe("text of the table in a style sheet")
        self.text.append(data)

    def handle_comment(self, data):
        if hostile_part(data):
            raise Unsafe("text of the table in a comment")

    def handle_decl(self, decl):
        if decl.lower() != "doctype html":
            raise Unsafe("declaration %r" % decl)

    def handle_pi(self, data):
        raise Unsafe("processing instruction %r" % data)

    def handle_endtag(self, tag):
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass


def hostile_part(text):
    return any(part in text for part in ("alert(", "onerror", "{{x}}", "NEXT-"))


def page(data):
    text = decoded(data)
    no_hazards(text)
    parser = Page()
    parser.feed(text)
    parser.close()
    if not parser.policy.startswith(POLICY):
        raise Unsafe("no policy of content: %r" % parser.policy)
    if "javascript:" in "".join(re.findall(r'(?:href|src)="[^"]*"', text)):
        raise Unsafe("a link to a script")


OWN_HTML = re.compile(r"</?(details|summary|code|br|b|sub|sup|kbd)>")


def markdown(data):
    """No raw HTML but ours, no link of theirs, no cell that ends early."""
    text = decoded(data)
    no_hazards(text)
    starts_no_line(text)
    # escaped letters, and code, which is shown as it is
    bare = re.sub(r"\\[!-/:-@\[-`{-~]|(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    for match in re.finditer(r"<[A-Za-z/!?][^\n]{0,30}", OWN_HTML.sub("", bare)):
        raise Unsafe("raw HTML %r" % match.group())
    for match in re.finditer(r"\]\(([^)]*)\)", bare):
        if not match.group(1).startswith(("https://", "#")):
            raise Unsafe("a link %r" % match.group())
    columns = None
    for line in bare.split("\n"):
        cells = line.count("|") if line.startswith("|") else None
        if cells is not None and columns is not None and cells != columns:
            raise Unsafe("%d cell borders, not %d: %r" % (cells, columns, line[:200]))
        columns = cells


def arrow(data):
    """Lengths, not marks, part its strings: it is whole, and what is called text or JSON is that."""
    try:
        arrowstream.read(data)
    except (AssertionError, ValueError, struct.error, StopIteration) as e:
        raise Unsafe("no Arrow stream: %r" % e)


def formats(documents):
    return {
        "human": terminal, "short": terminal, "table": terminal, "tsv": tsv, "json": documents.json, "ndjson": documents.ndjson,
        "sarif": documents.json, "junit": junit, "github": github, "html": page, "markdown": markdown, "arrow": arrow,
    }
