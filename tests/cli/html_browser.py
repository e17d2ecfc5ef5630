#!/usr/bin/python3 -SEB
"""Pages of -f html in a real browser, headless Chromium: no message on its console, no request, the elements that a
strict parser sees and no other, nothing wider than a phone, folds that print. Leaves pictures beside WORK.
html_browser.py ICEFSCK WORK [TEST...]; without Chromium it says so and exits 77."""

import html
import html.parser
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import history
import html_page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# what Chromium asks of its makers by itself
OWN = re.compile(r"(https?://)?([a-z0-9-]+\.)*(google|gstatic|googleapis)\.com[:/]")
# a page of ours may not run it; a copy without the policy may
MEASURE = """<script>
const wide = [], thin = [];
for (const e of document.querySelectorAll('body *')) {
  const r = e.getBoundingClientRect();
  if (r.width > 0 && (r.right > innerWidth + 1 || r.left < -1) && !e.closest('.skip, thead')) wide.push(e.tagName + '.' + e.className);
  if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).overflowX != 'visible' && !e.closest('thead')) thin.push(e.tagName);
}
const lanes = [...document.querySelectorAll('.graph > li')].filter(e => {
  const a = e.getBoundingClientRect(), b = e.firstElementChild.getBoundingClientRect();
  return a.height > 0 && Math.abs(a.height - b.height) > 2;
}).length;
parent.document.title += JSON.stringify({width: innerWidth, scroll: document.documentElement.scrollWidth, wide, thin, lanes}) + ';;';
</script>"""


class Recorder(http.server.BaseHTTPRequestHandler):
    """A proxy that writes down what it is asked for, and gives nothing."""

    asked = []

    def record(self):
        self.asked.append(self.path)
        self.send_error(404)

    do_GET = do_POST = do_HEAD = do_CONNECT = do_OPTIONS = record

    def log_message(self, *args):
        pass


