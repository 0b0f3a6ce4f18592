"""The log of a launch has room for all that it executes."""

from ..finding import Finding
from ..rule import ADVICE, declare_rule

LOG_LIMIT = declare_rule("log-limit", "the log of a launch has room for all that it executes", ADVICE)


def passed(kept: int, left_out: int) -> Finding:
    """A launch had more records than its log has room for."""
    return Finding(
        LOG_LIMIT,
        f"the log has the first {kept:,} of {kept + left_out:,} records: the time, and findings about order and "
        "unused work, only cover these; results are complete",
        suggestion="launch less, or raise MLUSIM_LOG_LIMIT (0.25 KB of memory for each record)",
    )
