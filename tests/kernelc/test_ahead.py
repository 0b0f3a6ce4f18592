"""Headers compiled ahead: what moves to them, and that what is built is the same."""

import numpy
import pytest
from mlusim.simulator import BuildError, Device, load
from mlusim.simulator.kernelc import ahead
from mlusim.simulator.native import INCLUDE
from mlusim.simulator.native.elf import Elf

from tests.support.caches import cache_with_ours

OURS = '# 0 "k.mlu"\n# 1 "/ours/mlu.h" 1 3\nint ours;\n# 1 "/ours/ops.h" 1 3\n#pragma mlusim operations\n'
BACK = 'void op();\n# 9 "/ours/mlu.h" 2 3\nint more;\n# 1 "k.mlu" 2\n'
ONE = '# 1 "/usr/one" 1 3\nint one;\n# 1 "/usr/in" 1 3\nint in;\n# 2 "/usr/one" 2 3\n'
TWO = '# 1 "/usr/two" 1 3 4\nint two;\n'
HEADERS = '# 0 "/<stated>/<headers>"\n# 1 "/ours/mlu.h" 1 3\nint ours;\n# 1 "/ours/ops.h" 1 3\n'
HERE = '# 1 "/ours/ops.h"\n'
MOVED_ONE, MOVED_TWO = (f'{text}# 1 "/ours/ops.h" 2 3\n' for text in (ONE, TWO))


@pytest.mark.parametrize(
    ("text", "moved", "left"),
    [
        (f'{ONE}# 2 "k.mlu" 2\nint x;\n', MOVED_ONE, '# 1 "/usr/one" 1 3\n# 2 "k.mlu" 2\nint x;\n'),
        (
            f'{ONE}# 2 "k.mlu" 2\nenum E {{ A }};\nstruct S {{ int f(); }};\n{TWO}# 5 "k.mlu" 2\nint x;\n',
            MOVED_ONE + MOVED_TWO,
            '# 1 "/usr/one" 1 3\n# 2 "k.mlu" 2\nenum E { A };\nstruct S { int f(); };\n'
            '# 1 "/usr/two" 1 3 4\n# 5 "k.mlu" 2\nint x;\n',
        ),
        (f'int f() {{ return 1; }}\n{TWO}# 2 "k.mlu" 2\n', "", None),
        (f'struct S {{ int f() {{ return 1; }} }};\n{TWO}# 2 "k.mlu" 2\n', "", None),
        (f'extern "C" {{\n{ONE}# 3 "k.mlu" 2\n}}\n{TWO}# 5 "k.mlu" 2\n', "", None),
        (f'namespace n {{\n{ONE}# 3 "k.mlu" 2\n}}\n', "", None),
        (f'int x =\n{ONE}# 3 "k.mlu" 2\n;\n', "", None),
        (f'# 1 "{INCLUDE}/bang/cnrt.h" 1 3\nint late;\n# 2 "k.mlu" 2\n{TWO}# 3 "k.mlu" 2\n', "", None),
    ],
)
def test_headers_at_file_scope_move_before_the_instructions(text, moved, left):
    *found, (ours, rest) = ahead._splits(OURS + BACK + text)
    assert (ours, rest) == (HEADERS, HERE + BACK + text)
    assert found == ([(HEADERS + moved, HERE + BACK + left)] if moved else [])


def test_a_text_without_instructions_is_compiled_as_it_is():
    assert list(ahead._splits(f"int x;\n{ONE}")) == []


KERNEL = """
#include <vector>
static float scaled(float x) { return x * 3; }
#include <algorithm>
__mlu_entry__ void k(float* x, int n) {
  __nram__ float tile[64];
  __nram__ half filled[64];
  __bang_write_value(filled, 64, 0);
  __memcpy(tile, x, 256, GDRAM2NRAM);
  __bang_mul_scalar(tile, tile, scaled(std::min(n, 2)), 64);
  for (float v : std::vector<float>(2, 1.0f)) tile[n] += v;
  __memcpy(x, tile, 256, NRAM2GDRAM);
}
"""


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Builds a kernel, each time as if it were new."""
    monkeypatch.setenv("MLUSIM_CACHE", str(cache_with_ours(tmp_path / "cache")))
    source = tmp_path / "k.mlu"

    def build(text: str = KERNEL) -> tuple[bytes, list[str]]:
        source.write_text(text)
        program = load([source], device=Device.load("mlu370-x4"))
        run = program.launch("k", (1, 1, 1), "block", [numpy.ones(64, "float32"), 2], on_finding="collect")
        image = program._base[0].library
        code = Elf(image).section(".text")
        image.unlink()
        return code, [str(finding.location) for finding in run.findings]

    return build


def test_an_image_is_the_same_with_headers_ahead(built, monkeypatch):
    taken = []

    def noted(*given, _original=ahead._compiled):
        taken.append(_original(*given))
        return taken[-1]

    monkeypatch.setattr(ahead, "_compiled", noted)
    first = built()
    built()
    assert built() == first
    assert [bool(made) for made in taken] == [False, False, True, True]
    assert first[1][0].endswith("k.mlu:8")  # of a fill whose function is one of ours


def test_headers_that_cannot_be_taken_cost_nothing_but_time(built, monkeypatch, tmp_path):
    code, _ = built()
    damaged = tmp_path / "headers.gch"
    damaged.write_bytes(b"gpch" + bytes(4096))
    monkeypatch.setattr(ahead, "_compiled", lambda *given: damaged)
    assert built()[0] == code
    with pytest.raises(BuildError, match=r"k.mlu:3:39: error: 'y' was not declared"):
        built(KERNEL.replace("return x", "return y"))
