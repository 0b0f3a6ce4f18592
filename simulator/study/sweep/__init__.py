"""Many simulations side by side, on this machine's cores or on a Dask cluster."""

from .journal import Journal
from .runners import ON_CORES, run_all, run_on_cluster
from .table import Column, points_of, write_table

__all__ = ["ON_CORES", "Column", "Journal", "points_of", "run_all", "run_on_cluster", "write_table"]
