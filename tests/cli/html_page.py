#!/usr/bin/python3 -SEB
"""The page of -f html: what a parser makes of it, what is on it, and that a stranger's text stays text.
html_page.py ICEFSCK WORK [TEST...] [--bless]"""

import html.parser
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import history

VOID = {"meta"}
# element: attributes beside class and id
ALLOWED = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "http-equiv", "content", "name"}, "title": set(), "style": set(),
    "body": set(), "a": {"href", "rel"}, "header": set(), "main": set(), "footer": set(), "section": {"aria-labelledby"},
    "h1": set(), "h2": set(), "h3": set(), "p": set(), "ul": set(), "ol": set(), "li": set(), "dl": set(), "div": set(),
    "dt": set(), "dd": set(), "code": set(), "strong": set(), "span": set(), "details": {"open"}, "summary": set(),
    "figure": set(), "figcaption": set(), "svg": {"width", "viewbox", "preserveaspectratio", "role", "aria-labelledby", "aria-hidden"},
    "desc": set(), "line": {"x1", "y1", "x2", "y2"}, "path": {"d"}, "circle": {"cx", "cy", "r"}, "polygon": {"points"},
    "polyline": {"points"}, "rect": {"x", "y", "width", "height"},
    "table": {"role"}, "caption": set(), "thead": {"role"}, "tbody": {"role"}, "tr": {"role"}, "th": {"role", "scope"}, "td": {"role"},
}
LINK = re.compile(r"#[a-z0-9-]+|https://iceberg\.apache\.org/spec/#[a-z0-9-]+")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# what a string of a table may hold to become more than text
HOSTILE = "\x1b]0;x\x07\u202e\x85\u2028\n\t</script></style></title><img src=x onerror=alert(1)>\"'><svg/onload=alert(2)>{{x}}]]>&amp;javascript:alert(3)"


