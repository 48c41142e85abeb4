"""The options of a command, as they are declared for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hartley.errors import OptionError, nearest, quoted
from hartley.workflow.request.declared_options import DeclaredOption, options_of

F = TypeVar("F", bound=Callable[..., Any])


def declared(command: str) -> Callable[[F], F]:
    """Put every option on a command that ``options.toml`` declares for it."""

    def apply(function: F) -> F:
        for option in reversed(options_of(command)):
            function = _typed(option, is_required=command in option.required.split())(function)
        return function

    return apply


class NearestChoice(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of a few words; the refusal of another names the nearest."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word, or refuse."""
        if value not in self.choices and (near := nearest(str(value), self.choices)):
            self.fail(f"{value!r} is not one of {quoted(self.choices)} (did you mean {near!r}?)", param, ctx)
        return super().convert(value, param, ctx)


def _typed(option: DeclaredOption, *, is_required: bool) -> Callable[[F], F]:
    """Return an option as click takes it."""
    more: dict[str, Any] = {}
    if option.is_ == "flag":
        more["is_flag"] = True
    elif option.values:
        more["type"] = NearestChoice(option.values)
    else:
        more["type"] = {
            "text": str,
            "whole": int,
            "number": float,
            "file": click.Path(dir_okay=False, path_type=Path),
            "folder": click.Path(file_okay=False, path_type=Path),
            "drawing": click.Path(dir_okay=False),
        }[option.is_]
    if option.is_ == "drawing":
        more["callback"] = _drawable
    if option.bare is not None:
        more |= {"is_flag": False, "flag_value": option.bare}
    if option.default is not None:
        more |= {"default": option.default, "show_default": True}
    elif option.silent is not None:
        more["default"] = option.silent
    return click.option(
        *(option.flags or option.flag).split(),
        option.name,
        multiple=option.many,
        required=is_required,
        metavar=option.metavar,
        help=option.help,
        **more,
    )


def _drawable(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Refuse a figure that could not be written before anything long is done."""
    del context, parameter
    if path is not None and Path(path).suffix.lower() not in (".svg", ".png", ".pdf", ".html"):
        raise OptionError(f"cannot draw into {path!r}; end the name in .svg, .png, .pdf or .html")
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise OptionError(f"cannot draw into {path!r}; there is no such folder")
    return path
