#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when a source file breaks a rule of style that a program can see.

An exception to a banned call is written where it is, with its reason:

    free(line); /* style: allow free, getline() made it */

or, for a file whose purpose it is, in ALLOWED below."""
import pathlib
import re
import statistics
import sys

FOLDERS = ("src", "cli", "include", "tests", "tools", "bench", "examples", "bindings", "plugins")
COLUMNS = 100
FILE_LINES = 600
FUNCTION_LINES = 60

# Calls that src/ may not make, and what it does instead.
BANNED = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "free", "reallocarray", "aligned_alloc",
                     "posix_memalign", "shm_open", "shm_unlink", "ftruncate", "fallocate",
                     "posix_fallocate", "flock", "mmap", "munmap"), "go through ph__sys"),
    **dict.fromkeys(("strdup", "strndup", "asprintf", "vasprintf"),
                    "allocates behind ph__sys: use a ph__buffer"),
    **dict.fromkeys(("sprintf", "vsprintf", "strcpy", "strcat", "stpcpy", "gets", "alloca"),
                    "has no limit: use snprintf or a ph__buffer"),
    **dict.fromkeys(("atoi", "atol", "atof", "strtod", "strtof"),
                    "hides errors or follows the locale: use ph__span_u64 or ph__span_double"),
    **dict.fromkeys(("system", "popen"), "runs a shell"),
    "setlocale": "changes the whole program: use ph__c_locale()",
    "strtok": "keeps hidden state",
}
ALLOWED = {
    "src/base/sys.c": set(BANNED),
}

# Put together so that this file does not contain them; the last is a path of one machine.
BANNED_WORDS = re.compile(r"\b(?:" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK")) +
                          r")\b|/wo" "rk/")
LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
ALLOW = re.compile(r"/\* style: allow ([a-z_]+)")
TEST = re.compile(r"^(?:SLOW_|FAIL_)?TEST\((\w+)", re.MULTILINE)
SENTENCE = re.compile(r"[a-z0-9]+(_[a-z0-9]+){2,}")


def blank(match):
    """The same lines with nothing in them; quotes stay, to show that something was there."""
    text = match[0]
    inner = re.sub(r"[^\n]", " ", text)
    return text[0] + inner[1:-1] + text[-1] if text[0] in "\"'" else inner


def code_of(text):
    """The lines without comments and the insides of strings."""
    return LITERAL.sub(blank, text).split("\n")


def strings_cut(line):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line)


def check_line(line):
    if len(strings_cut(line).expandtabs(8)) > COLUMNS:
        yield f"{len(line.expandtabs(8))} columns, {COLUMNS} are allowed"
    if line != line.rstrip():
        yield "blanks at the end of the line"
    if match := BANNED_WORDS.search(line):
        yield f"'{match[0]}': finish it or take it out"


def continues(before):
    """Is the next line part of the same statement as this code?"""
    before = before.rstrip()
    return before != "" and before[-1] not in ";{}:" and not before.startswith("#")


def check_indents(lines, code_lines):
    """Tabs, and after them fewer than eight blanks to align what continues a statement."""
    before = ""
    for number, (line, code) in enumerate(zip(lines, code_lines), 1):
        indent = re.match(r"[ \t]*", line)[0]
        if " \t" in indent or " " * 8 in indent:
            yield number, "indent with tabs"
        elif code.strip() and indent.startswith(" ") and not continues(before):
            yield number, "indent with tabs"
        before = code if code.strip() else before


def check_calls(path, line, code):
    allowed = ALLOWED.get(path, set()) | set(ALLOW.findall(line))
    for name in CALL.findall(code):
        if name not in allowed:
            yield f"{name}(): {BANNED[name]}"


def function_lengths(code_lines):
    """(number of its first line, count of lines) of each function, from its { to its }."""
    begin = None
    for number, line in enumerate(code_lines, 1):
        if line == "{":
            begin = number
        elif line.rstrip() == "}" and begin:
            yield begin - 1, number - begin + 2
            begin = None


def check_tests(text):
    seen = set()
    for match in TEST.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        if not SENTENCE.fullmatch(match[1]):
            yield number, f"the name of a test is a sentence in lower case: {match[1]}"
        if match[1] in seen:
            yield number, f"a second test {match[1]}"
        seen.add(match[1])


def check_c(path, lines, code_lines):
    if lines[0] != "/* SPDX-License-Identifier: MIT */":
        yield 1, "the first line is /* SPDX-License-Identifier: MIT */"
    if len(lines) > FILE_LINES:
        yield 1, f"{len(lines)} lines, {FILE_LINES} are allowed"
    for begin, count in function_lengths(code_lines):
        if count > FUNCTION_LINES:
            yield begin, f"a function of {count} lines, {FUNCTION_LINES} are allowed"
    if path.startswith("src/"):
        for number, (line, code) in enumerate(zip(lines, code_lines), 1):
            yield from ((number, wrong) for wrong in check_calls(path, line, code))


def check(path, text):
    """Yields (line number, what is wrong) for a file of this path within the tree."""
    lines = text.split("\n")
    if lines.pop() != "" or not lines or lines[-1] == "":
        yield len(lines), "a file ends with one newline"
    for number, line in enumerate(lines, 1):
        yield from ((number, what) for what in check_line(line))
    if path.endswith((".c", ".h")):
        code_lines = code_of(text)
        yield from check_indents(lines, code_lines)
        yield from check_c(path, lines, code_lines)
        yield from check_tests(text)
    elif path.endswith(".py") and "# SPDX-License-Identifier: MIT" not in lines[:2]:
        yield 1, "the first line (or that after #!) is # SPDX-License-Identifier: MIT"


# A check that cannot fail proves nothing: each of these is found wrong, or right, at every start.
HEAD = "/* SPDX-License-Identifier: MIT */\n"
FINE = (
    ("src/a/b.c", HEAD),
    ("src/a/b.c", HEAD + "\tph__sys->free(a);\n\tmy_free(a);\n\ts.mmap(a);\n"),
    ("src/a/b.c", HEAD + "\tfree(a); /* style: allow free, getline() made it */\n"),
    ("src/a/b.c", HEAD + "/* free(a) and\n * free(b) */\n\tputs(\"free(a)\");\n"),
    ("src/a/b.c", HEAD + "\tputs(\"" + "x" * 120 + "\");\n"),
    ("src/a/b.c", HEAD + "enum { A,\n       B };\n"),
    ("src/a/b.c", HEAD + "int f(int a,\n\t     int b)\n{\n" + "\ta++;\n" * 57 + "}\n"),
    ("tests/b.c", HEAD + "\tfree(a);\nTEST(a_true_sentence)\n"),
)
WRONG = (
    ("src/a/b.c", "int a;\n"),
    ("src/a/b.c", HEAD + "int a;"),
    ("src/a/b.c", HEAD + "int a;\n\n"),
    ("src/a/b.c", HEAD + "int a; \n"),
    ("src/a/b.c", HEAD + "    int a;\n"),
    ("src/a/b.c", HEAD + "\t        int a;\n"),
    ("src/a/b.c", HEAD + "int " + "a" * 97 + "\n"),
    ("src/a/b.c", HEAD + "\t\t" + "a" * 85 + "\n"),
    ("src/a/b.c", HEAD + "\tfree(a);\n"),
    ("src/a/b.c", HEAD + "\tfree(a); /* style: allow malloc */\n"),
    ("src/a/b.c", HEAD + "int f(void)\n{\n" + "\ta++;\n" * 58 + "}\n"),
    ("src/a/b.c", HEAD + "int a;\n" * 600),
    ("src/a/b.c", HEAD + "/* " + "TO" "DO" + " */\n"),
    ("tests/b.c", HEAD + "TEST(Upper_case_name)\n"),
    ("tests/b.c", HEAD + "TEST(test_it)\n"),
    ("tests/b.c", HEAD + "TEST(a_b_c)\nTEST(a_b_c)\n"),
    ("tools/a.py", "print()\n"),
)
for sample_path, sample in FINE:
    assert not list(check(sample_path, sample)), (sample, list(check(sample_path, sample)))
for sample_path, sample in WRONG:
    assert len(list(check(sample_path, sample))) == 1, (sample, list(check(sample_path, sample)))

def main(root):
    wrong, lengths, count = [], [], 0
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*")):
        if path.suffix not in (".c", ".h", ".py"):
            continue
        name, text = str(path.relative_to(root)), path.read_text()
        count += 1
        wrong += [f"{name}:{number}: {what}" for number, what in check(name, text)]
        if name.startswith("src/") and path.suffix == ".c":
            lengths += [length for _, length in function_lengths(code_of(text))]
    print("\n".join(wrong) or f"{count} files; {len(lengths)} functions in src/, "
          f"median {statistics.median(lengths):.0f} lines, longest {max(lengths)}")
    return bool(wrong)


sys.exit(main(pathlib.Path(sys.argv[1])))
