"""The command that writes completion for a shell: a script of the table of commands, which starts no Python."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from .commands import COMMANDS, Option
from .screen import Screen

#: Values of an option or a positional argument whose names are known, by how it is called.
_DEVICE, _OPERATOR, _RULE = "--device", "name of op", "id of rules"


def completion(options: argparse.Namespace, screen: Screen) -> bool:
    """Write the script of a shell to standard output."""
    screen.write({"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]())
    return True


def _known() -> dict[str, list[str]]:
    from ...kernels import OPERATORS
    from ..findings import RULES
    from ..launches.device import Device

    return {_DEVICE: Device.names(), _OPERATOR: [*OPERATORS], _RULE: sorted(RULES)}


def _flags(command: str) -> Iterator[tuple[Option, str, list[str] | None]]:
    """The options of a command that begin with a minus, each with its flag and its values; None: it takes none."""
    known = _known()
    for option in COMMANDS[command].options:
        flag, settings = option.settings
        if flag.startswith("-"):
            choices = [str(one) for one in settings.get("choices") or known.get(flag, [])]
            yield option, flag, None if settings.get("action") == "store_true" else choices


def _bash() -> str:
    known, cases = _known(), []
    for command in COMMANDS:
        flags = list(_flags(command))
        cases.append(f"    {command},) words='{' '.join([*(flag for _, flag, _ in flags), '--json', '--help'])}' ;;")
        cases += [f"    {command},{flag}) words='{' '.join(values)}' ;;" for _, flag, values in flags if values]
    first = {"op": known[_OPERATOR], "rules": known[_RULE], "devices": known[_DEVICE]}
    cases += [f"    {command},{command}) words='{' '.join(names)}' ;;" for command, names in first.items()]
    return "\n".join([
        "_mlusim() {",
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=",
        "  [[ $word == -* ]] && before=",
        "  if [ \"$COMP_CWORD\" = 1 ]; then",
        f"    words='{' '.join([*COMMANDS, '--help', '--version'])}'",
        "  else",
        "    case ${COMP_WORDS[1]},$before in",
        *cases,
        "    esac",
        "  fi",
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))",
        "}",
        "complete -o default -F _mlusim mlusim",
        "",
    ])  # fmt: skip


def _zsh() -> str:
    return f"autoload -U +X compinit bashcompinit\ncompinit -u\nbashcompinit\n{_bash()}"


def _fish() -> str:
    def quoted(text: str) -> str:
        return "'" + re.sub(r"(['\\])", r"\\\1", text) + "'"

    known = _known()
    lines = [
        f"complete -c mlusim -n __fish_use_subcommand -f -a {name} -d {quoted(command.help)}"
        for name, command in COMMANDS.items()
    ]
    for command in COMMANDS:
        seen = f"complete -c mlusim -n '__fish_seen_subcommand_from {command}'"
        for option, flag, values in _flags(command):
            kind = "-l" if flag.startswith("--") else "-s" if len(flag) == 2 else "-o"
            takes = "" if values is None else f" -x -a {quoted(' '.join(values))}" if values else " -r"
            lines.append(f"{seen} {kind} {flag.lstrip('-')}{takes} -d {quoted(option.help)}")
        lines.append(f"{seen} -l json")
    for command, names in (("op", known[_OPERATOR]), ("rules", known[_RULE]), ("devices", known[_DEVICE])):
        lines.append(f"complete -c mlusim -n '__fish_seen_subcommand_from {command}' -f -a {quoted(' '.join(names))}")
    return "\n".join([*lines, ""])
