"""Greenlets that run one function after the other.

To make one and let it go takes a tenth of an empty launch: Python maps memory for its frames, and unmaps it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import Context
from functools import partial

from greenlet import getcurrent, greenlet

Bodies = list[Callable[[], None]]


class _Spare(threading.local):
    """Those that have nothing to do, with where they look for it; by thread, as no other can switch to them."""

    def __init__(self) -> None:
        self.fibers: list[tuple[greenlet, Bodies]] = []


_spare = _Spare()


def start(body: Callable[[], None], context: Context) -> None:
    """Run a function that raises nothing in a greenlet; returns when it is done, or has switched to this one."""
    fiber, bodies = _spare.fibers.pop() if _spare.fibers else _new()
    if fiber.dead or fiber.parent is not getcurrent():  # Ctrl-C has ended it; it goes back to another greenlet
        _spare.fibers.clear()
        fiber, bodies = _new()
    bodies.append(body)
    fiber.gr_context = context
    fiber.switch()


def _new() -> tuple[greenlet, Bodies]:
    bodies: Bodies = []
    return greenlet(partial(_serve, bodies)), bodies


def _serve(bodies: Bodies) -> None:
    """Run what is put there. No name stands for the greenlet here: one that refers to itself would never go."""
    while True:
        bodies.pop()()
        _spare.fibers.append((getcurrent(), bodies))
        getcurrent().parent.switch()
