# SPDX-License-Identifier: MIT
"""The guide to the clients and the README: their snippets run, the lists of commands are true."""
import pathlib
import re

from live import VERSION, Live
from program import Wire

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide" / "unrealcv-clients.md"
PAGES = (GUIDE, ROOT / "README.md")
BLOCK = re.compile(r"<!-- ([^>]*) -->\n```\w*\n(.*?)```", re.DOTALL)


def blocks(about):
    """The text of the code blocks whose comment starts with some words, with what follows them."""
    for page in PAGES:
        for comment, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            if comment.startswith(about):
                yield comment.removeprefix(about).split(), code


class Guide(Live):
    def test_every_snippet_of_the_guide_runs_with_the_versions_that_it_names(self):
        ran = 0
        for versions, code in blocks("run with unrealcv "):
            if ".".join(map(str, VERSION)) not in versions:
                continue
            code = code.replace("9000", str(self.server.port))
            with self.subTest(code):
                exec(compile(code, GUIDE.name, "exec"), {})
            ran += 1
        self.assertGreaterEqual(ran, 4)

    def test_every_python_block_of_the_guide_says_with_which_versions_it_runs(self):
        text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
        self.assertEqual(text.count("```python"), len(list(blocks("run with unrealcv "))))

    def test_every_command_that_the_guide_calls_answered_is(self):
        [(_, commands)] = blocks("answered")
        with Wire(self.server.port) as wire:
            wire.ask_bytes("vget /camera/0/depth npy")  # a last capture, for the command about it
            for command in commands.splitlines():
                self.assertFalse(wire.ask_bytes(command).startswith(b"error"), command)

    def test_every_command_that_the_guide_calls_unanswered_is(self):
        [(_, commands)] = blocks("unanswered")
        with Wire(self.server.port) as wire:
            for command in commands.splitlines():
                answer = wire.ask_bytes(command)
                self.assertTrue(answer.startswith(b"error No handler found"),
                                f"'{command}' works: move it up in {GUIDE}")
