"""Keywords of the one-call forms, sorted into the values whose fields they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from hartley.errors import OptionError, quoted


def sorted_into(given: Mapping[str, Any], *kinds: type) -> list[dict[str, Any]]:
    """Return the keywords of each kind of value; raise where one belongs to none.

    >>> from hartley.tables import ReadOptions, Roles
    >>> sorted_into({"side": ("a",), "encoding": "latin-1"}, Roles, ReadOptions)
    [{'side': ('a',)}, {'encoding': 'latin-1'}]
    >>> sorted_into({"sid": ("a",)}, Roles)
    Traceback (most recent call last):
    hartley.errors.OptionError: unknown keyword 'sid'; did you mean 'side'?
    """
    known = [{field.name for field in fields(kind) if field.init} for kind in kinds]
    for name in given:
        if not any(name in names for names in known):
            every = sorted(set().union(*known))
            near = get_close_matches(name, every, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {quoted(every, last=' and ')}"
            raise OptionError(f"unknown keyword {name!r}; {hint}")
    return [{name: value for name, value in given.items() if name in names} for names in known]
