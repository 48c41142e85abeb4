"""The codebook as a table to look things up in: what each released value stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from hartley.model.alphabet import label_to_json
from hartley.model.words import Codeword
from hartley.report.figures.value_text import shown_label
from hartley.workflow import FrontierResult, Point, Policy
from hartley.workflow.show_release import MISSING, Codebook, CodebookLines, Labels

Json = dict[str, Any]
MOST_LISTED = 300
MOST_MEMBERS = 12


@dataclass(frozen=True, kw_only=True)
class BookLine:
    """One released value."""

    released: str | None
    members: tuple[str, ...]
    rows: int | None
    candidates: int | None
    is_withheld: bool = False

    def holds(self, text: str) -> bool:
        """Tell whether a text stands in it, whatever its case."""
        return any(text in cell.lower() for cell in (self.released or "missing", *self.members))

    def to_dict(self, separator: str) -> Json:
        """Return it as the page shows it, long lists of values shortened."""
        shown = self.members
        said = separator.join(shown)
        if len(shown) > MOST_MEMBERS:
            said = f"{separator.join(shown[: MOST_MEMBERS - 1])} … {shown[-1]} ({len(shown):,} values)"
        return {
            "released": self.released,
            "members": said,
            "values": len(shown),
            "rows": self.rows,
            "candidates": self.candidates,
            "withheld": self.is_withheld,
        }


@dataclass(frozen=True)
class Book:
    """Every released value of a point."""

    lines: tuple[BookLine, ...]
    columns: int
    coded: Codebook | None = field(default=None, repr=False, compare=False)
    """The labels cell by cell, of a point that is looked at."""

    @classmethod
    def of(cls, found: FrontierResult, point: Point) -> Book:
        """List the released values of a point, labelled as a release does by itself."""
        joint, codeword = found.joint, found.frontier.codeword
        columns = len(joint.public.columns)
        labels: Labels = codeword if codeword in get_args(Codeword) else "midpoint"  # type: ignore[assignment]
        is_spans = columns > 1 or not found.question.shape.is_any
        lines = CodebookLines.of_point(joint, point, "interval" if is_spans else labels)
        book = lines.book
        # With side information a released value leaves different candidates beside different side values.
        held = int(book.partition.labels[point.withheld[0]]) if point.withheld else None
        return cls(
            tuple(
                BookLine(
                    released=None if number == held else cell_text(book.labels[number]),
                    members=tuple(shown_label(joint.public.label(member)) for member in cluster),
                    rows=int(lines.rows[number]),
                    candidates=int(lines.candidates[number]),
                    is_withheld=number == held,
                )
                for number, cluster in enumerate(book.partition.clusters())
            ),
            columns,
            book,
        )

    def as_released(self, policy: Policy) -> Book:
        """Return the codebook as a release wrote it: its labels may be others than in the preview."""
        same = len(policy.clusters) == len(self.lines)
        lines = []
        for number, cluster in enumerate(policy.clusters):
            known = self.lines[number] if same else None
            line = known or BookLine(released=None, members=(), rows=None, candidates=None)
            members = tuple(cell_text(cells) or MISSING for cells in cluster.members)
            lines.append(replace(line, released=cell_text(cluster.label), members=members))
        return Book(tuple(lines), self.columns)

    def page(self, text: str = "") -> Json:
        """Return the first lines in which a text stands, and how many there are."""
        wanted = text.strip().lower()
        found = [line for line in self.lines if not wanted or line.holds(wanted)]
        separator = ", " if self.columns == 1 else "; "
        return {
            "lines": [line.to_dict(separator) for line in found[:MOST_LISTED]],
            "found": len(found),
            "all": len(self.lines),
        }


def cell_text(label: Sequence[Any]) -> str | None:
    """Return a label as it stands in a file; nothing where it is missing."""
    if len(label) == 1:
        return None if label[0] is None else str(label_to_json(label[0]))
    return ", ".join("missing" if cell is None else str(label_to_json(cell)) for cell in label)
