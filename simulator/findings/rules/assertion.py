"""The kernel's own assertions hold."""

from ..finding import Finding
from ..rule import declare_rule

ASSERT = declare_rule("assert", "the kernel's own assertions hold")


def failed(text: str, who: str = "") -> Finding:
    """An assertion failed, in blocks of threads that of a thread."""
    return Finding(ASSERT, f"the kernel's own assertion failed{f' in {who}' if who else ''}: {text}")
