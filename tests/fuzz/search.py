"""What the searches share: trying one input within bounds, counting outcomes, mutating bytes, the command line."""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

#: Seconds that one input may take, and bytes that it may add to the peak of this process.
SLOWEST, LARGEST = 20.0, 512 << 20


class UnexpectedError(AssertionError):
    """An input ended in something else than it may."""


@dataclass
class Tally:
    """Outcomes by kind, and what broke the promise."""

    outcomes: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def attempt(self, what: str, allowed: tuple[type[BaseException], ...], action: Callable[[], object]) -> None:
        """Carry out an action: it may return, or raise an error of the allowed types that says something."""
        begun, peak = time.monotonic(), _peak()
        try:
            action()
            outcome = "answers"
        except allowed as error:
            outcome = type(error).__name__
            if type(error) not in allowed or not str(error).strip():
                self.broken.append(f"{what}: {type(error).__name__}: {error}")
        except Exception as error:
            outcome = f"! {type(error).__name__}"
            self.broken.append(f"{what}: {type(error).__name__}: {error}")
        self.outcomes[outcome] += 1
        if (seconds := time.monotonic() - begun) > SLOWEST:
            self.broken.append(f"{what}: took {seconds:.1f} s")
        if (more := _peak() - peak) > LARGEST:
            self.broken.append(f"{what}: took {more >> 20} MiB")

    def check(self) -> None:
        """AssertionError with the first broken promises, if there are any."""
        if self.broken:
            raise UnexpectedError(f"{len(self.broken)} of {self.outcomes.total()}:\n" + "\n".join(self.broken[:20]))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with some of them flipped, cut off, doubled, moved or replaced."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        end = min(at + rng.choice((1, 2, 8, 64, 1024)), len(out))
        match rng.randrange(6):
            case 0 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(out):
                out[at] = rng.choice((0, 0xFF, 0x7F, 0x80, 0x1B, rng.randrange(256)))
            case 2:
                del out[at:]
            case 3:
                del out[at:end]
            case 4:
                out[at:at] = out[at:end] * rng.choice((1, 1, 2, 50))
            case _:
                out[at:end] = rng.randbytes(end - at)
    return bytes(out)


def command(name: str, count: int, run: Callable[[int, int], Tally], argv: Sequence[str] | None = None) -> int:
    """The command of a search: 0 when every input ended as it may."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.fuzz.{name}")
    parser.add_argument("--count", type=int, default=count, metavar="N", help=f"inputs (default: {count})")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the inputs (default: 0)")
    options = parser.parse_args(argv)
    begun = time.monotonic()
    tally = run(options.count, options.seed)
    print(*tally.broken, sep="\n")
    print(", ".join(f"{count} {outcome}" for outcome, count in tally.outcomes.most_common()))
    print(f"{tally.outcomes.total()} inputs, {len(tally.broken)} broken, {time.monotonic() - begun:.1f} s")
    return int(bool(tally.broken))
