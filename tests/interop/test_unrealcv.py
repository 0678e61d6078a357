#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The public `unrealcv` package, whichever version is installed here, against `pinhole serve`."""
import sys

import tap  # first: what clients print from here on is no TAP
from api_cases import Api, Capabilities
from client_cases import Connections, Pictures, PublicServerTests, Requests, SharedMemory
from guide_cases import Guide

CASES = (Requests, Connections, Pictures, SharedMemory, PublicServerTests, Api, Capabilities, Guide)

if __name__ == "__main__":
    tap.run("__main__", sys.argv[1:])
