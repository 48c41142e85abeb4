"""Names and methods that are loaded when they are first used.

A package's names come from modules that are imported when one of them is asked for, so that importing the
package costs nothing.

Some methods do their work in a layer above their class: figures are drawn far above the results, and a
policy is applied to frames by code that the verifier, which reads policies, must not know. The class says
only that it can be done; the package's front page says where, and that is loaded when asked for.
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


_functions: dict[str, str] = {}


def done_by(functions: Mapping[str, str]) -> None:
    """Say which function does the work of a method: ``Class.method`` to ``module:function``."""
    _functions.update(functions)


def late_function(method: str) -> Callable[..., Any]:
    """Return the function that does the work of a method, and load its module."""
    module, _, name = _functions[method].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


class Drawable:
    """A result that can be drawn: in a notebook by itself, elsewhere by :meth:`plot`."""

    def plot(self, **options: Any) -> Any:
        """Draw it: gives a figure that shows itself in a notebook and has ``save(path)``.

        The options are those of the figure; needs the ``figures`` extra.
        """
        return late_function(f"{type(self).__name__}.plot")(self, **options)

    def _repr_html_(self) -> str | None:
        """Show the figure; without the packages that draw, a notebook falls back to the text."""
        try:
            shown: str = self.plot()._repr_html_()
        except InputError:
            return None
        return shown
