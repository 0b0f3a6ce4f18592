"""A few mutated sources, and that their judge notices a rewriter that is wrong; `tests.fuzz.sources` makes more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.sources import Judge, mutant

pytestmark = pytest.mark.slow

LAUNCHABLE = b"#include <bang.h>\n__nram__ float a[4], b[4];\n__mlu_entry__ void k(float *x) {\n  a[0] = x[0];\n}\n"


@pytest.fixture(scope="module")
def judge(tmp_path_factory) -> Judge:
    return Judge(tmp_path_factory.mktemp("mutants"))


def test_a_few_mutants(judge):
    wrong = [outcome for number in range(0, 400, 114) if (outcome := judge(*mutant(number, 7))).wrong]
    assert not wrong


@pytest.mark.parametrize(
    ("data", "fault", "verdict"),
    [
        (LAUNCHABLE, ("float (&a)", "float\n(&a)"), "built"),
        (LAUNCHABLE, ("float (&a)", "flaot (&a)"), "the compiler says nothing, with the rewriter k.mlu:2"),
        (LAUNCHABLE.replace(b"x[0];", b"y[0];"), ("float (&a)", "float\n(&a)"), "the rewriter k.mlu:5"),
        (LAUNCHABLE.replace(b"x[0];", b"y[0];"), ("y[0]", "0"), "the compiler says k.mlu:4, with the rewriter nothing"),
    ],
)  # fmt: skip
def test_the_judge_notices(judge, monkeypatch, data, fault, verdict):
    from mlusim.simulator.kernelc import rewrite as module

    rewrite = module.rewrite

    def wrong(text: str, asm: dict[str, str]) -> object:
        done = rewrite(text, asm)
        return type(done)(done.text.replace(*fault), done.kernels)

    monkeypatch.setattr(module, "rewrite", wrong)
    assert verdict in judge(Path("k.mlu"), "", data).verdict