def browse(t, page, *more, width=1280, height=1000, dark=False):
    """What Chromium writes to stdout; a message on the console of the page is a failure."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Recorder.asked.clear()
    # its socket lies there, whose path the system holds to 107 bytes: the folder of a build may be longer than that
    home = tempfile.TemporaryDirectory(prefix="icefsck-")
    args = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--user-data-dir=" + os.path.join(home.name, "profile"), "--window-size=%d,%d" % (width, height),
            "--proxy-server=127.0.0.1:%d" % server.server_port, "--enable-logging=stderr", "--v=0"]
    if dark:
        args.append("--blink-settings=preferredColorScheme=0")
    with home:
        done = subprocess.run([*args, *more, "file://" + os.path.join(t.work, page)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                              env={**t.environment(), "HOME": home.name, "TMPDIR": home.name, "XDG_CONFIG_HOME": home.name, "XDG_CACHE_HOME": home.name})
    server.shutdown()
    server.server_close()
    t.equal(done.returncode, 0, done.stderr)
    t.equal([line for line in done.stderr.splitlines() if "CONSOLE" in line], [], "messages on the console")
    asked = [path for path in Recorder.asked if not OWN.match(path)]
    t.equal(asked, [], "requests")
    return done.stdout


class Count(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        key = (tag, tuple(sorted(name for name, _ in attributes)))
        self.tags[key] = self.tags.get(key, 0) + 1


def seen_alike(t, page):
    """The browser builds the elements that stand in the file, with their attributes, and no other."""
    dom = browse(t, page, "--dump-dom")
    t.equal(Count(dom).tags, Count(t.read(page)).tags, "elements of " + page)
    return dom


def measure(t, page):
    """Lays a copy out at the widths of a desk and of a phone, in frames: a window cannot be as narrow."""
    text = t.read(page)
    bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace("<details ", "<details open ").replace("</body>", MEASURE + "</body>")
    t.true(bare.count("<script>") == 1, "the copy that measures itself")
    frames = "".join('<iframe srcdoc="%s" style="width:%dpx;height:900px;border:0"></iframe>' % (html.escape(bare), width) for width in (1280, 390))
    t.write("measured.html", "<!DOCTYPE html><meta charset=utf-8><title></title>" + frames)
    dom = browse(t, "measured.html", "--dump-dom")
    found = [json.loads(html.unescape(one)) for one in re.search(r"<title>(.*?)</title>", dom, re.S).group(1).split(";;") if one]
    t.equal(sorted(one["width"] for one in found), [390, 1280])
    for one in found:
        t.true(one["scroll"] <= one["width"], "%s: %d wide in a window of %d" % (page, one["scroll"], one["width"]))
        t.equal((one["wide"], one["thin"], one["lanes"]), ([], [], 0), "%s at %d: too wide, cut, lanes that end early" % (page, one["width"]))


def pictures(t, page, name):
    """Not compared, but there to be looked at; none is blank."""
    place = os.path.join(os.path.dirname(t.work), "..", "pictures")
    os.makedirs(place, exist_ok=True)
    for width, height, dark in ((1280, 2400, False), (1280, 2400, True), (390, 3200, False)):
        path = os.path.abspath(os.path.join(place, "%s-%d%s.png" % (name, width, "-dark" if dark else "")))
        browse(t, page, "--screenshot=" + path, width=width, height=height, dark=dark)
        t.true(os.path.getsize(path) > 20000, "%s is blank" % path)


def pages_printed(t, page):
    browse(t, page, "--print-to-pdf=" + os.path.join(t.work, "page.pdf"), "--no-pdf-header-footer")
    with open(os.path.join(t.work, "page.pdf"), "rb") as f:
        pdf = f.read()
    t.true(pdf.startswith(b"%PDF"), "no PDF")
    return len(re.findall(rb"/Type\s*/Page\b", pdf)), len(pdf)


def test_broken_table(t):
    t.check(t.table("damaged"), "-S", "info", "-o", "html:page.html")
    seen_alike(t, "page.html")
    measure(t, "page.html")
    pictures(t, "page.html", "broken")


def test_history(t):
    """Lanes, charts and refs with names that are longer than a phone is wide."""
    place = t.build(history.STORY)
    path = os.path.join(place, "metadata", "v6.metadata.json")
    with open(path) as f:
        m = json.load(f)
    for name in ("w" * 200, "a branch of many words " * 9):
        m["refs"][name] = dict(m["refs"]["main"], type="branch")
    with open(path, "w") as f:
        json.dump(m, f)
    t.check("table", "-o", "html:page.html")
    seen_alike(t, "page.html")
    measure(t, "page.html")
    pictures(t, "page.html", "history")


def test_hostile_text(t):
    place = html_page.hostile_table(t)
    t.check(place, "-S", "info", "-o", "html:page.html")
    seen_alike(t, "page.html")
    measure(t, "page.html")


def test_many_tables(t):
    for i in range(20):
        t.table(("plain-v2", "plain-v3", "go-v2-deletes", "damaged")[i % 4] if i else "damaged", "orders_%02d_of_a_warehouse" % i)
    t.write("list", "".join(sorted(name + "\n" for name in os.listdir(t.work) if name.endswith("warehouse"))))
    t.run("batch", "--files-from", "list", "-j", "2", "--now", harness.NOW, "-o", "html:page.html")
    seen_alike(t, "page.html")
    measure(t, "page.html")
    pictures(t, "page.html", "batch")


def test_folds_are_printed(t):
    """A closed fold would hide a finding on paper."""
    t.check(t.table("damaged"), "-S", "info", "-o", "html:page.html")
    text = t.read("page.html").replace(" open>", ">")
    t.write("closed.html", text)
    t.write("lost.html", text.replace("details::details-content", "details.nowhere"))
    whole, lost = pages_printed(t, "closed.html"), pages_printed(t, "lost.html")
    t.true(whole[1] > lost[1] and whole[0] >= lost[0], "printed with folds %s, without %s" % (whole, lost))


if __name__ == "__main__":
    if BROWSER is None:
        print("not run: there is no Chromium (apt-get install chromium)")
        sys.exit(77)
    harness.main(dict(globals()))
