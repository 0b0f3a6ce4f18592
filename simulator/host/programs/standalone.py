"""The device process of a program that runs by itself, linked with a toolkit's library."""

from __future__ import annotations

import os
import signal
import socket
import sys

from ...findings import BuildError
from ...frames import BrokenPeer
from ...launches.device import Device
from .session import OTHER_VERSION, Session
from .summary import summary

_PROGRAM = 3


def serve(names: str) -> None:
    """Be the devices of these names, comma between them, until the program ends; then say what was found."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides what a Ctrl-C means
    with socket.socket(fileno=_PROGRAM) as end:
        try:
            session = Session(end, [Device.load(name) for name in names.split(",")])
        except (ValueError, TypeError, OSError, BuildError) as error:
            sys.stderr.write(f"mlusim: {error}\n")
            return
        try:
            report = session.serve()
        except BrokenPeer:
            sys.stderr.write(f"mlusim: {OTHER_VERSION}\n")
            return
        sys.stderr.write("".join(f"{line}\n" for line in summary(report)))
        sys.stderr.flush()
        session.bye()
    os._exit(0)
