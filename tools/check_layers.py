#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when a file includes a layer that src/LAYERS does not allow.

Users of the library (cli, bench, examples) may include <pinhole/...> only."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
USERS = ("cli", "bench", "examples", "bindings", "plugins")

root = pathlib.Path(sys.argv[1])
allowed = {}
wrong = []
for line in (root / "src" / "LAYERS").read_text().splitlines():
    line = line.split("#")[0].strip()
    if not line:
        continue
    layer, below = line.split(":")
    unknown = set(below.split()) - set(allowed)
    if unknown:
        wrong.append(f"src/LAYERS: {layer} names a layer that is not above it: {sorted(unknown)}")
    allowed[layer] = set(below.split()) | {layer}


def check(path, number, target):
    layer = path.relative_to(root / "src").parts[0]
    if "/" not in target:
        return f'{path}:{number}: write the layer: "{layer}/{target}"'
    below = target.split("/")[0]
    if below not in allowed[layer]:
        return f"{path}:{number}: {layer} may not include {below}"
    if target.endswith("_layout.h") and below != layer:
        return f"{path}:{number}: {target} belongs to its own layer and to tests/abi"
    return None


for path in sorted((root / "src").rglob("*.[ch]")):
    if path.relative_to(root / "src").parts[0] not in allowed:
        wrong.append(f"{path}: its folder is not a layer of src/LAYERS")
        continue
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if match := INCLUDE.match(text):
            wrong.append(check(path, number, match[1]))

for user in USERS:
    for path in sorted((root / user).rglob("*.[ch]")):
        for number, text in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(text)
            if match and not (path.parent / match[1]).exists() and not match[1].startswith("floor/"):
                wrong.append(f"{path}:{number}: a user of the library includes <pinhole/...> only")

wrong = [w for w in wrong if w]
print("\n".join(wrong) or f"{len(allowed)} layers, all includes point down")
sys.exit(bool(wrong))
