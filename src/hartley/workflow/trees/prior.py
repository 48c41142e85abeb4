"""What the rule of cuts is told before the first one: a reference table, and facts that everybody knows."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hartley.errors import ColumnError, OptionError, option, quoted
from hartley.model import JointRange
from hartley.model.arrays import Flags, Int64s
from hartley.search.codebooks import PublicColumn
from hartley.search.trees import TreeColumn
from hartley.search.trees.prior import Reference, ranks_among
from hartley.workflow.request.study_table import StudyTable, names

FACT = re.compile(r"\s*(?P<column>.+?)\s*(?P<sign><=|>=|!=|<|>|=)\s*(?P<value>.+?)\s*")
SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Fact:
    """Rows of which everybody knows that they mostly share a sensitive value: ``age<15``.

    >>> Fact.parse("age < 15")
    Fact(column='age', sign='<', value='15')
    >>> Fact.parse("children")
    Traceback (most recent call last):
    hartley.errors.OptionError: cannot read keep_together 'children'; write it as age<15 or status=child
    """

    column: str
    sign: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Fact:
        """Read a column, a sign and a value."""
        found = FACT.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            raise OptionError(
                f"cannot read {option('keep_together')} {text!r}; write it as age<15 or status=child"
            )
        return cls(found["column"], found["sign"], found["value"])

    def holds(self, columns: Sequence[PublicColumn]) -> Flags:
        """Tell of which public tuples it is true."""
        by_name = {column.name: column for column in columns}
        if self.column not in by_name:
            raise ColumnError(
                f"{option('keep_together')} is of {self.column!r}, which is not a public column; these are "
                f"{quoted(list(by_name), last=' and ')}"
            )
        column = by_name[self.column]
        values: list[Any] = [str(value) for value in column.values]
        wanted: Any = self.value
        if column.kind == "number":
            values = [float(value) for value in values]
            try:
                wanted = float(self.value)
            except ValueError:
                raise OptionError(
                    f"{option('keep_together')} compares {self.column!r} with a number, not {self.value!r}"
                ) from None
        elif column.kind != "date" and self.sign not in ("=", "!="):
            raise OptionError(
                f"{option('keep_together')} compares text by = and != alone; {self.column!r} is text"
            )
        compare = SIGNS[self.sign]
        is_true = np.array([*(bool(compare(value, wanted)) for value in values), False])
        return np.asarray(is_true[column.codes])


@dataclass(frozen=True, eq=False)
class TreePrior:
    """A reference table, where there is one, and facts."""

    reference: JointRange | None
    facts: tuple[Fact, ...]

    @classmethod
    def of(cls, study: StudyTable, reference: Any, facts: Iterable[str]) -> TreePrior | None:
        """Read the reference table by the roles of the study; nothing where nothing is told."""
        known = tuple(map(Fact.parse, facts))
        if reference is None:
            return cls(None, known) if known else None
        if _is_same(reference, study.source):
            raise OptionError(
                f"{option('reference')} is the table itself; name another one, such as last year's: cuts "
                "that are chosen by these rows would tell something"
            )
        other = replace(study, source=reference, side=(), keep=(), harmless=(), earlier=(), person=None)
        roles = replace(other.roles, public=(*names(study.public), *names(study.keep)))
        with other.opened() as table:
            return cls(table.joint_range(roles, missing=study.missing).joint, known)

    def for_tree(
        self, columns: Sequence[PublicColumn], tree: Sequence[TreeColumn], joint: JointRange
    ) -> dict[str, Any]:
        """Return both as a tree takes them."""
        return {
            "reference": None if self.reference is None else self._reference(columns, tree, joint),
            "alike": [fact.holds(columns) for fact in self.facts],
        }

    def _reference(
        self, columns: Sequence[PublicColumn], tree: Sequence[TreeColumn], joint: JointRange
    ) -> Reference:
        seen = self.reference
        assert seen is not None  # noqa: S101 (the caller has looked)
        theirs = {one.name: PublicColumn.of_coordinate(one) for one in seen.public.coordinates}
        ranks = [_ranks(own, made, theirs[own.name]) for own, made in zip(columns, tree, strict=True)]
        place = {joint.sensitive.label(at): at for at in range(joint.sensitive.size)}
        values = [place.get(seen.sensitive.label(at), -1) for at in range(seen.sensitive.size)]
        return Reference(
            np.column_stack(ranks),
            np.repeat(np.arange(seen.public.size), np.diff(seen.indptr)),
            np.array(values, dtype=np.int64)[seen.indices],
            seen.rows.astype(np.float64),
        )


def _ranks(own: PublicColumn, made: TreeColumn, other: PublicColumn) -> Int64s:
    """Return the rank of each cell of a column of the reference among our cells; -1 where it is not there."""
    rank_of = np.full(len(own.values) + 1, -1, dtype=np.int64)
    rank_of[own.codes] = made.ranks
    of_code = np.full(len(other.values) + 1, -1, dtype=np.int64)
    of_code[-1] = rank_of[-1]
    if own.kind in ("number", "date"):
        if other.values and other.kind != own.kind:
            raise OptionError(
                f"column {own.name!r} of {option('reference')} holds other cells than that of the table"
            )
        if len(own.values) and made.places is not None:
            lowest = int(rank_of[:-1].min())
            of_code[:-1] = lowest + ranks_among(other.positions.tolist(), made.places[lowest:])
    else:
        place = {str(value): at for at, value in enumerate(own.values)}
        for at, value in enumerate(other.values):
            of_code[at] = rank_of[place[str(value)]] if str(value) in place else -1
    return of_code[other.codes]


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, (str, Path)) and isinstance(other, (str, Path)):
        first, second = Path(one), Path(other)
        return first.exists() and second.exists() and first.samefile(second)
    return one is other
