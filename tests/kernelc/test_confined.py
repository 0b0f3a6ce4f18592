"""What a compiler reads where the sandbox is required."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlusim.simulator import BuildError, Device, load
from mlusim.simulator.native.landlock import problem

pytestmark = pytest.mark.skipif(bool(problem()), reason=problem())

KERNEL = "__mlu_entry__ void k(float *x) { x[0] = 1; }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLUSIM_REQUIRE_SANDBOX", "1")
    (tmp_path / "secret.h").write_text("token_of_the_user")
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.h").write_text("#define ONE 1\n")
    return tmp_path / "own"


@pytest.mark.parametrize(
    "line",
    [
        '#include "{}"',
        '#include "../secret.h"',
        'asm(".incbin \\"{}\\"");',
        'asm(".incbin \\"../secret.h\\"");',
        'asm(".macro m a b\\n.\\\\a\\\\b \\"{}\\"\\n.endm\\nm inc bin");',
        'asm(".include \\"{}\\"");',
        '#include "/proc/self/environ"',
        '#include "link.h"',
    ],
)
def test_files_of_the_user_stay_unread(device: Device, folder: Path, line: str) -> None:
    (folder / "link.h").symlink_to("../secret.h")
    source = folder / "k.mlu"
    source.write_text(line.format(folder.parent / "secret.h") + "\n" + KERNEL)
    with pytest.raises(BuildError, match=r"reads the folders of the source and of -I, and no other file") as caught:
        load([source], device=device)
    assert "token_of_the_user" not in str(caught.value)


def test_what_a_build_needs_is_read(device: Device, folder: Path) -> None:
    more = folder / "deeper"
    more.mkdir()
    (more / "third.h").write_text("#define TWO 2\n")
    (folder / "k.mlu").write_text(
        '#include <algorithm>\n#include <bang.h>\n#include "own.h"\n#include "deeper/third.h"\n#include "other.h"\n'
        f'asm(".pushsection .data\\n.incbin \\"{folder / "own.h"}\\"\\n.popsection");\n' + KERNEL
    )
    program = load([folder / "k.mlu"], device=device, include=[folder.parent / "other"])
    assert program.kernels == ["k"]


def test_what_was_built_without_the_sandbox_is_read_again(device: Device, folder: Path, monkeypatch) -> None:
    source = folder / "k.mlu"
    source.write_text('#include "../secret.h"\n ;\n' + KERNEL)
    (folder.parent / "secret.h").write_text("typedef int other")
    monkeypatch.delenv("MLUSIM_REQUIRE_SANDBOX")
    assert load([source], device=device).kernels == ["k"]
    monkeypatch.setenv("MLUSIM_REQUIRE_SANDBOX", "1")
    with pytest.raises(BuildError, match="Permission denied"):
        load([source], device=device)
