"""What is left of the use of a release of ours, measured from the file as it would be of anybody's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hartley.errors import OptionError, option, quoted
from hartley.measures.likeness.regression import Formula
from hartley.notes import heard_notes
from hartley.releases.policy import Policy
from hartley.workflow.against.file_usefulness import FileUsefulness, file_usefulness
from hartley.workflow.against.held_files import LabelsTold, open_original, read_files
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
                groups={},
                told=LabelsTold.beside(output, policy),
                formulas=formulas,
            )
        finally:
            released.close()
    return file_usefulness(held, formulas)
