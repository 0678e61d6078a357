# SPDX-License-Identifier: MIT
"""Runs queue-peer against the ZeroBuffer project's own Python package from PyPI, both ways.

    interop_queue.py PROGRAM DUPLEX_PROGRAM FOLDER

The programs are queue-peer and duplex-peer, FOLDER is where virtual environments may be kept. 1,000
frames each, 10,000 with PH_TEST_FULL. Prints TAP. What the stock package cannot do is in the
names of the tests:

 - its writer must not send frames larger than half of the ring: it would wait for ever (B1 in the
   list of its bugs in protocol/queue.md), nor end a frame in the last 15 bytes of the ring but the
   very last (B3), nor in the very last (B2): ring sizes below are chosen so that none does;
 - releases before 1.3.0 change the count of free bytes without an atomic operation, so a peer that
   works at the same time corrupts it: with them, one frame at a time.
"""
import os
import pathlib
import subprocess
import sys
import time
import uuid

HERE = pathlib.Path(__file__).parent
PROGRAM, DUPLEX_PROGRAM, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
STOCK = ("zerobuffer-ipc==1.3.0", "zerobuffer-ipc==1.2.8")  # what they need is in constraints.txt
COUNT = 10000 if os.environ.get("PH_TEST_FULL") else 1000
number = 0


def report(ok, name, output=""):
    global number
    number += 1
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)
    if not ok:
        for line in output.splitlines()[-20:]:
            print("#  ", line)


def make_environment(stock):
    """The interpreter of an environment with this release, or None and why there is none."""
    folder = FOLDER / ("venv-" + stock.replace("==", "-"))
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return python, ""
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20",
         "-c", str(HERE / "constraints.txt"), stock, "posix-ipc"],
    ):
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=180)
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        if result.returncode != 0:
            return None, (result.stderr.strip().splitlines() or ["no reason given"])[-1]
    (folder / "complete").touch()
    return python, ""


