"""The public codebook of a release: what a reader of the released table needs, and nothing that is not in it.

For each recoded column its labels in their order and the rows of each; the members of groups that the file
only numbers; the rows that were withheld; what was required and holds; what is not protected. It stands
beside the release as CSV, as a page, and as JSON with the names of DDI Codebook.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hartley.model.arrays import Int64s
from hartley.model.requirement import Requirement
from hartley.releases.cell_text import Cell, cell_text, parse_cell
from hartley.releases.codebook import set_item
from hartley.releases.column_recoding import ColumnBounds
from hartley.releases.policy import Policy
from hartley.releases.writer.publication import labels_in_csv

MOST_LABELS = 10_000
"""A column of more labels is not listed."""
MOST_ON_A_PAGE = 500
STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}td.n{text-align:right}"
    "td,th{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #ddd}"
)
HEADER = ("column", "treatment", "order", "label", "rows", "meaning")
NOT_PROTECTED = (
    "What is likely stays likely: most people who share the published values may have the same hidden value.",
    "Anyone who knows more of a person than these columns, or has another such table, may learn more.",
)
_NUMBERED = re.compile(r"group [0-9]+ of [0-9]+ values( or missing)?")


def listed_members(codebook: Path) -> dict[str, dict[str, str]]:
    """Return by column the labels whose members a public codebook lists; nothing where it is none."""
    found: dict[str, dict[str, str]] = {}
    try:
        with codebook.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines)
            if tuple(next(rows, ())) != HEADER:
                return {}
            for column, _, _, label, _, meaning in rows:
                if label and meaning:
                    found.setdefault(column, {})[label] = meaning
    except (OSError, ValueError, csv.Error):  # no file, none that is text, none of ours
        return {}
    return found


@dataclass(frozen=True)
class CodebookLine:
    """One label of one column."""

    label: str | None
    rows: int
    meaning: str
    """The members of what is only numbered or called other; nothing where the label says it all."""


@dataclass(frozen=True)
class CodebookColumn:
    """One published column."""

    name: str
    treatment: str
    lines: tuple[CodebookLine, ...]
    """Its labels in their order; none of columns that are published as they are, or have very many."""


@dataclass(frozen=True)
class PublicCodebook:
    """What is told of a released table to its readers."""

    table: str
    rows: int
    withheld_rows: int
    columns: tuple[CodebookColumn, ...]
    file_columns: int
    """How many columns the file has: bounds are two for one."""
    requirements: tuple[str, ...]
    not_protected: tuple[str, ...]

    @classmethod
    def of(
        cls, table: str, policy: Policy, cluster_rows: Int64s, requirements: Sequence[Requirement]
    ) -> PublicCodebook:
        """Make it of a policy, the rows of each of its clusters, and what was required."""
        counts = cluster_rows.tolist()
        is_csv = table.lower().endswith((".csv", ".tsv", ".tab", ".gz"))
        recoded = {
            column.name: _lines(policy, place, counts, is_csv=is_csv)
            for place, column in enumerate(policy.public)
        }
        beside = [f"{name} is published as it is and was not counted." for name in policy.harmless]
        return cls(
            table=table,
            rows=sum(counts),
            withheld_rows=0 if policy.withheld is None else counts[policy.withheld],
            columns=tuple(
                CodebookColumn(name, _treatment(policy, name), recoded.get(name, ()))
                for name in policy.published
            ),
            file_columns=len(policy.file_columns),
            requirements=tuple(f"{_words(one, policy)}." for one in requirements),
            not_protected=(*NOT_PROTECTED, *beside),
        )

    def to_csv(self) -> bytes:
        """Return it as CSV: one line for each label, and one for each column without."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(HEADER)
        for column in self.columns:
            if not column.lines:
                writer.writerow([column.name, column.treatment, "", "", "", ""])
            for order, line in enumerate(column.lines, 1):
                label = "" if line.label is None else line.label
                meaning = "missing or withheld" if line.label is None else line.meaning
                writer.writerow([column.name, column.treatment, order, label, line.rows, meaning])
        return out.getvalue().encode()

    def to_json(self) -> bytes:
        """Return it as JSON, with the names that DDI Codebook has for these things."""
        variables = [
            {
                "name": column.name,
                "labl": column.treatment,
                "catgry": [
                    {
                        "catValu": line.label,
                        "labl": line.meaning,
                        "catStat": {"type": "freq", "value": line.rows},
                    }
                    for line in column.lines
                ],
            }
            for column in self.columns
        ]
        size = {"caseQnty": self.rows, "varQnty": self.file_columns}
        told = {
            "codeBook": {
                "fileDscr": {"fileTxt": {"fileName": self.table, "dimensns": size}},
                "dataDscr": {"var": variables},
                "anonymization": {
                    "withheldRows": self.withheld_rows,
                    "requirements": list(self.requirements),
                    "notProtected": list(self.not_protected),
                },
            }
        }
        return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()

    def to_html(self) -> bytes:
        """Return it as a page of its own."""
        name = html.escape(self.table)
        parts = [
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            f"<title>Codebook of {name}</title><style>{STYLE}</style></head><body>",
            f"<h1>Codebook of {name}</h1><p>{self.rows:,} rows, {self.file_columns} columns. "
            f"{self._withheld()}</p>",
            _list("What holds for everybody in it", self.requirements),
            _list("What is not protected", self.not_protected),
        ]
        parts += map(_section, self.columns)
        return ("\n".join([*parts, "</body></html>"]) + "\n").encode()

    def _withheld(self) -> str:
        if not self.withheld_rows:
            return "No row is withheld."
        return f"The recoded columns are withheld in {self.withheld_rows:,} rows of rare combinations."


