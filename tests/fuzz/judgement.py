"""What no hostile call may bring about."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from stat import S_ISDIR

from fuzz.damaged_files import MARK, NUMBER_MARK, RAN
from fuzz.hostile_calls import hostile_call
from fuzz.program import SECONDS, Outcome, call

MARKS = re.compile(rf"{MARK}|{NUMBER_MARK // 100}\d\d", re.IGNORECASE)
NAMED_COLUMNS = re.compile(r"the table has .*|did you mean .*|column '.* appears twice.*")
"""A file without a header has a row for one, and the names of columns are told."""
NOTES = ("compiling for large input",)


@dataclass(frozen=True)
class Finding:
    """A case that went wrong."""

    number: int
    arguments: tuple[str, ...]
    faults: tuple[str, ...]
    outcome: Outcome

    def __str__(self) -> str:
        return (
            f"case {self.number}: {'; '.join(self.faults)}\n"
            f"    hartley {' '.join(map(ascii, self.arguments))[:600]}\n"
            f"    {self.outcome.complaint.strip()[:300]}\n{self.outcome.escaped[-1500:]}"
        )


def try_case(
    seed: int, number: int, on_call: Callable[[int, list[str]], None] | None = None
) -> tuple[Outcome, Finding | None]:
    """Run one case in a folder of its own, and return its answer and what is wrong with it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        inner = folder / "here"
        inner.mkdir()
        arguments = hostile_call(seed, number, inner)
        if on_call is not None:
            on_call(number, arguments)
        before = _content(inner)
        outcome = call(arguments, inner)
        found = tuple(faults(arguments, outcome))
        if outcome.code == 2 and (changed := _content(inner) ^ before):
            found += (f"something was written: {sorted({name for name, *_ in changed})}",)
        if (inner / RAN).exists():
            found += ("a module was run that stood in the folder",)
        return outcome, Finding(number, tuple(arguments), found, outcome) if found else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _content(folder: Path) -> set[tuple[str, int, int]]:
    """Return what is in a folder, by name, size and time of writing."""
    found = ((path.relative_to(folder), path.lstat()) for path in folder.rglob("*"))
    return {(str(name), stat.st_size, stat.st_mtime_ns) for name, stat in found if not S_ISDIR(stat.st_mode)}


def faults(arguments: Sequence[str], outcome: Outcome) -> Iterator[str]:
    """Name what is wrong with an answer."""
    if outcome.escaped:
        yield f"escaped: {outcome.escaped.strip().splitlines()[-1][:200]}"
        return
    if outcome.code not in (0, 2, 3):
        yield f"exit code {outcome.code}"
    lines = [line for line in outcome.complaint.splitlines() if not line.startswith(NOTES)]
    if outcome.code == 2 and len(lines) != 1:
        yield f"{len(lines)} lines on stderr"
    if "Warning" in outcome.complaint or "Traceback" in outcome.complaint:
        yield "a warning or traceback on stderr"
    if outcome.seconds > SECONDS:
        yield f"{outcome.seconds:.0f} s of processor time"
    if "--json" in arguments and outcome.code == 0 and "--help" not in arguments:
        yield from _json_faults(outcome.printed)
    if tells_secret(arguments, outcome):
        yield "a sensitive cell in what was printed"


def _json_faults(printed: str) -> Iterator[str]:
    if not printed.startswith("{"):
        return  # a version, or a help
    try:
        json.loads(printed)
    except ValueError:
        yield "what was printed is not JSON"


def tells_secret(arguments: Sequence[str], outcome: Outcome) -> bool:
    """Tell whether a message shows a marked cell, or an answer to hand on shows one that is protected."""
    if MARKS.search(NAMED_COLUMNS.sub("", outcome.complaint)):
        return True
    if "--disclosive" in arguments:
        return False
    pairs = list(pairwise(arguments))
    protected = {word for option, word in pairs if option == "-s"}
    if arguments[:1] in (["apply"], ["verify"]):
        protected = {"secret"}
    asked_for = {word for option, word in pairs if option in ("-p", "--side", "--keep", "--harmless")}
    return any(
        mark.lower() in outcome.printed.lower()
        for name, mark in (("secret", MARK), ("secretnumber", str(NUMBER_MARK // 100)))
        if name in protected - asked_for
    )
