# SPDX-License-Identifier: MIT
"""`unrealcv.Client`, of every version: what is sent, what comes back, and in which order."""
import contextlib
import json
import mmap
import os
import socket
import threading
import time
from io import BytesIO

import cv2
import numpy as np
import PIL.Image
import unrealcv

from live import FAR, HEIGHT, MIDDLES, WIDTH, Live, load_npy, numbers, pixel_from_above, rgb
from program import SHARED, Server, wait_for


def decode_png(answer):
    """Height x width x (R, G, B, A)."""
    return np.asarray(PIL.Image.open(BytesIO(answer)))


def decode_bmp(answer):
    """Height x width x (B, G, R, ...), as the client's own decoder reads it."""
    return cv2.imdecode(np.frombuffer(answer, np.uint8), cv2.IMREAD_UNCHANGED)


def take_bmp(client, modality):
    return decode_bmp(client.request(f"vget /camera/0/{modality} bmp"))[:, :, :3]


def color_of(client, name):
    return rgb(client.request(f"vget /object/{name}/color"))


class Requests(Live):
    def test_the_client_connects_and_learns_the_name_of_the_scene(self):
        self.assertEqual(self.client().request("vget /scene/name"), "Pinhole")

    def test_the_cameras_are_listed(self):
        self.assertEqual(self.client().request("vget /cameras").split(), ["PawnSensor"])

    def test_a_pose_that_was_set_is_the_pose_that_is_read(self):
        client = self.client()
        pose = [123.5, -50.25, 321.125, -12.5, 135, 7]
        self.assertEqual(client.request("vset /camera/0/location 123.5 -50.25 321.125"), "ok")
        self.assertEqual(client.request("vset /camera/0/rotation -12.5 135 7"), "ok")
        self.assertEqual(numbers(client.request("vget /camera/0/location")), pose[:3])
        self.assertEqual(numbers(client.request("vget /camera/0/rotation")), pose[3:])
        self.assertEqual(numbers(client.request("vget /camera/0/pose")), pose)

    def test_numbers_as_python_prints_them_are_understood(self):
        client = self.client()
        self.assertEqual(client.request(f"vset /camera/0/location {1e-05} {1e3} {-2.}"), "ok")
        self.assertEqual(numbers(client.request("vget /camera/0/location")), [0, 1000, -2])

    def test_a_list_is_answered_in_its_order(self):
        client = self.client()
        answers = client.request(["vget /unrealcv/echo one", "vget /camera/0/depth npy",
                                  "vget /unrealcv/echo two", "vget /camera/0/lit png",
                                  "vget /nonsense", "vget /unrealcv/echo three"])
        self.assertEqual(answers[::2], ["one", "two", answers[4]])
        self.assertEqual(load_npy(answers[1]).shape, (HEIGHT, WIDTH))
        self.assertEqual(decode_png(answers[3]).shape, (HEIGHT, WIDTH, 4))
        self.assertTrue(answers[4].startswith("error "), answers[4])
        self.assertEqual(answers[5], "three")

    def test_a_list_of_2000_is_answered_whole(self):
        client = self.client()
        client.request("vset /camera/0/size 64 48")
        words = [f"vget /unrealcv/echo {i}" for i in range(2000)]
        words[::250] = ["vget /camera/0/depth npy"] * 8
        answers = client.request(words)
        for i, answer in enumerate(answers):
            if i % 250:
                self.assertEqual(answer, str(i))
            else:
                self.assertEqual(load_npy(answer).shape, (48, 64))

    def test_requests_without_waiting_are_executed_and_their_answers_passed_over(self):
        client = self.client()
        self.assertTrue(client.request("vset /camera/0/fov 60", -1))
        self.assertTrue(client.request(["vset /camera/0/location 1 2 3"] * 50, -1))
        self.assertTrue(client.request("vget /camera/0/lit png", -1))
        self.assertTrue(client.request("DisableAllScreenMessages", -1))
        self.assertEqual(float(client.request("vget /camera/0/fov")), 60)
        self.assertEqual(numbers(client.request("vget /camera/0/location")), [1, 2, 3])

    def test_an_unknown_command_is_an_error_that_names_it(self):
        answer = self.client().request("vget /nonsense")
        self.assertTrue(answer.startswith("error "), answer)
        self.assertIn("vget /nonsense", answer)


