"""Many simulations side by side, on this machine's cores or on a Dask cluster."""

from .carried import carry_out
from .journal import Journal
from .runners import run_all, run_on_cluster
from .search import best_points, every_point
from .table import Column, check_table, points_of, write_table

__all__ = [
    "Column",
    "Journal",
    "best_points",
    "carry_out",
    "check_table",
    "every_point",
    "points_of",
    "run_all",
    "run_on_cluster",
    "write_table",
]
