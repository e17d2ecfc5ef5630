#!/usr/bin/python3 -SEB
"""A run that is served (tools/lib/run_server.py) ends as one that is started, and sanitizers see in it what they see there: FAULTY"""

import os
import subprocess
import sys
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "lib"))
import run_server

FAULTY = os.path.abspath(sys.argv.pop(1))


class Served(unittest.TestCase):
    def both(self, *words, seconds=60):
        command, env = [FAULTY, *words], {"LC_ALL": "C"}
        served = run_server.run(command, "/", env, True, seconds)
        started = subprocess.run(command, cwd="/", env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIsNotNone(served)
        self.assertEqual((served.returncode, served.stdout), (started.returncode, started.stdout))
        return served

    def test_sound(self):
        done = self.both("sound")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "sound\n", ""))

    def test_faults_are_seen(self):
        for word, said in (("leak", "LeakSanitizer"), ("beyond", "heap-buffer-overflow"), ("overflow", "signed integer overflow")):
            done = self.both(word)
            self.assertNotEqual(done.returncode, 0, word)
            self.assertIn(said, done.stderr)

    def test_after_a_fault_runs_are_served_still(self):
        for word in ("beyond", "sound", "leak", "sound"):
            self.both(word)

    def test_too_long_for_a_request(self):
        self.assertIsNone(run_server.run([FAULTY, "x" * run_server.MOST_BYTES], "/", {}, True, 60))


unittest.main()
