"""``mlusim``, or ``python -m mlusim.simulator``: the command line."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command of this process; nothing of what is imported for it is garbage."""
    gc.disable()
    from .cli import main as run

    gc.freeze()  # later collections pass over it
    gc.enable()
    return run()


if __name__ == "__main__":
    sys.exit(main())
