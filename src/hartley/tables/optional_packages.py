"""Packages that only some sources need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hartley.errors import TableError


def required(module: str, what: str, extra: str) -> Any:
    """Import a package, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise TableError(
            f"{what} needs a package that is not installed; pip install 'hartley[{extra}]'"
        ) from None
