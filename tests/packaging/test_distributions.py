"""What is built of a clone: everything in the source distribution, a small wheel that works by itself."""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import mlusim
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: Bytes that the wheel may have: nearly all is source, so that more means that a file came in that none needs.
LARGEST = 2_250_000


def test_there_is_one_version():
    (assigned,) = (
        node for node in ast.parse((ROOT / "mlusim" / "__init__.py").read_text()).body if isinstance(node, ast.Assign)
    )
    assert ast.literal_eval(assigned.value) == mlusim.__version__
    assert "version" in PROJECT["dynamic"]
    assert f"\nversion: {mlusim.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {mlusim.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_no_person_and_no_machine_is_named():
    assert PROJECT["authors"] == [{"name": "the mlusim developers"}]
    for page in ("CITATION.cff", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "Containerfile"):
        assert "@" not in (ROOT / page).read_text(encoding="utf-8"), page


def test_the_container_runs_the_tour(tmp_path):
    """The image is built elsewhere; here the tour that it runs, and that what it copies is there."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    program, script = json.loads(re.findall(r"^CMD (.*)$", text, re.M)[0])
    path = ROOT / Path(script).relative_to("/mlusim")
    tools = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "MLUSIM_CACHE": _cache()}
    done = subprocess.run([program, path], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "error: order: __bang_mul_scalar" in done.stderr
    assert "no findings: every rule was kept" in done.stdout + done.stderr
    assert (tmp_path / "scale.html").stat().st_size > 10_000


def _cache() -> str:
    return os.environ.get("MLUSIM_CACHE") or os.path.expanduser("~/.cache/mlusim")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with both distributions, the wheel built from the unpacked source distribution."""
    if not (ROOT / ".git").exists():
        pytest.skip("distributions are built in a clone")
    folder = tmp_path_factory.mktemp("built")
    make = "from setuptools import build_meta; import sys; build_meta.build_{}(sys.argv[1])"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    clone = folder / "clone"  # building leaves files behind
    for name in filter(None, listed):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            os.link(ROOT / name, clone / name)
    subprocess.run([sys.executable, "-c", make.format("sdist"), folder], cwd=clone, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # 3.11.4 has it
    (unpacked,) = folder.glob("mlusim-*/")
    subprocess.run([sys.executable, "-c", make.format("wheel"), folder], cwd=unpacked, check=True, capture_output=True)
    return folder


def test_scripts_in_a_clone_find_its_packages():
    """Where nothing leads to them but the folder that the script is in, as where a wheel is installed."""
    look = (
        "import sys; sys.meta_path = [one for one in sys.meta_path if 'editable' not in str(one).lower()]; "
        "import mlusim.simulator, mlusim.isa; print(mlusim.simulator.__file__)"
    )
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"{ROOT / 'simulator' / '__init__.py'}\n", done.stderr


@pytest.mark.slow
def test_the_source_distribution_has_everything(built):
    (unpacked,) = built.glob("mlusim-*/")
    clone = {path.relative_to(built / "clone") for path in (built / "clone").rglob("*") if path.is_file()}
    there = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    made = re.compile(r"(^build/|egg-info|__pycache__)")
    assert {str(path) for path in clone - there if not made.search(str(path))} <= {".dockerignore"}


@pytest.mark.slow
def test_the_wheel_is_small_and_its_readme_leads_somewhere(built):
    (wheel,) = built.glob("*.whl")
    assert wheel.stat().st_size <= LARGEST
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert {name.split("/")[0] for name in names} == {"mlusim", f"mlusim-{mlusim.__version__}.dist-info"}
    assert "\nProject-URL:" not in metadata  # the repository has no public address, and none is invented
    assert _leads_somewhere(metadata.partition("\n\n")[2])
    assert "[" not in re.sub(r"`[^`]*`|^```.*?^```", "", metadata.partition("\n\n")[2], flags=re.M | re.S)


def _leads_somewhere(page: str) -> bool:
    """Whether no link of a page leads to a file beside it."""
    return all(link.startswith(("https://", "#")) for link in re.findall(r"\]\(([^)\s]+)\)", page))


def test_links_of_the_readme_lead_to_the_repository_where_it_has_an_address(monkeypatch):
    """And the picture to the file itself; where it has none, the words of a link stay."""
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    monkeypatch.chdir(ROOT)
    readme = runpy.run_path(str(ROOT / "setup.py"))["readme"]
    text = "![a picture,\nhere](docs/a.png) and [`b` c](docs/b.md#d), [e](https://e.org)"
    home = "https://code.example/m"
    assert readme(text, home) == (
        f"![a picture,\nhere]({home}/raw/main/docs/a.png) and [`b` c]({home}/blob/main/docs/b.md#d), [e](https://e.org)"
    )
    assert readme(text, "").startswith(" and `b` c, [e](https://e.org)\n")
    page = readme((ROOT / "README.md").read_text(encoding="utf-8"), home)
    assert page.count(f"]({home}/") > 20
    assert _leads_somewhere(page)


@pytest.mark.slow
def test_the_wheel_walks_the_five_minute_page(built, tmp_path):
    """In an environment of its own, outside of the clone; what it depends on is that of this one."""
    from tests.docs.test_docs import SESSIONS, steps

    venv.create(tmp_path / "env", with_pip=False)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        archive.extractall(site)
    ours = {str(ROOT), str(ROOT / "mlusim")}
    depends = [entry for entry in sys.path if entry.endswith("site-packages") and entry not in ours]
    (site / "depends.pth").write_text("\n".join(depends) + "\n")
    python = tmp_path / "env" / "bin" / "python"
    work = tmp_path / "work"
    work.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "MLUSIM_CACHE": _cache()}
    names = {"python": f"{python}", "mlusim": f"{python} -m mlusim.simulator"}
    for command, _ in steps(SESSIONS["first_kernel.md"]):
        program, _, rest = command.partition(" ")
        if program == "cd":
            work = work / rest
            continue
        line = f"{names[program]} {rest}"
        done = subprocess.run(line, shell=True, cwd=work, env=environment, capture_output=True, text=True)
        assert done.returncode == ("first.mlu" in rest.split()), f"{command}\n{done.stderr}"
    assert (work / "first.html").stat().st_size > 10_000
