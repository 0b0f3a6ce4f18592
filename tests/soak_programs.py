"""Programs with host code without end: what they use has to stay flat, and nothing of them may be left over.

python -m tests.soak_programs --launches 20000 --programs 8 --interrupts 10
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mlusim.simulator.host.programs.toolkit import write_toolkit

from tests.support.processes import Marked

SOURCE = Path(__file__).parent / "host" / "programs" / "life.mlu"
RUN = (sys.executable, "-m", "mlusim.simulator", "run")
#: Bytes by which the memory of all processes may grow in the second half of a run, beside those of each launch.
_SLACK, _OF_A_LAUNCH = 8 << 20, 1024

#: What Python itself says when Ctrl-C comes while it starts.
_NO_PYTHON_YET = "Fatal Python error: init_import_site"


@dataclass(frozen=True)
class Use:
    """What the processes of a program have of their host: bytes that are theirs alone, descriptors, how many."""

    bytes: int
    descriptors: int
    processes: int

    @classmethod
    def of(cls, processes: Sequence[int]) -> Use:
        pages = descriptors = 0
        for process in processes:
            with suppress(OSError):
                resident, shared = map(int, Path(f"/proc/{process}/statm").read_text().split()[1:3])
                pages += resident - shared
                descriptors += len(os.listdir(f"/proc/{process}/fd"))
        return cls(pages * os.sysconf("SC_PAGE_SIZE"), descriptors, len(processes))

    def __str__(self) -> str:
        return f"{self.bytes / 2**20:.1f} MiB, {self.descriptors} descriptors, {self.processes} processes"


class Soak:
    """A program of a toolkit in a folder that nothing may be left in, and what has gone wrong."""

    def __init__(self, folder: Path) -> None:
        write_toolkit(folder / "sdk", ["mlu370-x4"])
        self.program, self._temporary = folder / "life", folder / "temporary"
        self._temporary.mkdir()
        words = [folder / "sdk" / "bin" / "cncc", "-g", SOURCE, "-o", self.program, "-lpthread"]
        subprocess.run(words, check=True)
        self.wrong: list[str] = []

    def start(self, *words: object) -> tuple[Marked, subprocess.Popen[str]]:
        """Start a program in a session of its own."""
        marked = Marked(TMPDIR=str(self._temporary))
        process = subprocess.Popen(
            [*map(str, words)], env=marked.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        return marked, process

    def end(self, marked: Marked, process: subprocess.Popen[str], codes: Sequence[int]) -> str:
        """Wait for a program, which has to end with one of these codes; what it has written."""
        written = process.communicate(timeout=3600)[0]
        if process.returncode not in codes and not written.startswith(_NO_PYTHON_YET):
            self.wrong.append(f"exit code {process.returncode}: {written}")
        if left := marked.left():
            self.wrong.append(f"processes are left: {left}")
        if files := [path.name for path in self._temporary.iterdir()]:
            self.wrong.append(f"files are left: {files}")
        return written

    def launches(self, count: int) -> None:
        """Many launches of one program, which waits after each quarter of them while what it uses is read."""
        marked, process = self.start(self.program, "add", count, count // 4)
        assert process.stdin
        assert process.stdout
        begin, uses = time.monotonic(), []
        for _ in range(4):
            self.wrong += [f"{count} launches wrote {line}" for line in [process.stdout.readline()] if line != "part\n"]
            uses.append(Use.of(list(marked.alive())))
            process.stdin.write("\n")
            process.stdin.flush()
        self.end(marked, process, [0])
        _, middle, _, last = uses
        seconds = time.monotonic() - begin
        _say(f"{count} launches in {seconds:.1f} s: {middle} after half of them, {last} at the end")
        if last.bytes > middle.bytes + _SLACK + count // 2 * _OF_A_LAUNCH or last.descriptors > middle.descriptors:
            self.wrong.append(f"{count} launches: from {middle} to {last}")

    def programs(self, count: int, launches: int) -> None:
        """Programs at the same time."""
        begin = time.monotonic()
        for started in [self.start(self.program, "add", launches) for _ in range(count)]:
            self.end(*started, [0])
        _say(f"{count} programs of {launches} launches at once in {time.monotonic() - begin:.1f} s")

    def interrupts(self, moments: int) -> None:
        """Ctrl-C at so many moments of a program's life, by itself and started by `mlusim run`."""
        for words in ([self.program], [*RUN, self.program, "--"]):
            begin = time.monotonic()
            self.end(*self.start(*words, "add", 300), [0])
            life, codes = time.monotonic() - begin, []
            for moment in range(moments):
                marked, process = self.start(*words, "add", 300)
                time.sleep(life * (moment + 0.5) / moments)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGINT)
                self.end(marked, process, [-signal.SIGINT, 128 + signal.SIGINT, 0])
                codes.append(process.returncode)
            _say(f"Ctrl-C at {moments} moments of {life:.1f} s of {Path(str(words[0])).name}: exit codes {codes}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=20000)
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--interrupts", type=int, default=10)
    given = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # its programs would ignore it, too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder))
        soak.launches(given.launches)
        soak.programs(given.programs, max(given.launches // 100, 1))
        soak.interrupts(given.interrupts)
    for wrong in soak.wrong:
        _say(f"wrong: {wrong}")
    return int(bool(soak.wrong))


if __name__ == "__main__":
    sys.exit(main())
