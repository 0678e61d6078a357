# SPDX-License-Identifier: MIT
"""One end of a queue, run with the ZeroBuffer project's own package: see queue_peer.c, whose
counterpart it is.

    stock_peer.py read NAME COUNT RING_BYTES
    stock_peer.py write NAME COUNT RING_BYTES free|lockstep
    stock_peer.py more NAME COUNT RING_BYTES
    stock_peer.py hold-writer NAME 0     attaches, writes three frames and waits to be killed
    stock_peer.py hold-reader NAME 0     creates, and waits to be killed
    stock_peer.py serve NAME COUNT
    stock_peer.py call NAME COUNT     (see duplex_peer.c)
"""
import logging
import sys
import time

logging.disable(logging.CRITICAL)

from zerobuffer import BufferConfig, DuplexChannelFactory, Reader, Writer  # noqa: E402
from zerobuffer.exceptions import WriterDeadException  # noqa: E402

TIMEOUT_S = 20
ROW = bytes(k % 251 for k in range(251 * 4096))


def length_of(i, limit):
    return 1 + (i * 2654435761 & 0xFFFFFFFF) % limit


def content_of(i, length):
    start = 7 * i % 251
    return ROW[start : start + length]


def read(name, count, ring_bytes):
    reader = Reader(name, BufferConfig(metadata_size=4096, payload_size=ring_bytes))
    print("ready", flush=True)
    for i in range(1, count + 1):
        frame = reader.read_frame(timeout=TIMEOUT_S)
        if frame is None:
            raise SystemExit(f"frame {i} did not come")
        with frame:
            expected = content_of(i, length_of(i, ring_bytes - 16))
            if frame.sequence != i or bytes(frame.data) != expected:
                raise SystemExit(f"frame {i} is wrong: sequence {frame.sequence}, {frame.size} bytes")
    if bytes(reader.get_metadata()) != b"about these":
        raise SystemExit("wrong metadata")
    before = time.monotonic()
    try:
        frame = reader.read_frame(timeout=TIMEOUT_S)
        raise SystemExit(f"no end of the stream: {frame}")
    except WriterDeadException:
        pass
    if time.monotonic() - before > 5:
        raise SystemExit("the end of the stream was told late")
    reader.close()


def attach(name):
    for _ in range(TIMEOUT_S * 20):
        try:
            return Writer(name)
        except Exception:
            time.sleep(0.05)
    raise SystemExit("no buffer")


def write(name, count, ring_bytes, lockstep, with_metadata=True):
    writer = attach(name)
    if with_metadata:
        writer.set_metadata(b"about these")
    for i in range(1, count + 1):
        writer.write_frame(content_of(i, length_of(i, ring_bytes // 2 - 64)))
        while lockstep and writer._oieb.payload_free_bytes != ring_bytes:
            time.sleep(0.00002)
    writer.close()


def hold_writer(name):
    writer = attach(name)
    for i in range(3):
        writer.write_frame(b"frame")
    print("ready", flush=True)
    time.sleep(60)


def hold_reader(name):
    reader = Reader(name, BufferConfig(4096, 1 << 20))
    print("ready", flush=True)
    time.sleep(60)
    reader.close()


INVERTED = bytes(255 - k for k in range(256))


def serve(name, count):
    done = 0

    def handle(frame, writer):
        nonlocal done
        writer.write_frame(bytes(frame.data).translate(INVERTED))
        done += 1

    server = DuplexChannelFactory().create_immutable_server(name, BufferConfig(4096, 1 << 20))
    server.start(handle)
    print("ready", flush=True)
    for _ in range(TIMEOUT_S * 100):
        if done == count:
            break
        time.sleep(0.01)
    time.sleep(0.3)  # it has no way to know that the last answer was read
    server.stop()
    if done != count:
        raise SystemExit(f"{done} requests came")


def call(name, count):
    for _ in range(TIMEOUT_S * 20):
        try:
            client = DuplexChannelFactory().create_client(name)
            break
        except Exception:
            time.sleep(0.05)
    for i in range(1, count + 1):
        content = content_of(i, length_of(i, 3000))
        sequence = client.send_request(content)
        response = client.receive_response(TIMEOUT_S * 1000)
        if not response.is_valid or response.sequence != sequence:
            raise SystemExit(f"answer {i}: {response.sequence}, not {sequence}")
        expected = content.translate(INVERTED) if i % 10 else b"PINHOLE-ERROR PH_ETOOBIG: every tenth"
        if bytes(response.data) != expected:
            raise SystemExit(f"answer {i} is wrong")
        client.release_response(response)
    client.close()


kind, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
if kind == "read":
    read(name, count, int(sys.argv[4]))
elif kind == "write":
    write(name, count, int(sys.argv[4]), sys.argv[5] == "lockstep")
elif kind == "more":
    write(name, count, int(sys.argv[4]), False, with_metadata=False)
elif kind == "hold-writer":
    hold_writer(name)
elif kind == "hold-reader":
    hold_reader(name)
elif kind == "serve":
    serve(name, count)
else:
    call(name, count)
print("done")