class Connections(Live):
    def test_several_clients_at_once_each_get_their_own_answers(self):
        clients = [self.client() for _ in range(4)] + [self.unix_client() for _ in range(2)]
        wrong = []

        def work(client, number):
            for i in range(20):
                answers = client.request([f"vget /unrealcv/echo {number}-{i}",
                                          "vget /camera/0/depth npy"])
                if answers[0] != f"{number}-{i}" or load_npy(answers[1]).shape != (48, 64):
                    wrong.append((number, i))

        clients[0].request("vset /camera/0/size 64 48")
        threads = [threading.Thread(target=work, args=(each, i)) for i, each in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_client_connects_by_tcp_again_and_again(self):
        for i in range(10):
            client = unrealcv.Client(("127.0.0.1", self.server.port))
            self.assertTrue(client.connect())
            self.assertEqual(client.request(f"vget /unrealcv/echo {i}"), str(i))
            client.disconnect()
            self.assertFalse(client.isconnected())

    def test_the_same_object_connects_again_and_goes_on_counting(self):
        client = self.client()
        for i in range(5):
            self.assertEqual(client.request(f"vget /unrealcv/echo {i}"), str(i))
            client.disconnect()
            self.assertTrue(client.connect())
        self.assertEqual(client.request("vget /unrealcv/echo end"), "end")

    def test_a_client_of_the_unix_socket_gets_the_same_pictures(self):
        by_tcp = take_bmp(self.client(), "lit")
        client = self.unix_client()
        self.assertTrue(np.array_equal(take_bmp(client, "lit"), by_tcp))
        self.assertEqual(load_npy(client.request("vget /camera/0/depth npy")).shape,
                         (HEIGHT, WIDTH))

    def test_a_deleted_unix_socket_is_back_soon_when_that_was_asked_for(self):
        with Server("--unix-recreate") as server:
            client = unrealcv.Client(("127.0.0.1", server.port))
            self.assertTrue(client.connect())
            os.remove(server.unix_path)
            client.disconnect()
            local = unrealcv.Client(str(server.unix_path), "unix")
            wait_for(local.connect, "the socket", patience_s=2)  # what the gyms wait
            self.assertEqual(local.request("vget /unrealcv/echo here"), "here")
            local.disconnect()


class Pictures(Live):
    def test_lit_is_an_rgba_png_and_a_bmp_of_the_same_pixels(self):
        client = self.client()
        png = decode_png(client.request("vget /camera/0/lit png"))
        bmp = decode_bmp(client.request("vget /camera/0/lit bmp"))
        self.assertEqual((png.shape, png.dtype), ((HEIGHT, WIDTH, 4), np.uint8))
        self.assertEqual((bmp.shape, bmp.dtype), ((HEIGHT, WIDTH, bmp.shape[2]), np.uint8))
        self.assertTrue(np.array_equal(png[:, :, 2::-1], bmp[:, :, :3]))
        self.assertGreater(len(np.unique(png.reshape(-1, 4), axis=0)), 1000)  # a scene, not a flat

    def test_the_last_bytes_of_a_bmp_are_its_pixels(self):
        answer = self.client().request("vget /camera/0/lit bmp")
        tail = np.frombuffer(answer[-WIDTH * HEIGHT * 4:], np.uint8).reshape(HEIGHT, WIDTH, 4)
        self.assertEqual(len(answer), 54 + WIDTH * HEIGHT * 4)
        self.assertTrue(np.array_equal(tail[:, :, :3], decode_bmp(answer)[:, :, :3]))

    def test_depth_is_a_float32_npy(self):
        answer = self.client().request("vget /camera/0/depth npy")
        depth = load_npy(answer)
        self.assertEqual((depth.shape, depth.dtype), ((HEIGHT, WIDTH), np.float32))
        self.assertEqual(len(answer) % 4, 0)
        tail = np.frombuffer(answer[-WIDTH * HEIGHT * 4:], np.float32)
        self.assertTrue(np.array_equal(tail.reshape(HEIGHT, WIDTH), depth))
        self.assertTrue(np.all((depth > 0) & (depth <= FAR)))

    def test_seen_from_above_the_ground_is_as_deep_as_the_camera_is_high(self):
        client = self.client()
        client.request("vset /camera/0/fov 40")
        for height in (1500, 2750.5):
            self.look_down(client, 900, 0, height)
            depth = load_npy(client.request("vget /camera/0/depth npy"))
            self.assertAlmostEqual(float(depth.max()), height, delta=height * 1e-5)

    def test_seen_from_above_a_sphere_is_nearer_than_the_ground_by_its_diameter(self):
        client = self.client()
        x, y, middle = MIDDLES["RedSphere"]
        self.look_down(client, x, y, 1000)
        depth = load_npy(client.request("vget /camera/0/depth npy"))
        self.assertAlmostEqual(float(depth[HEIGHT // 2, WIDTH // 2]), 1000 - 2 * middle, delta=0.5)

    def test_the_mask_shows_each_object_in_its_colour_and_at_its_place(self):
        client = self.client()
        camera = self.look_down(client, -70, 100, 1000)
        mask = take_bmp(client, "object_mask")
        for name, middle in MIDDLES.items():
            row, column = pixel_from_above(camera, middle)
            self.assertEqual(tuple(mask[row, column, ::-1]), color_of(client, name), name)

    def test_the_mask_has_colours_of_objects_and_no_others(self):
        client = self.client()
        mask = take_bmp(client, "object_mask")
        names = client.request("vget /objects").split()
        colors = {color_of(client, name) for name in names}
        self.assertGreaterEqual(len(names), 22)
        self.assertEqual(len(colors), len(names))
        seen = {tuple(color) for color in np.unique(mask.reshape(-1, 3), axis=0)[:, ::-1]}
        self.assertGreater(len(seen), 10)
        self.assertEqual(seen - colors - {(0, 0, 0)}, set())

    def test_a_colour_that_was_set_is_in_the_next_mask(self):
        client = self.client()
        before = color_of(client, "BlueCube")
        self.assertEqual(client.request("vset /object/bluecube/color 10 200 30"), "ok")
        self.look_down(client, *MIDDLES["BlueCube"][:2], 800)
        mask = take_bmp(client, "object_mask")
        self.assertEqual(tuple(mask[HEIGHT // 2, WIDTH // 2, ::-1]), (10, 200, 30))
        client.request("vset /object/BlueCube/color {} {} {}".format(*before))

    def test_seg_is_the_object_mask(self):
        client = self.client()
        for kind in ("bmp", "png"):
            self.assertEqual(client.request(f"vget /camera/0/seg {kind}"),
                             client.request(f"vget /camera/0/object_mask {kind}"))

    def test_a_red_thing_is_red_and_a_green_one_green(self):
        client = self.client()
        for name, strong in (("RedSphere", 2), ("GreenCone", 1)):
            self.look_down(client, *MIDDLES[name][:2], 800)
            color = take_bmp(client, "lit")[HEIGHT // 2, WIDTH // 2].astype(int)
            others = [int(color[i]) for i in range(3) if i != strong]
            self.assertGreater(color[strong], 1.3 * max(others), f"{name}: {color}")

    def test_a_black_picture_is_bytes_and_no_text(self):
        client = self.client()
        client.request("vset /camera/0/pose 0 0 5000 90 0 0")
        answer = client.request("vget /camera/0/object_mask bmp")
        self.assertIsInstance(answer, bytes)
        self.assertFalse(decode_bmp(answer)[:, :, :3].any())
        self.assertTrue(np.all(load_npy(client.request("vget /camera/0/depth npy")) == FAR))

    def test_the_next_picture_has_the_size_that_was_set(self):
        client = self.client()
        for width, height in ((1920, 1080), (33, 17), (1, 1), (640, 480)):
            self.assertEqual(client.request(f"vset /camera/0/size {width} {height}"), "ok")
            self.assertEqual(decode_png(client.request("vget /camera/0/lit png")).shape,
                             (height, width, 4))
            self.assertEqual(take_bmp(client, "lit").shape, (height, width, 3))
            self.assertEqual(load_npy(client.request("vget /camera/0/depth npy")).shape,
                             (height, width))


class SharedMemory(Live):
    def test_a_plain_request_for_lit_shared_gets_json_and_the_region_has_the_pixels(self):
        client = self.client()
        bmp = take_bmp(client, "lit")
        about = json.loads(client.request("vget /camera/0/lit_shared"))
        self.assertEqual(about["transport"], "posix_shared_memory")
        self.assertEqual(about["shape"], [HEIGHT, WIDTH, 4])
        with open(SHARED / about["name"], "rb") as file, contextlib.closing(
                mmap.mmap(file.fileno(), about["num_bytes"], access=mmap.ACCESS_READ)) as mapping:
            pixels = np.frombuffer(bytes(mapping), np.uint8).reshape(about["shape"])
        self.assertTrue(np.array_equal(pixels[:, :, :3], bmp))

    def test_two_pictures_of_one_size_have_the_same_region_and_growing_numbers(self):
        client = self.client()
        first = json.loads(client.request("vget /camera/0/lit_shared"))
        second = json.loads(client.request("vget /camera/0/lit_shared"))
        for key in ("name", "version", "offset_bytes"):
            self.assertEqual(first[key], second[key])
        self.assertGreater(second["frame"], first["frame"])

    def test_shared_routes_are_not_advertised(self):
        commands = self.client().request("vget /unrealcv/commands").splitlines()
        self.assertIn("vget /unrealcv/commands", commands)
        self.assertEqual([each for each in commands if "_shared" in each], [])


class PublicServerTests(Live):
    """What the project's own tests of a server ask of it, in our words."""

    def test_the_status_is_no_error_and_names_port_width_and_height(self):
        status = self.client().request("vget /unrealcv/status")
        self.assertFalse(status.startswith("error"))
        for part in ("Port:", "Width:", "Height:"):
            self.assertIn(part, status)

    def test_the_help_names_the_commands_for_status_and_version(self):
        text = self.client().request("vget /unrealcv/help")
        self.assertIn("vget /unrealcv/status", text)
        self.assertIn("vget /unrealcv/version", text)

    def test_the_version_is_numbers_with_points(self):
        version = self.client().request("vget /unrealcv/version")
        self.assertGreaterEqual([int(part) for part in version.lstrip("v").split(".")], [2, 0, 0])

    def test_an_echo_comes_back(self):
        self.assertEqual(self.client().request("vget /unrealcv/echo test"), "test")

    def test_an_unknown_command_has_no_handler_in_both_wordings(self):
        answer = self.client().request("vget /unknown/command")
        self.assertTrue(answer.startswith("error No handler found"), answer)
        self.assertIn("Can not find a handler", answer)

    def test_the_view_mode_can_be_set(self):
        self.needs("vset /viewmode [str]")
        client = self.client()
        for mode in ("lit", "depth", "object_mask", "normal"):
            self.assertEqual(client.request(f"vset /viewmode {mode}"), "ok")

    def test_a_camera_has_a_location_and_a_rotation(self):
        client = self.client()
        self.assertEqual(len(numbers(client.request("vget /camera/0/location"))), 3)
        self.assertEqual(len(numbers(client.request("vget /camera/0/rotation"))), 3)

    def test_every_colour_picture_opens_as_png(self):
        client = self.client()
        for modality in ("lit", "object_mask"):
            self.assertEqual(decode_png(client.request(f"vget /camera/0/{modality} png")).ndim, 3)

    def test_normals_open_as_png(self):
        self.needs("vget /camera/[uint]/normal [str]")
        self.assertEqual(decode_png(self.client().request("vget /camera/0/normal png")).ndim, 3)

    def test_files_are_in_the_folder_of_the_config_file_and_load(self):
        client = self.client()
        status = client.request("vget /unrealcv/status").splitlines()
        config = next(line for line in status if line.startswith("Config file:"))
        folder = os.path.dirname(config.split(":", 1)[1].strip())
        for modality in ("lit", "object_mask"):
            self.assertEqual(client.request(f"vget /camera/0/{modality} {modality}.png"),
                             f"{modality}.png")
            with PIL.Image.open(os.path.join(folder, f"{modality}.png")) as image:
                self.assertEqual(image.size, (WIDTH, HEIGHT))
        self.assertEqual(client.request("vget /camera/0/depth test.npy"), "test.npy")
        self.assertEqual(np.load(os.path.join(folder, "test.npy")).shape, (HEIGHT, WIDTH))

    def test_every_word_of_the_list_of_objects_has_a_colour(self):
        client = self.client()
        for name in client.request("vget /objects").split(" "):  # at every single blank
            self.assertFalse(client.request(f"vget /object/{name}/color").startswith("error"), name)

    def test_eyes_have_a_distance_or_the_test_of_it_is_passed_over(self):
        answer = self.client().request("vset /action/eyes_distance 20")
        self.assertTrue(answer == "ok" or answer.startswith("error No handler found") or
                        "Not Implemented" in answer, answer)

    def test_the_game_pauses_or_the_test_of_it_is_passed_over(self):
        answer = self.client().request("vset /action/game/pause")
        self.assertTrue(answer == "ok" or answer.startswith("error No handler found"), answer)

    def test_a_probe_that_leaves_before_the_greeting_is_survived(self):
        for _ in range(20):
            socket.create_connection(("127.0.0.1", self.server.port)).close()
        start = time.monotonic()
        self.assertEqual(self.client().request("vget /unrealcv/echo here"), "here")
        self.assertLess(time.monotonic() - start, 5)
