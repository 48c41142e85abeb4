"""Names of a package that are loaded when they are first used.

How a result shows itself without knowing who draws it.

Figures are drawn in a layer far above the results. A result says only that it can be drawn;
the package's front page says where the drawing is done, and it is loaded when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from hartley.errors import InputError


def lazy_names(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` for names that live elsewhere.

    ``home`` gives the module of each name, or ``module:name`` where it is called otherwise there.

    >>> lazy_names("shapes", {"sqrt": "math"})("sqrt")(9)
    3.0
    """

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = home[name].partition(":")
        return getattr(import_module(module), attribute or name)

    return load


_painters: dict[str, str] = {}


def drawn_by(painters: Mapping[str, str]) -> None:
    """Say which function draws a kind of result: its class name to ``module:function``.

    ``Class.word`` names what else is made of it, such as ``Study.report``.
    """
    _painters.update(painters)


class Drawable:
    """A result that can be drawn: in a notebook by itself, elsewhere by :meth:`plot`."""

    def plot(self, **options: Any) -> Any:
        """Draw it: gives a figure that shows itself in a notebook and has ``save(path)``.

        The options are those of the figure; needs the ``figures`` extra.
        """
        module, _, function = _painters[type(self).__name__].partition(":")
        return getattr(import_module(module), function)(self, **options)

    def drawn(self, word: str, *arguments: Any, **options: Any) -> Any:
        """Have something made of it by the layer that draws."""
        module, _, function = _painters[f"{type(self).__name__}.{word}"].partition(":")
        return getattr(import_module(module), function)(self, *arguments, **options)

    def _repr_html_(self) -> str | None:
        """Show the figure; without the packages that draw, a notebook falls back to the text."""
        try:
            shown: str = self.plot()._repr_html_()
        except InputError:
            return None
        return shown
