"""Boxes of detectors: priors, what networks say of them, which are kept; and points that are chosen of clouds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .points import overlaps
from .pointwise import sigmoid
from .problem import Formula, Input, Problem, function, of_all_results, spelled, vague

#: Boxes whose overlaps are computed, at most; pairs of points; the bits of a word of a mask.
_MOST_BOXES, _MOST_PAIRS, _WORD = 2048, 1 << 22, 64
#: How little a ratio may differ from 1 to be none of its own.
_LITTLE = 1e-6


@function("prior box")
def _priors(problem: Problem) -> Iterator[Formula]:
    """Boxes (left, top, right, bottom) around the middle of each place, as shares of an image; or their variances."""
    lists = [one for one in problem.floats if 0 < one.size <= 64]
    for one in lists:
        if problem.size % one.size == 0:
            yield Formula(f"{one.name} of each box", np.tile(one.flat, problem.size // one.size))
    steps = [f for f in problem.factors if f > 1] or [1.0]
    offset = problem.factor("offset") or 0.5
    for most, least, ratios in permutations([*lists, Input("none", np.empty(0))], 3):
        if least.size and ratios.size and most.size in (0, least.size) and min(least.flat.min(), ratios.flat.min()) > 0:
            sizes = _sizes(least.flat, most.flat, ratios.flat)
            places = _pairs(problem, permutations(problem.counts, 2), ("", "feature_", "layer_"))
            for (h, w), (step_y, step_x) in product(places, _steps(problem, steps)):
                for order, each in enumerate(sizes):
                    if h * w * len(each) * 4 == problem.size:
                        text = f"priors of {h}x{w} by {least.name}, {most.name}, {ratios.name}, order {order}"
                        yield from _around(problem, text, (h, w), (step_y, step_x, offset), each)


def _pairs(problem: Problem, others: Iterable[tuple[int, int]], first: Sequence[str]) -> Iterable[tuple[int, int]]:
    """The height and the width that are called so behind one of these words; where there is none, any others."""
    for word in first:
        named = [problem.numbers.get(f"{word}{one}") for one in ("height", "width")]
        if named[0] and named[1]:
            return [(int(named[0]), int(named[1]))]
    return others


def _steps(problem: Problem, steps: Sequence[float]) -> Iterable[tuple[float, float]]:
    """The steps down and across, by their names or any."""
    named = [problem.numbers.get(f"step_{one}") for one in "hw"]
    if named[0] and named[1]:
        return [(named[0], named[1])]
    return [(down, across) for down in steps for across in steps]


def _sizes(least: np.ndarray, most: np.ndarray, ratios: np.ndarray) -> list[np.ndarray]:
    """Half widths and heights of the boxes of a place: those of all ratios first, or the least and the largest ones."""
    first, second = [], []
    for n, size in enumerate(least):
        square = [np.sqrt(size * most[n])] if len(most) else []
        wide = [(size * np.sqrt(r), size / np.sqrt(r)) for r in ratios]
        first += [*wide, *((s, s) for s in square)]
        others = [pair for pair, r in zip(wide, ratios, strict=True) if abs(r - 1) >= _LITTLE]
        second += [(size, size), *((s, s) for s in square), *others]
    return [np.array(first) / 2, np.array(second) / 2]


def _around(
    problem: Problem, text: str, shape: tuple[int, int], steps: tuple[float, float, float], half: np.ndarray
) -> Iterator[Formula]:
    y, x = ((np.arange(n) + steps[2]) * step for n, step in zip(shape, steps, strict=False))
    centre = np.stack(np.broadcast_arrays(x[None, :, None], y[:, None, None]), axis=-1)
    box = np.concatenate([centre - half, centre + half], axis=-1)
    for high, wide in _pairs(problem, permutations(problem.counts, 2), ("im_", "img_", "image_")):
        made = box / [wide, high, wide, high]
        said = f"{text}, of {wide}x{high}, {steps[2]:g} of steps {steps[0]:g}, {steps[1]:g}"
        for clipped in problem.says("clip"):
            how = ", from 0 to 1" * clipped
            yield Formula(f"{said}{how}", (np.clip(made, 0, 1) if clipped else made).reshape(-1))


spelled("prior box", "priorbox, prior var, prior boxes")


@function("yolo box")
def _yolo(problem: Problem) -> Iterator[Formula]:
    """Boxes and scores of anchors at each place, 0 where the confidence is too small.

    Of [n, anchors * (5 + classes), h, w], or with the overlaps of all anchors before; results are
    [n, anchors, 4 or classes, h * w] or [n, anchors * h * w, 4 or classes].
    """
    least, scale = problem.factor("conf", "thresh"), problem.factor("scale")
    for x, (image, anchors) in product(problem.floats, permutations(problem.integers, 2)):
        n, count = image.size // 2, anchors.size // 2
        for classes, ratio in permutations(problem.counts, 2):
            for h, w in permutations((*x.axes[-2:], *problem.counts), 2):
                for iou in (0, 1):
                    if n * count * (5 + classes + iou) * h * w == x.size and least is not None:
                        shape = (n, count, classes, h, w)
                        text = f"of {x.name}, {classes} classes, {h}x{w}, ratio {ratio}"
                        yield from _of_places(
                            problem, text, shape, (x, image, anchors), (ratio, least, scale or 1.0), iou
                        )


def _of_places(
    problem: Problem,
    text: str,
    shape: tuple[int, ...],
    arrays: Sequence[Input],
    by: tuple[float, float, float],
    iou: int,
) -> Iterator[Formula]:
    (n, count, classes, h, w), (x, image, anchors), (ratio, least, scale) = shape, arrays, by
    whole = x.flat.reshape(n, count * (5 + classes + iou), h, w)
    rows = whole[:, count * iou :].reshape(n, count, 5 + classes, h, w)
    confident = sigmoid(rows[:, :, 4])
    for share in (problem.factor("factor"),) if iou else (None,):
        part = share or 0.0
        sure = confident ** (1 - part) * sigmoid(whole[:, :count]) ** part if iou else confident
        kept = (sure >= least)[:, :, None]
        high, wide = (image.flat.reshape(n, 2)[:, at].reshape(n, 1, 1, 1) for at in (0, 1))
        of_anchor = anchors.flat.reshape(1, count, 2, 1, 1)
        move = -0.5 * (scale - 1)
        across = (np.arange(w) + sigmoid(rows[:, :, 0]) * scale + move) * wide / w
        down = (np.arange(h)[:, None] + sigmoid(rows[:, :, 1]) * scale + move) * high / h
        half_w = np.exp(rows[:, :, 2]) * of_anchor[:, :, 0] * wide / (ratio * w) / 2
        half_h = np.exp(rows[:, :, 3]) * of_anchor[:, :, 1] * high / (ratio * h) / 2
        plain = [across - half_w, down - half_h, across + half_w, down + half_h]
        inside = [np.maximum(plain[0], 0), np.maximum(plain[1], 0),
                  np.minimum(plain[2], wide - 1), np.minimum(plain[3], high - 1)]  # fmt: skip
        for clip in problem.says("clip"):
            box = np.stack(inside if clip else plain, axis=2) * kept
            yield from _in_layouts(f"boxes {text}" + ", clipped" * clip, box)
        yield from _in_layouts(f"scores {text}", sure[:, :, None] * sigmoid(rows[:, :, 5:]) * kept)


def _in_layouts(text: str, made: np.ndarray) -> Iterator[Formula]:
    yield Formula(text, made.reshape(-1))
    yield Formula(f"{text}, of each place", made.transpose(0, 1, 3, 4, 2).reshape(-1))


spelled("yolo box", "yolobox")
of_all_results("yolo box")


def _overlap(a: np.ndarray, b: np.ndarray, more: float) -> np.ndarray:
    """Overlaps [n, m] of boxes (left, top, right, bottom), by their union."""
    common, of_a, of_b = overlaps(a[:, None], b[None], more)
    found: np.ndarray = common / np.maximum(of_a + of_b - common, 1e-12)
    return found


@vague("nms")
def _nms(problem: Problem) -> Iterator[Formula]:
    """Which boxes behind it each box overlaps, as bits; or which boxes are kept, in their order or by their scores."""
    for boxes, wide in product(problem.floats, (4, 5, 6, 7)):
        n = boxes.size // wide
        if boxes.size != wide * n or not 0 < n <= _MOST_BOXES:
            continue
        rows = boxes.flat.reshape(n, wide)
        corners = [rows[:, :4]]
        corners += (
            [np.concatenate([rows[:, :2] - rows[:, 3:5] / 2, rows[:, :2] + rows[:, 3:5] / 2], 1)] if wide == 7 else []
        )
        scores = [one.flat for one in problem.floats if one.size == n and one is not boxes]
        scores += [rows[:, 4]] if wide > 4 else []
        for box, threshold, more in product(corners, problem.factors, (0.0, 1.0)):
            over = _overlap(box, box, more) > threshold
            text = f"of {boxes.name} over {threshold:g}" + ", ends included" * bool(more)
            yield from _masks(problem, text, over)
            for score in (-np.arange(n), *scores):
                yield from _kept(problem, text, over, np.argsort(-score, kind="stable"))


def _masks(problem: Problem, text: str, over: np.ndarray) -> Iterator[Formula]:
    n = len(over)
    words = -(-n // _WORD)
    block = np.arange(n) // _WORD
    behind = np.arange(n)[None] > np.arange(n)[:, None]
    for how, counted in (("", behind), (", all other blocks", behind | (block[None] != block[:, None]))):
        bits = np.zeros((n, words * _WORD), dtype=bool)
        bits[:, :n] = over & counted
        masks = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        if masks.size == problem.size:
            yield Formula(f"masks {text}{how}", masks.reshape(-1))


def _kept(problem: Problem, text: str, over: np.ndarray, order: np.ndarray) -> Iterator[Formula]:
    dropped, kept = np.zeros(len(over), dtype=bool), []
    for at in order:
        if not dropped[at]:
            kept.append(at)
            dropped |= over[at]
    flags = np.zeros(len(over))
    flags[kept] = 1
    if problem.size == 1:
        yield Formula(f"how many are kept {text}", np.array([float(len(kept))]))
    if problem.size == len(over):
        yield Formula(f"flags {text}", flags)
        yield Formula(f"flags of what is dropped {text}", 1 - flags)
    for held in (*(one.flat for one in problem.like), np.zeros(problem.size), np.full(problem.size, -1.0)):
        if len(kept) <= problem.size:
            yield Formula(f"numbers {text}", np.append(kept, held[len(kept) :]))


spelled(
    "nms",
    """non maximum suppression, non max suppression, gen nms mask, nms mask, gen nms result, nms normal, nms 3d
    normal""",
)


@vague("box decode")
def _decoded(problem: Problem) -> Iterator[Formula]:
    """Boxes moved and scaled by shares of theirs (x, y, w, h), by weights or not; or such shares of two boxes.

    Boxes may be those of all rows or of all columns of shares [rows, columns, 4], and have weights of their own.
    """
    yield from _of_each(problem)
    for boxes, deltas in permutations(problem.floats, 2):
        if boxes.size != problem.size or deltas.size != problem.size or problem.size % 4:
            continue
        box, by = boxes.flat.reshape(-1, 4), deltas.flat.reshape(-1, 4)
        tables = [("", np.ones(4)), *((f" * {one.name}", one.flat) for one in problem.floats if one.size == 4)]
        for (name, weight), more in product(tables, (0.0, 1.0)):
            size, shares = box[:, 2:] - box[:, :2] + more, by * weight
            for how, at in (("corners", box[:, :2] + size / 2), ("centres", box[:, :2])):
                wide = size if how == "corners" else box[:, 2:]
                centre, half = _moved(at, wide, shares)
                text = f"{boxes.name} of {how} by {deltas.name}{name}"
                yield Formula(text, np.concatenate([centre - half, centre + half - more], 1).reshape(-1))
                yield Formula(f"{text}, as centres", np.concatenate([centre, 2 * half], 1).reshape(-1))


def _moved(centre: np.ndarray, size: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the centres of boxes are moved to, and half of what their sizes become."""
    return centre + shares[..., :2] * size, np.exp(shares[..., 2:]) * size / 2


