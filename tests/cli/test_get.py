#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`pinhole get` against a toy server: what it prints, what it writes, how it exits. Prints TAP.

usage: test_get.py PINHOLE"""
import os
import pathlib
import shlex
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

PINHOLE = [*shlex.split(os.environ.get("MESON_EXE_WRAPPER", "")), sys.argv[1]]
MAGIC = 0x9E2B83C1
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="ph-test-get-"))
WIDTH, HEIGHT = 3, 2
PIXELS = bytes(range(WIDTH * HEIGHT * 4))
REGION = f"ph-test-get-{os.getpid()}_v1"


def bmp():
    return b"BM" + struct.pack("<IIIIiiHHIIiiII", 54 + len(PIXELS), 0, 54, 40, WIDTH, -HEIGHT,
                               1, 32, 0, 0, 1024, 1024, 0, 0) + PIXELS


def npy(values):
    text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    length = (10 + len(text)) // 16 * 16 + 16
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", length - 10) + text.ljust(length - 11) +
            b"\n" + struct.pack("<6f", *values))


SHARED = (f'{{"transport":"posix_shared_memory","name":"{REGION}","num_bytes":24,'
          '"shape":[2,3,4],"dtype":"uint8","frame":7,"render_ns":1500000}')
REPLIES = {
    "vget /unrealcv/version": b"2.0.0",
    "vget /lines": b"a\nb\n",
    "vget /nothing": b"error No handler found for URI 'vget /nothing'",
    "vget /camera/0/lit bmp": bmp(),
    "vget /camera/0/depth npy": npy([100, 200, 400, 65504, 1000, 65504]),
    "vget /camera/0/lit png": b"\x89PNG\r\n\x1a\nnot decoded",
    "vget /camera/0/lit_shared": SHARED.encode(),
}


def frame(payload):
    return struct.pack("<II", MAGIC, len(payload)) + payload


def answer(connection):
    connection.sendall(frame(b"connected to Toys"))
    while header := connection.recv(8, socket.MSG_WAITALL):
        _, length = struct.unpack("<II", header)
        number, command = connection.recv(length, socket.MSG_WAITALL).split(b":", 1)
        connection.sendall(frame(number + b":" + REPLIES[command.decode()]))


def listen(address, family):
    listener = socket.socket(family)
    listener.bind(address)
    listener.listen()

    def serve():
        while True:
            with listener.accept()[0] as connection:
                answer(connection)
    threading.Thread(target=serve, daemon=True).start()
    return listener


SOCKET = str(FOLDER / "toy")
listen(SOCKET, socket.AF_UNIX)
TCP_PORT = listen(("127.0.0.1", 0), socket.AF_INET).getsockname()[1]


def get(*arguments, address=SOCKET, **environment):
    words = ["-a", address] if address else []
    done = subprocess.run([*PINHOLE, "get", *words, *arguments], capture_output=True, timeout=30,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def written(name, *command):
    path = FOLDER / name
    code, out, err = get("-o", str(path), *command)
    assert (code, out, err) == (0, "", ""), (code, out, err)
    return path.read_bytes()


def decode_png(data):
    """Width, channels and pixels of an 8-bit PNG whose rows use the filters none and sub."""
    at, idat = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            idat += body
        at += 12 + length
    channels = {0: 1, 2: 3, 6: 4}[color]
    rows, raw = [], zlib.decompress(idat)
    for y in range(height):
        kind, *row = raw[y * (width * channels + 1):(y + 1) * (width * channels + 1)]
        assert kind in (0, 1)
        for x in range(channels if kind else len(row), len(row)):
            row[x] = (row[x] + row[x - channels]) & 255
        rows.append(row)
    return width, channels, rows


def text_is_printed_with_one_newline():
    assert get("vget", "/unrealcv/version") == (0, "2.0.0\n", "")
    assert get("vget /lines") == (0, "a\nb\n", "")


def the_address_comes_from_the_option_the_environment_or_a_port():
    assert get("vget /lines", address=None, PINHOLE_ADDRESS=SOCKET)[0] == 0
    assert get("vget /lines", address=f":{TCP_PORT}", PINHOLE_ADDRESS="nonsense")[0] == 0


def an_error_of_the_server_is_exit_status_1():
    code, out, err = get("vget", "/nothing")
    assert (code, out) == (1, "") and "No handler found for URI 'vget /nothing'" in err


def arguments_that_make_no_sense_are_exit_status_2():
    for words in ([], ["-x"], ["-a"], ["-t", "never", "vget /x"], ["-t", "0", "vget /x"]):
        assert get(*words)[0] == 2, words
    assert get("vget /x", address="nonsense")[0] == 2
    assert subprocess.run(PINHOLE, capture_output=True).returncode == 2
    assert subprocess.run([*PINHOLE, "nonsense"], capture_output=True).returncode == 2


def no_server_is_exit_status_3():
    code, _, err = get("vget /x", address=str(FOLDER / "nobody"))
    assert code == 3 and "is a server running there?" in err


def help_and_version_are_printed():
    assert get("--help")[:2] == (0, subprocess.run([*PINHOLE, "get", "-h"],
                                                   capture_output=True).stdout.decode())
    for spelling in ("version", "--version", "-V"):
        done = subprocess.run([*PINHOLE, spelling], capture_output=True)
        assert done.returncode == 0 and done.stdout.startswith(b"pinhole ")


def a_picture_is_described_by_one_line():
    assert get("vget /camera/0/lit bmp")[1] == "3 x 2 BGRA8, 24 bytes\n"
    assert get("vget /camera/0/depth npy")[1] == "3 x 2 F32, 24 bytes\n"
    assert get("vget /camera/0/lit_shared")[1] == \
        "3 x 2 BGRA8, 24 bytes in shared memory, frame 7, drawn in 1.500 ms\n"
    assert get("vget /camera/0/lit png")[1].startswith("19 bytes; -o FILE")


def other_files_hold_the_bytes_of_the_reply():
    assert written("a.bmp", "vget /camera/0/lit bmp") == bmp()
    assert written("a.npy", "vget /camera/0/depth npy") == REPLIES["vget /camera/0/depth npy"]
    assert written("b.png", "vget /camera/0/lit png") == REPLIES["vget /camera/0/lit png"]
    assert written("a.txt", "vget /unrealcv/version") == b"2.0.0"


def a_raw_file_holds_the_pixels():
    assert written("a.raw", "vget /camera/0/lit_shared") == PIXELS
    assert written("b.raw", "vget /camera/0/lit bmp") == PIXELS


def a_shared_frame_needs_png_or_raw():
    code, _, err = get("-o", str(FOLDER / "c.bmp"), "vget /camera/0/lit_shared")
    assert code == 2 and ".png or .raw" in err


def a_file_that_cannot_be_written_is_exit_status_1():
    for name in ("a.png", "a.raw"):
        assert get("-o", f"/nowhere/{name}", "vget /camera/0/lit_shared")[0] == 1


def a_png_file_holds_the_same_pixels_red_first():
    if "no PNG" in get("-o", str(FOLDER / "d.png"), "vget /camera/0/lit_shared")[2]:
        return "this build has no PNG"
    width, channels, rows = decode_png((FOLDER / "d.png").read_bytes())
    assert (width, channels, len(rows)) == (WIDTH, 4, HEIGHT)
    flat = [value for row in rows for value in row]
    for i in range(0, len(flat), 4):
        blue, green, red, alpha = PIXELS[i:i + 4]
        assert flat[i:i + 4] == [red, green, blue, alpha]
    return None


def a_depth_becomes_grey_near_is_bright_and_nothing_is_black():
    if "no PNG" in get("-o", str(FOLDER / "e.png"), "vget /camera/0/depth npy")[2]:
        return "this build has no PNG"
    _, channels, rows = decode_png((FOLDER / "e.png").read_bytes())
    (near, second, third), (none, far, none_either) = rows
    assert channels == 1 and none == none_either == 0
    assert near == 255 and near > second > third > far > 0
    assert abs((near - second) - (second - third)) <= 1  # equal ratios, equal steps
    return None


def main():
    first = list(globals()).index("text_is_printed_with_one_newline")
    tests = [test for test in list(globals().values())[first:] if test is not main]
    (pathlib.Path("/dev/shm") / REGION).write_bytes(PIXELS)
    failed = 0
    try:
        for number, test in enumerate(tests, 1):
            try:
                skip = test()
                print(f"ok {number} - {test.__name__}" + (f" # SKIP {skip}" if skip else ""))
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"not ok {number} - {test.__name__}\n# {error!r}")
    finally:
        (pathlib.Path("/dev/shm") / REGION).unlink()
        subprocess.run(["rm", "-r", str(FOLDER)], check=True)
    print(f"1..{len(tests)}")
    return failed != 0


sys.exit(main())
