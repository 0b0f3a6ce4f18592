"""An operand lies in the memory that the instruction works on, the core's own."""

from dataclasses import replace

from ...log.region import Region
from ..finding import Finding
from ..rule import ADVICE, ERROR, declare_rule

SPACE = declare_rule("space", "an operand lies in the memory that the instruction works on, the core's own")


def elsewhere(region: Region, space: str) -> Finding:
    """An operand lies in another memory than the instruction works on."""
    return Finding(
        SPACE,
        f"the operand lies in {region.space}, not in {space}",
        region=region,
        limit=f"an address in {space}",
        suggestion=f"copy the data to {space} first",
    )


def against_direction(region: Region, space: str, operand: str, writes: bool) -> Finding:
    """An operand of a copy lies in another memory than the direction says."""
    return replace(beside_direction(region, space, operand, writes), severity=ERROR, provenance="documented")


def beside_direction(region: Region, space: str, operand: str, writes: bool) -> Finding:
    """The same where the engine reaches both memories: public kernels that do so are right on cards."""
    meant = (
        f"to {region.space}: ...2{region.space.upper()}"
        if writes
        else f"from {region.space}: {region.space.upper()}2..."
    )
    return Finding(
        SPACE,
        f"{operand} lies in {region.space}, not in {space} as the direction of the copy says",
        region=region,
        limit=f"an address in {space}",
        suggestion=f"pass the direction that leads {meant}, or an address in {space}",
        severity=ADVICE,
        provenance="inferred",
    )


def of_another_core(region: Region) -> Finding:
    """An operand lies in the right memory of another core."""
    message = f"{region.space} of core {region.owner} is not this core's own"
    return Finding(SPACE, message, region=region, limit=f"an address in {region.space}")


def absent(space: str, variable: str) -> Finding:
    """A variable is declared in a memory that the device does not have."""
    return Finding(SPACE, f"this device has no {space}", operand=variable)


def without_cluster(space: str, instruction: str) -> Finding:
    """A Block task uses what belongs to a cluster."""
    what = f"{space} belongs to a cluster, and a Block task has none"
    return Finding(
        SPACE,
        what,
        instruction=instruction,
        suggestion=f"launch it as union1, or keep the data out of {space}",
        provenance="inferred",
        slip=what,
    )


def constant(who: str, variable: str) -> Finding:
    """A thread stores to constant memory."""
    message = f"{who} stores to {variable!r}, which is __constant__"
    return Finding(SPACE, message, instruction="store", suggestion="declare it __device__")
