"""Names of the ISA that compile and are not modelled yet: a kernel that executes one gets a `NotModelled` finding."""

from __future__ import annotations

KNOWN = {
    "__bang_fabsmax": "largest absolute value and its index",
    "__bang_fabsmin": "smallest absolute value and its index",
    "__bang_histogram": "histogram of a vector",
    "__bang_integral": "running sums of a vector",
    "__bang_maskmove": "keep what a mask of bits selects",
    "__bang_popcnt": "number of bits that are set in a vector",
    "__memcpy_nram_to_nram": "copy inside of NRAM in strides",
}
