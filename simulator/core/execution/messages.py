"""Messages between engines: commands that hold their queue until others have sent often enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from greenlet import getcurrent

from ....isa import Signal
from ...findings import Collector, Squashed
from .current import Current
from .extents import Deferred


@dataclass
class _Box:
    """What is known of a message: how often it was sent, who waits for it, who has waited, and its last sender."""

    sent: int = 0
    readers: int = 0
    passed: int = 0
    pc: int = 0


@dataclass(frozen=True)
class Sending:
    """The effect of a command that sends a message."""

    messages: Messages
    number: int
    readers: int
    pc: int
    name: str

    def __call__(self) -> None:
        box = self.messages.boxes.setdefault(self.number, _Box())
        box.sent, box.readers, box.pc = box.sent + 1, self.readers, self.pc
        self.messages.told()


@dataclass(frozen=True)
class Awaiting:
    """That of one that waits for a message: False as long as it has to wait."""

    messages: Messages
    number: int
    count: int
    pc: int
    name: str

    def __call__(self) -> bool:
        box = self.messages.boxes.get(self.number, _Box())
        if box.sent < self.count:
            return False
        box.passed += 1
        if box.passed == box.readers:
            del self.messages.boxes[self.number]
        return True

    @property
    def sent(self) -> tuple[int, int | None]:
        """How often the message was sent, and the program counter of the last command that did."""
        box = self.messages.boxes.get(self.number, _Box())
        return box.sent, box.pc if box.sent else None


def held_by(pending: Iterable[Deferred]) -> Awaiting:
    """What holds the first queue that is held."""
    return next(entry.effect for entry in pending if isinstance(entry.effect, Awaiting))


@dataclass
class Messages:
    """The messages of one launch, by number: all cores share them."""

    current: Current
    collector: Collector
    told: Callable[[], None] = lambda: None  # is called when one has been sent
    used: bool = False  # some command has sent or awaited one
    boxes: dict[int, _Box] = field(default_factory=dict)

    def begin(self) -> None:
        """A launch begins."""
        self.used = False
        self.boxes.clear()

    def command(self, sends: bool, number: int, count: int, pc: int, name: str) -> Sending | Awaiting:
        """The effect of a command."""
        self.used = True
        return (Sending if sends else Awaiting)(self, number, count, pc, name)

    def give_way(self) -> None:
        """Let other tasks run, since the running one waits for a queue that waits for a message."""
        task = self.current.running
        task.waiting = (Signal(sends=False), held_by(task.pending).pc)
        getcurrent().parent.switch()
        if self.collector.ended:
            self.collector.on_stop()
            raise Squashed
