"""The kernels of new_kinds.c, with a call in C of every instruction on tensors that has a reference."""

from __future__ import annotations

from functools import cache

from mlusim.isa import DIALECTS
from mlusim.simulator import Device, Program, load

from tests.isa.references import tensors
from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "new_kinds.c"
#: What `call` numbers.
FUNCTIONS = sorted(tensors.NAMES)
#: What C passes for a parameter that is no memory.
_PASSED = {
    "shape": "given", "dst_stride": "dst", "src_stride": "src0", "src0_stride": "src0", "src1_stride": "src1",
    "dtype": "dtype", "dst_dtype": "dtype", "src_dtype": "source_dtype", "mode": "(rounding_mode_t)c->mode",
}  # fmt: skip


def _call(name: str) -> str:
    """The call of a function: operands in local memory have places of their own, the others one."""
    entry = DIALECTS["tpu"].named(name)[0]
    local = (f"at[{number}]" for number in range(len(entry.prototype.parameters)))
    passed = (
        _PASSED[p.name] if not p.is_memory else next(local) if entry.space_of(p) == "local" else "c->system"
        for p in entry.prototype.parameters
    )
    return f"{name}({', '.join(passed)})"


@cache
def built(device: Device) -> Program:
    """The kernels on a device."""
    cases = "".join(f"case {number}: {_call(name)}; break; " for number, name in enumerate(FUNCTIONS))
    define = [f"CASES={cases}", f"POWER={FUNCTIONS.index('tpu_bdc_fp32_pow')}"]
    return load([SOURCE], device=device, define=define)
