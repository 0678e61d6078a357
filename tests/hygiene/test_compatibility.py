#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of docs/unrealcv-compatibility.md are what the server's own table says. Prints TAP.

usage: test_compatibility.py COMMAND_TABLE            compare
       test_compatibility.py --write COMMAND_TABLE    make the tables anew"""
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "unrealcv-compatibility.md"
BEGIN = "<!-- begin of what test_compatibility.py writes -->\n"
END = "<!-- end of what test_compatibility.py writes -->\n"

table = subprocess.run([sys.argv[-1]], capture_output=True, text=True, check=True).stdout
before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
present, after = rest.split(END)
if sys.argv[1] == "--write":
    PAGE.write_text(before + BEGIN + "\n" + table + "\n" + END + after, encoding="utf-8")
    sys.exit(0)
good = present.strip() == table.strip()
print(f"{'ok' if good else 'not ok'} 1 - the page lists every command as the server has it")
if not good:
    shown, real = set(present.splitlines()), set(table.splitlines())
    for line in sorted(real - shown)[:10]:
        print(f"# is missing: {line}")
    for line in sorted(shown - real)[:10]:
        print(f"# is not so:  {line}")
    print("# again: ninja -C build-test compatibility")
print("1..1")
sys.exit(not good)
