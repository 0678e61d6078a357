#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a Python script in a virtual environment that holds exactly pinned packages.

    venv.py --folder build/venvs --constraints tests/interop/constraints.txt \\
            --bare unrealcv==1.3.2 numpy pillow -- tests/interop/test_unrealcv.py ARGUMENTS

Packages named with --bare are installed without what they depend on: their versions conflict, or
they ask for more than a test needs. The environment is made once, and again when the Python, the
constraints or the packages change. Nothing may be installed that is not pinned.

When the package index cannot be reached the script is not run: TAP says that it was skipped, and
why. Any other failure is one."""
import argparse
import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What pip prints when it is the way to the index that fails, and not what was asked for.
UNREACHABLE = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|"
    r"MaxRetryError|ConnectionResetError|RemoteDisconnected|Connection aborted|"
    r"Temporary failure in name resolution|Network is unreachable|HTTP error (?:403|407|429|5\d\d)")
BUILT_IN = {"pip", "setuptools", "wheel"}


class Unreachable(Exception):
    """The package index does not answer."""


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def read_pins(lines):
    pins = (line.split("#")[0].strip().split("==") for line in lines)
    return {canonical(pin[0]): pin[1] for pin in pins if len(pin) == 2}


def digest(constraints, requirements):
    parts = [sys.version, sys.executable, constraints, *requirements,
             pathlib.Path(__file__).read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def pip(python, *arguments):
    command = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode == 0:
        return done.stdout
    sys.stderr.write(done.stdout)
    signs = UNREACHABLE.search(done.stdout)
    if signs:
        raise Unreachable(f"the package index cannot be reached ({signs[0]})")
    sys.exit(f"venv.py: pip failed: {' '.join(arguments)}")


def check_pinned(python, pins):
    """Nothing may be there that the constraints do not name, or in another version."""
    listed = pip(python, "list", "--format=freeze")
    there = read_pins(line for line in listed.splitlines() if "==" in line)
    wrong = [f"{name}=={version}" for name, version in sorted(there.items())
             if name not in BUILT_IN and pins.get(name) != version]
    if wrong:
        sys.exit(f"venv.py: not pinned in the constraints: {', '.join(wrong)}")


def make(folder, options):
    python = str(folder / "bin" / "python")
    done = subprocess.run([sys.executable, "-m", "venv", "--clear", folder], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}venv.py: cannot make {folder}; on Debian: apt install python3-venv")
    quick = ("install", "--quiet", "--retries", "2", "--timeout", "20", "--prefer-binary")
    if options.packages:
        pip(python, *quick, "--constraint", options.constraints, *options.packages)
    if options.bare:
        pip(python, *quick, "--no-deps", *options.bare)
    pins = read_pins(options.constraints.read_text().splitlines())
    check_pinned(python, {**pins, **read_pins(options.bare)})


@contextlib.contextmanager
def locked(path):
    """Tests that need the same environment at the same time make it once."""
    with open(path, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def find_or_make(options):
    requirements = [*options.packages, "--bare", *options.bare]
    name = "-".join(re.sub(r"\W+", "_", each) for each in options.bare) or "venv"
    folder = options.folder / f"{name}-{digest(options.constraints.read_text(), requirements)}"
    whole = folder / "whole"  # made last: without it an environment is half of one
    options.folder.mkdir(parents=True, exist_ok=True)
    with locked(f"{folder}.lock"):
        if not whole.exists():
            try:
                make(folder, options)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            whole.touch()
    return str(folder / "bin" / "python")


def main():
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    script = sys.argv[split + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--constraints", type=pathlib.Path, required=True)
    parser.add_argument("--bare", action="append", default=[], metavar="NAME==VERSION")
    parser.add_argument("packages", nargs="*")
    options = parser.parse_args(sys.argv[1:split])
    if not script:
        parser.error("which script is to be run? Put it behind --")
    options.folder = options.folder.absolute()  # as pip and the script see it too
    try:
        python = find_or_make(options)
    except Unreachable as reason:
        print(f"1..0 # SKIP {reason}")
        return
    os.execv(python, [python, *script])


if __name__ == "__main__":
    main()
