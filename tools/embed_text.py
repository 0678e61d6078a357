#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C file with one string for each text file: embed_text.py OUT PREFIX FILE...

lit.frag becomes PREFIX_lit_frag, frame.glsl PREFIX_frame."""
import json
import pathlib
import sys

out, prefix, *files = sys.argv[1:]
lines = []
for path in map(pathlib.Path, files):
    name = path.stem if path.suffix == ".glsl" else path.name.replace(".", "_")
    text = "\n".join("\t" + json.dumps(line) for line in path.read_text().splitlines(keepends=True))
    lines.append(f"extern const char {prefix}_{name}[];\nconst char {prefix}_{name}[] =\n{text};\n")
pathlib.Path(out).write_text("\n".join(lines))