class Page(html.parser.HTMLParser):
    """Elements as they nest; every fault of the markup is a failure."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.headings, self.captions = [], set(), [], [], 0
        self.tables, self.metas, self.words, self.title = 0, [], [], ""
        self.findings, self.labels, self.named = 0, [], set()
        self.feed(text)
        self.close()
        if self.open:
            raise harness.Failed("left open: %s" % self.open)

    def handle_decl(self, decl):
        if decl != "DOCTYPE html":
            raise harness.Failed("declaration %r" % decl)

    def handle_comment(self, data):
        raise harness.Failed("comment %r" % data)

    def unknown_decl(self, data):
        raise harness.Failed("declaration %r" % data)

    def handle_pi(self, data):
        raise harness.Failed("instruction %r" % data)

    def handle_starttag(self, tag, attributes):
        if tag not in ALLOWED:
            raise harness.Failed("element %s" % tag)
        for name, value in attributes:
            if name not in ALLOWED[tag] | {"class", "id"}:
                raise harness.Failed("attribute %s of %s" % (name, tag))
            if name == "id" and value in self.ids:
                raise harness.Failed("id %s twice" % value)
            if name == "id":
                self.ids.add(value)
            if name == "href":
                if not LINK.fullmatch(value):
                    raise harness.Failed("link %r" % value)
                self.links.append(value)
        attributes = dict(attributes)
        if tag == "meta":
            self.metas.append(attributes)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.tables += tag == "table"
        self.captions += tag == "caption"
        self.findings += bool(re.fullmatch(r"t\d+-r\d+-f\d+", attributes.get("id", "")))
        if tag == "th" and "scope" not in attributes:
            raise harness.Failed("a th without scope")
        if tag == "svg" and not (attributes.get("aria-hidden") == "true" or attributes.get("role") == "img" and attributes["aria-labelledby"]):
            raise harness.Failed("a drawing that is not in words")
        if tag in ("title", "desc") and "svg" in self.open:
            self.named.add(attributes["id"])
        for name in attributes.get("aria-labelledby", "").split():
            self.labels.append(name)
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            raise harness.Failed("</%s> in %s" % (tag, self.open))
        self.open.pop()

    def handle_data(self, data):
        where = self.open[-1] if self.open else ""
        if where == "title" and "head" in self.open:
            self.title += data
        elif where != "style":
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def page_of(t, text):
    """The parsed page, after what must hold of every page."""
    page = Page(text)
    t.equal([m.get("content") for m in page.metas if m.get("http-equiv") == "Content-Security-Policy"], [POLICY])
    t.equal(page.headings.count(1), 1, "headings of the first level")
    for before, after in zip(page.headings, page.headings[1:]):
        t.true(after <= before + 1, "a heading of level %d follows one of level %d" % (after, before))
    t.equal(page.tables, page.captions, "tables and captions")
    for link in page.links:
        t.true(link.startswith("https:") or link[1:] in page.ids, "%s leads nowhere" % link)
    for label in page.labels:
        t.true(label in page.ids, "nothing has the label %s" % label)
    for c in text:
        t.true(c == "\n" or (c >= " " and not "\x7f" <= c <= "\x9f" and c not in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
               "%r on the page" % c)
    t.lacks(text, "javascript:alert(3)\"")
    return page


def both(t, *args, code=None):
    """One run, both reports: the page and the findings of the JSON report."""
    t.check(*args, "-o", "html:page.html", "-o", "json:page.json", code=code)
    return page_of(t, t.read("page.html")), json.loads(t.read("page.json"))


def shown(text):
    """As the page shows a text that JSON holds: hazards as escapes."""
    out = ""
    for c in text:
        n = ord(c)
        if n < 32 or n == 127:
            out += "\\x%02x" % n
        elif 0x80 <= n < 0xa0 or c in "\u2028\u2029\u202e":
            out += "\\u{%04x}" % n
        else:
            out += c
    return out


def test_every_finding_is_on_the_page(t):
    place = t.table("damaged")
    page, report = both(t, place, "-S", "info")
    found = [f for table in report["tables"] for f in table["findings"]]
    t.true(len(found) > 2, "findings of the damaged table")
    t.equal(page.findings, len(found))
    for finding in found:
        for key in ("message", "file", "pointer", "rule", "fingerprint"):
            t.has(page.text, shown(finding[key] or ""))
    for table in report["tables"]:
        for line in table["summary"]["not_evaluated"]:
            t.has(page.text, shown(line["why"]))
    t.has(page.title, "is broken")


def test_example(t):
    """docs/report-example.html is what the program makes of examples/cut-manifest."""
    done = t.run("check", "examples/cut-manifest", "-f", "html", "--no-config", "--now", "2026-12-01T00:00:00Z", code=3, cwd=harness.ROOT)
    page_of(t, done.stdout)
    t.expected("../../../docs/report-example.html", done.stdout)


def test_a_sound_table(t):
    page, report = both(t, t.table(), code=0)
    t.equal(page.findings, 0)
    t.has(page.title, "orders is sound")
    t.has(page.text, report["tables"][0]["summary"]["metadata_file"])
    t.has(page.text, "no listing")


def test_commits_are_drawn(t):
    """Branches, tags, a rollback, an expired commit, and how the table grew."""
    t.build(history.STORY)
    page, _ = both(t, "table")
    rows = t.lines(t.run("history", "table", "-f", "ndjson").stdout)
    for row in rows:
        for key in ("snapshot_id", "metadata_file", "changes", "writer"):
            t.has(page.text, str(row[key] or ""))
        for flag in (row["flags"] or "").split(", "):
            t.has(page.text, flag)
    text = t.read("page.html")
    t.equal(text.count("<circle"), len(rows), "dots")
    t.has(text, "Rows over time</title>")
    t.has(page.text, "From 18 to 36; at least 18, at most 36.")
    t.equal(text.count("M21 0C21 14 7 0 7 14"), 1, "lines that join")


def test_more_commits_than_a_batch_keeps(t):
    """Of a history whose rows are too many for a batch the newest are on the page, and the others are counted, in children, too."""
    n, first = 3000, "9c12d441-03fe-4693-9a96-a0705ddf69c1"
    for v in range(1, n + 1):
        log = [{"timestamp-ms": 1740000000000 + v - 1, "metadata-file": "s3://lake/t/metadata/v%d.metadata.json" % (v - 1)}] if v > 1 else []
        t.write("t/metadata/v%d.metadata.json" % v, json.dumps({
            "format-version": 2, "table-uuid": first, "location": "s3://lake/t", "last-sequence-number": 0, "last-updated-ms": 1740000000000 + v,
            "last-column-id": 1, "current-schema-id": 0, "default-spec-id": 0, "last-partition-id": 999, "default-sort-order-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "a", "required": False, "type": "int"}]}],
            "partition-specs": [{"spec-id": 0, "fields": []}], "sort-orders": [{"order-id": 0, "fields": []}], "properties": {"n": str(v)},
            "snapshots": [], "snapshot-log": [], "refs": {}, "metadata-log": log}))
    for args in ([], ["--isolate"]):
        t.run("batch", "t", "-o", "html:page.html", "--now", harness.NOW, *args, code=0)
        text = re.sub("\\s+", " ", page_of(t, t.read("page.html")).text).replace("\u00a0", " ")
        before = int(re.search(r"([0-9 ]+) commits before that are not on this page", text).group(1).replace(" ", ""))
        shown = t.read("page.html").count("<circle")
        t.equal((before + shown, shown > 0), (n, True), "%d before, %d shown" % (before, shown))


def test_stale_pointer(t):
    place = t.table()
    t.check(place, "--pointer", "db.orders=s3://lake/wh/db/orders/metadata/v1.metadata.json",
            "--map", "s3://lake/wh/db/orders=" + place, "-o", "html:page.html")
    page = page_of(t, t.read("page.html"))
    t.has(page.text, "to which the catalog points, is not the newest. Behind it came 2\u00a0commits in 2\u00a0metadata files")
    for part in ("27 added, 4 removed", "4 added, 1 removed", "catalog.pointer.stale"):
        t.has(page.text, part)


def test_manifests(t):
    place = t.table("java-v2-eq-deletes")
    page, _ = both(t, place)
    rows = t.lines(t.run("inspect", "manifests", place, "-f", "ndjson").stdout)
    t.true(len(rows) > 1, "manifests")
    for row in rows:
        t.has(page.text, row["path"])
    t.has(page.text, "%d\u00a0manifests" % len(rows))


def test_same_bytes(t):
    place = t.table("damaged")
    pages = []
    for jobs in ("1", "2", "2"):
        t.check(place, "-f", "html", "-o", "page.html", "-j", jobs)
        pages.append(t.read("page.html"))
    t.equal(pages[0], pages[1])
    t.equal(pages[1], pages[2])


def test_several_tables_worst_first(t):
    t.table(name="a")
    t.table("damaged", name="b")
    t.table(name="c")
    done = t.check("a", "b", "c", "-f", "html")
    page = page_of(t, done.stdout)
    t.has(page.title, "1 of 3\u00a0tables is broken")
    t.true(done.stdout.index('id="t2"') < done.stdout.index('id="t1"') < done.stdout.index('id="t3"'), "the order of the sections")
    with open(os.path.join(t.work, "list"), "w") as f:
        f.write("a\nb\nc\n")
    t.run("batch", "--files-from", "list", "--now", harness.NOW, "-o", "html:one.html")
    t.run("batch", "--files-from", "list", "--now", harness.NOW, "-j", "2", "-o", "html:two.html")
    t.equal(t.read("one.html"), t.read("two.html"), "a batch, and one in children")
    t.equal(page_of(t, t.read("one.html")).title, page.title)
    commits = [re.findall(r'<ol class="graph">.*?</ol>|<figure>.*?</figure>', text, re.S) for text in (done.stdout, t.read("one.html"))]
    t.true(len(commits[0]) == 3 + 3 * 3, "commits and charts of three tables")
    t.equal(commits[0], commits[1], "commits and charts of check, and of a batch")
    plain = t.run("batch", "--files-from", "list", "--now", harness.NOW)
    t.equal(t.run("batch", "--files-from", "list", "--now", harness.NOW, "-j", "2", "-o", "html:one.html").stdout, plain.stdout, "lines")


def test_resumed(t):
    """The page of a batch that goes on is about all tables, also those that were checked before."""
    for name in "abc":
        t.table("damaged" if name == "b" else "plain-v2", name=name)
    args = ["a", "b", "c", "--now", harness.NOW]
    lines = t.run("batch", *args, code=3).stdout.splitlines(True)
    t.run("batch", *args, "-o", "json:whole.json")
    for kept in ([], [0], [1], [0, 1, 2]):
        t.write("old", "".join(lines[i] for i in kept))
        done = t.run("batch", *args, "--resume", "old", "-o", "html:page.html", "-o", "json:page.json", "-j", "2", code=3)
        t.equal(done.stdout, "".join(line for i, line in enumerate(lines) if i not in kept))
        t.has(page_of(t, t.read("page.html")).title, "1 of 3\u00a0tables is broken")
        t.equal(t.read("page.json"), t.read("whole.json"))


def test_baseline(t):
    """What a baseline hides is counted, and never called sound."""
    t.table("damaged", name="a")
    t.check("a", "--write-baseline", "base", code=3)
    _, whole = both(t, "a")
    page, report = both(t, "a", "--baseline", "base")
    known = report["tables"][0]["summary"]["baseline"]["known"]
    t.true(known > 0 and page.findings == 0, "all is known")
    t.has(page.text, "%d\u00a0finding%s hidden: the baseline knows" % (known, " is" if known == 1 else "s are"))
    t.lacks(page.text, "sound")
    t.table(name="b")
    page, _ = both(t, "b", "--baseline", "base")
    t.has(page.title, "is sound")


def test_configuration(t):
    """A page of lint-conf gives no advice that is for tables."""
    t.write("spark-defaults.conf", "spark.sql.catalog.lake.warehouse s3://x\n")
    t.run("lint-conf", "spark-defaults.conf", "-o", "html:page.html", code=1)
    page = page_of(t, t.read("page.html"))
    t.has(page.title, "configuration is broken")
    for part in ("icefsck rescue", "storage local", "manifests"):
        t.lacks(page.text, part)


def test_no_table(t):
    t.check("nowhere", "-o", "html:page.html")
    page_of(t, t.read("page.html"))
    t.run("batch", "--files-from", "-", "-o", "html:none.html", stdin="")
    t.has(page_of(t, t.read("none.html")).title, "No table was checked")


def hostile_table(t):
    """A table with the hostile text in every string of its metadata file that a report may show."""
    place = t.table("plain-v2", "hostile")
    for name in sorted(os.listdir(os.path.join(place, "metadata"))):
        if not name.endswith(".metadata.json"):
            continue
        path = os.path.join(place, "metadata", name)
        with open(path) as f:
            m = json.load(f)
        m["location"] += HOSTILE
        m["table-uuid"] = HOSTILE
        m["properties"][HOSTILE] = HOSTILE
        m["refs"][HOSTILE] = dict(m["refs"]["main"], type="branch")
        for schema in m["schemas"]:
            schema["fields"][0]["type"] = HOSTILE
        for snapshot in m["snapshots"]:
            snapshot["summary"]["operation"] = HOSTILE
            snapshot["summary"][HOSTILE] = HOSTILE
            snapshot["manifest-list"] += HOSTILE
        for entry in m["metadata-log"]:
            entry["metadata-file"] += HOSTILE
        with open(path, "w") as f:
            json.dump(m, f)
    return place


def test_hostile_text_stays_text(t):
    page, report = both(t, hostile_table(t), "-S", "info")
    t.true(page.findings > 3, "findings of a hostile table")
    t.has(page.text, "<img src=x onerror=alert(1)>")
    t.check(t.table(name="<img src=x>\x1b"), "-o", "html:page.html")
    page_of(t, t.read("page.html"))


def contrast(a, b):
    def light(color):
        if len(color) == 4:
            color = "#" + "".join(2 * c for c in color[1:])
        parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast(t):
    """Every colour of text against every ground that it stands on, in both schemes: WCAG AA."""
    style = t.check(t.table(), "-f", "html").stdout
    schemes = re.findall(r":root\{([^}]*)\}", style)[:2]
    colors = [dict(re.findall(r"--([a-z-]+):(#[0-9a-f]+)", scheme)) for scheme in schemes]
    t.equal(len(colors), 2)
    t.equal(set(colors[0]), set(colors[1]), "names in both schemes")
    for scheme in colors:
        pairs = [(ink, ground) for ink in ("ink", "dim", "link") for ground in ("bg", "card", "code")]
        pairs += [(name, name + "-bg") for name in ("broken", "warned", "unsure", "sound", "info")]
        pairs += [(name, "card") for name in ("broken", "warned", "unsure", "sound", "info")]
        pairs += [("ink", name + "-bg") for name in ("broken", "warned", "unsure", "sound")]
        pairs += [("broken", "bg")]
        for ink, ground in pairs:
            t.true(contrast(scheme[ink], scheme[ground]) >= 4.5,
                   "%s on %s: %.2f" % (ink, ground, contrast(scheme[ink], scheme[ground])))


if __name__ == "__main__":
    harness.main(globals())
