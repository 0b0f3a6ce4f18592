"""What of the sandbox a host lacks: said in one line where a kernel is about to run, or a reason not to run it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from ...native.landlock import problem

#: Set (and not to 0), kernels run in the whole sandbox or not at all.
REQUIRED = "MLUSIM_REQUIRE_SANDBOX"


class SandboxWarning(UserWarning):
    """Kernels run without a layer of the sandbox."""


def check_layers(missing: Mapping[str, str]) -> None:
    """Say once what is missing, by the name of the layer and why; PermissionError where all of it is required."""
    if not missing:
        return
    what = "; ".join(f"{name}: {why}" for name, why in missing.items())
    if is_required():
        raise PermissionError(f"no kernel is run: {REQUIRED} is set, and this host lacks of the sandbox {what}")
    _warn(f"kernels run here with less than the whole sandbox, which lacks {what} (see `mlusim doctor`)")


def check_isolation() -> None:
    """PermissionError where kernels may not run in the user's process."""
    if is_required():
        raise PermissionError(f"isolate=False runs a kernel without the sandbox, and {REQUIRED} is set")


def confines_builds() -> bool:
    """Whether the compiler is kept from the user's files; PermissionError where it should be and cannot."""
    if is_required() and (reason := problem()):
        check_layers({"landlock": reason})
    return is_required()


def is_required() -> bool:
    """Whether kernels run in the whole sandbox or not at all."""
    return os.environ.get(REQUIRED, "") not in ("", "0")


@contextmanager
def required(is_so: bool) -> Iterator[None]:
    """For a while, in this process and those that it starts: run kernels in the whole sandbox or not at all."""
    before = os.environ.get(REQUIRED, "")
    os.environ[REQUIRED] = "1" if is_so else before
    try:
        yield
    finally:
        os.environ[REQUIRED] = before


@lru_cache(maxsize=8)
def _warn(text: str) -> None:
    warnings.warn(text, SandboxWarning, stacklevel=4)
