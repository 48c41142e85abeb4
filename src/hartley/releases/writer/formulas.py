r"""Cells that a spreadsheet would run, and how a released CSV file defuses them.

A program for spreadsheets takes a cell of a CSV file that begins with ``=``, ``+``, ``-`` or ``@`` for a
formula, and a formula can fetch addresses or start programs. Numbers such as ``-5``, and marks such as ``-``,
run nothing. A cell is defused by a quote before it; one that begins with quotes and then with such a mark
gets one more, so that different cells stay different and the quote can be taken away again.
"""

from __future__ import annotations

import re
from functools import cache

_BLANK = r"[\t\n\v\f\r \x{a0}\x{feff}]*"
_MARK = r"[-=+@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
RUNS = f"^{_BLANK}{_MARK}"
"""The beginning of a cell that may be run; the wide letters of East Asia count as well."""
DEFUSED = f"^'*{_BLANK}{_MARK}"
"""The beginning of a cell that gets a quote before it."""
HARMLESS = r"'* *([-+]?([0-9]+([.,][0-9]+)*|[.,][0-9]+)([eE][-+]?[0-9]+)?%?|[-+=@ ]+)"
"""The whole of a cell that runs nothing all the same: a number, or nothing but marks."""


def runs_sql(cell: str) -> str:
    """Return the SQL that tells whether a spreadsheet would run a cell."""
    return f"({_matches(cell, RUNS)} AND NOT regexp_full_match({cell}, {_literal(HARMLESS)}))"


def defused_sql(cell: str) -> str:
    """Return the SQL of a cell that no spreadsheet runs."""
    is_run = f"{_matches(cell, DEFUSED)} AND NOT regexp_full_match({cell}, {_literal(HARMLESS)})"
    return f"(CASE WHEN {is_run} THEN chr(39) || {cell} ELSE {cell} END)"


def is_run(cell: str | None) -> bool:
    """Tell whether a spreadsheet would run a cell.

    >>> [is_run(cell) for cell in ("=1+1", "@SUM(A1)", "-5", "-", "+49 40 123", "a=b")]
    [True, True, False, False, True, False]
    """
    return cell is not None and _begins(cell, RUNS)


def defused(cell: str | None) -> str | None:
    """Return a cell that no spreadsheet runs.

    >>> defused("=1+1"), defused("'=1+1"), defused("-1.5"), defused("it's")
    ("'=1+1", "''=1+1", '-1.5', "it's")
    """
    return f"'{cell}" if cell is not None and _begins(cell, DEFUSED) else cell


def _begins(cell: str, pattern: str) -> bool:
    return _read(pattern).match(cell) is not None and _read(HARMLESS).fullmatch(cell) is None


@cache
def _read(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the engine in Python's spelling."""
    return re.compile(re.sub(r"\\x\{([0-9a-f]+)\}", lambda found: f"\\u{int(found[1], 16):04x}", pattern))


def _matches(cell: str, pattern: str) -> str:
    return f"regexp_matches({cell}, {_literal(pattern)})"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
