#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The counter of test cases: one that cannot see a failure proves nothing. Prints TAP.

usage: test_count.py COUNT_TESTS"""
import json
import pathlib
import subprocess
import sys
import tempfile

TAP = "ok 1 - a_b\nnot ok 2 - c_d\n# why\nok 3 - e_f # SKIP no GPU\n1..3\n"
SAMPLES = (
    ("each case of a TAP program counts",
     [("tap", "FAIL", TAP)], "1 passed, 1 failed, 1 skipped", 1, ["# why", "e_f: no GPU"]),
    ("another program counts once",
     [("a", "OK", "hello\nok\n"), ("b", "FAIL", "boom\n")], "1 passed, 1 failed, 0 skipped", 1, ["boom"]),
    ("all good is exit status 0",
     [("a", "OK", ""), ("b", "OK", "ok 1 - x\n1..1\n"), ("c", "EXPECTEDFAIL", "")],
     "3 passed, 0 failed, 0 skipped", 0, []),
    ("no test at all is a failure", [], "0 passed, 0 failed, 0 skipped", 1, []),
    ("only skipped tests are a failure",
     [("a", "SKIP", "1..0 # SKIP not here\n")], "0 passed, 0 failed, 1 skipped", 1, ["not here"]),
    ("a program that dies is a failure beside its cases",
     [("a", "ERROR", "ok 1 - x\nok 2 - y\n")], "2 passed, 1 failed, 0 skipped", 1, []),
    ("a program that dies after its plan is a failure",
     [("a", "FAIL", "1..1\nok 1 - x\nSummary: leaks\n")], "1 passed, 1 failed, 0 skipped", 1, ["leaks"]),
    ("cases that were planned and did not come are a failure",
     [("a", "OK", "1..3\nok 1 - x\n")], "1 passed, 1 failed, 0 skipped", 1, []),
    ("a timeout is a failure",
     [("a", "TIMEOUT", "")], "0 passed, 1 failed, 0 skipped", 1, ["TIMEOUT"]),
    ("several failed cases all count",
     [("a", "FAIL", "not ok 1 - x\nnot ok 2 - y\n1..2\n")], "0 passed, 2 failed, 0 skipped", 1, ["x, y"]),
)


def count(tests):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "testlog.json"
        path.write_text("".join(json.dumps({"name": n, "result": r, "stdout": o}) + "\n"
                                for n, r, o in tests))
        return subprocess.run([sys.executable, sys.argv[1], path], capture_output=True, text=True)


FAILED = 0
for number, (sentence, tests, last, code, said) in enumerate(SAMPLES, 1):
    done = count(tests)
    good = (done.stdout.splitlines()[-1:] == [last] and done.returncode == code and
            all(words in done.stdout for words in said))
    FAILED += not good
    print(f"{'ok' if good else 'not ok'} {number} - {sentence}")
    if not good:
        print("".join(f"# {line}\n" for line in (done.stdout + done.stderr).splitlines()))
print(f"1..{len(SAMPLES)}")
sys.exit(FAILED != 0)
