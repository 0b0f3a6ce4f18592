"""Shapes of test cases that no array can have."""

import json

import pytest

from tests.host.test_cases import SCALE, run


@pytest.mark.parametrize("dims", ["dims: 3 dims: -5", "dims: 3 dims: 0.5", "dims: 3 dims: five"])
def test_dims_are_whole_numbers(tmp_path, capsys, dims):
    code, found = run(tmp_path, capsys, text=SCALE.replace("dims: 3 dims: 5", dims))
    assert code == 2
    assert "first has dims [3, " in json.dumps(found)


def test_a_case_that_does_not_fit_leaves_the_others_alone(tmp_path, capsys):
    (tmp_path / "small.prototxt").write_text(SCALE)
    large = SCALE.replace("dims: 3 dims: 5", "dims: 3000000 dims: 5000000000")
    code, found = run(tmp_path, capsys, files=[tmp_path / "small.prototxt"], text=large)
    assert (code, [case["result"] for case in found["cases"]]) == (1, ["error", "passed"])
    assert "Unable to allocate" in found["cases"][0]["why"]
