#!/usr/bin/python3 -SEB
"""Run one fixture: run_fixture.py --icefsck BIN --fixture DIR --work DIR [--bless] [--keep]. Exit 0 ok, 1 not, 77 skipped."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "lib"))
import golden


def main(args):
    o = golden.options(args, ("--icefsck", "--fixture", "--work"), ("--bless", "--keep"))
    if o[""] or not all(k in o for k in ("--icefsck", "--fixture", "--work")):
        print(__doc__, file=sys.stderr)
        return 4
    status, text = golden.check(o["--fixture"], o["--work"], o["--icefsck"], "--bless" in o, "--keep" in o)
    if status != "ok":
        print("%s: %s\n%s" % (o["--fixture"], status, text))
    return {"ok": 0, "blessed": 0, "skipped": golden.SKIPPED}.get(status, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
