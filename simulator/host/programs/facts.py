"""The numbers of a device that host code asks for."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ...chip.launch_kinds import UNIONS
from ...engines.threads.grid import MOST_BLOCKS, MOST_THREADS
from ...launches.device import Device
from .sdk import SDKS


def check_host_device(device: Device, isas: Collection[str] = SDKS.keys()) -> None:
    """ValueError for a device that runs no programs with host code, or whose ISA is none of some."""
    if device.isa not in isas:
        wanted = " or ".join(dict.fromkeys(SDKS[isa].runtime for isa in isas))
        raise ValueError(
            f"{device.name} has no {wanted} for host code; launch its kernels one by one (--kernel), or choose another "
            "device, as `mlusim devices` lists them"
        )
    if device.rates.bus is None:
        raise ValueError(f"{device.name} has no [bus] in its device file, by which host code copies; add one")


def transfer_us(device: Device, over_bus: int, in_memory: int = 0) -> float:
    """Microseconds of a copy or fill: so many bytes go over the bus, so many are read or written in device memory."""
    bus = device.rates.bus
    assert bus is not None  # `check_host_device` has seen to it
    memory = device.rates.channel_of(_device_space(device))
    return bus.latency_ns / 1e3 + over_bus / bus.rate + in_memory / memory.rate


def device_name(device: Device) -> str:
    """The name that the driver gives of a device, without the vendor's: libraries compare how it begins."""
    return device.title.removeprefix("Cambricon ")


#: Tasks along each dimension of a launch at most, as the driver says of all its devices.
LARGEST_DIM = 65535


class ThreadFacts(NamedTuple):
    """The limits of a device whose kernels run as blocks of threads; zeros for another one."""

    warp: int = 0
    block: int = 0  # threads, as are the next four
    block_x: int = 0
    block_y: int = 0
    block_z: int = 0
    multiprocessor: int = 0
    grid_x: int = 0  # blocks, as are the next two
    grid_y: int = 0
    grid_z: int = 0
    declared: int = 0  # bytes of shared memory that a block may declare, and may have, and of a multiprocessor
    shared: int = 0
    shared_multiprocessor: int = 0


class DeviceFacts(NamedTuple):
    """The numbers of a device; 0 for what its file does not say."""

    arch: int
    clusters: int
    cores_per_cluster: int
    nram: int  # bytes, as are the next two
    wram: int
    sram: int
    largest_union: int
    clock_khz: int
    memory_khz: int
    bus_bits: int
    l2: int
    largest_dim: int
    threads: ThreadFacts


def device_facts(device: Device) -> DeviceFacts:
    """The numbers of a device."""
    shape = device.shape
    spaces = {name: space.bytes for name, space in shape.spaces.items()}
    union = max(kind.clusters for kind in UNIONS if kind.clusters <= shape.clusters)
    bits, kilohertz = _memory_bus(device)
    return DeviceFacts(
        shape.arch,
        shape.clusters,
        shape.cores_per_cluster,
        nram=spaces.get("nram", 0),
        wram=spaces.get("wram", 0),
        sram=spaces.get("sram", 0),
        largest_union=union,
        clock_khz=round(device.rates.clock_mhz * 1e3),
        memory_khz=kilohertz,
        bus_bits=bits,
        l2=0,  # the simulated device has none
        largest_dim=LARGEST_DIM,
        threads=_thread_facts(device),
    )


def _thread_facts(device: Device) -> ThreadFacts:
    limits = device.shape.threads
    if limits is None:
        return ThreadFacts()
    return ThreadFacts(
        limits.warp, limits.per_block, *MOST_THREADS, limits.per_cluster, *MOST_BLOCKS, limits.static_shared,
        device.shape.spaces["shared"].bytes, limits.shared_per_cluster,
    )  # fmt: skip


def _memory_bus(device: Device) -> tuple[int, int]:
    """Bits of the bus of device memory, and its clock: that of the bandwidth with two words a period."""
    space = _device_space(device)
    name, channel = next((name, one) for name, one in device.rates.channels.items() if space in one.spaces)
    width = device.rates.facts.get(f"channels.{name}.bus_bits")
    return (round(width.value), round(channel.gb_per_s * 1e6 * 8 / width.value / 2)) if width else (0, 0)


def _device_space(device: Device) -> str:
    return next(name for name, space in device.shape.spaces.items() if space.scope == "device")
