"""What is raised for a declaration that is wrong."""

from __future__ import annotations


class DeclarationError(Exception):
    """A declaration contradicts itself, or what its function does on float64 (`Wider`)."""
