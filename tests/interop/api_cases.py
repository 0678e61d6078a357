# SPDX-License-Identifier: MIT
"""`unrealcv.UnrealCv_API`, which the package has from 1.1 on: its start-up and its own decoders."""
import os
import unittest
import warnings

import numpy as np
import unrealcv

from live import FOV, HAS_API, HEIGHT, MIDDLES, VERSION, WIDTH, Live, rgb
from program import Server, wait_for

DOWN = [-90, 0, 0]


@unittest.skipUnless(HAS_API, "this version of the package has no UnrealCv_API")
class Api(Live):
    def api(self, mode="tcp", server=None, kind="UnrealCv_API"):
        make = getattr(unrealcv, kind, None) or getattr(unrealcv.api, kind)
        api = make((server or self.server).port, "127.0.0.1", (WIDTH, HEIGHT), mode)
        self.addCleanup(api.client.disconnect)
        return api

    def test_it_starts_and_knows_cameras_objects_and_colours(self):
        api = self.api()
        self.assertEqual(list(api.cam), [0])
        self.assertEqual(float(api.cam[0]["fov"]), FOV)
        self.assertEqual(len(api.cam[0]["location"] + api.cam[0]["rotation"]), 6)
        self.assertGreaterEqual(len(api.obj_dict), 22)
        answer = api.client.request("vget /object/BlueCube/color")
        self.assertEqual(tuple(api.obj_dict["BlueCube"]), rgb(answer))

    def test_in_mode_unix_it_falls_back_to_tcp(self):
        with Server() as server:
            api = self.api("unix", server)
            self.assertFalse(server.unix_path.exists())  # the client has deleted it
            self.assertEqual(api.client.type, "inet")
            self.assertEqual(api.get_image(0, "lit").shape, (HEIGHT, WIDTH, 3))
            api.client.disconnect()
            wait_for(lambda: "is gone" in server.log(), "the end of the connection")

    def test_images_come_as_height_width_bgr_in_every_format(self):
        api = self.api()
        by_bmp, by_png = api.get_image(0, "lit", "bmp"), api.get_image(0, "lit", "png")
        self.assertEqual((by_bmp.shape, by_bmp.dtype), ((HEIGHT, WIDTH, 3), np.uint8))
        self.assertTrue(np.array_equal(by_bmp, by_png))
        api.set_cam_pose(0, [*MIDDLES["RedSphere"][:2], 800, *DOWN])
        blue, green, red = api.get_image(0, "lit")[HEIGHT // 2, WIDTH // 2].astype(int)
        self.assertGreater(red, 1.3 * max(blue, green))

    def test_depth_has_one_channel_and_the_height_of_the_camera(self):
        api = self.api()
        api.set_cam_pose(0, [900, 0, 2000, *DOWN])
        api.set_cam_fov(0, 40)
        depth = api.get_depth(0)
        self.assertEqual((depth.shape, depth.dtype), ((HEIGHT, WIDTH, 1), np.float32))
        self.assertAlmostEqual(float(depth.max()), 2000, delta=0.02)
        self.assertTrue(np.array_equal(api.get_image(0, "depth", "npy"), depth))
        self.assertTrue(np.allclose(api.get_depth(0, inverse=True), 1 / depth))

    def test_the_mask_of_an_object_is_where_the_object_is(self):
        api = self.api()
        api.set_cam_pose(0, [*MIDDLES["RedSphere"][:2], 800, *DOWN])
        picture = api.get_image(0, "object_mask", "png")
        mask = api.get_mask(picture, "RedSphere")
        self.assertEqual(mask.shape, (HEIGHT, WIDTH))
        self.assertEqual(mask[HEIGHT // 2, WIDTH // 2], 255)
        rows, columns = np.nonzero(mask)
        # A sphere of 36 cm at 764 cm: about 15 pixels around the middle.
        self.assertAlmostEqual(rows.mean(), HEIGHT / 2 - 0.5, delta=0.5)
        self.assertAlmostEqual(columns.mean(), WIDTH / 2 - 0.5, delta=0.5)
        self.assertAlmostEqual(np.ptp(rows) / 2, 320 * 36 / 764, delta=1.5)
        corners = [columns.min(), rows.min(), columns.max(), rows.max()]
        _, box = api.get_bbox(picture, "RedSphere")
        self.assertTrue(np.allclose(np.multiply(box, (WIDTH, HEIGHT)).ravel(), corners), box)

    def test_a_colour_set_through_the_api_is_found_by_the_api(self):
        api = self.api()
        before = api.obj_dict["GreenCone"]
        api.set_obj_color("GreenCone", [200, 10, 60])
        api.set_cam_pose(0, [*MIDDLES["GreenCone"][:2], 800, *DOWN])
        mask = api.get_mask(api.get_image(0, "object_mask"), "GreenCone")
        self.assertEqual(mask[HEIGHT // 2, WIDTH // 2], 255)
        api.set_obj_color("GreenCone", before)

    def test_a_pose_set_through_the_api_is_read_through_the_api(self):
        api = self.api()
        pose = [12.5, -300, 150.25, -30, 45, 5]
        api.set_cam_pose(0, pose)
        self.assertEqual(api.get_cam_pose(0), pose)
        self.assertEqual(api.get_cam_location(0), pose[:3])
        self.assertEqual(api.get_cam_rotation(0), pose[3:])
        api.set_cam_fov(0, 75)
        self.assertEqual(float(api.get_cam_fov(0)), 75)

    def test_colour_and_depth_come_together(self):
        picture = self.api().get_image_multimodal(0)
        self.assertEqual(picture.shape, (HEIGHT, WIDTH, 4))

    def test_one_batch_takes_several_kinds_of_pictures(self):
        api = self.api()
        wanted = {"lit": {"mode": "bmp"}, "depth": {"mode": "npy"}, "object_mask": {"mode": "png"}}
        for each in wanted.values():
            each.update(inverse=False, img=None)
        got = api.get_img_batch({0: wanted})[0]
        self.assertEqual([got[kind]["img"].shape[2] for kind in wanted], [3, 1, 3])
        images = api.get_image_multicam([0, 0, 0], "lit", "png")
        self.assertTrue(np.array_equal(images[0], images[2]))

    def test_a_picture_is_saved_by_the_server(self):
        self.assertEqual(self.api().save_image(0, "lit", "api/picture.png"), "api/picture.png")
        self.assertTrue(os.path.exists(self.server.folder / "api" / "picture.png"))

    def test_a_batch_of_commands_is_decoded_each_in_its_way(self):
        api = self.api()
        commands = ["vget /camera/0/location", "vget /object/BlueCube/color"]
        place, color = api.batch_cmd(commands, [api.decoder.decode_map[key]
                                                for key in ("location", "color")])
        self.assertEqual(len(place), 3)
        self.assertEqual(color, api.obj_dict["BlueCube"])


@unittest.skipUnless(VERSION >= (1, 3), "this version of the package does not ask for commands")
class Capabilities(Live):
    def connected(self, kind):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            api = getattr(unrealcv, kind)(self.server.port, "127.0.0.1", (WIDTH, HEIGHT))
        self.addCleanup(api.client.disconnect)
        return api

    def test_it_starts_without_a_warning_and_takes_the_server_for_a_2_0_0(self):
        for kind in ("UnrealCv_API", "UnrealCvPlusAPI"):
            api = self.connected(kind)
            self.assertEqual(api.get_server_version_tuple(), (2, 0, 0))
            self.assertTrue(api.is_unrealcv_plus())

    def test_it_learns_what_the_server_knows_and_what_it_does_not(self):
        api = self.connected("UnrealCv_API")
        self.assertIs(api.supports_command("vget /camera/0/lit bmp"), True)
        self.assertIs(api.supports_command("vget /camera/0/nonsense bmp"), False)
        self.assertIs(api.supports_command("vget /camera/0/lit_shared"), False)

    def test_it_warns_of_an_unknown_command_and_sends_it_all_the_same(self):
        api = self.connected("UnrealCv_API")
        with self.assertWarns(UserWarning):
            self.assertTrue(api.client.request("vget /nonsense").startswith("error "))

    def test_pictures_come_by_tcp_although_the_server_has_shared_routes(self):
        api = self.connected("UnrealCv_API")
        self.assertEqual(api.get_image(0, "lit", return_cmd=True), "vget /camera/0/lit bmp")
        self.assertEqual(api.get_depth(0, return_cmd=True), "vget /camera/0/depth npy")
        self.assertEqual(api.get_image(0, "lit").shape, (HEIGHT, WIDTH, 3))
        self.assertEqual(api.get_depth(0).shape, (HEIGHT, WIDTH, 1))
