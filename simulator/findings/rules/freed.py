"""Memory is freed once, and not used afterwards."""

from dataclasses import replace

from ...log.region import Location
from ..finding import Finding
from ..rule import WARNING, declare_rule

USE_AFTER_FREE = declare_rule("use-after-free", "memory is not used after it has been freed")
DOUBLE_FREE = declare_rule("double-free", "memory is freed once")
LEAK = declare_rule("leak", "a program frees the device memory that it has allocated", WARNING)


def used(access: Finding, byte: int, name: str, origin: Location) -> Finding:
    """What an ``access`` out of bounds is that begins at a byte of an array which has been freed."""
    return replace(
        access,
        rule=USE_AFTER_FREE,
        message=f"access to byte {byte} of {name!r}, which has been freed",
        limit="",
        suggestion="keep the array for as long as kernels use its address",
        origin=origin,
    )


def used_by_host(what: str, address: int) -> Finding:
    """Host code uses device memory that it has freed."""
    return Finding(USE_AFTER_FREE, f"{what} at {address:#x} has been freed", suggestion="free it after its last use")


def again(what: str, address: int) -> Finding:
    """Host code frees memory of some kind twice."""
    return Finding(DOUBLE_FREE, f"{what} at {address:#x} is freed again", suggestion="free it once")


def never(allocations: int, bytes: int) -> Finding:
    """A program ends and has not freed what one line has allocated."""
    many = "an allocation of" if allocations == 1 else f"{allocations} allocations,"
    message = (
        f"{many} {bytes} byte{'s' * (bytes != 1)} of device memory {'is' if allocations == 1 else 'are'} never freed"
    )
    return Finding(LEAK, message, suggestion="free it before the program ends")
