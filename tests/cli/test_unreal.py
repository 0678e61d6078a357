#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/pinhole-unreal: what stands in for a game's program. Prints TAP.

usage: test_unreal.py SCRIPT PINHOLE

PINHOLE is not started: a script that prints its arguments stands in for it."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT, PINHOLE = sys.argv[1:3]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="ph-test-unreal-"))
ODD = FOLDER / "it's & a|folder"


def stand_in():
    path = ODD / "pinhole"
    ODD.mkdir()
    path.write_text('#!/bin/sh\nfor a; do printf "%s\\n" "$a"; done\n')
    path.chmod(0o755)
    return path


def run(*arguments, code=0, env=None):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, env=env,
                          check=False)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stdout.strip()


GAME = pathlib.Path(run(SCRIPT, "--install", ODD / "env", stand_in()))
INI = GAME.parent / "unrealcv.ini"
HERE = str(GAME.parent)


def an_installation_has_the_folders_that_launchers_take_apart():
    assert GAME == ODD / "env" / "Pinhole" / "Binaries" / "Linux" / "Pinhole"
    assert INI.read_text().split("\n")[:4] == ["[UnrealCV.Core]", "Port=9000", "Width=640",
                                               "Height=480"]


def switches_of_unreal_and_a_map_are_ignored():
    expected = ["serve", "--port", "9000", "--size", "640x480", "--fov", "90.000000", "--output",
                HERE, "--unix-recreate", "--log", "warning"]
    given = ("Some_Map", "-opengl", "-RenderOffScreen", "-nullrhi", "-graphicsadapter=1")
    assert run(GAME, *given).split("\n") == expected
    assert run(GAME).split("\n") == expected


def the_ini_is_read_as_launchers_write_it():
    lines = INI.read_text().split("\n")
    lines[1:4] = ["Port=9003", "Width=320", "Height=200"]
    INI.write_text("\n".join(lines))
    words = run(GAME).split("\n")
    assert words[2] == "9003" and words[4] == "320x200"


def a_port_on_the_command_line_wins():
    assert run(GAME, "-cvport=9100").split("\n")[2] == "9100"


def nonsense_in_the_ini_is_what_it_is_at_first():
    INI.write_text("[UnrealCV.Core]\nPort=abc\nWidth=0\nHeight=$(touch /tmp/x)\n")
    words = run(GAME).split("\n")
    assert words[2] == "9000" and words[4] == "640x480" and words[6] == "90"


def an_ini_that_is_missing_is_made():
    INI.unlink()
    assert run(GAME).split("\n")[2] == "9000"
    assert INI.read_text().startswith("[UnrealCV.Core]\nPort=9000\n")


def an_installation_again_keeps_the_ini():
    INI.write_text("[UnrealCV.Core]\nPort=9007\n")
    run(SCRIPT, "--install", ODD / "env", ODD / "pinhole")
    assert run(GAME).split("\n")[2] == "9007"


def it_starts_without_an_environment():
    assert run(GAME, env={}).split("\n")[0] == "serve"


def what_cannot_be_installed_is_said():
    run(SCRIPT, "--install", code=2)
    run(SCRIPT, "--install", ODD / "other", "/no/such/program", code=2)


def the_real_program_takes_these_options():
    text = run(PINHOLE, "serve", "--help")
    for option in ("--port", "--size", "--fov", "--output", "--unix-recreate", "--log"):
        assert option in text, option


def main():
    tests = [f for f in globals().values() if callable(f) and f.__module__ == "__main__" and
             f.__name__ not in ("main", "run", "stand_in")]
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__name__}")
        except Exception as error:
            failed += 1
            print(f"not ok {number} - {test.__name__}\n# {error!r}")
    print(f"1..{len(tests)}")
    subprocess.run(["rm", "-rf", str(FOLDER)], check=True)
    return failed > 0


sys.exit(main())