def _of_each(problem: Problem) -> Iterator[Formula]:
    for boxes, deltas in permutations(problem.floats, 2):
        count = boxes.size // 4
        if deltas.size != problem.size or not 4 <= boxes.size < problem.size or problem.size % boxes.size:
            continue
        for how, axis, shape in (("columns", 0, (-1, count, 4)), ("rows", 1, (count, -1, 4))):
            by, box = deltas.flat.reshape(shape), np.expand_dims(boxes.flat.reshape(-1, 4), axis)
            tables: list[tuple[str, np.ndarray]] = [("", np.ones(4))]
            tables += [
                (f" * {one.name}", one.flat.reshape(box.shape if one.size == boxes.size else 4))
                for one in problem.floats
                if one.size in (4, boxes.size) and one is not boxes
            ]
            for (name, weight), more in product(tables, (0.0, 1.0)):
                size, shares = box[..., 2:] - box[..., :2] + more, by * weight
                centre, half = _moved(box[..., :2] + size / 2, size, shares)
                made = np.concatenate([centre - half, centre + half - more], axis=-1)
                yield Formula(f"{boxes.name} of {how} by {deltas.name}{name}, {more:g} added", made.reshape(-1))


spelled(
    "box decode",
    """decode box, decode center size, box coder decode, box decode center size, bbox decode, decode bbox, decode boxes,
    bbox transform, delta2bbox, bbox transform inv, box transform, decode boxes from deltas, box decoder, decode
    bboxes""",
)


