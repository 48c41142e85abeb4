"""Printing: plain words on a terminal, exactly one document as JSON."""

from __future__ import annotations

import errno
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import fill, wrap
from typing import Any, TextIO, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hartley.cli import streams
from hartley.operating_system import is_closed_pipe
from hartley.report.words.audit import visible

NARROWEST = 20
"""Characters to a line, however narrow the terminal says it is."""
UNKNOWN_WIDTH = 80
"""Characters to a line where the terminal says it has none, as some do that are no terminals."""


class _PipeWords:
    """A stream whose closed pipe is a BrokenPipeError, as rich expects it, on every system."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return cast("int", self._clearly(self._stream.write, text))

    def flush(self) -> None:
        self._clearly(self._stream.flush)

    def _clearly(self, act: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return act(*arguments)
        except OSError as error:
            if not is_closed_pipe(error):
                raise
            raise BrokenPipeError(errno.EPIPE, "closed pipe") from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Paper(Console):
    """A console that prints names and cells as they are, and goes on where nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Print nothing further; the exit code is still that of the command."""
        self.quiet = True
        streams.to_nowhere()


def console() -> Console:
    """Return the console for results, on stdout."""
    file = cast("TextIO", _PipeWords(sys.stdout))
    out = Paper(file=file, highlight=False, soft_wrap=False, markup=False, emoji=False)
    if out.width < NARROWEST:
        out.width = NARROWEST if out.width > 0 else UNKNOWN_WIDTH
    return out


def notes() -> Console:
    """Return the console for progress and notes, on stderr."""
    return Console(file=sys.stderr, highlight=False, markup=False, emoji=False)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; numbers that are not finite never stand in it."""
    is_ascii = not streams.writes_every_character()
    streams.write(json.dumps(document, ensure_ascii=is_ascii, allow_nan=False, indent=2) + "\n")


def warn_of_formulas(cells: Mapping[str, int], *, defused: bool) -> None:
    """Say on stderr which columns hold cells that a spreadsheet would run."""
    from hartley.report.words.release import formulas

    told = formulas(cells, defused=defused)
    if told is not None:
        remedy = "" if defused else "; --defuse-formulas puts a quote before such cells"
        notes().print(Text(visible(f"{'note' if defused else 'warning'}: {told}{remedy}")), soft_wrap=True)


def heading(out: Console, text: str) -> None:
    """Print a heading."""
    out.print(Text(visible(text), style="bold"))


LONGEST_WORD = 24
"""Letters up to which a word in a table is never broken."""
MOST_OF_A_VALUE = 22
"""Room for the value of an option, without which a call goes on in a new line."""
STYLES = {"red": "bold red", "amber": "bold yellow", "green": "bold green"}
"""How a verdict is coloured, where there are colours; its word stands there always."""


def verdict(out: Console, colour: str, word: str, sentence: str) -> None:
    """Print a verdict: its word in colour, and the sentence beside it."""
    indent = " " * (len(word) + 2)
    lines = wrap(visible(sentence), max(NARROWEST, out.width - len(indent)), break_long_words=False)
    shown = Text(word, style=STYLES[colour])
    shown.append("  " + f"\n{indent}".join(lines), style="default")
    out.print(shown, soft_wrap=True)


def paragraph(out: Console, sentence: str, indent: int = 0) -> None:
    """Print sentences in whole words."""
    space = " " * indent
    width = max(NARROWEST, out.width)
    # A number stays beside its unit: fill breaks lines at plain spaces only.
    text = fill(
        re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", visible(sentence)),
        width,
        initial_indent=space,
        subsequent_indent=space,
        break_long_words=False,
        break_on_hyphens=False,
    )
    out.print(Text(text.replace("\N{NO-BREAK SPACE}%", " %")), soft_wrap=True)


def to_type(out: Console, words: Sequence[str]) -> None:
    """Print a call to copy; where it is long, on several lines that the shell reads as one."""
    lines = [""]
    for number, word in enumerate(words):
        shown = shlex.quote(visible(word))
        room = out.width - len(lines[-1]) - len(shown)
        # The name of an option and its value stay together.
        if word.startswith("-") and number > 1 and room < MOST_OF_A_VALUE:
            lines.append("")
        lines[-1] += f" {shown}" if lines[-1] else shown
    out.print(Text("  " + " \\\n      ".join(lines), style="bold"), soft_wrap=True)


def finding(out: Console, number: str, sentence: str) -> None:
    """Print a number and, below it, what it means."""
    out.print(Text(number, style="bold cyan"))
    indent = " " * 4
    out.print(Text(fill(visible(sentence), out.width, initial_indent=indent, subsequent_indent=indent)))


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> Table:
    """Build a plain table; columns named in ``right`` are aligned to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown = [[visible(cell) for cell in row] for row in rows]
    for number, name in enumerate(columns):
        header = visible(name)
        words = [word for text in (header, *(row[number] for row in shown)) for word in text.split()]
        table.add_column(
            Text(header),
            justify="right" if number in right else "left",
            overflow="fold",
            min_width=min(LONGEST_WORD, max(map(len, words), default=0)),
        )
    for row in shown:
        table.add_row(*map(Text, row))
    return table
