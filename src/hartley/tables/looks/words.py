"""Words in six languages by which columns and cells are known: the lists of ``words.toml`` beside it."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def word_lists() -> dict[str, Any]:
    """Return the lists by their names, as they are written."""
    return tomllib.loads(files("hartley.tables.looks").joinpath("words.toml").read_text("utf-8"))


def word_list(name: str) -> tuple[str, ...]:
    """Return the words of a list."""
    return tuple(word_lists()[name].split())
