# SPDX-License-Identifier: MIT
"""What the tests of the public `unrealcv` package share: one server for all of them, clients that
are let go, and the geometry of the built-in scene."""
import importlib.metadata
import re
import unittest
from io import BytesIO

import numpy as np
import unrealcv

from program import Server, Wire

VERSION = tuple(int(part) for part in importlib.metadata.version("unrealcv").split("."))
HAS_API = VERSION >= (1, 1)
WIDTH, HEIGHT, FOV = 640, 480, 90
FOCAL_PX = WIDTH / 2  # at 90 degrees
FAR = 65504

# Where the middles of some objects are, in cm: nothing is above them.
MIDDLES = {
    "RedSphere": (-170, 85, 36), "BlueCube": (-135, -25, 40), "GreenCone": (-30, -210, 0),
    "ChromeSphere": (-100, -135, 42), "Pyramid": (-50, -360, 0), "OrangeCylinder": (10, 115, 0),
}


def rgb(text):
    """The colour in an answer such as (R=127,G=255,B=0,A=255)."""
    return tuple(int(each) for each in re.findall(r"=(\d+)", text)[:3])


def numbers(text):
    return [float(word) for word in text.split()]


def load_npy(answer):
    return np.load(BytesIO(answer))


def pixel_from_above(camera, point):
    """Row and column at which a camera with pitch -90, yaw 0 sees a point: up is X, right is Y."""
    (cx, cy, cz), (x, y, z) = camera, point
    depth = cz - z
    return (round(HEIGHT / 2 - FOCAL_PX * (x - cx) / depth),
            round(WIDTH / 2 + FOCAL_PX * (y - cy) / depth))


class Live(unittest.TestCase):
    """Each test finds the camera where the scene has it, and its clients are let go at the end."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server())
        with Wire(cls.server.port) as wire:
            cls.first_pose = wire.ask("vget /camera/0/pose")
            cls.help = wire.ask("vget /unrealcv/help").splitlines()

    def setUp(self):
        with Wire(self.server.port) as wire:
            wire.ask(f"vset /camera/0/pose {self.first_pose}")
            wire.ask(f"vset /camera/0/fov {FOV}")
            wire.ask(f"vset /camera/0/size {WIDTH} {HEIGHT}")

    def needs(self, template):
        if template not in self.help:
            self.skipTest(f"this version of the server has no '{template}'")

    def client(self, endpoint=None, kind="inet"):
        client = unrealcv.Client(endpoint or ("127.0.0.1", self.server.port), kind)
        self.assertTrue(client.connect())
        self.assertTrue(client.isconnected())
        self.addCleanup(client.disconnect)
        return client

    def unix_client(self):
        return self.client(str(self.server.unix_path), "unix")

    def look_down(self, client, x, y, z):
        self.assertEqual(client.request(f"vset /camera/0/pose {x} {y} {z} -90 0 0"), "ok")
        return (x, y, z)
