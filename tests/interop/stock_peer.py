# SPDX-License-Identifier: MIT
"""One end of a queue, run with the ZeroBuffer project's own package: see queue_peer.c, whose
counterpart it is.

    stock_peer.py read NAME COUNT RING_BYTES
    stock_peer.py write NAME COUNT RING_BYTES free|lockstep
"""
import logging
import sys
import time

logging.disable(logging.CRITICAL)

from zerobuffer import BufferConfig, Reader, Writer  # noqa: E402
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
            if frame.sequence != i or bytes(frame.data) != content_of(i, length_of(i, ring_bytes - 16)):
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


def write(name, count, ring_bytes, lockstep):
    for _ in range(TIMEOUT_S * 20):
        try:
            writer = Writer(name)
            break
        except Exception:
            time.sleep(0.05)
    writer.set_metadata(b"about these")
    for i in range(1, count + 1):
        writer.write_frame(content_of(i, length_of(i, ring_bytes // 2 - 64)))
        while lockstep and writer._oieb.payload_free_bytes != ring_bytes:
            time.sleep(0.00002)
    writer.close()


kind, name, count, ring_bytes = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if kind == "read":
    read(name, count, ring_bytes)
else:
    write(name, count, ring_bytes, sys.argv[5] == "lockstep")
print("done")
