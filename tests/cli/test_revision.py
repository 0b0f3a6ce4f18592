"""`--against git:COMMIT`: the files of a launch as a commit has them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator.cli import main, revision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

KERNEL = """
#include <bang.h>
#include "factor.h"
__mlu_entry__ void scale(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = FACTOR * x[i];
}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a kernel and its header, both committed."""
    root = tmp_path / "a repository"
    (root / "include").mkdir(parents=True)
    (root / "scale.mlu").write_text(KERNEL)
    (root / "include" / "factor.h").write_text("#define FACTOR 2\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=root, check=True, capture_output=True
        )
    return root


def checked(root: Path, against: str, file: str = "scale.mlu") -> int:
    np.save(root.parent / "x.npy", np.arange(1, 6, dtype=np.float32))
    return main(
        ["check", str(root / file), "-I", str(root / "include"), "--kernel", "scale", "--against", against, "--arg",
         "zeros:float32:5", str(root.parent / "x.npy"), "5"]
    )  # fmt: skip


def test_a_commit_with_its_headers(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(repository, "git:HEAD") == 0
    (repository / "include" / "factor.h").write_text("#define FACTOR 3\n")
    assert checked(repository, "git:HEAD") == 1
    assert "out[0] is 3, not 2" in capsys.readouterr().out
    (repository / "scale.mlu").write_text(KERNEL.replace("FACTOR * x[i]", "x[i] + x[i]"))
    assert checked(repository, "git:HEAD") == 0
    status = subprocess.run(["git", "status", "--short"], cwd=repository, capture_output=True, text=True, check=True)
    assert status.stdout.split() == ["M", "include/factor.h", "M", "scale.mlu"]  # nothing else has changed there


def test_what_is_no_version(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "new.mlu").write_text(KERNEL)
    for against, file, said in (
        ("git:HEAD", "new.mlu", "has no "),
        ("git:nowhere", "scale.mlu", "Needed a single revision"),
        ("git:--all", "scale.mlu", "Needed a single revision"),
    ):
        assert checked(repository, against, file) == 2
        error = capsys.readouterr().err
        assert f"--against {against}: " in error
        assert said in error


def test_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "plain"
    (root / "include").mkdir(parents=True)
    (root / "scale.mlu").write_text(KERNEL)
    (root / "include" / "factor.h").write_text("#define FACTOR 2\n")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert checked(root, "git:HEAD") == 2
    assert "--against git:HEAD: not a git repository" in capsys.readouterr().err

    def missing(*arguments: object, **options: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(revision.subprocess, "run", missing)
    assert checked(root, "git:HEAD") == 2
    assert "git is not installed; pass the files of the other version" in capsys.readouterr().err
