#!/usr/bin/python3 -SEB
"""Tests of what tools/mutate-rules puts into C text: which conditions, how, and that none is changed while none is on."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LIB = os.path.join(ROOT, "tools", "lib")
sys.path.insert(0, LIB)
import mutants

HEAD = "/* if (no) FOUND(x); */\n#define TWO(a) if (a) \\\n    b\n"


def rewrite(text, file="src/check/a.c"):
    source = mutants.Source(file, text)
    rewriter = mutants.Rewriter(source, mutants.choose([source]), 1)
    return rewriter.run(), rewriter.mutants


def told(text):
    return [(m.how, m.text) for m in rewrite(text)[1]]


def found(condition, before="", body="FOUND(e, ICE_RULE_A, p);"):
    return HEAD + "static void check(int a, int b) {\n    %s\n    if (%s)\n        %s\n}\n" % (before, condition, body)


class Conditions(unittest.TestCase):
    def test_guard_is_dropped_to_true(self):
        text, made = rewrite(found("a == b"))
        self.assertIn("if (ice_mutant_not(2, ice_mutant_true(1, a == b)))", text)
        self.assertEqual([("drop all", "a == b"), ("negate", "a == b")], [(m.how, m.text) for m in made])
        self.assertEqual(6, made[0].line)
        self.assertEqual(["A"], made[0].rules)
        self.assertEqual("src/check/a.c:check: negate: a == b", made[1].name())

    def test_early_out_is_dropped_to_false(self):
        text, _ = rewrite(found("b", before="if (!a)\n        return;"))
        self.assertIn("if (ice_mutant_not(2, ice_mutant_false(1, !a)))", text)
        text, _ = rewrite(found("b", before="if (!a) {\n        x();\n        return;\n    }"))
        self.assertIn("ice_mutant_false(1, !a)", text)

    def test_operands(self):
        text, made = rewrite(found("a && (b || !c) && d"))
        for want in ("ice_mutant_true(1, a)", "ice_mutant_false(2, b)", "ice_mutant_false(3, !c)"):
            self.assertIn(want, text)
        self.assertEqual("(b || !c)", made[3].text)
        self.assertEqual(7, len(made))

    def test_boundaries(self):
        self.assertIn(("boundary", "a >= b"), told(found("a > b")))
        self.assertIn(("boundary", "a < b"), told(found("a <= b")))
        self.assertNotIn("tolerance", [how for how, _ in told(found("a > b"))])
        self.assertNotIn("tolerance", [how for how, _ in told(found("a > INT64_MAX"))])
        self.assertIn(("tolerance", "a > ICE_SKEW + 1"), told(found("a > ICE_SKEW")))
        self.assertIn(("tolerance", "a < 60 - 1"), told(found("a < 60")))

    def test_severity(self):
        text = found("a", body="FOUND_AS(e, ICE_RULE_A, b ? ICE_WARN : ICE_ERROR, p);")
        whole = "b ? ICE_WARN : ICE_ERROR"
        self.assertIn(("take first", whole), told(text))
        self.assertIn(("take second", whole), told(text))

    def test_wording_is_left_alone(self):
        text = found("a", body='FOUND(e, ICE_RULE_A, p, arg_text("x", b ? "one" : "two"), arg_bool("y", a > b));')
        self.assertEqual(2, len(told(text)))

    def test_helper_for_words_is_left_alone(self):
        helper = "static const char *name(int a) {\n    return a == 3 ? x : y;\n}\n"
        body = 'FOUND(e, ICE_RULE_A, p, arg_text("x", name(a)));'
        self.assertEqual({"check"}, {m.function for m in rewrite(helper + found("a", body=body))[1]})
        self.assertEqual({"check", "name"}, {m.function for m in rewrite(helper + found("name(a)", body=body))[1]})

    def test_plumbing_is_left_alone(self):
        for condition in ("status < 0", "ice_emit_is_on(e, ICE_RULE_A)", "ice_uri_fold(a, b) < 0"):
            self.assertEqual([], told(found(condition)), condition)
        self.assertEqual([], told(found("a", before="if (!b)\n        return ice_error_memory(err);"))[:-2])

    def test_loops(self):
        text = "void f(void) {\n    for (i = 0; knows && i < n; i++)\n        FOUND(e, ICE_RULE_A, p);\n}\n"
        self.assertEqual([("drop", "knows")], told(text))

    def test_helpers_and_callers(self):
        helper = "static bool is_odd(int a) {\n    return a == 3;\n}\n"
        unused = "static bool is_even(int a) {\n    return a == 2;\n}\n"
        caller = "void all(int a) {\n    if (!a)\n        return;\n    if (a == 9)\n        check(a, 1);\n    if (a == 8)\n        g();\n}\n"
        made = rewrite(helper + unused + found("is_odd(a)") + caller)[1]
        texts = {(m.function, m.text) for m in made}
        self.assertEqual({("is_odd", "a == 3"), ("check", "is_odd(a)"), ("all", "!a"), ("all", "a == 9")}, texts)
        self.assertEqual([["A"]] * len(made), [m.rules for m in made])
        where = {m.text: m.where for m in made}
        want = {"a == 3": "helper", "is_odd(a)": "guard", "!a": "caller", "a == 9": "caller"}
        self.assertEqual(want, where)

    def test_all_of_the_tree_is_still_c(self):
        """Every bracket of every rewritten file has its pair, and each mutant's number stands there once."""
        folder = os.path.join(ROOT, "src", "check")
        sources = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".c"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    sources.append(mutants.Source("src/check/" + name, f.read()))
        chosen, n = mutants.choose(sources), 0
        for source in sources:
            rewriter = mutants.Rewriter(source, [f for f in chosen if f.file == source.file], 1)
            text = rewriter.run()
            again = mutants.Source(source.file, text)
            self.assertEqual(len(source.functions), len(again.functions), source.file)
            for m in rewriter.mutants:
                self.assertRegex(text, r"ice_mutant_\w+\(%d, " % m.number)
            n += len(rewriter.mutants)
        self.assertGreater(n, 1000)


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "mutant.h"
unsigned ice_mutant;
unsigned char differs[99], *ice_mutant_differs = differs;
#define FOUND(e, rule, p) puts(rule)
#define ICE_RULE_A "A"
"""


class Running(unittest.TestCase):
    def test_one_at_a_time(self):
        cc = shutil.which("cc") or shutil.which("gcc")
        if not cc:
            self.skipTest("no compiler")
        text, made = rewrite("static void check(int a, int b) {\n    if (a > 2 && b)\n        FOUND(e, ICE_RULE_A, p);\n}\n")
        main = "int main(int c, char **v) {\n    (void)c;\n    ice_mutant = (unsigned)atoi(v[1]);\n    check(atoi(v[2]), atoi(v[3]));\n}\n"
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "a.c")
            with open(path, "w", encoding="utf-8") as f:
                f.write(PROGRAM + text + main)
            binary = os.path.join(work, "a")
            subprocess.run([cc, "-w", "-std=c17", "-I", LIB, "-o", binary, path], check=True)

            def said(mutant, a, b):
                args = [binary, str(mutant), str(a), str(b)]
                return subprocess.run(args, capture_output=True, text=True, check=True).stdout.strip()

            self.assertEqual(["", "A", ""], [said(0, 2, 1), said(0, 3, 1), said(0, 3, 0)])
            number = {(m.how, m.text): m.number for m in made}
            self.assertEqual("A", said(number["boundary", "a >= 2"], 2, 1))
            self.assertEqual("", said(number["tolerance", "a > 2 + 1"], 3, 1))
            self.assertEqual("A", said(number["drop", "a > 2"], 0, 1))
            self.assertEqual("A", said(number["drop", "b"], 3, 0))
            self.assertEqual("A", said(number["drop all", "a > 2 && b"], 0, 0))
            self.assertEqual(["A", ""], [said(number["negate", "a > 2 && b"], 0, 0), said(number["negate", "a > 2 && b"], 3, 1)])


if __name__ == "__main__":
    unittest.main()
