"""Messages between engines: what they order, what a missing one is, and who waits for ever.

Source: tpu_api.md, 7, "Cores": commands of an engine's queue; a wait holds the queue until send_cnt sends have come.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS, Completion, Signal
from mlusim.simulator import Device, Finding, Log, Run, launch, load, replay

from tests.isa.tpu import MESSAGES

CHIP = "bm1690"
_ROW = (1, 1, 1, 64)
_TILE = (1, 64, 1, 16)
_QUIET = ("unread", "unwritten", "unused", "bank")


def run(kernel: Any, cores: int = 1) -> tuple[Run, list[Finding], np.ndarray]:
    """The run, its findings, and what is in the second array then."""
    given, out = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    device = Device.load(CHIP)
    made = launch(kernel, (cores, 1, 1), args=[given, out], device=device, on_finding="collect")
    return made, [finding for finding in made.findings if finding.rule not in _QUIET], out


def work(unit: Any, engine: str, out: Any, source: Any) -> None:
    """A command of an engine that takes floats from one place to another."""
    if engine == "hau":
        unit.tpu_hau_sort(out, source, 64, 64, False, unit.DT_FP32)
    else:
        getattr(unit, f"tpu_{engine}_cpy_S2S")(out, source, _ROW, None, None, unit.DT_FP32)


def say(unit: Any, engine: str, verb: str, number: int, count: int = 1) -> None:
    getattr(unit, f"tpu_{engine}_{verb}_msg")(number, count)


def test_every_engine_has_both() -> None:
    entries = [entry for entry in DIALECTS["tpu"].instructions if isinstance(entry.effect, Signal)]
    assert {entry.name for entry in entries} == MESSAGES
    for entry in entries:
        engine = entry.name.split("_")[1]
        assert isinstance(entry.effect, Signal)
        assert entry.effect.sends == ("send" in entry.name)
        queued = engine in ("bdc", "gdma")
        assert entry.effect.completion is (Completion.QUEUED if queued else Completion.DEFERRED)
        assert (entry.pipe, entry.provenance) == (engine, "inferred")


@pytest.mark.parametrize("pair", ["sdma gdma", "gdma sdma", "hau gdma", "sdma hau"])
@pytest.mark.parametrize("said", ["both", "none", "another number"])
def test_engines_are_ordered_by_a_message(pair: str, said: str) -> None:
    first, second = pair.split()

    def kernel(unit: Any, given: Any, out: Any) -> None:
        work(unit, first, out, given)
        if said != "none":
            say(unit, first, "send", 3)
            if said == "another number":  # of what has been sent before
                say(unit, first, "send", 5)
            say(unit, second, "wait", 3 if said == "both" else 5)
        work(unit, second, out + 64, out)
        unit.tpu_poll()

    made, found, out = run(kernel)
    if said == "none":
        assert [(f.rule, f.instruction.split("_")[1]) for f in found] == [("order", second)]
        return
    assert found == []
    assert out[64:128].tolist() == list(range(64))
    assert starts(made.log)[first, "send"] < starts(made.log)[second, "wait"]


def starts(log: Log) -> dict[tuple[str, str], float]:
    """Engine and verb of every message -> when it begins, in us."""
    timeline = replay(log, Device.load(CHIP).rates)
    names = [log.ops[number].name for number in log.records["op"]]
    return {
        (name.split("_")[1], name.split("_")[2]): float(timeline.start[at])
        for at, name in enumerate(names)
        if name in MESSAGES
    }


def test_a_message_before_what_it_was_sent_for_orders_nothing() -> None:
    def kernel(unit: Any, given: Any, out: Any) -> None:
        say(unit, "sdma", "send", 3)
        work(unit, "sdma", out, given)
        say(unit, "gdma", "wait", 3)
        work(unit, "gdma", out + 64, out)
        unit.tpu_poll()

    _, found, _ = run(kernel)
    assert [(f.rule, f.instruction) for f in found] == [("order", "tpu_gdma_cpy_S2S")]


def test_in_a_section_they_order_bdc_and_gdma() -> None:
    def kernel(unit: Any, given: Any, out: Any, talks: bool = True) -> None:
        unit.tpu_parallel_start()
        unit.tpu_gdma_cpy_S2L(0, given, _TILE, None, None, unit.DT_FP32)
        if talks:
            say(unit, "gdma", "send", 1)
            say(unit, "bdc", "wait", 1)
        unit.tpu_bdc_fp_add(64, 0, 0, _TILE, None, None, None, unit.DT_FP32)
        if talks:
            say(unit, "bdc", "send", 2)
            say(unit, "gdma", "wait", 2)
        unit.tpu_gdma_cpy_L2S(out, 64, _TILE, None, None, unit.DT_FP32)
        unit.tpu_parallel_end()
        unit.tpu_poll()

    _, found, out = run(kernel)
    assert found == []
    assert (out[:1024] == 2 * np.arange(1024)).all()
    _, found, _ = run(lambda *given: kernel(*given, talks=False))
    assert [(f.rule, f.instruction) for f in found] == [("order", "tpu_bdc_fp_add"), ("order", "tpu_gdma_cpy_L2S")]


def test_a_queue_waits_for_what_is_issued_later() -> None:
    """The processor goes on: what holds one queue may be sent from another one behind it."""

    def kernel(unit: Any, given: Any, out: Any) -> None:
        say(unit, "gdma", "wait", 4)
        work(unit, "gdma", out + 64, out)
        unit.tpu_bdc_set_C(0, 0, _TILE, None, unit.DT_FP32)  # in turn behind it
        work(unit, "sdma", out, given)
        say(unit, "sdma", "send", 4)
        unit.tpu_poll()

    made, found, out = run(kernel)
    assert found == []
    assert out[64:128].tolist() == list(range(64))
    names = [made.log.ops[number].name for number in made.log.records["op"]]
    assert names == [
        "tpu_sdma_cpy_S2S", "tpu_sdma_send_msg", "tpu_gdma_wait_msg", "tpu_gdma_cpy_S2S", "tpu_bdc_set_C", "tpu_poll",
    ]  # fmt: skip
    assert starts(made.log)["sdma", "send"] < starts(made.log)["gdma", "wait"]


@pytest.mark.parametrize("talks", [True, False])
def test_cores_are_ordered_by_a_message(talks: bool) -> None:
    """The reader's core runs first; a third one hears of it from the second."""

    def kernel(unit: Any, given: Any, out: Any) -> None:
        core = unit.tpu_core_index()
        if core and talks:
            say(unit, "gdma", "wait", 48 * core)
        work(unit, "gdma", out + 64 * core, out + 64 * (core - 1) if core else given)
        if core < 2 and talks:
            say(unit, "gdma", "send", 48 * (core + 1))
        unit.tpu_poll()
        if core == 2:
            work(unit, "gdma", out + 192, out)  # of the first core
        unit.tpu_poll()

    _, found, out = run(kernel, 3)
    assert {f.rule for f in found} == (set() if talks else {"race"})
    if talks:
        assert out[:256].tolist() == 4 * list(range(64))


