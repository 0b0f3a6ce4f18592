"""What the tests of several packages use."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterator

import pytest
from mlusim.simulator import Device, Program, load
from mlusim.simulator.native.cache import wanted_folder

from tests.support.devices import USUAL


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="the first case of every test that is not marked as slow")
    parser.addoption("--further", action="store_true", help="also the cases that are marked as further")


def pytest_configure() -> None:
    """Ctrl-C reaches what the tests start, also where a shell started them in the background and ignores it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The collector of garbage passes over thousands of tests again and again while they come, and all of them stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only --further asks for; with --quick all but the first case of a test, and what is slow."""
    chosen = items[:]
    if not config.getoption("further", default=False):
        chosen = [item for item in chosen if not item.get_closest_marker("further")]
    if config.getoption("quick", default=False):
        quick = (item for item in reversed(chosen) if not item.get_closest_marker("slow"))
        chosen = [*{item.nodeid.partition("[")[0]: item for item in quick}.values()][::-1]
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


@pytest.fixture(scope="module")
def device(request: pytest.FixtureRequest) -> Device:
    """The device of a module: its `CHIP`, or the usual one."""
    return Device.load(getattr(request.module, "CHIP", USUAL))


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest, device: Device, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The kernels of a module on its device: of its `SOURCES`, or its `SOURCE`, a file or a text."""
    sources = getattr(request.module, "SOURCES", None) or [request.module.SOURCE]
    if isinstance(sources[0], str):
        path = tmp_path_factory.mktemp("source") / ("k.cu" if device.isa == "cuda" else "k.mlu")
        path.write_text(sources[0], encoding="utf-8")
        sources = [path]
    return load(sources, device=device)


@pytest.fixture
def usual_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The builds of this user, whatever home a test has then: without them it builds all C++ of mlusim's own."""
    monkeypatch.setenv("MLUSIM_CACHE", str(wanted_folder()))


@pytest.fixture
def quick_collections() -> Iterator[None]:
    """The collector of garbage passes over all that is there already: after hundreds of tests that takes it long."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
