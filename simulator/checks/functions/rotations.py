"""Quaternions, rotations and rigid motions of points; cameras without distortion; covariances of Gaussians."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, spelled, vague

#: The places of the parts of a quaternion whose real part is first, or last.
_ORDERS = {"w first": (0, 1, 2, 3), "w last": (3, 0, 1, 2)}
#: The upper triangle of a matrix of three rows.
_UPPER = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])

_Parts = np.ndarray  # [4, n]: w, x, y, z


def _quaternions(problem: Problem, count: int) -> Iterator[tuple[Input, str, _Parts]]:
    """Arrays of so many quaternions, or of any number, in each order; as they are, and of length 1."""
    for one in problem.floats:
        if one.size % 4 == 0 and (one.size == 4 * count or not count):
            rows = one.flat.reshape(-1, 4)
            for order, places in _ORDERS.items():
                yield one, order, rows[:, places].T
                yield one, f"{order}, normed", rows[:, places].T / np.linalg.norm(rows, axis=1)


def matrices(q: _Parts) -> np.ndarray:
    """Rotations [n, 3, 3] by quaternions of length 1."""
    w, x, y, z = q
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


@function("quaternion to matrix")
def _to_matrices(problem: Problem) -> Iterator[Formula]:
    """Rotations by rows, or by columns."""
    for one, order, q in _quaternions(problem, problem.size // 9) if problem.size % 9 == 0 else ():
        made = matrices(q)
        yield Formula(f"rotations by {one.name}, {order}", made.reshape(-1))
        yield Formula(f"rotations by {one.name}, {order}, by columns", made.transpose(0, 2, 1).reshape(-1))


spelled(
    "quaternion to matrix",
    """quat to matrix, quat to rotmat, quaternion to rotation matrix, quat2mat, quat to rot, quat to mat, quat to
    rotation matrix, quaternions to matrices, quaternion to rotmat, quaternion to rotation""",
)


def _times(p: _Parts, q: _Parts) -> _Parts:
    a, b, c, d = p
    w, x, y, z = q
    rows = [
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
    ]  # fmt: skip
    return np.array(rows)


def _in_order(q: _Parts, order: str) -> np.ndarray:
    """The parts of quaternions as they lie in an array."""
    return q[np.argsort(_ORDERS[order.partition(",")[0]])].T.reshape(-1)


@function("quaternion multiply")
def _multiplied(problem: Problem) -> Iterator[Formula]:
    for order, places in _ORDERS.items():
        for a, b in permutations(problem.like, 2) if problem.size % 4 == 0 else ():
            p, q = (one.flat.reshape(-1, 4)[:, places].T for one in (a, b))
            yield Formula(f"{a.name} * {b.name}, {order}", _in_order(_times(p, q), order))


spelled(
    "quaternion multiply", "quat multiply, quat mul, quaternion mul, quaternion product, hamilton product, quat product"
)


@function("quaternion conjugate")
def _conjugated(problem: Problem) -> Iterator[Formula]:
    """The inverse rotation, also divided by the square of the length."""
    for one, order, (w, x, y, z) in _quaternions(problem, problem.size // 4) if problem.size % 4 == 0 else ():
        if "normed" not in order:
            made = np.array([w, -x, -y, -z])
            yield Formula(f"conj({one.name}), {order}", _in_order(made, order))
            yield Formula(f"inverse({one.name}), {order}", _in_order(made / (made**2).sum(axis=0), order))


spelled(
    "quaternion conjugate", "quat conjugate, quat conj, quaternion conj, quat inverse, quaternion inverse, quat inv"
)


@function("quaternion normalize")
def _normed(problem: Problem) -> Iterator[Formula]:
    for one in problem.like if problem.size % 4 == 0 else ():
        rows = one.flat.reshape(-1, 4)
        sizes = np.linalg.norm(rows, axis=1, keepdims=True)
        for least in (0.0, 1e-12, 1e-8, 1e-6):
            yield Formula(f"{one.name} of length 1, from {least:g}", (rows / np.maximum(sizes, least)).reshape(-1))


spelled("quaternion normalize", "quat normalize, normalize quat, normalize quaternion, quat norm, quat normalize safe")


@function("quaternion rotate")
def _rotated(problem: Problem) -> Iterator[Formula]:
    """Vectors turned by one quaternion each, or all by one."""
    for x in problem.like if problem.size % 3 == 0 else ():
        vectors = x.flat.reshape(-1, 3)
        for one, order, q in (*_quaternions(problem, len(vectors)), *_quaternions(problem, 1)):
            w, v = q[0][:, None], q[1:].T
            for by, how in ((v, ""), (-v, " backwards")):
                turned = vectors + 2 * np.cross(by, np.cross(by, vectors) + w * vectors)
                yield Formula(f"{x.name} turned{how} by {one.name}, {order}", turned.reshape(-1))


spelled(
    "quaternion rotate",
    "quat rotate, quat rotate vector, quaternion rotate vector, rotate by quaternion, quat apply, quat rotate vec",
)


@function("gaussian covariance")
def _covariances(problem: Problem) -> Iterator[Formula]:
    """R * S^2 * R^T of scales [n, 3] and quaternions [n, 4], or its inverse: 9 numbers or the upper 6 of each."""
    for scales, (one, order, q) in product(problem.floats, _quaternions(problem, 0)):
        n = q.shape[1]
        if scales.size != 3 * n or problem.size not in (6 * n, 9 * n):
            continue
        turn = matrices(q)
        for by, power in product(dict.fromkeys((1.0, *problem.factors)), (1, -1)):
            stretched = turn * ((by * scales.flat.reshape(-1, 1, 3)) ** power)
            made = stretched @ stretched.transpose(0, 2, 1)
            values = made if problem.size == 9 * n else made[:, _UPPER[0], _UPPER[1]]
            how = "covariances" if power == 1 else "precisions"
            yield Formula(f"{how} by {by:g} * {scales.name} and {one.name}, {order}", values.reshape(-1))


spelled(
    "gaussian covariance",
    """quat scale to covar, quat scale to covar preci, scale rot to cov3d, quat scale to covariance,
    quat scale to preci, build covariance""",
)


@vague("cross")
@function("cross product")
def _cross(problem: Problem) -> Iterator[Formula]:
    """Of vectors [n, 3], or of rows of coordinates [3, n]."""
    for a, b in permutations(problem.like, 2) if problem.size % 3 == 0 else ():
        yield Formula(f"{a.name} x {b.name}", np.cross(a.flat.reshape(-1, 3), b.flat.reshape(-1, 3)).reshape(-1))
        made = np.cross(a.flat.reshape(3, -1).T, b.flat.reshape(3, -1).T)
        yield Formula(f"{a.name} x {b.name}, by rows", made.T.reshape(-1))


spelled("cross product", "vector cross, cross product 3d, vec cross, vector cross product, cross prod, cross3")


def _motions(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Matrices [n or 1, 3, 3] and what is added [n or 1, 3]: 4x4 or 3x4 by rows, 4x4 by columns, or two arrays."""
    for one in problem.floats:
        if one.size % 16 == 0:
            for how, whole in (
                ("", one.flat.reshape(-1, 4, 4)),
                (" by columns", one.flat.reshape(-1, 4, 4).transpose(0, 2, 1)),
            ):
                yield f"{one.name}{how}", whole[:, :3, :3], whole[:, :3, 3]
        if one.size % 12 == 0:
            whole = one.flat.reshape(-1, 3, 4)
            yield one.name, whole[:, :, :3], whole[:, :, 3]
        if one.size % 9 == 0:
            turn = one.flat.reshape(-1, 3, 3)
            for how, by in (("", turn), (" by columns", turn.transpose(0, 2, 1))):
                yield f"{one.name}{how}", by, np.zeros((1, 3))
                for other in problem.floats:
                    if other is not one and other.size in (3, one.size // 3):
                        yield f"{one.name}{how} and {other.name}", by, other.flat.reshape(-1, 3)


@function("transform points")
def _moved(problem: Problem) -> Iterator[Formula]:
    """Points [n, 3 or 4] (or the rows [3, n]) times a matrix, and moved; one matrix, or one for each batch or point."""
    for name, turn, move in _motions(problem):
        for x, text, points in (place for one in problem.floats for place in _points(problem, one)):
            batch = max(len(turn), len(move))
            if len(points) % batch:
                continue
            parts = points.reshape(batch, -1, 3)
            made = (parts @ turn.transpose(0, 2, 1) + move[:, None]).reshape(-1, 3)
            if problem.size == made.size:
                yield Formula(f"{name} * {x.name}{text}", (made.T if text == " by rows" else made).reshape(-1))
            elif problem.size * 3 == made.size * 4:
                whole = np.concatenate([made, np.ones((len(made), 1))], axis=1)
                yield Formula(f"{name} * {x.name}{text}, with 1", whole.reshape(-1))


def _points(problem: Problem, x: Input) -> Iterator[tuple[Input, str, np.ndarray]]:
    if x.size % 3 == 0 and x.size * 4 in (3 * problem.size, 4 * problem.size):
        yield x, "", x.flat.reshape(-1, 3)
        yield x, " by rows", x.flat.reshape(3, -1).T
    if x.size % 4 == 0 and x.size * 3 in (3 * problem.size, 4 * problem.size):
        yield x, "", x.flat.reshape(-1, 4)[:, :3]


spelled(
    "transform points",
    """transform point cloud, rigid transform, transform cloud, apply transform, transform vertices, apply rigid
    transform, transform point, transform pointcloud, rotate points, apply rotation, se3 transform points""",
)


def _cameras(problem: Problem) -> Iterator[tuple[str, Sequence[float]]]:
    """Focal lengths and centres: four numbers, or a matrix of three rows, or an array of four."""
    for at in range(len(problem.factors) - 3):
        fx, fy, cx, cy = problem.factors[at : at + 4]
        yield f"fx {fx:g}, fy {fy:g}, cx {cx:g}, cy {cy:g}", (fx, fy, cx, cy)
    for one in problem.floats:
        if one.size == 9:
            yield one.name, one.flat[[0, 4, 2, 5]].tolist()
        if one.size == 4:
            yield one.name, one.flat.tolist()


@vague("project points")
def _projected(problem: Problem) -> Iterator[Formula]:
    """(fx * x / z + cx, fy * y / z + cy) of points, with their depth or without."""
    for (name, (fx, fy, cx, cy)), points in product(_cameras(problem), problem.floats):
        if points.size % 3 or problem.size not in (points.size, points.size // 3 * 2, points.size // 3):
            continue
        x, y, z = points.flat.reshape(-1, 3).T
        u, v = fx * x / z + cx, fy * y / z + cy
        forms = {"(u, v)": (u, v), "(u, v, depth)": (u, v, z), "u": (u,), "v": (v,), "depths": (z,)}
        for title, parts in forms.items():
            if problem.size == len(parts) * len(z):
                yield Formula(f"{title} of {points.name} by {name}", np.stack(parts, axis=1).reshape(-1))


spelled(
    "project points",
    "project point cloud, perspective project, perspective projection, pinhole projection, project to image",
)


@vague("unproject depth")
def _unprojected(problem: Problem) -> Iterator[Formula]:
    """((u - cx) * z / fx, (v - cy) * z / fy, z) of an image of depths z, in units that are passed."""
    for (name, (fx, fy, cx, cy)), depth in product(_cameras(problem), problem.inputs):
        if problem.size != 3 * depth.size:
            continue
        for (text, image), by, half in product(
            problem.images_of(depth), dict.fromkeys((1.0, 1e-3, *problem.factors)), (0, 0.5)
        ):
            if image.shape[0] * image.shape[3] != 1:
                continue
            for how, unit in (("*", by), ("/", 1 / by if by else 1.0)):
                z = image[0, :, :, 0] * unit
                v, u = np.indices(z.shape) + half
                parts = ((u - cx) * z / fx, (v - cy) * z / fy, z)
                for axis, order in ((2, ""), (0, ", by rows")):
                    title = f"points of {depth.name} {how} {by:g} {text} by {name}{order}"
                    yield Formula(title, np.stack(parts, axis=axis).reshape(-1))


spelled(
    "unproject depth",
    """depth to points, depth to point cloud, backproject depth, back project depth, depth to vertex, depth to xyz,
    depth to vertices, depth2pointcloud, depth to pointcloud, depth2points, compute vertex map""",
)


@function("quaternion lerp", "quaternion slerp")
def _between(problem: Problem) -> Iterator[Formula]:
    """Quaternions between two, by a share of each or of all: on a line or on a circle, the shorter way or not."""
    shares = [(f"{t:g}", np.full(1, t)) for t in problem.factors]
    shares += [(one.name, one.flat) for one in problem.floats if 4 * one.size == problem.size]
    for (a, b), (name, t) in product(combinations(problem.like, 2), shares) if problem.size % 4 == 0 else ():
        p, q = (one.flat.reshape(-1, 4) for one in (a, b))
        t, dot = t[:, None], (p * q).sum(axis=1, keepdims=True)
        for way, to in (("shorter", np.where(dot < 0, -q, q)), ("given", q)):
            line = (1 - t) * p + t * to
            angle = np.arccos(np.clip((p * to).sum(axis=1, keepdims=True), -1, 1))
            sine = np.sin(angle)
            arc = np.where(sine > 1e-6, (np.sin((1 - t) * angle) * p + np.sin(t * angle) * to) / sine, line)
            forms = (
                ("line", line),
                ("line, normed", line / np.linalg.norm(line, axis=1, keepdims=True)),
                ("circle", arc),
            )
            for how, made in forms:
                yield Formula(f"{name} between {a.name} and {b.name} on a {how}, the {way} way", made.reshape(-1))


spelled("quaternion lerp", "quat lerp, quat nlerp, quaternion nlerp, nlerp")
spelled("quaternion slerp", "quat slerp, slerp, quat slerp batched")
