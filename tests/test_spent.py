"""Where the simulator's own time goes: phases inside of others, in this process and in another."""

import pytest
from mlusim.simulator import spent
from mlusim.simulator.spent import Spent, current, phase, spending


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The time, which passes when a test says so."""
    now = [0.0]
    monkeypatch.setattr(spent, "perf_counter", lambda: now[0])
    return now


def test_time_of_an_inner_phase_is_not_that_of_the_outer(clock):
    with spending("rest") as kept:
        clock[0] += 1
        with phase("outer"):
            clock[0] += 2
            for _ in range(3):
                with phase("inner"):
                    clock[0] += 5
            clock[0] += 4
        clock[0] += 8
    assert kept.phases == {"inner": (15, 3), "rest": (9, 1), "outer": (6, 1)}
    assert list(kept.phases) == ["inner", "rest", "outer"]


def test_a_function_that_fails_is_left(clock):
    def fails(seconds: float) -> None:
        clock[0] += seconds
        raise ArithmeticError

    kept = Spent("rest")
    with pytest.raises(ArithmeticError):
        kept.timed("failing", fails)(3.0)
    clock[0] += 1
    assert kept.phases == {"failing": (3, 1), "rest": (1, 1)}


def test_what_another_process_spends_is_part_of_the_wait_for_it(clock):
    with spending("rest") as kept, phase("waiting"):
        clock[0] += 10
        kept.absorb([("there", 7.0, 2), ("elsewhere", 1.0, 1)])
        clock[0] += 1
    assert kept.phases == {"there": (7, 2), "waiting": (3, 1), "elsewhere": (1, 1), "rest": (0, 1)}


def test_nothing_is_kept_unless_it_is_asked_for(clock):
    with phase("outer"):
        assert current() is None
