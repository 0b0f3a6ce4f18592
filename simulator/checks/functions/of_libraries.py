"""Forms that functions have in libraries."""

from . import (  # noqa: F401  (which enter them)
    adam_by_name,
    codes,
    filtered,
    ignored_labels,
    lengths,
    local_maxima,
    moments,
    own_channels,
    resampled,
    rope_back,
    summed_areas,
)

#: Functions that have strides of their own.
STRIDED = frozenset({"token bitmask"})