@function("clip boxes")
def _clipped(problem: Problem) -> Iterator[Formula]:
    """Boxes (left, top, right, bottom) inside of an image."""
    bounds = [*map(float, problem.whole), *problem.factors]
    for boxes, (high, wide), less in product(problem.like, permutations(bounds, 2), (0.0, 1.0)):
        if boxes.size % 4 == 0:
            most = np.array([wide, high, wide, high]) - less
            yield Formula(
                f"{boxes.name} in {wide:g}x{high:g} - {less:g}", np.clip(boxes.flat.reshape(-1, 4), 0, most).reshape(-1)
            )


spelled("clip boxes", "clip bbox, clip bboxes, clip box, box clip")


def _chosen(squares: np.ndarray, count: int, there: np.ndarray, least: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """So many points, each the furthest of those before it; and how far each point is from all but the last of them."""
    chosen, apart = [0], np.where(there, least, -1.0)
    for _ in range(count - 1):
        apart = np.where(there, np.minimum(apart, squares[chosen[-1]]), apart)
        chosen.append(int(apart.argmax()))
    return np.array(chosen), np.where(there, apart, least)


@function("furthest point sampling")
def _furthest(problem: Problem) -> Iterator[Formula]:
    """The numbers of points, of which 0 is the first; or squared distances. Points near 0 may be left out."""
    for points, batch in ((one, n) for one in problem.floats for n in _batches(problem, one)):
        n = points.size // (3 * batch)
        lengths = [m for m in (problem.size // batch, *problem.whole) if 0 < m <= n]
        by_pairs = [m for m in problem.whole if m * m * batch == points.size and m > 1]
        tables = [("", _squares(points.flat.reshape(batch, -1, 3)), points.flat.reshape(batch, -1, 3))] if (
            points.size == 3 * n * batch and n * n * batch <= _MOST_PAIRS) else []  # fmt: skip
        tables += [(" of distances", points.flat.reshape(batch, m, m), np.ones((batch, m, 3))) for m in by_pairs]
        for (how, squares, of), near in product(tables, (False, True)):
            size = squares.shape[1]
            starts = [
                one.flat.reshape(batch, size)
                for one in problem.floats
                if one.size == batch * size and one is not points
            ]
            for count, start in product(dict.fromkeys(lengths), (np.full((batch, size), 1e10), *starts)):
                there = (of**2).sum(axis=2) > 1e-3 if near else np.ones((batch, size), bool)
                made = [_chosen(s, count, t, least) for s, t, least in zip(squares, there, start, strict=True)]
                text = f"{count} of {points.name}{how}" + ", none at 0" * near
                for name, at in (("", 0), ("how far from ", 1)):
                    values = np.concatenate([one[at] for one in made])
                    if values.size == problem.size:
                        yield Formula(f"{name}the furthest {text}", values)


def _batches(problem: Problem, points: Input) -> Iterator[int]:
    """How many clouds there may be, as passed, or by the points of each."""
    each = [points.size // (3 * n) for n in problem.whole if n > 0 and points.size % (3 * n) == 0]
    yield from dict.fromkeys(n for n in (*points.axes[:1], 1, *problem.whole, *each) if 0 < n <= points.size)


def _squares(points: np.ndarray) -> np.ndarray:
    found: np.ndarray = ((points[:, :, None] - points[:, None]) ** 2).sum(axis=3)
    return found


spelled(
    "furthest point sampling",
    """furthest point sample, farthest point sampling, farthest point sample, furthest point sampling with dist, fps,
    furthestsampling, farthestpointsampling, furthest sampling""",
)


@function("chamfer distance")
def _nearest(problem: Problem) -> Iterator[Formula]:
    """The squared distance of each point from the nearest one of another cloud, or the number of that."""
    for (x, y), wide in product(permutations(problem.floats, 2), (2, 3, 5, 6)):
        for batch in (n for n in dict.fromkeys((*x.axes[:1], 1, *problem.whole)) if n > 0):
            n, m = x.size // (wide * batch), y.size // (wide * batch)
            if (
                n * wide * batch == x.size
                and m * wide * batch == y.size
                and n * batch == problem.size
                and 0 < n * m * batch <= _MOST_PAIRS
            ):
                a, b = x.flat.reshape(batch, n, 1, wide), y.flat.reshape(batch, 1, m, wide)
                squares = ((a - b) ** 2).sum(axis=3)
                yield Formula(f"squared distances of {x.name} from {y.name}", squares.min(axis=2).reshape(-1))
                yield Formula(f"nearest of {y.name} to {x.name}", squares.argmin(axis=2).reshape(-1))


spelled("chamfer distance", "nm distance, nn distance, chamfer dist, chamfer, sided distance, one sided chamfer")
