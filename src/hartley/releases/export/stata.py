"""A recoding as a do-file of Stata."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from functools import partial

from hartley.errors import OptionError, option
from hartley.releases.cell_text import Kind, parse_cell
from hartley.releases.export.dialect import number_literal
from hartley.releases.export.recoding import ColumnRule, JointRule, TableRecoding, Treatment
from hartley.releases.policy import Text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
HEAD = """* A hartley policy for Stata. It holds the codebook: keep it as secret as the policy.
* The table is in memory; afterwards it holds what is published, and nothing else.
version 14
"""


def stata_script(recoding: TableRecoding) -> str:
    """Return the do-file."""
    lines = [HEAD]
    for name, _ in recoding.present:
        lines.append(f"drop if missing({_variable(name)})")
    for place, rule in enumerate(recoding.rules):
        lines += _joint(rule) if isinstance(rule, JointRule) else _column(rule, f"hartley_{place}")
    for place, column in enumerate(recoding.recoded):
        name = _variable(column.name)
        lines += [f"drop {name}", f"rename hartley_{place} {name}"]
    if recoding.combinations is not None:
        lines += _combinations(recoding.combinations)
    if not recoding.keeps_order:
        lines += ["generate double hartley_order = runiform()", "sort hartley_order", "drop hartley_order"]
    names = " ".join(map(_variable, recoding.published))
    lines += [f"keep {names}", f"order {names}"]
    return "\n".join(lines) + "\n"


def _variable(name: str) -> str:
    """Return the name that Stata gives a column."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:32]
    return plain if _NAME.fullmatch(plain) else f"_{plain}"[:32]


class _Replacements:
    """Lines that give a new variable its values; the first condition that holds counts."""

    def __init__(self, new: dict[str, Kind]) -> None:
        self.new = new
        self.lines = [line for name, kind in new.items() for line in _begin(name, kind)]
        self.lines.append("generate byte hartley_done = 0")

    def give(self, condition: str, labels: Sequence[Text]) -> None:
        """Set the labels where a condition holds."""
        for (name, kind), label in zip(self.new.items(), labels, strict=True):
            self.lines.append(f"replace {name} = {literal(label, kind)} if !hartley_done & ({condition})")
        self.lines.append(f"replace hartley_done = 1 if {condition}")

    def settle(self, outcome: Treatment, condition: str, own: str) -> None:
        """Say what becomes of cells that no line names."""
        if outcome.does == "label":
            self.give(condition, [outcome.text] * len(self.new))
        elif outcome.does == "keep":
            (name,) = self.new
            self.lines.append(f"replace {name} = {own} if !hartley_done & ({condition})")
            self.lines.append(f"replace hartley_done = 1 if {condition}")
        else:
            self.lines += [
                f"quietly count if !hartley_done & ({condition})",
                "if r(N) > 0 {",
                '    display as error "rows hold public values that the policy has never seen"',
                "    exit 459",
                "}",
            ]


def _column(rule: ColumnRule, new: str) -> list[str]:
    name, kind = _variable(rule.column.name), rule.column.kind
    made = _Replacements({new: rule.column.released_kind})
    for value, label in rule.entries:
        made.give(same(name, value, kind), [label])
    made.settle(rule.missing, f"missing({name})", name)
    for start, label in rule.beginnings:
        made.give(f"substr({name}, 1, {len(start.encode())}) == {literal(start, 'text')}", [label])
    for one in rule.ranges:
        limits = one.limits(name, partial(literal, kind=kind))
        made.give(" & ".join([f"!missing({name})", *limits]), [one.label])
    made.settle(rule.otherwise, "!hartley_done", name)
    return [*made.lines, "drop hartley_done"]


def _begin(new: str, kind: Kind) -> list[str]:
    start = 'strL {} = ""' if kind in ("text", "boolean") else "double {} = ."
    lines = [f"generate {start.format(new)}"]
    if kind in ("date", "timestamp"):
        lines.append(f"format {new} {'%td' if kind == 'date' else '%tc'}")
    return lines


def _joint(rule: JointRule) -> list[str]:
    if rule.unseen == "nearest":
        raise OptionError(
            f"the nearest of several columns is not written for Stata; use {option('unseen', 'suppress')}"
        )
    made = _Replacements(
        {f"hartley_{place}": column.released_kind for place, column in enumerate(rule.columns)}
    )
    for key, label in zip(rule.keys, rule.labels, strict=True):
        made.give(_same_key(rule, key), label)
    made.settle(Treatment("label" if rule.unseen == "suppress" else "refuse"), "!hartley_done", "")
    return [*made.lines, "drop hartley_done"]


def _combinations(rule: JointRule) -> list[str]:
    """Withhold combinations of labels that are not released."""
    lines = ["generate byte hartley_done = 0"]
    lines += [f"replace hartley_done = 1 if {_same_key(rule, key)}" for key in rule.keys]
    for column in rule.columns:
        lines.append(f"replace {_variable(column.name)} = {literal(None, column.kind)} if !hartley_done")
    return [*lines, "drop hartley_done"]


def _same_key(rule: JointRule, key: tuple[Text, ...]) -> str:
    """Return the condition that a row has the values of a key."""
    parts = zip(rule.columns, key, strict=True)
    return " & ".join(same(_variable(column.name), text, column.kind) for column, text in parts)


def same(name: str, text: Text, kind: Kind) -> str:
    """Return the condition that a variable has a value; one that Stata keeps as float is meant as well."""
    if text is None:
        return f"missing({name})"
    value = literal(text, kind)
    if kind == "number" and "." in text:
        return f"({name} == {value} | {name} == float({value}))"
    return f"{name} == {value}"


def literal(text: Text, kind: Kind) -> str:
    """Return a value as Stata writes it.

    >>> literal("2024-02-29", "date"), literal('a"b', "text"), literal(None, "number")
    ('td(29feb2024)', '"a" + char(34) + "b"', '.')
    """
    if text is None:
        return '""' if kind in ("text", "boolean") else "."
    if kind == "number":
        return number_literal(text).removesuffix("e0")
    if kind == "date":
        day: dt.date = parse_cell(text, kind)
        return f"td({day.day:02d}{_MONTHS[day.month - 1]}{day.year:04d})"
    if kind == "timestamp":
        return f'clock("{text.removesuffix("+00:00")}", "YMDhms")'
    parts = re.split(r"([\"`$\\\x00-\x1f])", text)
    # Every second part is a character that has to be named.
    said = [f"char({ord(part)})" if at % 2 else f'"{part}"' for at, part in enumerate(parts) if part]
    return " + ".join(said) or '""'


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
