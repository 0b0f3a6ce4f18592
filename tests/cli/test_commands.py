"""The table of commands as users meet it: help by task, completion in shells, examples to begin with."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from mlusim.simulator.cli import main
from mlusim.simulator.cli.commands import COMMANDS, GROUPS
from mlusim.simulator.cli.documents import document_schema

from tests.support.commands import call
from tests.support.paths import ROOT


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) if not arguments else pytest.MonkeyPatch.context() as end:
        assert main(arguments) == 0
    assert arguments or end.value.code in (None, 0)
    return capsys.readouterr().out


def test_mlusim_alone_lists_the_commands_by_task(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys)
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert listed == [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    assert all(len(line) <= 80 for line in out.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_its_options_and_says_what_each_is_for(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])
    out = capsys.readouterr().out
    assert out.startswith(f"usage: mlusim {name} ")
    for option in COMMANDS[name].options:
        flag, settings = option.settings
        shown = flag if flag.startswith("-") else str(settings["metavar"] or option.usage)
        assert re.search(rf"^  {re.escape(shown)}(?: |$)", out, re.M), shown
        assert option.help, shown


#: What has been typed, and some of what is offered; nothing else begins so.
TYPED = [
    ("mlusim re", {"replay"}),
    ("mlusim run k.mlu --de", {"--device"}),
    ("mlusim run --device bm16", {"bm1684", "bm1684x", "bm1688", "bm1690"}),
    ("mlusim check --checks ", {"all", "fast", "none"}),
    ("mlusim op logs", {"logspace"}),
    ("mlusim rules redundant", {"redundant-sync"}),
    ("mlusim view r.mlulog --no-br", {"--no-browser"}),
]


@pytest.mark.parametrize(("typed", "offered"), TYPED)
def test_bash(capsys: pytest.CaptureFixture[str], tmp_path: Path, typed: str, offered: set[str]) -> None:
    script = tmp_path / "mlusim.bash"
    script.write_text(printed(capsys, "completion", "bash"))
    words = typed.split(" ")
    ask = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mlusim; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", ask, "-", script, *words], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


def test_zsh(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "mlusim.zsh"
    script.write_text(printed(capsys, "completion", "zsh"))
    if not shutil.which("zsh"):
        pytest.skip("needs zsh")
    ask = "source $1; print -r -- $_comps[mlusim]"
    done = subprocess.run(["zsh", "-f", "-c", ask, "-", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "_bash_complete -o default -F _mlusim"


def test_fish(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "mlusim.fish"
    script.write_text(printed(capsys, "completion", "fish"))
    if not shutil.which("fish"):
        pytest.skip("needs fish")
    for typed, offered in TYPED:
        ask = f"source {script}; complete -C '{typed}'"
        done = subprocess.run(["fish", "-N", "-c", ask], capture_output=True, text=True, check=True)
        assert {line.split("\t")[0] for line in done.stdout.splitlines()} == offered, typed


def test_examples_are_those_of_the_documentation(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = printed(capsys, "examples", str(tmp_path / "new"))
    assert "--kernel scale --dim 4 --arg" in out
    copied = {path.relative_to(tmp_path / "new") for path in (tmp_path / "new").rglob("*") if path.is_file()}
    if shutil.which("git") and (ROOT / ".git").exists():  # an unpacked sdist is no clone
        kept = subprocess.run(["git", "ls-files"], cwd=ROOT / "docs" / "examples", capture_output=True, text=True)
        assert copied == set(map(Path, kept.stdout.split()))
    assert Path("cpu_reference/right.cpp") in copied
    assert main(["examples", str(tmp_path / "new")]) == 2
    assert "exists already; pass the name of a new folder" in capsys.readouterr().err


def test_the_schema_names_every_command_but_those_that_write_text(capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(printed(capsys, "schema"))
    assert schema == document_schema()
    named = {one["properties"]["schema"]["const"] for one in schema["oneOf"]}
    assert named == {"mlusim", *(f"mlusim/{name}" for name in COMMANDS.keys() - {"schema", "completion"})}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rnu k.mlu", "mlusim: no command 'rnu' (did you mean 'run'?)"),
        ("frobnicate", "mlusim: no command 'frobnicate'; `mlusim` lists them"),
        ("run k.mlu --dimm 4", "unrecognized arguments: --dimm 4 (did you mean '--dim'?)"),
        ("replay t.pftrace", "t.pftrace is a trace for viewers; pass a log"),
    ],
)
def test_wrong_words_are_answered_with_the_nearest_right_ones(
    capsys: pytest.CaptureFixture[str], given: str, said: str
) -> None:
    code, out, err = call(capsys, *given.split())
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    "given",
    [
        "op logspace start=0 end=6 steps=7 base=2",
        f"run {ROOT / 'docs' / 'examples' / 'scale.mlu'} --kernel scale --arg zeros:float32:64 zeros:float32:64 3 64",
        f"run {ROOT / 'docs' / 'examples' / 'host_fixed.mlu'}",
    ],
    ids=["operator", "kernel", "program"],
)
def test_why_is_said_where_it_is_asked_for(capfd: pytest.CaptureFixture[str], given: str) -> None:
    """In words too, not in documents alone."""
    for more in ("", "--why"):
        assert main([*given.split(), *more.split()]) == 0
        assert ("[Compute Efficiency]" in capfd.readouterr().out) == bool(more)
