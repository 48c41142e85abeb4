"""Every deliberate exception.

.. code-block:: text

    HartleyError
    ├── InputError              the table or the call is wrong (exit code 2)
    │   ├── TableError          a file or frame that cannot be read as a table
    │   ├── ColumnError         a column that is not there, or of the wrong kind
    │   ├── OptionError         an argument or option with no meaning here
    │   ├── PolicyError         a policy or certificate that is damaged or made for something else
    │   └── WriteError          a file that cannot be written; nothing was changed
    └── UnreachableError        the answer is "no": nothing meets the target (exit code 3)

Each message is one line: what was wrong, then what would be right. No message
holds a cell of the table.

A message may speak of an option (:func:`option`). Which word stands for it is decided where the message is
shown: Python says ``missing_at``, the command line ``--missing-at``, the page the label beside the field.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeAlias
from warnings import warn

Say: TypeAlias = Callable[[str, str | None], str]
"""How a place where messages are shown names an option, and an option with a value."""

_OPTION = re.compile("\x1e([a-z_]+)(?:=([^\x1f]*))?\x1f")


def option(name: str, value: object = None) -> str:
    """Return a mention of an option, with a value perhaps, to stand in a message.

    >>> print(OptionError(f"missing numbers have no place; give {option('missing_at')}"))
    missing numbers have no place; give missing_at
    """
    return f"\x1e{name}\x1f" if value is None else f"\x1e{name}={value}\x1f"


def in_python(name: str, value: str | None) -> str:
    """Return an option as Python's keyword.

    >>> in_python("missing", "drop"), in_python("distinct_l", "5")
    ("missing='drop'", 'distinct_l=5')
    """
    if value is None:
        return name
    return f"{name}={value if value.replace('.', '', 1).isdecimal() else repr(value)}"


def worded(message: str, say: Say = in_python) -> str:
    """Return a message with its options said in the words of a place."""
    return _OPTION.sub(lambda found: say(found[1], found[2]), message)


def mentioned(message: str) -> list[tuple[str, str | None]]:
    """Return the options that a message speaks of, with their values.

    >>> mentioned(f"read it with {option('decimal', ',')} or {option('encoding')}")
    [('decimal', ','), ('encoding', None)]
    """
    return [(found[1], found[2]) for found in _OPTION.finditer(message)]


class HartleyError(Exception):
    """Anything hartley refuses on purpose.

    Parameters
    ----------
    message : str
        The text, with its mentions of options.
    option : str, optional
        The option that it is about; without one, the first that the text mentions.

    Examples
    --------
    >>> import hartley
    >>> from hartley.errors import option
    >>> error = hartley.HartleyError(f"missing numbers have no place; give {option('missing_at')}")
    >>> print(error, "|", error.option)
    missing numbers have no place; give missing_at | missing_at
    """

    def __init__(self, message: str = "", *, option: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        mentioned = _OPTION.search(message)
        self.option = option if option is not None or mentioned is None else mentioned[1]

    def __str__(self) -> str:
        return worded(self.message)

    def said(self, say: Say) -> str:
        """Return the message with its options in the words of a place."""
        return worded(self.message, say)


class InputError(HartleyError):
    """The table or the call is wrong; nothing was done.

    Examples
    --------
    >>> import hartley
    >>> try:
    ...     hartley.Partition.from_clusters([[0, 2]])
    ... except hartley.InputError as error:
    ...     print(error)
    clusters must hold each place from 0 to 1 once
    """


class TableError(InputError):
    """A file or frame that cannot be read as a table.

    Examples
    --------
    >>> import hartley
    >>> try:
    ...     hartley.audit("no_such_file.csv", sensitive="age")
    ... except hartley.TableError as error:
    ...     print(error)
    no file 'no_such_file.csv'; give the path of a table
    """


class ColumnError(InputError):
    """A column that is not in the table, or not of the kind that is needed.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41], "chol": [180, 181]})
    >>> try:
    ...     hartley.audit(table, sensitive="agee", public="chol")
    ... except hartley.ColumnError as error:
    ...     print(error)
    no column 'agee'; did you mean 'age'?
    """

    @classmethod
    def absent(cls, name: str, columns: Sequence[str], role: str = "") -> ColumnError:
        """Build the error for a column that is not there, or not in a role, naming the nearest ones.

        >>> print(ColumnError.absent("agee", ["age", "chol"]))
        no column 'agee'; did you mean 'age'?
        >>> print(ColumnError.absent("weight", ["age", "chol"]))
        no column 'weight'; the table has 'age', 'chol'
        >>> print(ColumnError.absent("weight", ["age"], "public"))
        no public column 'weight'; there is 'age'
        """
        near = get_close_matches(name, columns, n=3) or [
            column for column in columns if column.lower() == name.lower()
        ]
        what = f"no {role} column {name!r}" if role else f"no column {name!r}"
        if near:
            return cls(f"{what}; did you mean {quoted(near)}?")
        shown = quoted(columns[:8])
        more = f" and {len(columns) - 8} more" if len(columns) > 8 else ""
        there = "the table has" if not role else "there is" if len(columns) == 1 else "there are"
        return cls(f"{what}; {there} {shown}{more}")


class OptionError(InputError):
    """An argument or option that has no meaning here.

    Examples
    --------
    >>> import hartley
    >>> try:
    ...     hartley.Target("speed", 5)
    ... except hartley.OptionError as error:
    ...     print(str(error).split(";")[0])
    unknown target 'speed'
    """

    @classmethod
    def unknown(cls, what: str, given: object, choices: Iterable[str]) -> OptionError:
        """Build the error for a name that is not one of the choices.

        >>> print(OptionError.unknown("utility", "speed", ["resolution", "distortion"]))
        unknown utility 'speed'; choose 'resolution' or 'distortion'
        >>> print(OptionError.unknown("leakage", "l1", ["l0", "istar", "joint"]))
        unknown leakage 'l1'; did you mean 'l0'?
        """
        known = list(choices)
        near = nearest(str(given), known)
        hint = f"choose {quoted(known, last=' or ')}" if near is None else f"did you mean {near!r}?"
        return cls(f"unknown {what} {given!r}; {hint}")


class PolicyError(InputError):
    """A policy or certificate that is damaged, of another version, or made for another table."""


class WriteError(InputError):
    """A file that cannot be written; nothing was changed."""


class UnreachableError(HartleyError):
    """Nothing meets what is asked; the message says what the best is that can be met.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41], "chol": [180, 181]})
    >>> try:
    ...     hartley.frontier(table, sensitive="age", public="chol").frontier.meeting({"distinct_l": 3})
    ... except hartley.UnreachableError as error:
    ...     print(error)
    no release leaves 3 candidates for every released value; the most that can be reached is 2
    """


def nearest(given: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is spelled most like what was given; ``None`` where none is near.

    >>> nearest("Centrod", ["midpoint", "centroid"]), nearest("l1", ["l0", "istar"]), nearest("x", ["l0"])
    ('centroid', 'l0', None)
    """
    cutoff = 0.5 if len(given) < 4 else 0.6  # of two letters one may be wrong
    found = get_close_matches(given.lower(), list(choices), n=1, cutoff=cutoff)
    return found[0] if found else None


