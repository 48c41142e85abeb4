"""A recoding as CSV: values beside their labels, or a line for each condition where there are ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hartley.releases.export.recoding import ColumnRule, JointRule, TableRecoding, Treatment
from hartley.releases.policy import Text

HEAD = ("column", "when", "value", "from", "to", "label")


def codebook_csv(recoding: TableRecoding) -> str:
    """Return the codebook as CSV; a missing cell has nothing in it, an empty text a pair of quotes."""
    first = recoding.rules[0]
    if len(recoding.rules) == 1 and (isinstance(first, JointRule) or not first.ranges):
        lines = _wide(first)
    else:
        lines = _long(rule for rule in recoding.rules if isinstance(rule, ColumnRule))
    return "".join(csv_line(line) for line in lines)


def csv_line(cells: Sequence[Text]) -> str:
    """Return a line of CSV.

    >>> csv_line(["a", None, "", "b, c"]).strip()
    'a,,"","b, c"'
    """
    return ",".join(_cell(cell) for cell in cells) + "\n"


def _cell(cell: Text) -> str:
    if cell is None:
        return ""
    if cell.isalnum():
        return cell
    if cell and not set(cell) & set(',"\r\n') and cell.strip() == cell:
        return cell
    return '"' + cell.replace('"', '""') + '"'


def _wide(rule: ColumnRule | JointRule) -> Iterator[Sequence[Text]]:
    if isinstance(rule, JointRule):
        names = [column.name for column in rule.columns]
        yield (*names, *(f"{name}_released" for name in names))
        for key, label in zip(rule.keys, rule.labels, strict=True):
            yield (*key, *label)
        return
    yield (rule.column.name, f"{rule.column.name}_released")
    yield from rule.entries
    if rule.missing.does == "label":
        yield (None, rule.missing.text)


def _long(rules: Iterator[ColumnRule]) -> Iterator[Sequence[Text]]:
    yield HEAD
    for rule in rules:
        name = rule.column.name
        for value, label in rule.entries:
            yield (name, "value", value, None, None, label)
        for one in rule.ranges:
            yield (name, "range", None, one.start, one.stop, one.label)
        for start, label in rule.beginnings:
            yield (name, "begins", start, None, None, label)
        yield from _outcome(name, "missing", rule.missing)
        yield from _outcome(name, "otherwise", rule.otherwise)


def _outcome(name: str, when: str, outcome: Treatment) -> Iterator[Sequence[Text]]:
    if outcome.does == "label":
        yield (name, when, None, None, None, outcome.text)
    elif outcome.does == "keep":
        yield (name, f"{when}, kept", None, None, None, None)
