#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program `pinhole serve`: how it starts, how it ends, and what is left when it is killed."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import program
import tap
from program import PINHOLE, Server, Wire, serves, wait_for

NOBODY = 65534
AS_NOBODY = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
BIG = "vset /camera/0/size 7680 4320"
needs_root = unittest.skipUnless(os.geteuid() == 0, "only root can run a server as somebody else")


def run_serve(*arguments):
    return subprocess.run([PINHOLE, "serve", *arguments], capture_output=True, text=True,
                          timeout=60, check=False)


def runs_as_nobody():
    try:
        command = [*AS_NOBODY, PINHOLE, "version"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def own_shared_memory(size):
    """A command in front of the server that gives it a /dev/shm of its own."""
    script = f'mount -t tmpfs -o size={size} tmpfs {program.SHARED} && exec "$@"'
    return ("unshare", "--mount", "sh", "-c", script, "sh")


def may_mount():
    try:
        command = [*own_shared_memory("64k"), "true"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class Start(unittest.TestCase):
    def test_a_ready_file_is_there_only_when_clients_can_connect(self):
        for _ in range(3):
            server = Server().launch()
            try:
                wait_for(server.ready_file.exists, "the ready file")
                port = int(server.ready_file.read_text(encoding="ascii"))
                with Wire(port) as wire:
                    self.assertEqual(wire.greeting, b"connected to Pinhole")
                self.assertEqual(server.stop(), 0)
            finally:
                server.kill()

    def test_the_line_about_readiness_names_renderer_port_and_socket(self):
        with Server() as server:
            line = server.log().splitlines()
            line = next(each for each in line if "listening" in each)
            for part in ("OpenGL 4.5", f"port {server.port}", str(server.unix_path)):
                self.assertIn(part, line)

    def test_a_port_in_use_is_named_and_gives_1(self):
        with Server() as server:
            done = run_serve("--port", str(server.port), "--renderer", "software")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"port {server.port}", done.stderr)
            self.assertTrue(serves(server.port))

    def test_a_value_that_does_not_fit_is_named_and_gives_2(self):
        for option, value in (
                ("port", "70000"), ("port", "-1"), ("port", "ninety"), ("size", "640"),
                ("size", "0x480"), ("size", "640x480x3"), ("fov", "0"),
                ("fov", "180"), ("fov", "nan"), ("max-shared-bytes", "0"),
                ("max-shared-bytes", "1T"), ("max-shared-bytes", "99999999999999999999"),
                ("renderer", "vulkan"), ("log", "loud"), ("bind", "localhost"),
                ("unix", "/none/" + "long" * 30)):
            done = run_serve("--port=0", f"--{option}={value}")
            self.assertEqual(done.returncode, 2, f"--{option} {value}: {done.stderr}")
            self.assertIn(value, done.stderr)
            self.assertIn(option, done.stderr.lower())

    def test_a_size_that_no_picture_can_have_gives_2(self):
        done = run_serve("--port", "0", "--size", "99999x10")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("99999", done.stderr)

    def test_an_unknown_option_is_named_and_gives_2(self):
        done = run_serve("--colour")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--colour", done.stderr)
        done = run_serve("--port")
        self.assertEqual(done.returncode, 2)
        self.assertIn("port", done.stderr)

    def test_a_second_scene_is_named_and_gives_2(self):
        done = run_serve("first.glb", "second.glb")
        self.assertEqual(done.returncode, 2)
        self.assertIn("second.glb", done.stderr)

    def test_a_file_that_cannot_be_written_as_ready_file_is_named_and_gives_1(self):
        done = run_serve("--port", "0", "--renderer", "software", "--ready-file", "/none/ready")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/none/ready", done.stderr)

    def test_an_output_folder_that_is_not_there_is_named_and_gives_1(self):
        done = run_serve("--port", "0", "--output", "/none/output")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/none/output", done.stderr)


class End(unittest.TestCase):
    def end_with(self, number):
        server = Server().start()
        try:
            with Wire(server.port) as wire, Wire(server.unix_path) as local:
                wire.ask_json("vget /camera/0/lit_shared")
                local.ask_json("vget /camera/0/lit_shared")
                self.assertEqual(len(server.regions()), 2)
                self.assertEqual(server.stop(number), 0, server.log())
                self.assertEqual(server.left_behind(), [])
        finally:
            server.kill()

    def test_SIGINT_ends_it_with_0_and_leaves_nothing(self):
        self.end_with(signal.SIGINT)

    def test_SIGTERM_ends_it_with_0_and_leaves_nothing(self):
        self.end_with(signal.SIGTERM)

    def test_SIGTERM_in_the_middle_of_a_capture_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = Server().start()
            try:
                with Wire(server.port) as wire:
                    wire.ask(BIG)
                    wire.send("vget /camera/0/lit_shared")
                    wait_for(server.regions, "the region of the picture being drawn")
                    self.assertEqual(server.stop(number), 0, server.log())
                    self.assertEqual(server.left_behind(), [])
            finally:
                server.kill()

    def test_SIGTERM_while_it_starts_ends_it_with_0_and_leaves_nothing(self):
        for delay_s in (0.02, 0.05, 0.1):
            server = Server().launch()
            # A process that is not yet the program has no hand on its signals: wait until it is.
            wait_for(lambda pid=server.process.pid: is_pinhole(pid), "the program")
            time.sleep(delay_s)
            self.assertEqual(server.stop(), 0, server.log())
            self.assertEqual(server.left_behind(), [])


def is_pinhole(pid):
    """True when the process runs the program and waits with its signals, as the first thing."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return False
    blocked = next(line for line in status.splitlines() if line.startswith("SigBlk:"))
    return bool(int(blocked.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


class Kill(unittest.TestCase):
    def test_the_next_start_removes_what_a_killed_server_left_and_serves(self):
        dead = Server().start()
        with Wire(dead.port) as one, Wire(dead.unix_path) as two, Wire(dead.port) as three:
            for wire in (one, two, three):
                name = wire.ask_json("vget /camera/0/lit_shared")["name"]
                self.assertTrue((program.SHARED / name).exists())
            dead.kill()
            self.assertEqual(len(dead.regions()), 3)
            self.assertTrue(dead.unix_path.exists())
            with Server(port=dead.port) as server:  # the clients still hold their connections
                self.assertEqual(dead.regions(), [])
                self.assertTrue(serves(server.port))
                self.assertTrue(serves(server.unix_path))
                self.assertIn("removed 3 regions", server.log())
        self.assertFalse(dead.unix_path.exists())

    def test_a_start_leaves_alone_what_a_living_server_holds(self):
        with Server() as first, Wire(first.port) as wire:
            before = wire.ask_json("vget /camera/0/lit_shared")
            with Server() as second:
                self.assertTrue(serves(second.port))
            after = wire.ask_json("vget /camera/0/lit_shared")
            self.assertEqual(after["name"], before["name"])
            self.assertTrue((program.SHARED / after["name"]).exists())
            self.assertTrue(serves(first.unix_path))

    def test_a_client_killed_in_the_middle_of_an_8k_reply_leaves_no_trace(self):
        with Server() as server:
            client = subprocess.Popen([sys.executable, __file__, "--leave-8k", str(server.port)],
                                      stdout=subprocess.PIPE)
            self.assertEqual(client.stdout.read(), b"in the middle\n")
            self.assertEqual(client.wait(), -signal.SIGKILL)
            client.stdout.close()
            self.assertTrue(serves(server.port, within_s=1))
            wait_for(lambda: server.log().count("is gone") == 2, "both clients to be forgotten")

    def test_the_regions_of_a_killed_client_are_removed(self):
        with Server() as server:
            client = subprocess.Popen([sys.executable, __file__, "--leave-shared",
                                       str(server.port)])
            self.assertEqual(client.wait(), -signal.SIGKILL)
            wait_for(lambda: not server.regions(), "the region to go")
            self.assertTrue(serves(server.port, within_s=1))


@needs_root
class TwoUsers(unittest.TestCase):
    def setUp(self):
        if not runs_as_nobody():
            self.skipTest("setpriv cannot run the program as nobody")
        folder = tempfile.TemporaryDirectory(prefix="pinhole-users-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        path.chmod(0o1777)  # like /tmp
        self.unix_path = path / "unrealcv.socket"
        self.arguments = ("--unix", str(self.unix_path))

    def refuse(self, owner, *arguments, prefix=()):
        """A start that must fail, say whose socket is in the way, and leave all as it was."""
        server = Server(*self.arguments, *arguments, prefix=prefix)
        with self.assertRaises(ChildProcessError) as caught:
            server.start()
        self.assertIn("exit code 1", str(caught.exception))
        self.assertIn(str(self.unix_path), str(caught.exception))
        self.assertIn(f"user {owner}", str(caught.exception))
        self.assertTrue(self.unix_path.is_socket())

    def test_the_socket_of_another_user_is_in_the_way_and_stays(self):
        with Server(*self.arguments) as server:
            self.refuse(0, prefix=AS_NOBODY)
            self.assertTrue(serves(self.unix_path))
            self.assertTrue(serves(server.port))

    def test_what_a_killed_server_of_another_user_left_is_not_touched(self):
        for prefix, owner, next_prefix in (((), 0, AS_NOBODY), (AS_NOBODY, NOBODY, ())):
            dead = Server(*self.arguments, prefix=prefix).start()
            with Wire(dead.port) as wire:
                wire.ask_json("vget /camera/0/lit_shared")
                dead.kill()
            regions = dead.regions()
            self.addCleanup(lambda left=regions: [each.unlink(missing_ok=True) for each in left])
            self.assertEqual([each.stat().st_uid for each in regions], [owner])
            self.refuse(owner, prefix=next_prefix)
            with Server("--unix", "none", prefix=next_prefix) as server:
                self.assertTrue(serves(server.port))
            self.assertEqual(dead.regions(), regions)
            self.unix_path.unlink()

    def test_a_name_that_another_user_holds_is_reported(self):
        with Server("--unix", "none", prefix=AS_NOBODY) as server:
            name = f"UnrealCV_{server.process.pid}_c1_camera_0_lit_bgra8_v1"
            squatter = program.SHARED / name
            squatter.write_bytes(b"mine")
            self.addCleanup(squatter.unlink)
            with Wire(server.port) as wire:
                reply = wire.ask("vget /camera/0/lit_shared")
                self.assertTrue(reply.startswith("error "), reply)
                self.assertIn(name, reply)
                self.assertEqual(squatter.read_bytes(), b"mine")
                self.assertEqual(wire.ask_bytes("vget /camera/0/lit bmp")[:2], b"BM")
            self.assertEqual(server.stop(), 0)
            self.assertTrue(squatter.exists())


class FullMemory(unittest.TestCase):
    def test_full_shared_memory_is_an_error_with_figures_and_the_server_stays(self):
        if not may_mount():
            self.skipTest("a /dev/shm of its own cannot be mounted here")
        with Server(prefix=own_shared_memory("2m")) as server, Wire(server.port) as wire:
            self.assertEqual(wire.ask_json("vget /camera/0/lit_shared")["num_bytes"], 1228800)
            wire.ask("vset /camera/0/size 1920 1080")
            reply = wire.ask("vget /camera/0/lit_shared")
            self.assertTrue(reply.startswith("error "), reply)
            self.assertIn("8294400", reply)  # what was needed
            self.assertRegex(reply, r"/dev/shm has \d+")
            self.assertEqual(wire.ask_bytes("vget /camera/0/lit bmp")[:2], b"BM")
            wire.ask("vset /camera/0/size 640 480")
            self.assertEqual(wire.ask_json("vget /camera/0/lit_shared")["num_bytes"], 1228800)
            self.assertTrue(serves(server.port))


def leave_8k(port):
    """A client that is killed while a reply of 133 MB is on its way."""
    wire = Wire(port)
    wire.ask(BIG)
    wire.send("vget /camera/0/lit bmp")
    wire.receive_exactly(1 << 20)
    print("in the middle", file=tap.OUT, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def leave_shared(port):
    Wire(port).ask_json("vget /camera/0/lit_shared")
    os.kill(os.getpid(), signal.SIGKILL)


def isolate():
    """Other servers of this user, started meanwhile, would remove what the tests leave on purpose:
    root gives itself a /dev/shm of its own."""
    if "PINHOLE_ISOLATED" in os.environ or not may_mount():
        return
    os.environ["PINHOLE_ISOLATED"] = "1"
    os.dup2(tap.OUT.fileno(), 1)  # where standard output was
    command = [*own_shared_memory("1g"), sys.executable, *sys.argv]
    os.execvp(command[0], command)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--leave-8k"]:
        leave_8k(int(sys.argv[2]))
    if sys.argv[1:2] == ["--leave-shared"]:
        leave_shared(int(sys.argv[2]))
    isolate()
    tap.run("__main__", sys.argv[1:])
