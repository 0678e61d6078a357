# SPDX-License-Identifier: MIT
"""Runs unittest's tests and prints TAP: each test's name is a true sentence.

The clients under test print whatever they like: descriptor 1 becomes standard error, and only the
lines of TAP go to where standard output was. That begins when this module is loaded."""
import os
import signal
import sys
import traceback
import unittest

OUT = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
PATIENCE_S = 120  # for one test: a client that waits for ever is a failure with a name


def sentence(test):
    if not isinstance(test, unittest.TestCase):
        return test.id()  # what is set up or let go for a whole class
    return test.id().rsplit(".", maxsplit=1)[-1].removeprefix("test_")


def on_alarm(_number, _frame):
    raise TimeoutError(f"the test did not end within {PATIENCE_S} s")


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.count = 0

    def say(self, verdict, test, after=""):
        self.count += 1
        print(f"{verdict} {self.count} - {sentence(test)}{after}", file=OUT, flush=True)

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(PATIENCE_S)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        self.say("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say("not ok", test)
        for line in "".join(traceback.format_exception(*err)).splitlines():
            print(f"# {line}", file=OUT, flush=True)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(test, err)


def run(module, names):
    """Runs the tests of a module, or those whose sentences contain one of the words."""
    signal.signal(signal.SIGALRM, on_alarm)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{name}*" for name in names] or None
    result = Result()
    loader.loadTestsFromModule(sys.modules[module]).run(result)
    print(f"1..{result.count}", file=OUT, flush=True)
    sys.stderr.flush()
    os._exit(not result.wasSuccessful())  # some clients leave threads that never end