def quoted(names: Sequence[str], last: str = ", ") -> str:
    """List names in quotes, for a message."""
    shown = [repr(name) for name in names]
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + last + shown[-1]


def warn_renamed(old: str, new: str) -> None:
    """Say to whoever calls hartley what to write instead of an older spelling, which still works."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("hartley."):
        frame, level = frame.f_back, level + 1
    warn(f"{old} is an older spelling; write {new}", DeprecationWarning, stacklevel=level)


_REMOVED = {
    "equal_width": ("borders", "18,40,65", "list the borders of your bands"),
    "offset": ("borders", "18,40,65", "list the borders of your bands"),
    "open_ends": ("borders", "18,40,65", "list the borders of your bands, of which the outer ones are open"),
    "bands": (None, None, "leave it out: bands have any widths"),
    "lose_at_most": (None, None, "leave it out: no band loses more than half of its rows"),
    "neighbours": ("hierarchy", "region=groups.csv", "say which values may share a group"),
}
"""Options of earlier versions: the one to use instead, as an example, and what it says."""


def require_not_removed(name: str) -> None:
    """Refuse an option of an earlier version, and say what to write instead.

    >>> require_not_removed("equal_width")
    Traceback (most recent call last):
    hartley.errors.OptionError: equal_width is gone; list the borders of your bands, as in borders='18,40,65'
    """
    if name in _REMOVED:
        instead, value, said = _REMOVED[name]
        example = "" if instead is None else f", as in {option(instead, value)}"
        raise OptionError(f"{option(name)} is gone; {said}{example}")
