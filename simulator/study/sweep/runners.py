"""Runs a function on many points: in processes of this machine, or on the workers of a Dask scheduler.

A point that fails, or whose worker dies again and again, becomes a result that says so; the others go on.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

Point = Mapping[str, Any]
Result = dict[str, Any]
#: What is swept: gives the figures of one point; it is a function of a module, and so are its arguments plain data.
Work = Callable[[Point], Result]

#: How often a point is begun whose worker dies.
_ATTEMPTS = 3


def run_all(work: Work, points: Sequence[Point], workers: int) -> Iterator[tuple[int, Result]]:
    """The number and the result of every point, as they come, from processes of this machine."""
    attempts = dict.fromkeys(range(len(points)), 0)
    alone = False  # after a worker has died, points run one at a time until the one that kills it is known
    while attempts:
        count = 1 if alone else workers
        others = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(count, mp_context=context, initializer=_ignore_interrupts) as pool:
            waiting: dict[Future[Result], int] = {}
            left = iter(list(attempts))
            try:
                while True:
                    while len(waiting) < count and (number := next(left, None)) is not None:
                        waiting[pool.submit(guarded, work, points[number])] = number
                        attempts[number] += 1
                    if not waiting:
                        break
                    for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                        number = waiting[done]
                        result = done.result()
                        del waiting[done]
                        del attempts[number]
                        yield number, result
            except (KeyboardInterrupt, GeneratorExit):  # what is under way need not come to its end
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()
                raise
            except BrokenProcessPool:
                alone = True
                for number in waiting.values():
                    if attempts.get(number, 0) >= _ATTEMPTS:
                        del attempts[number]
                        yield number, {"error": f"its process died {_ATTEMPTS} times"}


def _ignore_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal: whoever has begun the sweep ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_on_cluster(work: Work, points: Sequence[Point], scheduler: str) -> Iterator[tuple[int, Result]]:
    """The same on a Dask cluster; ValueError when Dask is not there, OSError when no scheduler answers."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ValueError("a cluster needs Dask: pip install distributed") from None
    with Client(scheduler, timeout="10s") as client:
        futures = {
            client.submit(guarded, work, dict(point), retries=_ATTEMPTS, pure=False): number
            for number, point in enumerate(points)
        }
        for done in as_completed(list(futures)):
            if done.status == "finished":
                yield futures[done], done.result()
            else:
                error = done.exception()
                yield futures[done], {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}


def guarded(work: Work, point: Point) -> Result:
    """The result of a point; what it raises becomes its ``error``."""
    try:
        return work(point)
    except Exception as error:
        return {"error": str(error).partition("\n")[0] or type(error).__name__}
