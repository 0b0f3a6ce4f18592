"""Forms that numerical kernels choose from, single operators that are wrong, and where nothing is said."""

from __future__ import annotations

import numpy as np
from mlusim.simulator.checks.functions import Input, Problem, likeness

from .algebra import ALGEBRA
from .elements import RANDOM
from .physics import PHYSICS
from .suited import SUITED
from .test_functions import like, telling

_GRID, _OTHER = RANDOM.normal(size=(9, 8)), RANDOM.normal(size=(9, 8))
_MATRIX, _X, _Y, _U, _V = RANDOM.normal(size=(6, 6)) + 5 * np.eye(6), *(RANDOM.normal(size=6) for _ in range(4))


def heated(rate: float, across: float = 1.0) -> np.ndarray:
    """A step inside of a border that is kept."""
    made = _GRID.copy()
    inside = _GRID[1:-1, 1:-1]
    down = _GRID[:-2, 1:-1] + _GRID[2:, 1:-1] - 2 * inside
    made[1:-1, 1:-1] += rate * (down + across * (_GRID[1:-1, :-2] + _GRID[1:-1, 2:] - 2 * inside))
    return made


def test_heat_is_told_where_a_rate_and_widths_are_all_that_is_passed() -> None:
    rates = {"alpha": 0.5, "dt": 0.1, "dx": 2.0}
    found = like("heat_step", heated(0.5 * 0.1 / 2**2), _GRID, **rates)
    assert found is not None
    assert found[0]
    wrong = heated(0.5 * 0.1 / 2**2, across=-1)
    assert telling("heat_step", wrong, _GRID, **rates)
    assert not telling("heat_step", wrong, _GRID, **rates, source=3.0)  # may be of what is not known
    assert not telling("heat_step", wrong, _GRID, _OTHER, **rates)
    assert not telling("heat_step", wrong, _GRID)


def test_a_mean_of_neighbours_is_told_where_nothing_else_is_passed() -> None:
    mean = np.zeros(_GRID.shape)
    mean[1:-1, 1:-1] = (_GRID[:-2, 1:-1] + _GRID[2:, 1:-1] + _GRID[1:-1, :-2] + _GRID[1:-1, 2:]) / 4
    assert like("jacobi_kernel", mean.reshape(-1), _GRID.reshape(-1), nx=8, ny=9) == (
        True, "mean of neighbours of a[9, 8], border 0",
    )  # fmt: skip
    assert telling("jacobi_kernel", 1.5 * mean.reshape(-1), _GRID.reshape(-1), nx=8, ny=9)
    assert telling("jacobi_kernel", 1.5 * mean.reshape(-1), _GRID.reshape(-1), nx=6, ny=7)  # without the border
    assert not telling("jacobi_kernel", 1.5 * mean.reshape(-1), _GRID.reshape(-1))  # of an unknown shape
    assert not telling("jacobi_kernel", 1.5 * mean.reshape(-1), _GRID.reshape(-1), nx=8, ny=9, h=0.5)


def test_updates_by_products() -> None:
    assert like("mvt_kernel1", _Y + _MATRIX.T @ _X, _MATRIX, _Y, _X) == (True, "b + 1 * a.T @ c")
    assert like("mvt_kernel1", _Y - _MATRIX @ _X, _MATRIX, _Y, _X)[0] is False
    assert like("gemver_kernel1", _MATRIX + np.outer(_X, _Y) - np.outer(_U, _V), _MATRIX, _X, _Y, _U, _V)[0] is False
    sizes = {"alpha": 1.5, "beta": 0.5}
    low = np.tril(1.5 * _MATRIX @ _MATRIX.T + 0.5 * np.outer(_X, _Y)) + np.triu(np.outer(_X, _Y), 1)
    assert like("syrk", low, _MATRIX, np.outer(_X, _Y), **sizes) == (True, "1.5 * a @ a.T + 0.5 * b, lower")
    assert like("syrk", low, _MATRIX, np.outer(_X, _Y)) is None  # by constants of the kernel
    assert (
        like("gesummv", 1.5 * _MATRIX @ _X - 0.5 * np.outer(_Y, _U) @ _X, _MATRIX, np.outer(_Y, _U), _X, **sizes)[0]
        is False
    )
    assert like("triad", _X + 1.5 * _Y, _X, _Y) is None
    assert like("triad", _X - 1.5 * _Y, _X, _Y, s=1.5)[0] is False


def test_names_of_vectors_say_their_products() -> None:
    def found(*names: str) -> bool:
        arrays = [Input(name, one) for name, one in zip(("a", *names), (_MATRIX, _X, _Y, _U, _V), strict=True)]
        got = _MATRIX + np.outer(_X, _Y) + np.outer(_U, _V)
        like_it = likeness("gemver", Problem(tuple(arrays), got.shape, {}), got, 1e-9)
        return like_it is not None and like_it.exact

    assert found("u1", "v1", "u2", "v2")
    assert not found("u1", "v2", "u2", "v1")


