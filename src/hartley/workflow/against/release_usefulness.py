"""What is left of the use of a release of ours, measured from the file as it would be of anybody's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from math import isfinite
from pathlib import Path

from hartley.errors import OptionError, option, quoted
from hartley.measures.likeness.regression import Formula
from hartley.notes import heard_notes
from hartley.releases.policy import Policy
from hartley.tables.labels.fits import Groups
from hartley.workflow.against.file_usefulness import FileUsefulness, file_usefulness
from hartley.workflow.against.held_files import codebook_beside, open_original, read_files
from hartley.workflow.request.study_table import StudyTable


def require_published(regress: Sequence[str], published: Sequence[str]) -> None:
    """Raise, before anything is written, where a formula names a column that the release will not have."""
    for formula in map(Formula.parse, regress):
        lacking = [name for name in formula.columns if name not in published]
        if lacking:
            raise OptionError(
                f"{option('regress')} '{formula}' names {quoted(lacking)}, which the release will not hold; "
                f"publish it ({option('public')}, {option('keep')} or {option('publish_sensitive')})"
            )


def release_usefulness(
    study: StudyTable, output: Path, policy: Path, sensitive: Sequence[str], regress: Sequence[str] = ()
) -> FileUsefulness:
    """Hold a release against the table of its study; ``sensitive`` are the sensitive columns it holds."""
    formulas = [Formula.parse(text) for text in regress]
    book = Policy.read(policy)
    held_columns = book.published
    reading = replace(
        study.reading,
        text=tuple(name for name in study.reading.text if name in held_columns),
        number=tuple(name for name in study.reading.number if name in held_columns),
    )
    with study.opened() as table, heard_notes(lambda _: None):  # what there is to say of it is known
        released = open_original(output, reading, None)
        try:
            held = read_files(
                released,
                table,
                tuple(study.public),
                tuple(sensitive),
                study=study,
                groups=_classes(book),
                listed=codebook_beside(output),
                formulas=formulas,
            )
        finally:
            released.close()
    return file_usefulness(held, formulas)


def _classes(policy: Policy) -> dict[str, Groups]:
    """Return the values that a number or a date stands for in the file, where it stands for a class."""
    found: dict[str, Groups] = {}
    for place, column in enumerate(policy.public):
        members: dict[str, set[str]] = {}
        for one in policy.clusters:
            if (label := one.label[place]) is not None:
                held = (member[place] for member in one.members)
                members.setdefault(label, set()).update(cell for cell in held if cell is not None)
        if members and all(_is_value(label, column.kind) for label in members):
            found[column.name] = {label: frozenset(those) for label, those in members.items()}
    return found


def _is_value(label: str, kind: str) -> bool:
    """Tell whether a label is written as a value of a column of numbers or dates."""
    try:
        if kind == "number":
            return isfinite(float(label))
        return kind == "date" and bool(date.fromisoformat(label))
    except ValueError:
        return False
