"""Facts of TPU-KERNEL: HAU, waits and the processor's cache.

Source: tpu_isa.md (b) and "Engines and ordering"; tpu_api.md; docs/hau.md for what it decides where they are silent.
"""

from __future__ import annotations

from tests.isa.facts.fact import Aligned, Codes, Fact, Within

#: `data_type_t` by its values (tpu_isa.md, "Types").
FP32, INT32, UINT32 = 5, 9, 8
CODES = {
    "int8": 1, "uint8": 0, "half": 3, "bfloat16": 11, "float": FP32, "int16": 7, "uint16": 6, "int32": INT32,
    "uint32": UINT32,
}  # fmt: skip
_SORTS = {"float": FP32, "int32": INT32, "uint32": UINT32}
_BY_DTYPE = (Codes("dtype", _SORTS),)
_CALL = {
    "len": 64, "K": 8, "topk": 8, "descended": 1, "is_descend": 1, "idx_enable": 1, "idx_auto": 0, "row_num": 3,
    "C": 0, "line_num": 16, "line_len": 4, "index_len": 16, "end": 15, "fill_const": 1,
}  # fmt: skip
_HAU = {"pipe": "hau", "effect": "deferred", "overlap": "any", "call": _CALL}
_KEYS = {"engine": "hau_sort", "types": "float int32 uint32"}
_ADDRESS = Aligned(4)
_SORT_LIMITS = (_ADDRESS, Within("len", 1, inferred=True), Within("K", 1, "len"))


def _sort(name: str, arguments: str) -> Fact:
    """One key of 4 bytes for each of len values."""
    return Fact(
        name, f"{arguments}, len, K, descended, dtype", limits=_SORT_LIMITS, work="4 * len", codes=_BY_DTYPE,
        **_HAU, **_KEYS,  # type: ignore[arg-type]
    )  # fmt: skip


def _rows(name: str, arguments: str) -> Fact:
    return Fact(
        name, f"{arguments}, row_num, len, K, descended, dtype", archs=">=1690",
        limits=(*_SORT_LIMITS, Within("row_num", 1, inferred=True)), work="4 * len * row_num",
        codes=_BY_DTYPE, inferred=True,
        **_HAU, **_KEYS,  # type: ignore[arg-type]
    )  # fmt: skip


SORTS = (
    _sort("tpu_hau_sort", "out global T output_addr[len: K], in global T input_addr[len]"),
    _sort(
        "tpu_hau_sort_natural_index",
        "out global T output_data_addr[len: K], out global int32 output_idx_addr[len: K], in global T input_addr[len]",
    ),
    _sort(
        "tpu_hau_sort_specific_index",
        "out global T output_data_addr[len: K], out global int32 output_idx_addr[len: K],"
        " in global T input_data_addr[len], in global int32 input_idx_addr[len]",
    ),
    Fact(
        "tpu_hau_sort_general",
        "in global T src_data_addr[len], in global int32 src_idx_addr[len * (idx_enable and not idx_auto)],"
        " out global T dst_data_addr[len: topk], out global int32 dst_idx_addr[len * idx_enable: topk * idx_enable],"
        " dtype_flags, len, is_descend, idx_enable, idx_auto, topk",
        limits=(Aligned(4, inferred=True), Within("len", 1, inferred=True), Within("topk", 1, "len", inferred=True)),
        work="4 * len",
        codes=(Codes("dtype_flags", {"float": 0, "int32": 1, "uint32": 2}),),
        inferred=True,
        probes=({"idx_auto": 1}, {"idx_enable": 0}),
        **_HAU, **_KEYS,  # type: ignore[arg-type]
    ),
    _rows("tpu_hau_sort_2d", "out global T output_addr[row_num * len: K], in global T input_addr[row_num * len]"),
    _rows(
        "tpu_hau_sort_natural_index_2d",
        "out global T output_data_addr[row_num * len: K], out global int32 output_idx_addr[row_num * len: K],"
        " in global T input_addr[row_num * len]",
    ),
    _rows(
        "tpu_hau_sort_specific_index_2d",
        "out global T output_data_addr[row_num * len: K], out global int32 output_idx_addr[row_num * len: K],"
        " in global T input_data_addr[row_num * len], in global int32 input_idx_addr[row_num * len]",
    ),
)  # fmt: skip
GATHER = (
    Fact(
        "tpu_hau_line_gather",
        "out global T output_addr[index_len * line_len], in global T param_addr[line_num * line_len],"
        " in global uint32 index_addr[index_len], C, line_num, line_len, index_len, start, end, dtype, fill_const",
        "int8 uint8 half bfloat16 float int16 uint16 int32 uint32",
        limits=(
            Aligned(64),
            Within("line_num", 1, inferred=True),
            Within("line_len", 1, inferred=True),
            Within("index_len", 1, inferred=True),
            Within("start", 0, "end", rule="argument"),
            Within("end", "start", "line_num - 1", rule="argument"),
        ),
        engine="hau_gather",
        work="index_len * line_len * sizeof",
        codes=(Codes("dtype", CODES),),
        probes=({"start": 3}, {"end": 5}, {"fill_const": 0}),
        **_HAU,  # type: ignore[arg-type]
    ),
)  # fmt: skip

_ENGINES = "bdc gdma hau sdma"
WAITS = (
    Fact("tpu_initialize", pipe="sync", waits=_ENGINES, inferred=True),
    Fact("tpu_poll", pipe="sync", waits=_ENGINES, inferred=True),
    Fact("tpu_poll_descriptor", pipe="sync", waits=_ENGINES, inferred=True),
    # "waits for HAU alone".
    Fact("tpu_hau_poll", pipe="sync", waits="hau", inferred=True),
    # "waits, in our reading"; the number that it returns: tests/isa/tpu/test_counts.py.
    Fact("tpu_gdma_get_filter_num", pipe="sync", waits="gdma", returns="uint32", inferred=True),
    Fact("tpu_sdma_get_filter_num", pipe="sync", waits="sdma", returns="uint32", archs=">=1690", inferred=True),
    # "all cores meet, with their engines idle".
    Fact("tpu_sync_all", pipe="sync", waits=_ENGINES, joins="cores of a union", inferred=True),
)
#: Cache maintenance is paid by the bytes that it is told to maintain.
CACHE = tuple(
    Fact(name, "in global any address{size}, size", pipe="scalar", engine="cache", work="size", inferred=True)
    for name in ("tpu_flush_cache", "tpu_invalidate_cache")
)
ROWS = (*SORTS, *GATHER, *WAITS, *CACHE)
