#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts test cases and ends with the line "N passed, N failed, N skipped".

usage: count_tests.py FILE...

A file is a meson-logs/testlog.json, or the output of one TAP program if its name ends in .tap. A
program that prints TAP counts once for each case, any other counts once; one that dies counts as a
failure beside the cases it has reported. Failures print their output, skipped cases their reason.
The exit status is 1 for any failure, and when there was no test at all."""
import collections
import json
import pathlib
import re
import sys

PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*SKIP\s*(.*))?", re.MULTILINE | re.IGNORECASE)
CASE = re.compile(r"^(not )?ok \d+[ \t]*-?[ \t]*([^#\n]*)(?:#[ \t]*SKIP\b[ \t]*([^\n]*))?",
                  re.MULTILINE | re.IGNORECASE)
GOOD = {"OK", "EXPECTEDFAIL"}


class Count(collections.Counter):
    """Cases by verdict; says what must not go unseen."""

    def skip(self, name, reason, cases=1):
        self["skipped"] += cases
        many = f" ({cases} cases)" if cases > 1 else ""
        print(f"skipped: {name}{many}: {reason.strip() or 'no reason given'}")

    def fail(self, name, output):
        self["failed"] += 1
        print(f"FAILED: {name}")
        print("".join(f"    {line}\n" for line in output.splitlines()[-200:]), end="")

    def add_tap(self, name, output, ended_well):
        """Cases of a TAP program; `ended_well` is None when only its output is known."""
        plan = PLAN.search(output)
        if plan and plan[1] == "0":
            self.skip(name, plan[2] or "")
            return
        cases = list(CASE.finditer(output))
        bad = [case[2].strip() for case in cases if case[1]]
        skipped = collections.defaultdict(list)
        for case in cases:
            if case[3] is not None and not case[1]:
                skipped[case[3]].append(case[2].strip())
        for reason, names in skipped.items():
            self.skip(f"{name}: {names[0]}" if len(names) == 1 else name, reason, len(names))
        self["passed"] += sum(1 for case in cases if not case[1] and case[3] is None)
        self["failed"] += max(0, len(bad) - 1)
        incomplete = plan is None or int(plan[1]) != len(cases)
        if bad:
            self.fail(f"{name}: {', '.join(bad)}", output)
        if (ended_well is False and not bad) or incomplete:
            self.fail(f"{name}: did not end well", output)

    def add_program(self, name, result, output):
        if PLAN.search(output) or CASE.search(output):
            self.add_tap(name, output, result in GOOD or result == "SKIP")
        elif result == "SKIP":
            self.skip(name, output.strip().splitlines()[-1] if output.strip() else "")
        elif result in GOOD:
            self["passed"] += 1
        else:
            self.fail(f"{name} ({result})", output)

    def add_file(self, path):
        if path.suffix == ".tap":
            self.add_tap(path.stem, path.read_text(errors="replace"), None)
            return
        folder = path.parent.parent.name
        for line in path.read_text(errors="replace").splitlines():
            test = json.loads(line)
            output = (test.get("stdout") or "") + (test.get("stderr") or "")
            self.add_program(f"{folder}: {test['name']}", test["result"], output)


def main(paths):
    count = Count()
    for path in map(pathlib.Path, paths):
        if path.exists():
            count.add_file(path)
        else:
            count.fail(str(path), "there is no such file: the tests did not run")
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return count["failed"] > 0 or count["passed"] == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
