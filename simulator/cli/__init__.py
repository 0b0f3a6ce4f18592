"""The command line: what `commands` lists.

Here belongs what a command is given and what it shows. Not what it does: every room below does its own.

Exit codes: 0 fine; 1 the kernel broke a rule or did not compile, or something failed on the way; 2 wrong use,
nothing was run; 130 interrupted. Results go to standard output, messages and progress to standard error. With
``--json`` standard output holds exactly one JSON document, whatever the end.
"""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import nullcontext

from ..engines.worker.layers import required
from ..findings import BuildError, KernelError
from ..spent import spending
from .endings import INTERRUPTED, Ended, ended_by_signals, fill_closed_streams, flush_messages, give_up
from .parser import parse
from .screen import OutputLost, Screen

__all__ = ["main"]

FAILED, USAGE = 1, 2
#: What a shell reports of a program whose reader went away, as in ``mlusim isa | head``.
PIPE_CLOSED = 128 + signal.SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; SystemExit for ``--help`` and what argparse refuses."""
    given = sys.argv[1:] if arguments is None else arguments
    fill_closed_streams()
    screen = Screen("", json="--json" in given)
    try:
        with ended_by_signals():
            try:
                options = parse(given)
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
        Screen("", json="--json" in given).fail("interrupted")
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
            profiled = spending("everything else") if getattr(options, "profile", False) else nullcontext()
            with required(getattr(options, "require_sandbox", False)), profiled:
                done: bool | int = options.handler(options, screen)
            return (0 if done else FAILED) if isinstance(done, bool) else done  # a program's own exit code
    except (BrokenPipeError, OutputLost):
        raise
    except (BuildError, KernelError) as error:
        screen.fail(str(error), error.finding)
        return FAILED
    except (OSError, MemoryError, OverflowError) as error:
        screen.fail(_reason(error))
        return FAILED
    except (ValueError, TypeError) as error:
        screen.fail(str(error))
        return USAGE
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        screen.fail(
            f"internal error: {type(error).__name__}: {error}; this is a fault of mlusim, please report it with what "
            "`python -X dev -m mlusim.simulator` says in place of `mlusim`"
        )
        return FAILED


def _reason(error: OSError | MemoryError | OverflowError) -> str:
    """Why something failed: as it says itself, or the system's words without their number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or "not enough memory"
