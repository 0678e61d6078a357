# SPDX-License-Identifier: MIT
"""`pinhole serve` as a process of its own, and a client that speaks bytes."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import time

PINHOLE = os.environ.get("PINHOLE", "build/cli/pinhole")
MAGIC = 0x9E2B83C1
SHARED = pathlib.Path("/dev/shm")


def wait_for(condition, what, patience_s=60):
    """The first true value of condition(); fails when there is none in time."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.002)
    raise TimeoutError(f"{what}: not within {patience_s} s")


class Server:
    """`with Server() as server:` starts one; it must then end well and leave nothing behind.

    prefix: a command in front, such as one that changes the user."""

    def __init__(self, *arguments, port=0, prefix=(), folder=None):
        self.scratch = tempfile.TemporaryDirectory(prefix="pinhole-", dir=folder)
        self.folder = pathlib.Path(self.scratch.name)
        self.folder.chmod(0o777)  # for servers that run as somebody else
        self.ready_file = self.folder / "ready"
        self.log_file = self.folder / "log"
        self.arguments = [*prefix, PINHOLE, "serve", "--port", str(port), "--ready-file",
                          str(self.ready_file), "--renderer", "software", *arguments]
        if "--output" not in arguments:
            self.arguments += ["--output", str(self.folder)]
        self.process = None
        self.port = None

    def launch(self):
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(self.arguments, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        return self

    def start(self):
        self.launch()
        wait_for(lambda: self.ready_file.exists() or self.process.poll() is not None, "ready")
        if self.process.poll() is not None:
            raise ChildProcessError(f"exit code {self.process.returncode}: {self.log()}")
        self.port = int(self.ready_file.read_text(encoding="ascii"))
        return self

    def log(self):
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def regions(self):
        return sorted(SHARED.glob(f"UnrealCV_{self.process.pid}_*"))

    @property
    def unix_path(self):
        return pathlib.Path(f"/tmp/unrealcv_{self.port}.socket")

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def left_behind(self):
        """What a server that has ended well should have removed."""
        paths = [self.ready_file, *self.regions()]
        if self.port:
            paths.append(self.unix_path)
        return [str(path) for path in paths if path.exists()]

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        try:
            if self.process.poll() is None:
                code = self.stop()
                if kind is None:
                    assert code == 0, f"exit code {code}: {self.log()}"
                    assert not self.left_behind(), self.left_behind()
        finally:
            if self.process.poll() is None:
                self.kill()
            if kind is not None:
                print(self.log())
            self.scratch.cleanup()


class Wire:
    """A connection, written without any of the clients under test."""

    def __init__(self, where, patience_s=60):
        family = socket.AF_INET if isinstance(where, int) else socket.AF_UNIX
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(patience_s)
        self.socket.connect(("127.0.0.1", where) if isinstance(where, int) else str(where))
        self.greeting = self.receive()

    def receive_exactly(self, length):
        parts = []
        while length:
            part = self.socket.recv(min(length, 1 << 20))
            if not part:
                raise ConnectionError("the server has closed the connection")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def receive(self):
        magic, length = struct.unpack("<II", self.receive_exactly(8))
        assert magic == MAGIC, hex(magic)
        return self.receive_exactly(length)

    def send(self, command, request_id=7):
        payload = f"{request_id}:{command}".encode()
        self.socket.sendall(struct.pack("<II", MAGIC, len(payload)) + payload)

    def ask_bytes(self, command):
        self.send(command)
        reply = self.receive()
        assert reply.startswith(b"7:"), reply[:40]
        return reply[2:]

    def ask(self, command):
        return self.ask_bytes(command).decode()

    def ask_json(self, command):
        return json.loads(self.ask(command))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def serves(where, within_s=5):
    """True when the server greets a new client and answers it in time."""
    start = time.monotonic()
    with contextlib.suppress(OSError), Wire(where, within_s) as wire:
        return (wire.ask("vget /unrealcv/echo alive") == "alive" and
                time.monotonic() - start < within_s)
    return False
