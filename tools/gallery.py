#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the pictures of docs/gallery.md: starts a server, asks for each, colours what is floats.

    tools/gallery.py PINHOLE FOLDER        (needs numpy and Pillow)"""
import io
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 384, 288
MAGIC = 0x9E2B83C1


class Wire:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.receive()

    def take(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError("the server has closed the connection")
            data += piece
        return data

    def receive(self):
        return self.take(struct.unpack("<II", self.take(8))[1])

    def ask(self, command):
        payload = b"0:" + command.encode()
        self.socket.sendall(struct.pack("<II", MAGIC, len(payload)) + payload)
        answer = self.receive().partition(b":")[2]
        if answer.startswith(b"error"):
            raise RuntimeError(f"{command}: {answer.decode()}")
        return answer

    def picture(self, command):
        return Image.open(io.BytesIO(self.ask(command + " png"))).convert("RGB")

    def floats(self, command):
        return np.load(io.BytesIO(self.ask(command + " npy")))


def grey(depth, far):
    return Image.fromarray((255 * np.clip(1 - depth / far, 0, 1)).astype(np.uint8))


def by_number(numbers):
    """Numbers as colours that differ from their neighbours."""
    return np.stack([numbers * step % 256 for step in (97, 57, 151)], -1).astype(np.uint8)


def flow_colors(flow):
    """The hue is the direction, the saturation the length."""
    length = np.hypot(flow[..., 0], flow[..., 1])
    hue = (np.arctan2(flow[..., 1], flow[..., 0]) / (2 * np.pi) % 1 * 255).astype(np.uint8)
    saturation = (255 * np.clip(length / max(length.max(), 1e-6), 0, 1)).astype(np.uint8)
    full = np.full_like(hue, 255)
    return Image.fromarray(np.stack([hue, saturation, full], -1), "HSV").convert("RGB")


def lidar_map(points):
    """From above, 10 m to each side, the sensor in the middle and forward up."""
    side = 288
    canvas = np.zeros((side, side, 3), np.uint8)
    x, y, _, intensity = points.T
    row = (side / 2 - x * side / 20).astype(int)
    column = (side / 2 + y * side / 20).astype(int)
    inside = (row >= 0) & (row < side) & (column >= 0) & (column < side)
    shade = (80 + 175 * intensity[inside])[:, None] * [0.5, 1, 0.6]
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1)):
        canvas[np.minimum(row[inside] + down, side - 1),
               np.minimum(column[inside] + right, side - 1)] = shade.astype(np.uint8)
    return Image.fromarray(canvas)


def flow_pictures(wire):
    """The camera has turned and stepped aside, and the cube has moved."""
    first = wire.ask("vget /camera/0/pose").decode()
    cube = wire.ask("vget /object/BlueCube/location").decode()
    wire.floats("vget /camera/0/flow")
    wire.picture("vget /camera/0/optical_flow")
    x, y, z, pitch, yaw, roll = map(float, first.split())
    wire.ask(f"vset /camera/0/pose {x} {y + 1} {z} {pitch} {yaw + 0.2} {roll}")
    wire.ask("vset /object/BlueCube/location -135 -33 44")
    yield "flow", flow_colors(wire.floats("vget /camera/0/flow"))
    yield "optical_flow", wire.picture("vget /camera/0/optical_flow")
    wire.ask(f"vset /camera/0/pose {first}")
    wire.ask(f"vset /object/BlueCube/location {cube}")


def pictures(wire):
    for name in ("lit", "mqrc/lit", "object_mask", "normal", "semantic"):
        yield name, wire.picture(f"vget /camera/0/{name}")
    yield "depth", grey(wire.floats("vget /camera/0/depth"), 1200)
    yield "radial_depth", grey(wire.floats("vget /camera/0/radial_depth"), 1200)
    position = np.nan_to_num(wire.floats("vget /camera/0/position"))
    yield "position", Image.fromarray((position % 100 * 2.55).astype(np.uint8))
    numbers = np.asarray(wire.picture("vget /camera/0/instance")).astype(int)
    yield "instance", Image.fromarray(by_number(numbers @ [65536, 256, 1]))
    yield from flow_pictures(wire)
    wire.ask("vset /camera/0/location -60 50 140")
    wire.ask("vset /camera/0/rotation 0 0 0")
    for name in ("panoramic", "panoramic/normal", "panoramic/mask", "panoramic/depth"):
        yield name, Image.open(io.BytesIO(
            wire.ask(f"vget /camera/0/{name} png 512 256"))).convert("RGB")
    yield "lidar", lidar_map(wire.floats("vget /camera/0/lidar"))


def main(pinhole, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        ready = pathlib.Path(scratch, "ready")
        server = subprocess.Popen([pinhole, "serve", "--port", "0", "--unix", "none", "--size",
                                   f"{WIDTH}x{HEIGHT}", "--ready-file", ready, "--output",
                                   scratch])
        try:
            while server.poll() is None and not (ready.exists() and ready.read_text()):
                time.sleep(0.05)
            wire = Wire(int(ready.read_text()))
            for name, picture in pictures(wire):
                path = folder / (re.sub("/", "_", name) + ".png")
                if name in ("lit", "mqrc/lit", "panoramic"):
                    picture = picture.quantize(256, dither=Image.Dither.FLOYDSTEINBERG)
                picture.save(path, optimize=True)
                print(f"{path}: {path.stat().st_size} bytes")
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
