"""The command line: ``mlusim op | run | build | replay | devices | isa | doctor``.

Exit codes: 0 fine; 1 the kernel broke a rule or did not compile, or something failed on the way; 2 wrong use,
nothing was run; 130 interrupted. Results go to standard output, messages and progress to standard error. With
``--json`` standard output holds exactly one JSON document (none at exit code 2).

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
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        code = _run(options, Screen(options.command, json=options.json))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The interpreter flushes standard output once more when it ends, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except KeyboardInterrupt:
        print("mlusim: interrupted", file=sys.stderr)
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
    except (OSError, MemoryError) as error:
        screen.fail(str(error))
        return FAILED
    except (ValueError, TypeError) as error:
        screen.say(str(error))
        return USAGE
