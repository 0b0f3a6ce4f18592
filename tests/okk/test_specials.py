"""NaN, infinities, -0 and subnormal floats, as the vendor's model of the BM1684 has them; and the names of its header.

Source: tpu_api.md, sections 6.2, 6.4 and 8.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS
from mlusim.simulator import Device, launch, load
from mlusim.simulator.native import INCLUDE

INF, NAN, TINY = float("inf"), float("nan"), 1e-40
#: Function, the operands of some elements, and what comes of them.
CASES: dict[str, tuple[list[tuple[float, ...]], list[float]]] = {
    "okk_bdc_add": ([(TINY, TINY), (1e-38, -0.9e-38), (INF, -INF), (1, TINY)], [0, 0, NAN, 1]),
    "okk_bdc_mul": ([(1e-20, 1e-20), (TINY, 1e30), (INF, 0)], [0, 0, NAN]),
    "okk_bdc_max": ([(NAN, 1), (1, NAN), (0, -0.0), (-0.0, 0), (TINY, -1)], [1, NAN, -0.0, 0, 0]),
    "okk_bdc_min": ([(NAN, 1), (1, NAN), (0, -0.0), (-0.0, 0)], [1, NAN, 0, -0.0]),
    "okk_bdc_div": ([(1, 0), (-1, 0), (0, 0), (INF, INF), (3e38, 3e38)], [INF, -INF, NAN, INF, 0]),
    "okk_bdc_reciprocal": ([(0,), (-0.0,), (INF,), (4,)], [INF, -INF, INF, 0.25]),
    "okk_bdc_neg": ([(0,), (-0.0,), (2,)], [0, 0, -2]),
    "okk_bdc_relu": ([(NAN,), (-1,), (3,)], [0, 0, 3]),
    "okk_bdc_exp": ([(NAN,)], [NAN]),
    "okk_bdc_32bit_cpy": ([(TINY,), (-0.0,)], [TINY, -0.0]),
}


def computed(name: str, operands: np.ndarray) -> np.ndarray:
    """The function of rows of operands, elements of one channel."""
    out, count = np.full(operands.shape[1], 7, np.float32), operands.shape[1]

    def kernel(okk: Any, out: Any, given: Any) -> None:
        shape, places = (1, 1, 1, count), [1024 * (1 + number) for number in range(len(operands))]
        okk.okk_initialize()
        for number, place in enumerate(places):
            okk.okk_gdma_32bit_cpy_S2L(place, given + number * count, shape, None, None)
        strides = () if name.endswith("exp") else (None,) * (1 + len(places))
        if name.endswith(("relu", "neg")):
            strides = (None, None)
        works = (4096,) if name.endswith("exp") else ()
        getattr(okk, name)(0, *places, *works, shape, *strides)
        okk.okk_gdma_32bit_cpy_L2S(out, 0, shape, None, None)
        okk.okk_poll()

    launch(kernel, (1, 1, 1), args=[out, operands], device=Device.load("bm1684"))
    return out


@pytest.mark.parametrize("name", CASES)
def test_specials(name: str) -> None:
    given, wanted = CASES[name]
    found = computed(name, np.array(given, np.float32).T.copy())
    right = np.array(wanted, np.float32)
    assert np.array_equal(np.isnan(found), np.isnan(right)), found
    assert found[~np.isnan(right)].view(np.uint32).tolist() == right[~np.isnan(right)].view(np.uint32).tolist(), found


def test_equality_is_of_bits_and_nothing_is_greater_than_nan() -> None:
    given = np.array([[NAN, 0, 1, 2], [NAN, -0.0, 1, NAN]], np.float32)
    for name, wanted in (("equal", [5, 9, 5, 9]), ("greater", [9, 9, 9, 9])):
        out = np.zeros(4, np.float32)

        def kernel(okk: Any, out: Any, given: Any, name: str = name) -> None:
            shape = (1, 1, 1, 4)
            okk.okk_initialize()
            for number in range(2):
                okk.okk_gdma_32bit_cpy_S2L(1024 * (1 + number), given + 4 * number, shape, None, None)
            values = [(1, int(np.float32(value).view(np.uint32))) for value in (5, 9)]
            getattr(okk, f"okk_bdc_{name}_select")(0, (0, 1024), (0, 2048), *values, shape)
            okk.okk_gdma_32bit_cpy_L2S(out, 0, shape, None, None)
            okk.okk_poll()

        launch(kernel, (1, 1, 1), args=[out, given], device=Device.load("bm1684"))
        assert out.tolist() == wanted, name


def test_the_header_has_all_names(tmp_path: Path) -> None:
    """Functions of the vendor's header: 130 and more (tpu_api.md, 8)."""
    dialect = DIALECTS["okk"]
    text = (INCLUDE / "okk/okk.h").read_text()
    written = set(re.findall(r"\b(?:MLUSIM_OP|static inline) [\w *]+?\b(okk_\w+)\(", text))
    names = {entry.name for entry in dialect.instructions} | set(dialect.known) | written
    assert len(names) >= 130
    path = tmp_path / "kernel.c"
    calls = " ".join(f"(void){name};" for name in sorted(names))
    path.write_text(
        f'#include "okk.h"\nvoid kernel(const void *arguments) {{ (void)arguments; {calls} }}\n'
        "OKKERNEL_FUNC_REGISTER(kernel);\n"
    )
    assert list(load([path], device=Device.load("bm1684")).kernels) == ["kernel"]
