"""Lines and tables for people: where they break, what stands under what, what a terminal gets and a pipe does not."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest
from mlusim.simulator.console import Column, Console

TABLE: list[Column] = [("NAME", False), ("us", True), ("place", False)]
ROWS = [("__bang_add", "1.5", "scale.mlu:12"), ("二つ", "12.25", "")]


def written(width: int = 0, *, styled: bool = False) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file, width, styled), file


def test_figures_stand_at_the_right_and_wide_characters_take_two_cells():
    console, file = written()
    console.table(TABLE, ROWS)
    assert file.getvalue() == "NAME           us  place\n__bang_add    1.5  scale.mlu:12\n二つ        12.25\n"


def test_no_heads_no_line_for_them_and_the_first_column_has_its_least_width():
    console, file = written()
    console.table([("", False), ("", True)], [("a", "1")], least=5)
    assert file.getvalue() == "a      1\n"
    console, file = written()
    console.table([("A", False)], [])
    assert file.getvalue() == "A\n"


@pytest.mark.parametrize("width", [20, 24, 28])
def test_a_table_fits_its_window_and_loses_nothing(width):
    console, file = written(width)
    console.table(TABLE, ROWS)
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "12.25" in file.getvalue()
    assert sorted("".join(lines).replace(" ", "")) == sorted("NAMEusplace" + "".join(map("".join, ROWS)))


def test_lines_break_between_words_and_within_long_ones_and_keep_their_indent():
    console, file = written(12)
    console.line("one two three extraordinary", indent=2)
    assert file.getvalue() == "  one two\n  three\n  extraordin\n  ary\n"
    console, file = written()
    console.line("one two three extraordinary " * 99, indent=2)
    assert file.getvalue().count("\n") == 1


def test_styles_are_for_terminals_and_go_on_in_the_next_line():
    console, file = written(6, styled=True)
    console.line([("ab cd", "bold red"), (" ef", "")])
    assert file.getvalue() == "\x1b[1;31mab cd\x1b[0m\nef\n"
    console, file = written()
    console.whole(("ab", "bold"), ("\x1b[2J", "red"))
    assert file.getvalue() == "ab\\x1b[2J\n"


def on_a_terminal(script: str, width: int, **environment: str) -> str:
    """What a script writes to a terminal of a width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, width, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    given = known | {"TERM": "xterm"} | environment
    with subprocess.Popen([sys.executable, "-c", script], stdout=theirs, stderr=theirs, env=given) as process:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 1 << 16):
                said += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        assert process.wait() == 0, said
    return said.decode().replace("\r\n", "\n")


def test_what_a_stream_is():
    script = "import sys; from mlusim.simulator.console import Console; Console.of(sys.stdout).line('ab cd', 'bold')"
    assert on_a_terminal(script, 40) == "\x1b[1mab cd\x1b[0m\n"
    assert on_a_terminal(script, 4) == "\x1b[1mab\x1b[0m\n\x1b[1mcd\x1b[0m\n"
    assert on_a_terminal(script, 40, NO_COLOR="1") == on_a_terminal(script, 40, TERM="dumb") == "ab cd\n"


def test_a_bar_is_taken_back_and_what_is_printed_stands_above():
    script = """
from mlusim.simulator.cli.screen import Screen
screen = Screen("sweep", json=False)
with screen.progress("sweeping") as progress:
    progress(0, 4)
    print("half ", end="")
    print("a line")
    progress(4, 4)
    print("rest", end="")
with screen.busy("building"):
    pass
print()
screen.line("done")
"""
    said = on_a_terminal(script, 100)
    assert re.sub(r"\x1b\[\?7[lh]", "", said).split("\r\x1b[K") == [
        "", f"sweeping {'':40} 0/4 0:00:00", "half a line\n", f"sweeping {'':40} 0/4 0:00:00",
        f"sweeping {'━' * 40} 4/4 0:00:00", "rest", "building", "\ndone\n",
    ]  # fmt: skip
    assert on_a_terminal(script, 100, TERM="dumb") == "half a line\nrest\ndone\n"
