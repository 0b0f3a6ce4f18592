"""Functions of meshes: areas and normals of faces, what lies between corners, sections padded to one length, edges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np

from .problem import Formula, Problem, function, of_all_results, spelled, vague

#: Pairs of points and edges or faces, at most, and the least length that a normal is divided by.
_MOST_PAIRS, _LEAST = 1 << 20, (0.0, 1e-6, 1e-8, 1e-12)

of_all_results("face areas normals", "interp face attrs backward")


def _faces(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray, int]]:
    """Corners [faces, 3, 3] of triangles, their numbers, how many there are: vertices at faces [n, 3], or corners."""
    for corners in problem.floats:
        for faces in problem.integers:
            at, count = faces.index, corners.size // 3
            if faces.size % 3 == 0 and corners.size % 3 == 0 and at.min() >= 0 and at.max() < count:
                at = at.reshape(-1, 3)
                yield f"{corners.name} at {faces.name}", corners.flat.reshape(-1, 3)[at], at, count
        if corners.size % 9 == 0:
            places = np.arange(corners.size // 3).reshape(-1, 3)
            yield corners.name, corners.flat.reshape(-1, 3, 3), places, corners.size // 3
    for a, b, c in permutations(problem.floats, 3):
        if a.size == b.size == c.size and a.size % 3 == 0:
            whole = np.stack([one.flat.reshape(-1, 3) for one in (a, b, c)], axis=1)
            yield f"{a.name}, {b.name}, {c.name}", whole, np.arange(a.size).reshape(-1, 3), a.size


def _products(corners: np.ndarray) -> np.ndarray:
    """The cross product of two edges of each face."""
    found: np.ndarray = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return found


def _units(x: np.ndarray) -> Iterator[np.ndarray]:
    """Vectors divided by their length, or by the least length; or by one that is a bit longer."""
    sizes = np.linalg.norm(x, axis=1, keepdims=True)
    for least in _LEAST:
        yield x / np.maximum(sizes, least)
        yield x / (sizes + least)
    yield np.where(sizes > 0, x / np.where(sizes > 0, sizes, 1), 0)


@function("face areas normals")
def _areas_and_normals(problem: Problem) -> Iterator[Formula]:
    """Areas [faces] of triangles and their normals [faces, 3] of length 1."""
    for text, corners, _, _ in _faces(problem):
        cross = _products(corners)
        if problem.size == len(cross):
            yield Formula(f"areas of {text}", np.linalg.norm(cross, axis=1) / 2)
        elif problem.size == cross.size:
            yield from (Formula(f"normals of {text}", made.reshape(-1)) for made in _units(cross))
            yield Formula(f"products of edges of {text}", cross.reshape(-1))


spelled("face areas normals", "face normals, triangle normals, compute face normals, face areas, triangle areas")
spelled("face areas normals", "face normal, triangle normal, triangle area, face area, mesh normals")


@function("vertex normals")
def _normals_of_vertices(problem: Problem) -> Iterator[Formula]:
    """The normals of all faces of a vertex together, by their areas or not; of length 1, or as they are."""
    for text, corners, at, count in _faces(problem):
        if problem.size != 3 * count:
            continue
        cross = _products(corners)
        for how, each in (("areas", cross), ("none", next(_units(cross)))):
            made = np.zeros((count, 3))
            for corner in range(3):
                np.add.at(made, at[:, corner], each)
            yield Formula(f"normals at vertices of {text}, by {how}, added up", made.reshape(-1))
            yield from (Formula(f"normals at vertices of {text}, by {how}", one.reshape(-1)) for one in _units(made))


spelled(
    "vertex normals", "vertex normal, accumulate normals, compute vertex normals, normals per vertex, verts normals"
)


def _pixels(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The face of each pixel, or -1, and its shares of the three corners."""
    for face, shares in product(problem.integers, problem.floats):
        if shares.size == 3 * face.size and face.index.min() >= -1:
            yield f"{face.name}, {shares.name}", face.index, shares.flat.reshape(-1, 3)