def test_a_number_is_used_again_when_all_have_waited() -> None:
    """Two queues wait for two senders; the second round is a message of its own."""

    def kernel(unit: Any, given: Any, out: Any, short: bool = False) -> None:
        for turn in range(2):
            work(unit, "sdma", out + 64 * turn, given)
            for engine in ("sdma", "hau"):
                if not (short and turn):
                    say(unit, engine, "send", 6, 2)
            for engine in ("gdma", "bdc"):
                say(unit, engine, "wait", 6, 2)
            work(unit, "gdma", out + 128 + 64 * turn, out + 64 * turn)
        unit.tpu_poll()

    _, found, out = run(kernel)
    assert found == []
    assert out[128:256].tolist() == 2 * list(range(64))
    _, found, _ = run(lambda *given: kernel(*given, short=True))
    assert [(f.rule, f.instruction) for f in found] == [("barrier", "tpu_gdma_wait_msg")]
    assert "message 6 to be sent 2 times, which is never sent" in found[0].message


@pytest.mark.parametrize("cores", [1, 2])
def test_who_waits_for_ever_is_named_with_the_last_sender(cores: int) -> None:
    def kernel(unit: Any, given: Any, out: Any) -> None:
        work(unit, "sdma", out, given)
        unit.tpu_sdma_send_msg(3, 1)
        unit.tpu_gdma_wait_msg(3, 2 * cores)
        if unit.tpu_core_index() == 0:
            unit.tpu_poll()

    made, (finding,), _ = run(kernel, cores)
    often = {1: "once", 2: "2 times"}[cores]
    assert (finding.rule, finding.instruction) == ("barrier", "tpu_gdma_wait_msg")
    what = f"tpu_gdma_wait_msg waits for message 3 to be sent {2 * cores} times, which is sent {often}; its queue"
    assert finding.message.startswith(what)
    assert finding.related is not None
    assert finding.related.line == finding.location.line - 1 == kernel.__code__.co_firstlineno + 2
    assert made.time_us > 0  # what never comes holds up no replay


@pytest.mark.parametrize(
    ("number", "count", "named"), [(512, 1, "msg_id"), (-1, 1, "msg_id"), (3, 0, "cnt"), (3, 128, "cnt")]
)
def test_numbers_and_counts_have_limits(number: int, count: int, named: str) -> None:
    def kernel(unit: Any, given: Any, out: Any) -> None:
        say(unit, "gdma", "send", 511, 127)
        say(unit, "gdma", "send", number, count)
        unit.tpu_poll()

    _, (finding,), _ = run(kernel)
    assert (finding.rule, finding.location.line) == ("argument", say.__code__.co_firstlineno + 1)
    assert named in finding.message


