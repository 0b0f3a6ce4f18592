"""The command line: ``mlusim op | run | build | replay | devices | isa``.

Exit codes: 0 fine; 1 the kernel broke a rule or did not compile, or something failed on the way; 2 wrong use,
nothing was run; 130 interrupted. Results go to standard output, messages and progress to standard error. With
``--json`` standard output holds exactly one JSON document (none at exit code 2).

Imports: everything, traces and kernels too.
"""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
from collections.abc import Sequence

from ..findings import BuildError, KernelError
from .endings import Ended, ended_by_signals, fill_closed_streams, flush_messages, give_up
from .parser import parse
from .screen import OutputLost, Screen

__all__ = ["main"]

FAILED, USAGE, INTERRUPTED = 1, 2, 128 + signal.SIGINT
#: What a shell reports of a program whose reader went away, as in ``mlusim isa | head``.
PIPE_CLOSED = 128 + signal.SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; SystemExit for ``--help`` and what argparse refuses."""
    fill_closed_streams()
    screen = Screen("", json=False)
    try:
        with ended_by_signals():
            try:
                options = parse(sys.argv[1:] if arguments is None else arguments)
                screen = Screen(options.command, json=options.json)
                return _run(options, screen)
            finally:
                screen.close()
    except BrokenPipeError:
        give_up(sys.stdout)
        return PIPE_CLOSED
    except OutputLost as error:
        give_up(sys.stdout)
        screen.say(str(error))
        return FAILED
    except KeyboardInterrupt:
        screen.tell("mlusim: interrupted")
        return INTERRUPTED
    except Ended as end:
        return 128 + end.number
    finally:
        flush_messages()


def _run(options: argparse.Namespace, screen: Screen) -> int:
    """The exit code of a command; what it raises becomes a message, and with --json a document."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *details, **more: screen.say(str(message))
            return 0 if options.handler(options, screen) else FAILED
    except (BrokenPipeError, OutputLost):
        raise
    except (BuildError, KernelError) as error:
        screen.fail(str(error), error.finding)
        return FAILED
    except (OSError, MemoryError) as error:
        screen.fail(_reason(error))
        return FAILED
    except (ValueError, TypeError) as error:
        screen.say(str(error))
        return USAGE


def _reason(error: OSError | MemoryError) -> str:
    """Why something failed: as it says itself, or the system's words without their number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or "not enough memory"