@function("interp face attrs")
def _between(problem: Problem) -> Iterator[Formula]:
    """Attributes [faces, 3, n] of the face of each pixel by its shares; none where there is no face."""
    for text, face, shares in _pixels(problem):
        width = problem.size // len(face)
        for attrs in problem.floats if problem.size % len(face) == 0 and width else ():
            if attrs.size % (3 * width) == 0 and face.max() < attrs.size // (3 * width):
                parts = attrs.flat.reshape(-1, 3, width)[np.maximum(face, 0)]
                made = np.where(face[:, None] < 0, 0, (shares[:, :, None] * parts).sum(axis=1))
                yield Formula(f"{attrs.name} of {text}", made.reshape(-1))


@function("interp face attrs backward")
def _between_back(problem: Problem) -> Iterator[Formula]:
    """What comes back to the shares of each pixel, and to the attributes of each face."""
    for text, face, shares in _pixels(problem):
        there = face >= 0
        for attrs, coming in permutations(problem.floats, 2):
            width = coming.size // len(face)
            if coming.size % len(face) or attrs.size % (3 * width) or face.max() >= attrs.size // (3 * width):
                continue
            grad, parts = coming.flat.reshape(len(face), width), attrs.flat.reshape(-1, 3, width)
            if problem.size == shares.size:
                made = (parts[np.maximum(face, 0)] * grad[:, None]).sum(axis=2) * there[:, None]
                yield Formula(f"{coming.name} to shares of {text} by {attrs.name}", made.reshape(-1))
            if problem.size == attrs.size:
                to = np.zeros(parts.shape)
                np.add.at(to, face[there], shares[there][:, :, None] * grad[there][:, None])
                yield Formula(f"{coming.name} to {attrs.name} of {text}", to.reshape(-1))


spelled("interp face attrs", "interpolate face attributes, interpolate attributes, interpolate face attrs")


@function("gather scatter")
def _of_neighbours(problem: Problem) -> Iterator[Formula]:
    """Rows at one end of edges [n, 2] added up at the other, or at both."""
    for edges, x in product(problem.integers, problem.like):
        if edges.size % 2 or edges is x:
            continue
        first, second = edges.index.reshape(-1, 2).T
        for width in (n for n in dict.fromkeys((*x.axes[-1:], *problem.whole, 1)) if n > 0 and x.size % n == 0):
            if edges.index.min() < 0 or edges.index.max() >= x.size // width:
                continue
            rows, sums = x.flat.reshape(-1, width), []
            for to, of in ((first, second), (second, first)):
                made = np.zeros(rows.shape)
                np.add.at(made, to, rows[of])
                sums.append(made.reshape(-1))
            for how, one in (
                ("from second to first", sums[0]),
                ("from first to second", sums[1]),
                ("both ways", sum(sums)),
            ):
                yield Formula(f"{x.name} over {edges.name}, {how}", np.asarray(one))


spelled("gather scatter", "mesh graph conv, gather neighbors, neighbor sum, sum neighbors, aggregate neighbors")


