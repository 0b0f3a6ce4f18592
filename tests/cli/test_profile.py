"""`--profile`: where the simulator's own time goes."""

import json
from collections import Counter

import pytest
from mlusim.simulator.cli import main
from mlusim.simulator.log import Log

from tests.support.paths import ROOT

SCALE = str(ROOT / "docs" / "examples" / "scale.mlu")
RUN = ("run", SCALE, "--kernel", "scale", "--arg", "zeros:float32:65536", "zeros:float32:65536", "2", "65536")


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    return code, *capsys.readouterr()


@pytest.mark.parametrize("isolation", [[], ["--no-isolate"]])
def test_phases_and_instructions(capsys, tmp_path, isolation):
    log = tmp_path / "run.mlulog"
    code, out, _ = called(capsys, *RUN, "--dim", "4", "--profile", "--json", "--log", str(log), *isolation)
    phases = {one["phase"]: one for one in json.loads(out)["profile"]}
    assert code == 0
    issued = Counter(
        op.name for op in (Log.load(log).ops[row] for row in Log.load(log).records["op"]) if op.name.startswith("__")
    )
    assert {name: phases[name]["times"] for name in issued} == dict(issued)
    assert phases["scalar code"]["times"] == 4
    assert {"building", "checks of the log", "timing", "arrays to the device", "everything else"} <= set(phases)
    assert all(0 <= one["seconds"] < 60 for one in phases.values())


def test_a_kernel_that_ran_before_without_it(capsys):
    """The process that runs kernels has its ports already; afterwards it goes on without."""
    outs = [called(capsys, *RUN, *more, "--json", "--no-isolate")[1] for more in ([], ["--profile"], [], ["--profile"])]
    plain, first, again, second = map(json.loads, outs)
    assert ("profile" in plain, "profile" in again) == (False, False)
    counts = [{one["phase"]: one["times"] for one in each["profile"]} for each in (first, second)]
    assert counts[0]["__bang_mul_scalar"] == counts[1]["__bang_mul_scalar"] > 0


def test_an_operator_in_python_and_the_table(capsys):
    code, out, _ = called(capsys, "op", "logspace", "start=0", "end=1", "steps=64", "--profile")
    table = out[out.index("SIMULATOR'S OWN TIME") :].splitlines()
    assert code == 0
    shares = [float(line.split("%")[0].split()[-1]) for line in table[1:] if line.strip()]
    assert sum(shares) == pytest.approx(100, abs=1)


def test_all_launches_of_a_program(capfd):
    """With what the program itself does."""
    host = str(ROOT / "docs" / "examples" / "host_fixed.mlu")
    code = main(["run", host, "--profile", "--json"])
    document = json.loads(capfd.readouterr().out)
    phases = {one["phase"]: one for one in document["profile"]}
    launches = len(document["processes"][0]["launches"])
    assert (code, launches > 0) == (0, True)
    assert {phases[name]["times"] for name in ("process of the kernel", "checks of the log", "timing")} == {launches}
    assert phases["__bang_add_scalar"]["times"] == launches
    assert {"building", "the program", "order of queues", "tasks and barriers"} <= set(phases)
    assert all(0 <= one["seconds"] < 60 for one in phases.values())
    assert main(["run", host, "--profile"]) == 0
    table = capfd.readouterr().out.partition("SIMULATOR'S OWN TIME")[2].splitlines()[1:]
    shares = [float(line.split("%")[0].split()[-1]) for line in table if line.strip()]
    assert sum(shares) == pytest.approx(100, abs=1)
