"""Names of a package that are loaded when they are first used, so that importing it costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` for names that live elsewhere; the package keeps what was loaded.

    ``home`` gives the module of each name, or ``module:name`` where it is called otherwise there.

    >>> lazy_names("shapes", {"sqrt": "math"})("sqrt")(9)
    3.0
    """

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = home[name].partition(":")
        found = getattr(import_module(module), attribute or name)
        if package in sys.modules:
            setattr(sys.modules[package], name, found)
        return found

    return load