def _from_edges(points: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The squared distance of each point from the nearest place of each edge [edges, 2, 3]."""
    along, to = ends[:, 1] - ends[:, 0], points[:, None] - ends[:, 0]
    length = (along**2).sum(axis=1)
    share = np.clip((to * along).sum(axis=2) / np.where(length > 0, length, 1), 0, 1)
    found: np.ndarray = ((to - share[..., None] * along) ** 2).sum(axis=2)
    return found


def _from_faces(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The squared distance of each point from the nearest place of each triangle [faces, 3, 3]."""
    normal = next(_units(_products(corners)))
    edges = [_from_edges(points, corners[:, [at, (at + 1) % 3]]) for at in range(3)]
    to = points[:, None] - corners[:, 0]
    height = (to * normal).sum(axis=2)
    foot, inside = to - height[..., None] * normal, np.ones(height.shape, bool)
    for at in range(3):
        begin, end = corners[:, at] - corners[:, 0], corners[:, (at + 1) % 3] - corners[:, 0]
        inside &= (np.cross(end - begin, foot - begin) * normal).sum(axis=2) >= 0
    found: np.ndarray = np.where(inside, height**2, np.minimum.reduce(edges))
    return found


@function("point edge distance", "point face distance")
def _to_parts(problem: Problem) -> Iterator[Formula]:
    """Squared distances of points from edges [n, 2, 3] or triangles [n, 3, 3]: all, the least one, and its number."""
    for points, parts in permutations(problem.floats, 2):
        for corners, measure in ((2, _from_edges), (3, _from_faces)):
            n, m = points.size // 3, parts.size // (3 * corners)
            if points.size % 3 or parts.size % (3 * corners) or not 0 < n * m <= _MOST_PAIRS:
                continue
            squares = measure(points.flat.reshape(-1, 3), parts.flat.reshape(-1, corners, 3))
            text = f"of {points.name} from {'edges' if corners == 2 else 'faces'} {parts.name}"
            if problem.size == n * m:
                yield Formula(f"squared distances {text}", squares.reshape(-1))
                yield Formula(f"distances {text}", np.sqrt(squares).reshape(-1))
            for axis, how in ((1, ""), (0, ", of each of these")):
                if problem.size == squares.shape[1 - axis]:
                    yield Formula(f"least squared distances {text}{how}", squares.min(axis=axis))
                    yield Formula(f"least distances {text}{how}", np.sqrt(squares.min(axis=axis)))
                    yield Formula(f"the nearest {text}{how}", squares.argmin(axis=axis))


spelled("point edge distance", "point edge array, point edge, point to edge distance, point segment distance")
spelled("point face distance", "point face array, point face, point triangle distance, point to triangle distance")


@function("centroid", "bounding box")
def _extents(problem: Problem) -> Iterator[Formula]:
    """The mean of points [n, 3 or 2], or their least and greatest coordinates."""
    for points, wide in product(problem.floats, (3, 2)):
        if points.size % wide == 0 and points.size > problem.size:
            rows = points.flat.reshape(-1, wide)
            low, high = rows.min(axis=0), rows.max(axis=0)
            forms = (("mean", rows.mean(axis=0)), ("sum", rows.sum(axis=0)), ("least", low), ("greatest", high))
            for how, made in (*forms, ("least and greatest", np.concatenate([low, high]))):
                if made.size == problem.size:
                    yield Formula(f"{how} of points {points.name}", made)


spelled("centroid", "compute centroid, point centroid, center of points, mean point")
spelled("bounding box", "compute bounding box, compute aabb, point bounds, compute bounds")


@function("point in polygon")
def _inside(problem: Problem) -> Iterator[Formula]:
    """Whether a ray to the right crosses an odd number of edges, of points [n, 2] and corners [m, 2], or arrays."""
    pairs = [(one.name, one.flat.reshape(-1, 2)) for one in problem.floats if one.size % 2 == 0]
    for a, b in permutations(problem.floats, 2):
        if a.size == b.size:
            pairs.append((f"{a.name}, {b.name}", np.stack([a.flat, b.flat], axis=1)))
    for (name, points), (other, corners) in permutations(pairs, 2):
        if len(points) != problem.size or len(points) * len(corners) > _MOST_PAIRS:
            continue
        (x, y), (p, q) = points.T[:, :, None], corners.T
        r, s = np.roll(corners, 1, axis=0).T
        crosses = ((q > y) != (s > y)) & (x < (r - p) * (y - q) / (s - q) + p)
        yield Formula(f"{name} in polygon {other}", crosses.sum(axis=1) % 2)


spelled("point in polygon", "points in polygon, pnpoly, is inside polygon, inside polygon")


@vague("haversine")
def _on_earth(problem: Problem) -> Iterator[Formula]:
    """Distances on a sphere of latitudes and longitudes, in degrees or not; of pairs, or from one place."""
    alone = [(f"{f:g}", np.full(1, f)) for f in problem.factors]
    places = [*combinations([(one.name, one.flat) for one in problem.like], 2), *combinations(alone, 2)]
    radii = dict.fromkeys((6371.0, 6371e3, 1.0, 6378.137, *problem.factors))
    for (here, there), unit, radius in product(permutations(places, 2), (np.pi / 180, 1.0), radii):
        a, b, c, d = (unit * numbers for _, numbers in (*here, *there))
        half = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
        made = 2 * radius * np.arcsin(np.sqrt(np.clip(half, 0, 1)))
        text = ", ".join(name for name, _ in (*here, *there))
        yield Formula(f"distances of {text} at radius {radius:g}", np.broadcast_to(made, problem.size))


spelled("haversine", "haversine distance, great circle distance, compute haversine, haversine kernel")