def _words(requirement: Requirement, policy: Policy) -> str:
    """Say what holds for every combination of published values."""
    text = requirement.sentence(policy.sensitive_names)
    return text[:1].upper() + text[1:] + " in every combination of published values"


def _lines(policy: Policy, place: int, counts: Sequence[int], *, is_csv: bool) -> tuple[CodebookLine, ...]:
    """Return the labels of a column in their order, with the rows and the members of numbered groups."""
    rows: dict[str | None, int] = {}
    members: dict[str, dict[str, None]] = {}
    edges: dict[str | None, tuple[Cell, Cell]] = {}
    kind = policy.public[place].kind
    other = policy.codebooks[place].other if policy.codebooks else None
    for cluster, count in zip(policy.clusters, counts, strict=True):
        label = cluster.label[place]
        rows[label] = rows.get(label, 0) + count
        if label is None or len(rows) > MOST_LABELS:
            continue
        texts = [member[place] for member in cluster.members if member[place] is not None]
        if label == other or _NUMBERED.fullmatch(label):
            members.setdefault(label, {}).update(dict.fromkeys(map(str, texts)))
        cells = [parse_cell(text, kind) for text in texts]
        if cells:
            known = edges.get(label, ())
            edges[label] = min([*known, *cells]), max([*known, *cells])
    if len(rows) > MOST_LABELS:
        return ()

    bounds = policy.bounds_of.get(policy.public[place].name)

    def order(label: str | None) -> tuple[bool, bool, bool, tuple[Cell, Cell], str]:
        is_rest = label is not None and label == other
        return label is None, is_rest, label not in edges, edges.get(label, (0, 0)), cell_text(label) or ""

    labels = sorted(rows, key=order)
    is_written = is_csv and bounds is None
    shown = labels_in_csv(policy, policy.public[place].name, labels) if is_written else labels
    return tuple(
        CodebookLine(
            text,
            rows[label],
            ", ".join(map(set_item, sorted(members.get(label or "", {}))))
            if bounds is None or label is None
            else _bounds_in_words(bounds, label),
        )
        for label, text in zip(labels, shown, strict=True)
    )


def _treatment(policy: Policy, name: str) -> str:
    """Say how a column is treated, and in which two columns of the file it stands."""
    bounds = policy.bounds_of.get(name)
    told = policy.treatment(name)
    if any(column.name == name and column.coding == "unchanged" for column in policy.public):
        told = "unchanged" if policy.withheld is None else "unchanged where it is not withheld"
    return told if bounds is None else f"{told}, in the columns {bounds.names[0]} and {bounds.names[1]}"


def _bounds_in_words(bounds: ColumnBounds, label: str) -> str:
    """Say what stands in the two columns of a file for a label.

    >>> _bounds_in_words(ColumnBounds(column="age"), "41")
    'age_from 41, age_to 41'
    """
    (begin,), (end,) = bounds.split([label])
    texts = zip(bounds.names, (begin, end), strict=True)
    return ", ".join(f"{name} {'empty (open)' if text is None else text}" for name, text in texts)


def _list(heading: str, sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{html.escape(one)}</li>" for one in sentences)
    return f"<h2>{heading}</h2><ul>{items}</ul>" if items else ""


def _section(column: CodebookColumn) -> str:
    head = f"<h2>{html.escape(column.name)}</h2><p>{html.escape(column.treatment)}</p>"
    if not column.lines:
        return head
    shown = column.lines[:MOST_ON_A_PAGE]
    more = len(column.lines) - len(shown)
    rest = f"<p>{more:,} more are in the codebook as CSV.</p>" if more else ""
    titles = "<tr><th>label</th><th>rows</th><th>meaning</th></tr>"
    return f"{head}<table>{titles}{''.join(_row(shown))}</table>{rest}"


def _row(lines: Sequence[CodebookLine]) -> Iterator[str]:
    for line in lines:
        label = "missing or withheld" if line.label is None else html.escape(line.label)
        yield f"<tr><td>{label}</td><td class='n'>{line.rows:,}</td><td>{html.escape(line.meaning)}</td></tr>"
