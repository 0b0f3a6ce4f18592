"""Greenlets that run one function after the other."""

import gc
import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar, copy_context

from greenlet import getcurrent, greenlet
from mlusim.simulator.core.machine import fibers


def _ran_in() -> greenlet:
    found: list[greenlet] = []
    fibers.start(lambda: found.append(getcurrent()), copy_context())
    return found[0]


def test_one_greenlet_runs_one_function_after_the_other():
    first = _ran_in()
    assert first is not getcurrent()
    assert _ran_in() is first


def test_one_that_waits_is_left_to_itself_until_it_is_done():
    ran: list[greenlet | str] = []

    def waits() -> None:
        ran.append(getcurrent())
        getcurrent().parent.switch()
        ran.append("done")

    fibers.start(waits, copy_context())
    waiting = ran[0]
    assert isinstance(waiting, greenlet)
    assert _ran_in() is not waiting
    waiting.switch()
    assert ran == [waiting, "done"]
    assert _ran_in() is waiting


def test_each_runs_in_the_context_that_it_is_given():
    number = ContextVar[int]("number")
    seen = []

    def body() -> None:
        seen.append(number.get(0))
        number.set(7)

    fibers.start(body, copy_context())
    number.set(1)
    fibers.start(body, copy_context())
    assert (seen, number.get()) == ([0, 1], 1)


def test_nothing_is_kept_of_what_is_done():
    class Held: ...

    held = Held()
    gone = weakref.ref(held)
    fibers.start(lambda held=held: None, copy_context())  # type: ignore[misc]
    del held
    gc.collect()
    assert gone() is None


def test_those_that_have_waited_are_all_used_again():
    def together() -> set[greenlet]:
        waiting: list[greenlet] = []

        def waits() -> None:
            waiting.append(getcurrent())
            getcurrent().parent.switch()

        for _ in range(3):
            fibers.start(waits, copy_context())
        for fiber in waiting:
            fiber.switch()
        return set(waiting)

    first = together()
    assert len(first) == 3
    assert together() == first


def _in_thread(body: Callable[[], None]) -> None:
    """Call a function where no launch has left a greenlet."""
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()


def test_each_thread_has_its_own():
    mine, found = _ran_in(), []
    _in_thread(lambda: found.append(_ran_in()))
    assert len(found) == 1
    assert found != [mine]


def test_those_of_another_greenlet_go():
    parents, gone = [], []

    def body() -> None:
        left = weakref.ref(_ran_in())
        other = greenlet(lambda: parents.append(_ran_in().parent is getcurrent()))
        other.switch()
        gone.append(left() is None)

    _in_thread(body)
    assert (parents, gone) == ([True], [True])


def test_one_that_an_interrupt_has_ended_runs_nothing_more():
    ended = _ran_in()
    ended.throw()
    assert ended.dead
    assert _ran_in() is not ended
