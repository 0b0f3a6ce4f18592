"""The right kernels are silent; of a fault in each of them most are found, in few findings."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from mlusim.simulator.findings.rules.declared import PLAIN

from .measure import Right, Table, Verdict, built
from .mutations import KINDS, Mutant, mutants
from .subjects import KERNELS, Subject, ours

#: What the faults are drawn by; with others, other faults.
SEED = 6


@pytest.fixture(scope="module")
def rights(tmp_path_factory: pytest.TempPathFactory) -> list[Right]:
    """Every kernel with what it leaves; ValueError where there is an error or a warning."""
    work, subjects = tmp_path_factory.mktemp("right"), ours()
    program = built(KERNELS, work, subjects[0].device)
    return [Right(subject, work, program) for subject in subjects]


def together(chosen: list[tuple[Subject, Mutant]], text: str = KERNELS) -> str:
    """One source with a fault in each of several kernels: they share no line."""
    lines = text.splitlines(keepends=True)
    for subject, mutant in chosen:
        place = lines_of(subject)
        lines[place] = mutant.text.splitlines(keepends=True)[place]
    return "".join(lines)


def without(subjects: list[Subject]) -> str:
    """The source without some kernels, lines where they are."""
    lines = KERNELS.splitlines(keepends=True)
    for place in map(lines_of, subjects):
        lines[place] = ["\n"] * len(lines[place])
    return "".join(lines)


def lines_of(subject: Subject) -> slice:
    within = subject.source.within
    return slice(subject.source.line(within.start) - 1, subject.source.line(within.end - 1))


def test_right_kernels_say_nothing(rights: list[Right]) -> None:
    assert {right.subject.name: right.said for right in rights if right.said} == {}


def drawn(rights: list[Right], work: Path, text: str = KERNELS) -> Table:
    """What is found of a fault in each kernel."""
    rng, chosen = random.Random(SEED), []
    for right in rights:
        kinds = mutants(right.subject.source)
        chosen.append((right.subject, rng.choice(kinds[rng.choice(sorted(kinds))])))
    program = built(together(chosen, text), work, rights[0].subject.device)
    judged = [right.judged(mutant, program) for right, (_, mutant) in zip(rights, chosen, strict=True)]
    return Table([verdict for verdict in judged if isinstance(verdict, Verdict)])


def test_faults_are_found(rights: list[Right], tmp_path: Path) -> None:
    found = drawn(rights, tmp_path)
    assert len(found.verdicts) >= 20
    assert found.detected >= 0.88, f"{found}"
    assert found.share("error", "warning") >= 0.66, f"{found}"
    assert sum(len(verdict.findings) for verdict in found.found) <= 1.5 * len(found.found), f"{found}"


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.further)])
def test_faults_are_found_beside_counts_and_addresses_that_the_chip_does_not_allow(step: int, tmp_path: Path) -> None:
    """In every second kernel, and with --further in all."""
    subjects = [replace(subject, device="mlu270") for subject in ours()[::step]]
    text = without([subject for at, subject in enumerate(ours()) if at % step])
    program = built(text, tmp_path, "mlu270")
    rights = [Right(subject, tmp_path, program, flawed=True) for subject in subjects]
    found = drawn([right for right in rights if any(rule in PLAIN for rule, _ in right.said)], tmp_path, text)
    assert len(found.verdicts) >= 15 // step
    assert found.detected >= 0.8, f"{found}"
    assert sum(len(verdict.findings) for verdict in found.found) <= 1.5 * len(found.found), f"{found}"


def test_every_kind_has_its_places_and_keeps_the_lines(rights: list[Right]) -> None:
    kinds = set()
    for right in rights:
        text = right.subject.source.text
        found = [mutant for of in mutants(right.subject.source).values() for mutant in of]
        kinds |= {mutant.kind for mutant in found}
        assert {mutant.text.count("\n") for mutant in found} == {text.count("\n")}
        assert text not in {mutant.text for mutant in found}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("seed", [SEED, pytest.param(SEED + 1, marks=pytest.mark.further)])
@pytest.mark.parametrize(("language", "least"), [("c", 0.8), ("cu", 0.7)])
def test_kernels_of_tpus_and_of_threads(language: str, least: float, seed: int, tmp_path: Path) -> None:
    """Those that are right say nothing; of a fault in each most are found, as errors or warnings."""
    subjects, rng, chosen = ours(language), random.Random(seed), []
    text = (Path(__file__).with_name(f"kernels.{language}")).read_text("utf-8")
    program = built(text, tmp_path, subjects[0].device, language)
    rights = [Right(subject, tmp_path, program) for subject in subjects]
    assert {right.subject.name: right.said for right in rights if right.said} == {}
    for subject in subjects:
        kinds = mutants(subject.source)
        chosen.append((subject, rng.choice(kinds[rng.choice(sorted(kinds))])))
    broken = built(together(chosen, text), tmp_path, subjects[0].device, language)
    verdicts = [right.judged(mutant, broken) for right, (_, mutant) in zip(rights, chosen, strict=True)]
    found = Table([verdict for verdict in verdicts if isinstance(verdict, Verdict)])
    assert 2 * len(found.verdicts) >= len(subjects)
    assert found.share("error", "warning") >= least, f"{found}"
