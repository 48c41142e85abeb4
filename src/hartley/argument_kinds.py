"""Whether what a Python caller gives is of the kind that the annotations say; refused in one line if not.

Containers are looked into one level deep. Texts that name a choice, and numbers out of their range, are for
those to refuse who know the choices and the range.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from decimal import Decimal
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from hartley.errors import OptionError, option, quoted

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_WORDS = {
    str: "a text",
    Path: "a path",
    float: "a number",
    int: "a whole number",
    bool: "True or False",
    NoneType: "None",
}
_NOTHING = object()


class _OwnDefault:
    """In a signature: the keyword has a default, which its own class knows."""

    def __repr__(self) -> str:
        return "..."


_OWN_DEFAULT = _OwnDefault()
_LARGEST = 1 << 1023
"""Larger whole numbers are no floats."""


def checked(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Have a function refuse arguments of another kind than it says.

    >>> @checked
    ... def shout(word: str, times: int = 1) -> str:
    ...     return word.upper() * times
    >>> shout("a", 2)
    'AA'
    >>> shout(None)
    Traceback (most recent call last):
    hartley.errors.OptionError: word must be a text, not None
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        hints, defaults, places = _hints_of_function(function)
        if len(args) > len(places):
            said = [name for name in places if name != "self"]
            first = f"only {quoted(said, last=' and ')} by place" if said else "nothing by place"
            raise OptionError(f"{function.__name__} takes {first}; give the rest by name, as name=value")
        for name, given in zip(hints, args, strict=False):
            _require(name, given, hints[name])
        for name, given in kwargs.items():
            if given is not defaults.get(name, _NOTHING):
                _require(name, given, hints.get(name, Any))
        return function(*args, **kwargs)

    call.__signature__ = _shown_signature(function)  # type: ignore[attr-defined]
    return call


def _shown_signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature with the keywords that stand behind ``**fields``, as a completer shows them."""
    signature = inspect.signature(function)
    shown = []
    for one in signature.parameters.values():
        kind = re.fullmatch(r"Unpack\[(\w+)\]", str(one.annotation))
        keywords = None if kind is None else function.__globals__.get(kind.group(1))
        if one.kind is not one.VAR_KEYWORD or keywords is None:
            shown.append(one)
            continue
        taken = {other.name for other in shown}
        shown += [
            inspect.Parameter(name, one.KEYWORD_ONLY, default=_OWN_DEFAULT)
            for name in keywords.__annotations__
            if name not in taken
        ]
    return signature.replace(parameters=shown)


def require_field_kinds(made: Any) -> None:
    """Raise where a field of a dataclass is of another kind than its class says."""
    for name, hint, default, container in _hints_of_fields(made.__class__):
        given = getattr(made, name)
        if given is not default and not (given.__class__ is container and not given):
            _require(name, given, hint)


@cache
def _hints_of_function(
    function: Callable[..., Any],
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return the kind of each argument, the defaults, which need no check, and what may be given by place."""
    found: dict[str, Any] = {}
    places: list[str] = []
    defaults: dict[str, Any] = {}
    names = vars(inspect.getmodule(function))
    for parameter in inspect.signature(function).parameters.values():
        hint = _hint(parameter.annotation, names)
        if parameter.default is not parameter.empty:
            defaults[parameter.name] = parameter.default
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            places.append(parameter.name)
        if parameter.kind is not parameter.VAR_KEYWORD:
            found[parameter.name] = hint
        else:  # Unpack[…] of the keywords and their kinds
            (keywords,) = get_args(hint) or (SimpleNamespace(__annotations__={}),)
            found |= {name: _hint(one, {}) for name, one in keywords.__annotations__.items()}
    return found, defaults, tuple(places)


@cache
def _hints_of_fields(kind: type) -> tuple[tuple[str, Any, Any, Any], ...]:
    """Return the name, the kind and the default of each field, or what makes an empty one."""
    homes = {
        name: vars(inspect.getmodule(one))
        for one in reversed(kind.__mro__)
        for name in inspect.get_annotations(one)
    }
    return tuple(
        (one.name, _hint(one.type, homes.get(one.name, {})), one.default, one.default_factory)
        for one in fields(kind)
        if one.init
    )


def _hint(annotation: Any, names: dict[str, Any]) -> Any:
    """Return an annotation as types; anything goes where it names what is not loaded."""
    if annotation is inspect.Parameter.empty:
        return Any
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, names)["it"]
    except (NameError, TypeError, SyntaxError):
        return Any


def _require(name: str, given: object, hint: Any) -> None:
    if isinstance(given, str):
        try:
            given.encode("utf-8", "surrogateescape")  # as paths are, whose bytes are no text
        except UnicodeEncodeError:
            raise OptionError(f"{option(name)} holds half a character", option=name) from None
    if hint is not Any and not _fits(given, hint):
        found = "None" if given is None else type(given).__name__
        if isinstance(given, Integral) and abs(int(given)) > _LARGEST:
            found = "one that large"
        raise OptionError(f"{option(name)} must be {_in_words(hint)}, not {found}", option=name)


def _fits(given: Any, hint: Any, *, is_inner: bool = False) -> bool:
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(given, one, is_inner=is_inner) for one in inner)
    if kind is Literal:
        return isinstance(given, str)
    if kind is float:
        return _is_number(given, Real | Decimal)
    if kind is int:
        return _is_number(given, Integral)
    if kind is Path:
        return isinstance(given, os.PathLike)
    if not isinstance(kind, type) or kind is Any:
        return True
    if issubclass(kind, Mapping):
        whole = isinstance(given, Mapping) and (
            inner[:1] != (str,) or all(isinstance(key, str) for key in given)
        )
        return whole and (is_inner or all(_fits(one, inner[1], is_inner=True) for one in given.values()))
    if issubclass(kind, Iterable) and kind is not str:
        if isinstance(given, str):
            return inner[:1] == (str,)
        whole = isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping))
        if is_inner or not whole or not isinstance(given, Collection):
            return whole
        return all(_fits(one, inner[0], is_inner=True) for one in given)
    return isinstance(given, kind)


def _is_number(given: Any, kind: Any) -> bool:
    if isinstance(given, bool) or not isinstance(given, kind):
        return False
    return not isinstance(given, Integral) or abs(int(given)) <= _LARGEST


def _in_words(hint: Any) -> str:
    """Say what is wanted: ``a text or several texts``."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_in_words, inner)))
    if kind is Literal:
        return "a text"
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return "a mapping from names"
    if isinstance(kind, type) and issubclass(kind, Iterable) and kind is not str:
        return "several texts" if inner[:1] == (str,) else "several of them"
    return _WORDS.get(kind) or f"a {getattr(kind, '__name__', 'value')}"
