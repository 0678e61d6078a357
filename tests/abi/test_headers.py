#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles each public header alone, and twice in a row, as strict C99 and as C++11, with every
compiler that is here. Then uses the options of each in both languages. Prints TAP.

usage: test_headers.py INCLUDE_FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys

INCLUDE = pathlib.Path(sys.argv[1])
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{INCLUDE}"]
LANGUAGES = {
    "C99": (("gcc", "clang"), ["-xc", "-std=c99"]),
    "C++11": (("g++", "clang++"), ["-xc++", "-std=c++11"]),
}
USE = {
    "C99": "void use({0} *to);\nvoid use({0} *to)\n{{\n\t*to = *{1}(.{2} = 0);\n}}\n",
    "C++11": "void use({0} &to)\n{{\n\t{0} options = {{}};\n\toptions.size = sizeof(options);\n"
             "\toptions.{2} = 0;\n\tto = options;\n}}\n",
}


def compile_text(compiler, flags, text):
    return subprocess.run([compiler, *flags, *STRICT, "-"], input=text, text=True,
                          capture_output=True).stderr


def options_of(header):
    """(type, macro, the field behind the size) of each options struct."""
    text = (INCLUDE / "pinhole" / header).read_text()
    return [(f"ph_{name}_options", f"PH_{name.upper()}_OPTIONS", field)
            for name, field in re.findall(
                r"^typedef struct ph_(\w+)_options \{\n\tsize_t size;[^\n]*\n[^;]*?(\w+);",
                text, re.MULTILINE)]


def programs(header, language):
    include = f"#include <pinhole/{header}>\n"
    yield f"{header} alone", include
    yield f"{header} twice", include * 2
    for kind, macro, field in options_of(header):
        yield kind, include + USE[language].format(kind, macro, field)


def main():
    number = failed = 0
    headers = sorted(path.name for path in (INCLUDE / "pinhole").glob("*.h"))
    for language, (compilers, flags) in LANGUAGES.items():
        for compiler in compilers:
            for header in headers:
                for what, text in programs(header, language):
                    number += 1
                    sentence = f"{number} - {what} is {language} for {compiler}"
                    if not shutil.which(compiler):
                        print(f"ok {sentence} # SKIP no {compiler} here")
                        continue
                    errors = compile_text(compiler, flags, text)
                    failed += bool(errors)
                    print(f"{'not ok' if errors else 'ok'} {sentence}")
                    print("".join(f"# {line}\n" for line in errors.splitlines()), end="")
    print(f"1..{number}")
    return failed != 0 or not headers


sys.exit(main())