def lands_badly(ring_bytes, count):
    """Whether a stock writer of these frames would come upon its bugs B2 or B3."""
    position = 0
    for i in range(1, count + 1):
        whole = 16 + 1 + (i * 2654435761 & 0xFFFFFFFF) % (ring_bytes // 2 - 64)
        tail = ring_bytes - position
        if tail < whole:
            position = 0
        position += whole
        if ring_bytes - position < 16:
            return True
    return False


def harmless_ring(count):
    """A size of ring at which it does not; small, so that there are many wraps."""
    smallest = 16384 if count <= 1000 else 1 << 17
    return next(size for size in range(smallest, 1 << 20, 64) if not lands_badly(size, count))


def left_of(channel):
    return list(pathlib.Path("/dev/shm").glob(f"*{channel}*"))


def reorder(name, result):
    return result[0], name, result[1]


def run_pair(reader, writer, name):
    channel = f"ph-interop-{uuid.uuid4()}"
    with subprocess.Popen(reader(channel), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as first:
        ready = first.stdout.readline()
        try:
            second = subprocess.run(writer(channel), capture_output=True, text=True, timeout=300)
            output = second.stdout + second.stderr
            rest = first.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired as error:
            first.kill()
            return report(False, name, f"no end: {error}")
    good = ready == "ready\n" and first.returncode == 0 and second.returncode == 0
    report(good, name, ready + rest + output)
    left = left_of(channel)
    for path in left:
        path.unlink()
    return left


def test_release(stock, python):
    pace = "free" if stock.endswith("==1.3.0") else "lockstep"
    how = "" if pace == "free" else ", one frame at a time because its counting is not atomic"
    ring = harmless_ring(COUNT)

    def ours(kind, size):
        return lambda channel: [PROGRAM, kind, channel, str(COUNT), str(size), pace]

    def theirs(kind, size):
        return lambda channel: [str(python), str(HERE / "stock_peer.py"), kind, channel,
                                str(COUNT), str(size), pace]

    left = run_pair(theirs("read", 16384), ours("write", 16384),
                    f"{stock} reads {COUNT} frames of ours up to the size of the ring{how}")
    # It never removes its semaphores (B22); nothing else may be left.
    report(all(p.name.startswith("sem.") for p in left), f"{stock} as reader leaves only its semaphores", str(left))
    left = run_pair(ours("read", ring), theirs("write", ring),
                    f"{stock} writes {COUNT} frames up to half of the ring to us{how}")
    report(not left, f"nothing is left after {stock} wrote to us", str(left))


def test_duplex(stock, python):
    """Not before 1.3.0: a request or an answer is given back while the next is written,
    and their counting, which is not atomic, loses one of the two."""
    if not stock.endswith("==1.3.0"):
        return
    count = COUNT // 2
    left = run_pair(lambda channel: [DUPLEX_PROGRAM, "serve", channel, str(count)],
                    lambda channel: [str(python), str(HERE / "stock_peer.py"), "call", channel, str(count)],
                    f"a client of {stock} gets {count} answers of ours, every tenth of them an error")
    report(all(p.name.startswith("sem.") for p in left), "that client leaves only its semaphores", str(left))
    left = run_pair(lambda channel: [str(python), str(HERE / "stock_peer.py"), "serve", channel, str(count)],
                    lambda channel: [DUPLEX_PROGRAM, "call", channel, str(count)],
                    f"a server of {stock} answers {count} requests of ours")
    report(all(p.name.startswith("sem.") for p in left), "that server leaves only its semaphores", str(left))


def test_death(stock, python):
    """The one that is killed is stock, the one that must notice is ours; then the other way round."""
    def theirs(*words):
        return [str(python), str(HERE / "stock_peer.py"), *words]

    def start(command):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        process.ready = process.stdout.readline() == "ready\n"
        return process

    def kill_and_time(victim, survivor):
        before = time.monotonic()
        victim.kill()
        victim.wait()
        word = survivor.stdout.readline().strip()
        took = time.monotonic() - before
        survivor.wait(timeout=20)
        return word == "PH_EPEER" and took < 1.0, f"{word} after {took * 1000:.0f} ms"

    channel = f"ph-interop-{uuid.uuid4()}"
    survivor = start(["timeout", "60", PROGRAM, "watch-writer", channel, "0", "65536"])
    report(*reorder(f"a killed writer of {stock} is noticed", kill_and_time(start(theirs("hold-writer", channel, "0")), survivor)))
    report(not left_of(channel), "and nothing is left", str(left_of(channel)))
    channel = f"ph-interop-{uuid.uuid4()}"
    victim = start(theirs("hold-reader", channel, "0"))
    survivor = start(["timeout", "60", PROGRAM, "watch-reader", channel, "0", "0"])
    report(*reorder(f"a killed reader of {stock} is noticed", kill_and_time(victim, survivor)))
    run_pair(lambda _: [PROGRAM, "read", channel, "50", "16384"], lambda _: theirs("write", channel, "50", "16384", "lockstep"),
             "a reader of ours takes over what it left")
    report(not left_of(channel), "and nothing is left", str(left_of(channel)))
    channel = f"ph-interop-{uuid.uuid4()}"
    victim = start([PROGRAM, "watch-writer", channel, "0", "65536"])
    victim.kill()
    victim.wait()
    run_pair(lambda _: theirs("read", channel, "50", "16384"), lambda _: [PROGRAM, "write", channel, "50", "16384", "lockstep"],
             f"a reader of {stock} takes over what a killed one of ours left")
    for path in left_of(channel):
        path.unlink()


def test_succession(stock, python):
    """Writers of both kinds, one after the other, to one reader of ours."""
    if not stock.endswith("==1.3.0"):
        return
    channel, count, ring = f"ph-interop-{uuid.uuid4()}", "60", str(harmless_ring(60))
    reader = subprocess.Popen([PROGRAM, "runs", channel, count, ring, "5"],
                              stdout=subprocess.PIPE, text=True)
    reader.stdout.readline()
    ours = [PROGRAM, "more", channel, count, ring]
    theirs = [str(python), str(HERE / "stock_peer.py"), "more", channel, count, ring]
    output = ""
    for command in (ours, theirs, ours, ours, theirs):
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        output += run.stdout + run.stderr
    output += reader.communicate(timeout=60)[0]
    report(reader.returncode == 0 and output.count("done") == 6,
           f"writers of {stock} and of ours follow each other", output)


for pin in STOCK:
    python, reason = make_environment(pin)
    if python is None:
        number += 1
        print(f"ok {number} - {pin} # SKIP cannot be installed from PyPI: {reason}")
        continue
    test_release(pin, python)
    test_duplex(pin, python)
    test_death(pin, python)
    test_succession(pin, python)
print(f"1..{number}")