def test_steps_of_a_factorization() -> None:
    for k in range(6):
        made = _MATRIX.copy()
        made[k + 1 :, k] /= made[k, k]
        divided = made.copy()
        made[k + 1 :, k + 1 :] -= np.outer(made[k + 1 :, k], made[k, k + 1 :])
        assert like("lu_kernel", made, _MATRIX, k=k)[0]
        assert like("lu", divided, _MATRIX, k=k)[0]
    made[1:, 1:] += np.outer(made[1:, 0], made[0, 1:])
    assert telling("lu", made, _MATRIX, k=0)
    assert not telling("lu", made, _MATRIX, _MATRIX[::-1].copy(), k=0)  # with a matrix of multipliers, say
    right = np.linalg.solve(np.tril(_MATRIX), _X)
    assert telling("forward_substitution", -right, _MATRIX, _X, n=6)
    assert not telling("forward_substitution", -right, _MATRIX, _X, n=6, step=2)


def test_sums_of_blocks() -> None:
    x, sums = RANDOM.normal(size=100), RANDOM.normal(size=4)
    blocks = np.arange(100) // 32
    assert like("add_block_sums", x + sums[blocks], x, sums, n=100)[0]
    assert like("addBlockSums", x + np.where(blocks > 0, sums[blocks - 1], 0), x, sums, n=100)[0]
    assert like("uniformAdd", x + np.where(blocks > 0, sums[blocks], 0), x, sums, n=100)[0]
    assert like("uniform_add", x - sums[blocks], x, sums, n=100)[0] is False


def test_hashes_with_a_round_too_many_or_another_factor() -> None:
    numbers = RANDOM.integers(0, 1 << 31, 20).astype(np.int32)

    def hashed(rounds: int, factor: int) -> np.ndarray:
        found = []
        for number in numbers.tolist():
            for _ in range(rounds):
                made = 0x811C9DC5
                for byte in number.to_bytes(4, "little"):
                    made = (made ^ byte) * factor & 0xFFFFFFFF
                number = made
            found.append(number)
        return np.array(found, np.uint32)

    assert like("fnv1a_hash_kernel", hashed(3, 0x01000193), numbers, n=20, rounds=3)[0]
    assert like("fnv1a_hash_kernel", hashed(3, 0x01000193).view(np.int32), numbers, n=20, rounds=3)[0]
    assert like("fnv1a_hash_kernel", hashed(4, 0x01000193), numbers, n=20, rounds=3)[0] is False
    assert like("fnv1a_hash_kernel", hashed(1, 0x01000195), numbers, n=20)[0] is False


def test_a_level_of_a_search_that_is_not_passed() -> None:
    right, inputs, _ = ALGEBRA["bfs"]
    assert like("bfs", right, *inputs, n=4) is None
    assert like("bfs", right, *inputs, level=3) is None  # which no vertex has
    assert like("bfs", right + (right == 1), *inputs, level=0)[0] is False


def test_tables_by_diagonals() -> None:
    right, (left, other), _ = PHYSICS["levenshtein"]
    before = np.where(np.add.outer(np.arange(7), np.arange(9)) < 6, right, 0)
    before[0], before[:, 0] = right[0], right[:, 0]
    after = np.where(np.add.outer(np.arange(7), np.arange(9)) == 6, right, before)
    assert like("levenshtein_kernel", after, left, other, before, diagonal=6)[0]
    assert like("levenshtein_kernel", after + (after > before), left, other, before, diagonal=6)[0] is False


def test_bodies_in_arrays_of_their_own() -> None:
    right, (bodies,), passed = SUITED["body force"]
    apart = [bodies[:, at].copy() for at in range(6)]
    assert like("bodyForce", right[:, 4].copy(), *apart, **passed)[0]
    assert like("bodyForce", right[:, 3:].copy(), bodies[:, :3].copy(), bodies[:, 3:].copy(), **passed)[0]
    assert like("bodyForce", 2 * bodies[:, 4] - right[:, 4], *apart, **passed)[0] is False
    assert like("bodyForce", right[:, 4].copy(), *apart[:5], **passed) is None


def test_blocks_of_a_transform_and_other_operands() -> None:
    x = RANDOM.normal(size=32)
    halves = x.reshape(2, 16)
    signs = np.array([[(-1.0) ** (n & k).bit_count() for n in range(16)] for k in range(16)])
    right = (halves @ signs.T).reshape(-1)
    assert like("fwtBatch1Kernel", right, x, log2n=4)[0]
    assert like("fwtBatch1Kernel", right[::-1].copy(), x, log2n=4)[0] is False
    assert like("fwht", right, x, np.sign(RANDOM.normal(size=16)), n=16) is None  # with signs, say
