"""Makes calls of instructions on tensors in Python kernels, and compares all memory after each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlusim.simulator import launch

from tests.isa.lane_cases import CODES, Case, Outside, Struct, device, whole


def check(chip: str, cases: Sequence[Case]) -> None:
    """Run all cases by one kernel, without a finding, and compare local and system memory after each of them."""
    shape, code = whole(cases[0].local), CODES["uint8"]
    images = np.frombuffer(b"".join(case.before for case in cases), np.uint8).reshape(len(cases), -1).copy()
    room = -(-max(len(case.system) for case in cases) // 64) * 64
    systems = np.frombuffer(b"".join(c.system_before.ljust(room, b"\0") for c in cases), np.uint8).copy()

    def kernel(unit: Any, image: Any, system: Any) -> None:
        unit.tpu_initialize()
        for number, case in enumerate(cases):
            place = image + number * images.shape[1]
            unit.tpu_gdma_cpy_S2L(0, place, shape, None, None, code)
            _call(unit, case, system + number * room)
            unit.tpu_gdma_cpy_L2S(place, 0, shape, None, None, code)
        unit.tpu_poll()

    run = launch(kernel, (1, 1, 1), args=[images, systems], device=device(chip))
    found = [f for f in run.findings if f.rule not in ("unread", "unwritten")]  # tensors have gaps here
    assert not found, "\n".join(map(str, found))
    for case, image, system in zip(cases, images, systems.reshape(len(cases), -1), strict=True):
        wrong = case.difference(image.tobytes(), system[: len(case.system)].tobytes())
        assert not wrong, wrong


def passed(argument: Any, system: Any) -> Any:
    """What Python passes: a structure is a tuple or None, system memory a pointer."""
    if isinstance(argument, Struct):
        return argument.fields
    return system + argument.offset if isinstance(argument, Outside) else argument


def _call(unit: Any, case: Case, system: Any) -> None:
    operands, name = case.operands, case.name
    if case.arguments:
        getattr(unit, name)(*(passed(argument, system) for argument in case.arguments))
        for work in case.works:
            unit.tpu_gdma_cpy_S2L(work.address, system, work.shape, None, None, CODES[work.kind])
        return
    addresses = [system + t.address if n == case.outside else t.address for n, t in enumerate(operands)]
    shape, strides, codes = operands[0].shape, [t.stride for t in operands], [CODES[t.kind] for t in operands]
    if name == "tpu_bdc_cast":
        unit.tpu_bdc_cast(*addresses, shape, *strides, *codes, case.mode)
    elif name == "tpu_bdc_fp32_pow":
        unit.tpu_bdc_fp32_pow(*addresses, shape)
        for work in addresses[3:5]:  # may not be read before something has been written there
            unit.tpu_gdma_cpy_S2L(work, system, shape, None, None, unit.DT_FP32)
    else:
        getattr(unit, name)(*addresses, shape, *strides, codes[0])
