"""The points of a sweep, and its table as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...files import write_atomically

#: A swept name with its values.
Column = tuple[str, Sequence[Any]]
_MOST = 1_000_000


def points_of(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Every combination of the values; ValueError for too many, and for a name that is given twice."""
    names = [name for name, _ in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} is given twice")
    count = 1
    for _, values in columns:
        count *= len(values)
    if count > _MOST:
        raise ValueError(f"the sweep has {count} points; {_MOST} are the most")
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*(values for _, values in columns))]


def check_table(path: Path) -> None:
    """ValueError for a file that is no table."""
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"cannot write {path}; name a file that ends in .csv or .parquet")


def write_table(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows as .csv or .parquet, all of it or nothing; ValueError for other files and without pyarrow."""
    check_table(path)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".csv":
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        data = text.getvalue().encode()
    else:
        data = _parquet(rows, names)
    with write_atomically(path) as file:
        file.write(data)


def _parquet(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ValueError("a .parquet file needs pyarrow: pip install pyarrow; or name a .csv file") from None
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        if len({type(value) for value in values if value is not None} - {int, float}) > 0:
            values = [None if value is None else str(value) for value in values]
        columns[name] = pa.array(values)
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()