C = """
#include "tpu_kernel.h"
typedef struct { global_addr_t out, in; } args_t;
void kernel(const void *p) {
  const args_t *a = (const args_t *)p;
  const dim4 shape = {1, 1, 1, 64};
  tpu_initialize();
  const int id = tpu_next_msg_id(), other = tpu_get_global_msg_id();
  if (tpu_core_index() == 0) {
    tpu_sdma_cpy_S2S(a->out, a->in, &shape, NULL, NULL, DT_FP32);
    tpu_sdma_send_msg(id, 1);
    tpu_gdma_wait_msg(id, 1);
    tpu_gdma_cpy_S2S(a->out + 256, a->out, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_send_msg(other, 1);
  } else {
    tpu_gdma_wait_msg(other, 1);
    tpu_gdma_cpy_S2S(a->out + 512, a->out + 256, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel);
"""


def test_in_c(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(C)
    device = Device.load(CHIP)
    out, given = np.zeros(192, np.float32), np.arange(64, dtype=np.float32)
    program = load([path], device=device)
    for _ in range(2):  # numbers go on
        assert program.launch("kernel", (2, 1, 1), args={"out": out, "in": given}).findings == []
        assert out.tolist() == 3 * list(range(64))


SYNCS = """
#include "tpu_kernel.h"
typedef struct { global_addr_t out, in; int engine, waits; } args_t;
static const dim4 shape = {1, 1, 1, 64};
static void copy(int engine, global_addr_t to, global_addr_t from) {
  if (engine == 1) tpu_hau_sort(to, from, 64, 64, false, DT_FP32);
  else if (engine == 2) tpu_sdma_cpy_S2S(to, from, &shape, NULL, NULL, DT_FP32);
  else tpu_gdma_cpy_S2S(to, from, &shape, NULL, NULL, DT_FP32);
}
void within(const void *p) {
  const args_t *a = (const args_t *)p;
  copy(a->engine, a->out, a->in);
  if (a->waits) tpu_sync_core();
  tpu_gdma_cpy_S2S(a->out + 256, a->out, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
static void meet(int engine) {
  tpu_sync_start();
  switch (engine) {
    case 0: tpu_sync_all_gdma(); break;
    case 1: tpu_sync_all_hau(); break;
    case 2: tpu_sync_all_sdma(); break;
    default: tpu_sync_all_bdc();
  }
  tpu_sync_end();
}
void between(const void *p) {
  const args_t *a = (const args_t *)p;
  const int core = tpu_core_index(), next = (core + 1) % tpu_core_num();
  copy(a->engine, a->out + core * 256, a->in);
  if (a->waits >> core & 1) meet(a->engine);
  copy(a->engine, a->out + 512 + core * 256, a->out + next * 256);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(within);
TPUKERNEL_FUNC_REGISTER(between);
"""


@pytest.mark.parametrize("chip", ["bm1688", "bm1690"])
def test_functions_made_of_messages_order_engines_and_cores(tmp_path: Path, chip: str) -> None:
    path = tmp_path / "syncs.c"
    path.write_text(SYNCS)
    program = load([path], device=Device.load(chip))
    given = np.arange(64, 0, -1, dtype=np.float32)

    def told(kernel: str, cores: int, engine: int, waits: int) -> list[tuple[str, int]]:
        """The rules of findings and their lines, after a look at the results of a right run; a bit for who waits."""
        out = np.zeros(64 * 2 * cores, np.float32)
        args = {"out": out, "in": given, "engine": engine, "waits": waits}
        found = program.launch(kernel, (cores, 1, 1), args=args, on_finding="collect").findings
        if waits == 2**cores - 1:
            assert sorted(out) == sorted(np.tile(given, 2 * cores))
        return [(f.rule, f.location.line) for f in found if f.rule not in _QUIET]

    def line(text: str) -> int:
        return next(number for number, line in enumerate(SYNCS.split("\n"), 1) if text in line)

    for engine in (1, 2) if chip == CHIP else (1,):
        assert told("within", 1, engine, waits=1) == []
        assert told("within", 1, engine, waits=0) == [("order", line("out + 256"))]
    for engine, name in enumerate(("gdma", "hau", "sdma", "bdc") if chip == CHIP else ()):
        assert told("between", 2, engine, waits=3) == [], name
        assert "race" in dict(told("between", 2, engine, waits=0)), name
        for alone in (1, 2):
            assert ("barrier", line(f"tpu_sync_all_{name}()")) in told("between", 2, engine, alone), name
