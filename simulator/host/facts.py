"""The numbers of a device that host code asks for."""

from __future__ import annotations

from ..device import Device

_UNIONS = (16, 8, 4, 2, 1)
#: Bits of the bus of device memory (assumed); the clock follows from the bandwidth, two words a period.
_BUS_BITS = 4096


def device_name(device: Device) -> str:
    """The name that the driver gives of a device, without the vendor's: libraries compare how it begins."""
    return device.title.removeprefix("Cambricon ")


def device_facts(device: Device) -> list[int]:
    """The numbers of `Fact` in csrc/host_memory.h, in its order; 0 for what the device's file does not say."""
    shape = device.shape
    spaces = {name: space.bytes for name, space in shape.spaces.items()}
    union = next((clusters for clusters in _UNIONS if clusters <= shape.clusters), 1)
    hertz = device.facts.get("clock.core_mhz")
    clock = round(hertz.value * 1e3) if hertz else 0
    space = next(name for name, space in shape.spaces.items() if space.scope == "device")
    channel = next((each for each in device.rates.channels.values() if space in each.spaces), None)
    memory = round(channel.gb_per_s * 1e6 * 8 / _BUS_BITS / 2) if channel else 0
    return [
        shape.arch, shape.clusters, shape.cores_per_cluster, spaces.get("nram", 0), spaces.get("wram", 0),
        spaces.get("sram", 0), union, clock, memory, _BUS_BITS, 0,
    ]  # fmt: skip
