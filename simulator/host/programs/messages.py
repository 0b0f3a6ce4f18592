"""Messages of a host program to its device process. Each is declared beside the method of a part of a `Session` that
answers it; native/host/host_messages.h is made of these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from ...frames import Protocol
from ...native import HOST

#: What `header` makes of the messages.
HEADER = HOST / "host_messages.h"
_VERSION = re.compile(r"VERSION = (0x\w+);")
#: Bytes of a body at most; those of an image are the largest.
_MOST = 1 << 32
H = TypeVar("H", bound=Callable[..., Any])


class Place(NamedTuple):
    """A place in the program: a return address in one of its modules, counted from 1; 0 is nowhere."""

    module: int = 0
    offset: int = 0


class Done(NamedTuple):
    """It is done."""


class Status(NamedTuple):
    """A cnrtRet_t, 1 for what is still under way; and what went wrong."""

    status: int = 0
    problem: str = ""


class Handled(NamedTuple):
    """A message that a part of a session handles: by which method, and the answer, if it has one."""

    message: type
    answer: type | None
    method: str
    has_body: bool


def handles(method: H) -> H:
    """Marks what handles a message: its annotations say which one, and the answer.

    Where it has a parameter ``body``, the message comes with bytes.
    """
    method.handles = True  # type: ignore[attr-defined]
    return method


def handled_by(part: type) -> Iterator[Handled]:
    """The messages that a part of a session handles, in the order of its methods."""
    for name, method in vars(part).items():
        if getattr(method, "handles", False):
            hints = get_type_hints(method)
            returned = hints.pop("return")
            answer = next((kind for kind in get_args(returned) or (returned,) if kind is not type(None)), None)
            has_body = hints.pop("body", None) is not None
            (message,) = hints.values()
            yield Handled(message, answer, name, has_body)


class Agreement(NamedTuple):
    """What a program and its device process say to each other, and how much of it at once."""

    protocol: Protocol
    taken: dict[type, int]  # bytes of the body of each message at most
    messages: tuple[type, ...]  # in the order of their numbers
    answers: dict[type, type]


def agreement(handled: Iterator[Handled]) -> Agreement:
    """The messages that are handled, and their answers."""
    rows = list(handled)
    answers = {row.message: row.answer for row in rows if row.answer}
    messages = (*(row.message for row in rows), *dict.fromkeys(answers.values()))
    taken = {row.message: _MOST if row.has_body else 0 for row in rows}
    return Agreement(Protocol(*messages), taken, messages, answers)


def messages_version() -> int:
    """What tells these messages from those of another version, as the header has it."""
    (found,) = _VERSION.findall(HEADER.read_text(encoding="utf-8"))
    return int(found, 16)
