"""Numbers, shapes and calls with which the tests try elementwise operators."""

import numpy as np
from mlusim.kernels import elementwise as ew

from tests.kernels.elementwise_reference import BOOL, FLOATS, INT32

INF, NAN = np.inf, np.nan
#: Numbers that a function may treat apart.
SPECIAL = np.array(
    [0.0, -0.0, 1, -1, 0.5, 2, -3, 7, 2.5, INF, -INF, NAN, 1e-40, -1e-45, 2**-126, 3e38, -3e38, 1e-20, 1e10, 65504,
     6e-8, 88.9, -88.9, -13.5],
    np.float32,
)  # fmt: skip
#: Further arguments of an operator.
LIMITS = {"clip": (-0.75, 2.5)}
#: A variant with the shapes of its inputs; the other order of them is tested as well.
SHAPES = {
    "nobroadcast": ((6, 16), (6, 16)),
    "one_scalar": ((5, 7), ()),
    "one_dimension": ((4, 33), (33,)),
    "one_not_broadcast": ((2, 3, 11), (3, 1)),
    "one_broadcast": ((3, 4, 5), (3, 1, 5)),
    "limit_nhwc": ((2, 3, 4, 5), (2, 3, 4, 5)),
    "half8": ((3, 2, 16), (2, 16)),
    "stride": ((3, 1, 5), (1, 4, 5)),
}


def values(random, shape, dtype):
    """Numbers of all sizes of a type, special ones among them."""
    size = int(np.prod(shape))
    with np.errstate(all="ignore"):
        if dtype in FLOATS:
            found = random.standard_normal(size) * np.exp2(random.integers(-12, 12, size))
            special = random.random(size) < 0.3
            found[special] = random.choice(SPECIAL, special.sum())
            return found.astype(np.float32).astype(dtype).reshape(shape)
        if dtype == BOOL:
            return random.random(shape) < 0.5
        edges = np.array([0, 1, -1, 2, -128, 127, *((-(2**31), 2**31 - 1) if dtype == INT32 else ())])
        found = np.where(random.random(size) < 0.4, random.choice(edges, size), random.integers(-40, 40, size))
        return found.astype(dtype).reshape(shape)


def run(device, name, *operands, **more):
    """An operator without findings."""
    found = getattr(ew, name)(device, *operands, *LIMITS.get(name, ()), **more)
    assert found.findings == []
    return found
