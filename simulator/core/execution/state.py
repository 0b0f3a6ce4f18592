"""Everything that the instructions of one machine share, in one place."""

from __future__ import annotations

from collections.abc import Mapping

from ....isa import DIALECTS
from ...chip import Shape
from ...findings import Collector
from ...log import Recorder
from ..memory import Memory, Store
from .barriers import Barriers
from .current import Current
from .deferred import Deferrals
from .memory_map import MemoryMap
from .messages import Messages
from .repeats import RepeatTable


class Execution:
    """The state that ports and checks work on."""

    def __init__(self, shape: Shape, shared: Mapping[str, Memory]) -> None:
        """``shared`` holds the memories that outlive a launch (the device's own), by space."""
        self.shape, self.dialect = shape, DIALECTS[shape.isa]
        self.current, self.collector, self.recorder = Current(), Collector(), Recorder()
        self.map = MemoryMap(shape, self.dialect, shared, self.current, self.collector)
        self.barriers = Barriers(self.current, self.collector)
        self.messages = Messages(self.current, self.collector, self.barriers.told)
        self.deferrals = Deferrals(self.current, self.messages, self.dialect.queues)
        self.store, self.repeats = Store(), RepeatTable()
        self.map.cache.on_forget = self.repeats.forget
