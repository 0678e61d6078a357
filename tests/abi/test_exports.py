#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what the libraries export with the lists beside this file, and what libpinhole needs
with nothing but the C library. Prints TAP.

usage: test_exports.py LIBPINHOLE LIBPINHOLE_SERVER    compare
       test_exports.py --write LIBPINHOLE LIBPINHOLE_SERVER    make the lists anew

A list has one symbol a line. What is under "[private]" is for libpinhole-server of the same
version: it may change at any time, but not by accident."""
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
HEAD = {"[public]": "ABI: a symbol is never taken away while the soname stays.",
        "[private]": "For libpinhole-server of the very same version."}
ONLY_IN_TEST_BUILDS = {"ph__point_hook"}
C_LIBRARY = re.compile(r"libc\.so\.6|ld-linux.*")


def exports(library):
    """{"[public]": names, "[private]": names}; the version nodes themselves are left out."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    found = {"[public]": set(), "[private]": set()}
    for line in lines:
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@@")
        if kind != "A" and name not in ONLY_IN_TEST_BUILDS:
            found["[private]" if version == "PINHOLE_PRIVATE" else "[public]"].add(name)
    return found


def read_list(path):
    listed = {"[public]": set(), "[private]": set()}
    section = None
    for line in path.read_text().splitlines():
        if line in listed:
            section = line
        elif line and not line.startswith("#"):
            listed[section].add(line)
    return listed


def write_list(path, found):
    parts = [f"{section}\n# {HEAD[section]}\n" + "".join(f"{name}\n" for name in sorted(names))
             for section, names in found.items() if names]
    path.write_text("\n".join(parts))


def needed(library):
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True,
                          text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def differences(found, listed):
    for section in found:
        for name in sorted(found[section] - listed[section]):
            yield f"{section} {name} is exported but not listed"
        for name in sorted(listed[section] - found[section]):
            yield f"{section} {name} is listed but not exported"


def results(libraries):
    for name, library in libraries.items():
        found, listed = exports(library), read_list(FOLDER / f"exports-{name}.txt")
        yield f"{name} exports what its list says", list(differences(found, listed))
        yield (f"{name} exports no public name without the prefix",
               sorted(n for n in found["[public]"] if not re.match(r"ph_(?!_)", n)))
    strangers = [n for n in needed(libraries["libpinhole"]) if not C_LIBRARY.fullmatch(n)]
    yield "libpinhole needs the C library and nothing else", strangers


def main(arguments):
    write = arguments[0] == "--write"
    libraries = dict(zip(("libpinhole", "libpinhole-server"), arguments[write:]))
    if write:
        for name, library in libraries.items():
            write_list(FOLDER / f"exports-{name}.txt", exports(library))
        return 0
    failed = 0
    for number, (sentence, wrong) in enumerate(results(libraries), 1):
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {sentence}")
        print("".join(f"# {line}\n" for line in wrong), end="")
    print(f"1..{number}")
    return failed != 0


sys.exit(main(sys.argv[1:]))
