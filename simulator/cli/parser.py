"""Reads a command line by the table of commands."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from ..text import nearest
from .commands import COMMANDS, GROUPS, Command
from .screen import Screen


class _Parser(argparse.ArgumentParser):
    """A parser whose refusals are messages of ours, and a document with --json; names are written in full."""

    json = False

    def __init__(self, *names: Any, **options: Any) -> None:
        super().__init__(*names, **{**options, "allow_abbrev": False})

    @property
    def flags(self) -> list[str]:
        """The names of its options."""
        return list(self._option_string_actions)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, how it is used, and end with the code of wrong use."""
        self.print_usage(sys.stderr)
        Screen(self.prog.removeprefix("mlusim").strip(), json=self.json).fail(message)
        self.exit(2)


class _Overview(_Parser):
    """The parser of all commands, whose help lists them by what they are for."""

    def format_help(self) -> str:
        lines = ["usage: mlusim COMMAND ...", "", str(self.description), ""]
        for task, names in GROUPS.items():
            lines += [f"{task}:", *(f"  {name:11} {COMMANDS[name].help}" for name in names), ""]
        return "\n".join([*lines, "`mlusim COMMAND --help` lists the options of a command.", ""])


class _Version(argparse.Action):
    """Prints the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"mlusim {import_module('mlusim').__version__}")
        parser.exit()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, with the ``handler`` of its command; SystemExit when argparse refuses them."""
    given, own = _own_arguments(arguments)
    parser = _Overview(
        "mlusim", usage="mlusim COMMAND ...", description="Run accelerator kernels without the accelerator."
    )
    parser.json = "--json" in arguments
    if not arguments:
        parser.print_help()
        parser.exit()
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    word = next((word for word in arguments if not word.startswith("-")), None)
    if word is not None and word not in COMMANDS:
        parser.error(f"no command {word!r}{nearest(word, COMMANDS)}; `mlusim` lists them")
    commands = parser.add_subparsers(
        prog="mlusim", dest="command", required=True, metavar="COMMAND", parser_class=_Parser
    )
    parsers = {name: _add(commands, name, command) for name, command in COMMANDS.items() if name in given}
    for command in parsers.values():
        command.json = parser.json
    options, rest = parser.parse_known_args(given)
    options.own_arguments = own
    if options.command in ("op", "sweep"):  # argparse takes no name=value after an option
        options.arguments += [text for text in rest if not text.startswith("-")]
        rest = [text for text in rest if text.startswith("-")]
    if rest:
        command = parsers[options.command]
        meant = nearest(rest[0].partition("=")[0], command.flags) if rest[0].startswith("-") else ""
        command.error(f"unrecognized arguments: {' '.join(rest)}{meant}")
    return options


def _add(commands: Any, name: str, command: Command) -> _Parser:
    """The parser of a command."""
    parser: _Parser = commands.add_parser(
        name, help=command.help, usage=command.usage, description=command.description, epilog=command.epilog
    )
    parser.set_defaults(handler=_later(*command.handler.split(".")))
    groups: dict[str, Any] = {"": parser}
    for option in command.options:
        flag, settings = option.settings
        place = settings.pop("dest", flag) if not flag.startswith("-") else flag
        if option.group not in groups:
            groups[option.group] = parser.add_argument_group(option.group)
        groups[option.group].add_argument(place, **settings)
    parser.add_argument("--json", action="store_true", help="write one JSON document instead of tables")
    return parser


def _later(module: str, name: str) -> Callable[[argparse.Namespace, Screen], bool | int]:
    """A handler whose module is imported when its command runs: the others need not wait for it."""

    def handler(options: argparse.Namespace, screen: Screen) -> bool | int:
        command = getattr(import_module(f".{module}", __package__), name)
        if not gc.isenabled():  # what was imported is no garbage: collections pass over it from now on
            gc.freeze()
            gc.enable()
        done: bool | int = command(options, screen)
        return done

    return handler


def _own_arguments(arguments: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """The words before a `--`, and those after it, which are the arguments of the program that is run."""
    words = list(arguments)
    if not {"run", "check"} & set(words[:2]) or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]
