"""The command line: ``mlusim op | run | build | replay | devices | isa``.

Exit codes: 0 fine; 1 the kernel broke a rule or did not compile, or something failed on the way; 2 wrong use,
nothing was run; 130 interrupted. Results go to standard output, messages and progress to standard error. With
``--json`` standard output holds exactly one JSON document, whatever the end.

Imports: everything, traces and kernels too.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from ..findings import BuildError, KernelError
from .parser import parse
from .screen import Screen

__all__ = ["main"]

FAILED, USAGE, INTERRUPTED = 1, 2, 128 + signal.SIGINT
#: What a shell reports of a program whose reader went away, as in ``mlusim isa | head``.
PIPE_CLOSED = 128 + signal.SIGPIPE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; SystemExit for ``--help`` and what argparse refuses."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options = parse(given)
        code = _run(options, Screen(options.command, json=options.json))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The interpreter flushes standard output once more when it ends, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        Screen("", json="--json" in given).fail("interrupted")
        return INTERRUPTED


def _run(options: argparse.Namespace, screen: Screen) -> int:
    """The exit code of a command; what it raises becomes a message, and with --json a document."""
    try:
        return 0 if options.handler(options, screen) else FAILED
    except BrokenPipeError:
        raise
    except (BuildError, KernelError) as error:
        screen.fail(str(error), error.finding)
        return FAILED
    except (OSError, MemoryError, OverflowError) as error:
        screen.fail(str(error))
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
