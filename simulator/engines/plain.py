"""Values of JSON that another process wrote, believed only as far as they make sense: ValueError where they do not."""

from __future__ import annotations

_TEXT = 1 << 16  # characters of a text


def text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _TEXT:
        raise ValueError("a text is none")
    return value


def texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise ValueError("a list of texts is none")
    return tuple(text(value) for value in values)


def number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >> 64:
        raise ValueError("a number is none")
    return value


def count(value: object) -> int:
    found = number(value)
    require(found >= 0, "counts")
    return found


def require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"wrong {what}")
