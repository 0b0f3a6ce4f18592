"""Functions of rays, meshes, rotations and clouds in plain Python, and what they are asked of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(16)
Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
Vector = Sequence[float]

_BOX = np.array([-1.0, -1.5, -1.0, 1.0, 1.0, 2.0])
_FROM, _TO = RANDOM.uniform(-3, 3, (12, 3)), RANDOM.normal(size=(12, 3))
_TO[::2] = -_FROM[::2]
_NOT_FAR = 0.1


def entered(origin: Vector, way: Vector) -> float:
    """Where a ray enters the box, or the greatest number."""
    near, far = -math.inf, math.inf
    for axis in range(3):
        ends = sorted((_BOX[axis + 3 * side] - origin[axis]) / way[axis] for side in (0, 1))
        near, far = max(near, ends[0]), min(far, ends[1])
    return max(near, _NOT_FAR) if near <= far else float(np.finfo(np.float32).max)


def on_a_sphere(origin: Vector, way: Vector, radius: float) -> list[float]:
    a, b = sum(d * d for d in way), 2 * sum(o * d for o, d in zip(origin, way, strict=True))
    t = (-b + math.sqrt(b * b - 4 * a * (sum(o * o for o in origin) - radius**2))) / (2 * a)
    x, y, z = (o + t * d for o, d in zip(origin, way, strict=True))
    return [2 * math.acos(y / radius) / math.pi - 1, math.atan2(z, x) / math.pi]


_CELLS = RANDOM.integers(0, 1024, (9, 3))


def code(cell: Sequence[int]) -> int:
    return sum((cell[axis] >> bit & 1) << 3 * bit + axis for bit in range(10) for axis in range(3))


_DENSITIES, _COLOURS = RANDOM.uniform(0, 3, 11), RANDOM.uniform(size=(11, 3))
_STEPS, _RAYS = RANDOM.uniform(0.1, 0.5, (11, 2)), np.array([[2, 0, 4], [0, 4, 0], [1, 4, 7]])
_TO_IMAGE, _IMAGE = RANDOM.normal(size=(3, 3)), RANDOM.uniform(size=(3, 3))
_TO_SUMS, _SUMS = RANDOM.normal(size=3), RANDOM.uniform(size=3)
_LEAST = 0.2


def samples(first: int, count: int) -> Iterator[tuple[int, float, float]]:
    """The samples of a ray with their shares and what passes them."""
    passed = 1.0
    for at in range(first, first + count):
        alpha = 1 - math.exp(-_DENSITIES[at] * _STEPS[at, 0])
        share, passed = passed * alpha, passed * (1 - alpha)
        yield at, share, passed
        if passed < _LEAST:
            break


def composed() -> np.ndarray:
    made = np.zeros((3, 3))
    for ray, first, count in _RAYS.tolist():
        for at, share, _ in samples(first, count):
            made[ray] += share * _COLOURS[at]
    return made


def composed_back() -> np.ndarray:
    made = np.zeros(11)
    for ray, first, count in _RAYS.tolist():
        before = np.zeros(3)
        for at, share, passed in samples(first, count):
            before = before + share * _COLOURS[at]
            come = sum(_TO_IMAGE[ray] * (passed * _COLOURS[at] - (_IMAGE[ray] - before)))
            made[at] = _STEPS[at, 0] * (come + _TO_SUMS[ray] * (1 - _SUMS[ray]))
    return made


_ALPHAS, _LIGHTS = RANDOM.uniform(size=(4, 5)), RANDOM.uniform(size=(4, 5, 3))


def rendered() -> np.ndarray:
    made = np.zeros((4, 3))
    for ray, at in np.ndindex(4, 5):
        made[ray] += math.prod(1 - a for a in _ALPHAS[ray, :at]) * _ALPHAS[ray, at] * _LIGHTS[ray, at]
    return made


_VERTICES, _FACES = RANDOM.normal(size=(7, 3)), RANDOM.integers(0, 7, (6, 3))
_FACES[:, 1] = (_FACES[:, 0] + 1) % 7
_FACES[:, 2] = (_FACES[:, 0] + 3) % 7


def crossed(a: Vector, b: Vector) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def product_of_edges(face: Sequence[int]) -> np.ndarray:
    p, q, r = (_VERTICES[at] for at in face)
    return np.array(crossed((q - p).tolist(), (r - p).tolist()))


def unit(x: np.ndarray) -> np.ndarray:
    return x / math.hypot(*x)


def vertex_normals() -> np.ndarray:
    made = np.zeros((7, 3))
    for face in _FACES.tolist():
        for at in face:
            made[at] += product_of_edges(face)
    return np.array([row / max(math.hypot(*row), 1e-6) for row in made])


_PIXELS, _SHARES = np.array([3, -1, 0, 5, 2]), RANDOM.uniform(size=(5, 3))
_ATTRS, _TO_PIXELS = RANDOM.normal(size=(6, 3, 2)), RANDOM.normal(size=(5, 2))


def between(face: int, shares: Vector) -> list[float]:
    return [0.0, 0.0] if face < 0 else [sum(s * _ATTRS[face, k, d] for k, s in enumerate(shares)) for d in (0, 1)]


def between_back() -> np.ndarray:
    made = np.zeros(_ATTRS.shape)
    for pixel, face in enumerate(_PIXELS.tolist()):
        for corner, d in np.ndindex(3, 2):
            if face >= 0:
                made[face, corner, d] += _SHARES[pixel, corner] * _TO_PIXELS[pixel, d]
    return made


_PACKED, _FIRST = RANDOM.normal(size=(9, 2)), np.array([0, 2, 6])


def padded() -> np.ndarray:
    made = np.zeros((3, 4, 2))
    for row in range(9):
        part = sum(row >= first for first in _FIRST.tolist()) - 1
        made[part, row - _FIRST[part]] = _PACKED[row]
    return made


_EDGES = RANDOM.integers(0, 7, (8, 2))


def of_neighbours() -> np.ndarray:
    made = np.zeros(_VERTICES.shape)
    for a, b in _EDGES.tolist():
        made[a] += _VERTICES[b]
        made[b] += _VERTICES[a]
    return made


_ENDS, _CORNERS = RANDOM.normal(size=(4, 2, 3)), RANDOM.normal(size=(4, 3, 3))


def from_edge(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    share = min(max(float((p - a) @ (b - a) / ((b - a) @ (b - a))), 0), 1)
    return math.dist(p, a + share * (b - a)) ** 2


def from_face(p: np.ndarray, corners: np.ndarray) -> float:
    a, b, c = corners
    system = np.array([b - a, c - a, np.cross(b - a, c - a)]).T
    u, v, height = np.linalg.solve(system, p - a)
    if min(u, v) >= 0 and u + v <= 1:
        return float(height**2 * (np.cross(b - a, c - a) ** 2).sum())
    return min(from_edge(p, *pair) for pair in ((a, b), (b, c), (c, a)))


_TURNS, _MORE, _VECTORS, _SCALES = (RANDOM.normal(size=(6, n)) for n in (4, 4, 3, 3))


def times(p: Vector, q: Vector) -> list[float]:
    """Of quaternions whose real part is first."""
    u, v = np.array(p[1:]), np.array(q[1:])
    return [p[0] * q[0] - float(u @ v), *(p[0] * v + q[0] * u + np.array(crossed(u.tolist(), v.tolist())))]


def turned(q: Vector, x: Vector) -> list[float]:
    q = unit(np.array(q)).tolist()
    return times(times(q, [0.0, *x]), [q[0], *(-part for part in q[1:])])[1:]


def rotation(q: Vector) -> np.ndarray:
    return np.array([turned(q, axis) for axis in np.eye(3).tolist()]).T


def stretched(q: Vector, scales: Vector) -> np.ndarray:
    turn = rotation(q)
    return turn @ np.diag(np.square(scales)) @ turn.T


def slerp(p: Vector, q: Vector, t: float) -> np.ndarray:
    a, b = np.array(p), np.array(q)
    b = -b if a @ b < 0 else b
    angle = math.acos(float(a @ b))
    return (math.sin((1 - t) * angle) * a + math.sin(t * angle) * b) / math.sin(angle)


_UNITS = [np.array([unit(row) for row in rows]) for rows in (_TURNS, _MORE)]
_MOTION = np.vstack([RANDOM.normal(size=(3, 4)), [[0.0, 0.0, 0.0, 1.0]]])
_CAMERA = {"fx": 50.0, "fy": 52.0, "cx": 3.1, "cy": 2.2}
_AHEAD, _DEPTHS = RANDOM.uniform(1, 3, (6, 3)), RANDOM.uniform(1, 3, (4, 5))


def projected(x: float, y: float, z: float) -> list[float]:
    return [50 * x / z + 3.1, 52 * y / z + 2.2]


def unprojected(row: int, column: int) -> list[float]:
    z = float(_DEPTHS[row, column])
    return [(column - 3.1) * z / 50, (row - 2.2) * z / 52, z]


_ONE, _TWO = RANDOM.normal(size=(2, 5, 3)), RANDOM.normal(size=(2, 4, 3))
_AT, _COME = RANDOM.integers(0, 4, (2, 5)), RANDOM.normal(size=(2, 5))
_ATS, _COMES = RANDOM.integers(0, 4, (2, 5, 2)), RANDOM.normal(size=(2, 5, 2))
_MATCH, _TO_COST = RANDOM.uniform(size=(2, 4, 5)), RANDOM.normal(size=2)


def distances_back(at: np.ndarray, coming: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.zeros(_ONE.shape), np.zeros(_TWO.shape)
    for batch, i, k in np.ndindex(at.shape):
        j = at[batch, i, k]
        step = 2 * coming[batch, i, k] * (_ONE[batch, i] - _TWO[batch, j])
        first[batch, i] += step
        second[batch, j] -= step
    return first, second


def cost(batch: int) -> float:
    pairs = itertools.product(range(5), range(4))
    return sum(_MATCH[batch, j, i] * math.dist(_ONE[batch, i], _TWO[batch, j]) ** 2 for i, j in pairs)


def cost_back() -> np.ndarray:
    made = np.zeros(_ONE.shape)
    for batch, i, j in np.ndindex(2, 5, 4):
        made[batch, i] += 2 * _TO_COST[batch] * _MATCH[batch, j, i] * (_ONE[batch, i] - _TWO[batch, j])
    return made


_SIZE, _START, _END = np.array([0.4, 0.3, 0.5]), np.zeros(3), np.array([1.5, 1.2, 2.0])
_INSIDE = RANDOM.uniform(0, 1.2, (8, 3))


def cell(point: Vector) -> int:
    at = [int(p / size) for p, size in zip(point, _SIZE.tolist(), strict=True)]
    return at[0] + 4 * (at[1] + 5 * at[2])


_SPOTS, _RING = RANDOM.uniform(-1, 1, (9, 2)), np.array([[0.8, 0.1], [0.1, 0.9], [-0.7, 0.3], [0.0, 0.0], [0.2, -0.8]])
_NORTH, _EAST = RANDOM.uniform(-80, 80, (2, 5)), RANDOM.uniform(-170, 170, (2, 5))


def winds(x: float, y: float) -> bool:
    """Whether the corners turn around a point."""
    turn, angles = 0.0, [math.atan2(q - y, p - x) for p, q in _RING.tolist()]
    for a, b in zip(angles, angles[1:] + angles[:1], strict=True):
        turn += (b - a + math.pi) % (2 * math.pi) - math.pi
    return abs(turn) > math.pi


def apart(at: int) -> float:
    places = [[math.radians(float(one[k, at])) for one in (_NORTH, _EAST)] for k in (0, 1)]
    a, b = ([math.cos(n) * math.cos(e), math.cos(n) * math.sin(e), math.sin(n)] for n, e in places)
    return 2 * 6371 * math.asin(math.dist(a, b) / 2)


_CLOUDS = [_ONE.copy(), _TWO.copy()]
GEOMETRY: Mapping[str, Case] = {
    "centroid": (np.array([math.fsum(column) / 7 for column in _VERTICES.T]), [_VERTICES], {}),
    "bounding box": (np.array([form(column) for form in (min, max) for column in _VERTICES.T]), [_VERTICES], {}),
    "point in polygon": (np.array([winds(*spot) for spot in _SPOTS.tolist()], np.int32), [_SPOTS, _RING], {}),
    "haversine": (
        np.array([apart(at) for at in range(5)]),
        [np.ascontiguousarray(one[k]) for k in (0, 1) for one in (_NORTH, _EAST)],
        {},
    ),
    "near far from aabb": (
        np.array([entered(*both) for both in zip(_FROM.tolist(), _TO.tolist(), strict=True)]),
        [_FROM, _TO, _BOX],
        {"min_near": _NOT_FAR},
    ),
    "sph from ray": (
        np.array([on_a_sphere(*both, 9.0) for both in zip(_FROM.tolist(), _TO.tolist(), strict=True)]),
        [_FROM, _TO],
        {"radius": 9.0},
    ),
    "morton": (np.array([code(row) for row in _CELLS.tolist()]), [_CELLS], {}),
    "morton invert": (_CELLS, [np.array([code(row) for row in _CELLS.tolist()])], {}),
    "packbits": (
        np.array([sum((x > 0.6) << k for k, x in enumerate(row)) for row in _ALPHAS.reshape(-1)[:16].reshape(2, 8)]),
        [_ALPHAS.reshape(-1)[:16].copy()],
        {"thresh": 0.6},
    ),
    "composite rays": (composed(), [_DENSITIES, _COLOURS, _STEPS, _RAYS], {"m": 11, "n": 3, "least": _LEAST}),
    "composite rays train backward": (
        composed_back(),
        [_TO_SUMS, _TO_IMAGE, _DENSITIES, _COLOURS, _STEPS, _RAYS, _SUMS, _IMAGE],
        {"m": 11, "n": 3, "least": _LEAST},
    ),
    "volume rendering": (rendered(), [_ALPHAS, _LIGHTS], {"rays": 4, "samples": 5}),
    "face areas normals": (np.array([unit(product_of_edges(f)) for f in _FACES.tolist()]), [_VERTICES, _FACES], {}),
    "vertex normals": (vertex_normals(), [_VERTICES, _FACES], {}),
    "interp face attrs": (
        np.array([between(*both) for both in zip(_PIXELS.tolist(), _SHARES.tolist(), strict=True)]),
        [_PIXELS, _SHARES, _ATTRS],
        {"d": 2},
    ),
    "interp face attrs backward": (between_back(), [_PIXELS, _SHARES, _ATTRS, _TO_PIXELS], {"d": 2}),
    "packed to padded": (padded(), [_PACKED, _FIRST], {"batch": 3, "most": 4, "d": 2}),
    "padded to packed": (_PACKED, [padded(), _FIRST], {"n": 9, "d": 2}),
    "gather scatter": (of_neighbours(), [_VERTICES, _EDGES], {"v": 7, "d": 3}),
    "point edge distance": (np.array([[from_edge(p, *e) for e in _ENDS] for p in _VECTORS]), [_VECTORS, _ENDS], {}),
    "point face distance": (
        np.array([[from_face(p, f) for f in _CORNERS] for p in _VECTORS]),
        [_VECTORS, _CORNERS],
        {},
    ),
    "quaternion to matrix": (np.array([rotation(q) for q in _TURNS.tolist()]), [_TURNS], {}),
    "quaternion multiply": (
        np.array([times(p, q) for p, q in zip(_TURNS.tolist(), _MORE.tolist(), strict=True)]),
        [_TURNS, _MORE],
        {},
    ),
    "quaternion conjugate": (np.array([[a, -b, -c, -d] for a, b, c, d in _TURNS.tolist()]), [_TURNS], {}),
    "quaternion normalize": (_UNITS[0], [_TURNS], {}),
    "quaternion rotate": (
        np.array([turned(q, x) for q, x in zip(_TURNS.tolist(), _VECTORS.tolist(), strict=True)]),
        [_TURNS, _VECTORS],
        {},
    ),
    "quaternion slerp": (np.array([slerp(p, q, 0.3) for p, q in zip(*_UNITS, strict=True)]), _UNITS, {"t": 0.3}),
    "quaternion lerp": (
        np.array([unit(0.7 * p + math.copysign(0.3, p @ q) * q) for p, q in zip(*_UNITS, strict=True)]),
        _UNITS,
        {"t": 0.3},
    ),
    "gaussian covariance": (
        np.array([stretched(q, s)[np.triu_indices(3)] for q, s in zip(_TURNS.tolist(), _SCALES.tolist(), strict=True)]),
        [_SCALES, _TURNS],
        {},
    ),
    "cross product": (
        np.array([crossed(a, b) for a, b in zip(_VECTORS.tolist(), _SCALES.tolist(), strict=True)]),
        [_VECTORS, _SCALES],
        {},
    ),
    "transform points": (np.array([(_MOTION @ [*p, 1.0])[:3] for p in _VECTORS.tolist()]), [_MOTION, _VECTORS], {}),
    "project points": (np.array([projected(*p) for p in _AHEAD.tolist()]), [_AHEAD], _CAMERA),
    "unproject depth": (
        np.array([unprojected(*at) for at in np.ndindex(4, 5)]),
        [_DEPTHS],
        {**_CAMERA, "h": 4, "w": 5},
    ),
    "chamfer distance backward": (distances_back(_AT[..., None], _COME[..., None])[0], [*_CLOUDS, _COME, _AT], {}),
    "knn backward": (distances_back(_ATS, _COMES)[1], [*_CLOUDS, _COMES, _ATS], {"k": 2}),
    "match cost": (np.array([cost(0), cost(1)]), [*_CLOUDS, _MATCH], {"b": 2}),
    "match cost backward": (cost_back(), [_TO_COST, *_CLOUDS, _MATCH], {"b": 2}),
    "grid cluster": (np.array([cell(p) for p in _INSIDE.tolist()]), [_INSIDE, _SIZE, _START, _END], {}),
}
