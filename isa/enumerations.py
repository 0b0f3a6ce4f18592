"""C enumerations of values that instructions take: names and numbers, as the vendors' headers have them."""

from __future__ import annotations

#: Names and values of TPU-KERNEL's ``data_type_t``, in the order of the vendor's header.
DATA_TYPES = {
    "DT_UINT8": 0, "DT_INT8": 1, "DT_FP16": 3, "DT_FP32": 5, "DT_UINT16": 6, "DT_INT16": 7, "DT_UINT32": 8,
    "DT_INT32": 9, "DT_BFP16": 11, "DT_UINT4": 12, "DT_INT4": 13, "DT_FP8E5M2": 15, "DT_FP20": 17, "DT_TF32": 19,
    "DT_FP8E4M3": 47,
}  # fmt: skip
#: The element types that they name, of those that NumPy can hold.
DATA_TYPE_ELEMENTS = {
    DATA_TYPES[name]: element
    for name, element in {
        "DT_UINT8": "uint8", "DT_INT8": "int8", "DT_FP16": "half", "DT_FP32": "float", "DT_UINT16": "uint16",
        "DT_INT16": "int16", "DT_UINT32": "uint32", "DT_INT32": "int32", "DT_BFP16": "bfloat16",
        "DT_FP8E5M2": "float8e5m2", "DT_FP8E4M3": "float8e4m3",
    }.items()
}  # fmt: skip
#: What TPU-KERNEL's ``variable_t`` can be.
VARIABLE_TYPES = {"TENSOR": 0, "SCALAR": 1, "VECTOR": 2}
#: Names and values of TPU-KERNEL's ``rounding_mode_t``.
ROUNDING_MODES = {
    "RM_HALF_TO_EVEN": 0, "RM_HALF_AWAY_FROM_ZERO": 1, "RM_TOWARDS_ZERO": 2, "RM_DOWN": 3, "RM_UP": 4,
    "RM_HALF_UP": 5, "RM_HALF_DOWN": 6,
}  # fmt: skip

#: BANG's ``mluFusionOpCode``: F, then what is done first and then; A adds, S subtracts, M multiplies.
FUSIONS = {
    name: number
    for number, name in enumerate(f"FUSION_{code}" for code in ("FMA", "FMS", "FAM", "FSM", "FAA", "FAS", "FSS", "FSA"))
}
#: What windows of BANG's backward poolings do to an element that they share.
POOL_OVERLAPS = {"OVERLAP_ACC": 0, "OVERLAP_COVER": 1}
