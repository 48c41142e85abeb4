"""A recoding as syntax of SPSS."""

from __future__ import annotations

import re
from functools import partial

from hartley.errors import OptionError, option
from hartley.releases.cell_text import Kind
from hartley.releases.export.recoding import ColumnRule, JointRule, TableRecoding, Treatment
from hartley.releases.policy import RecodedColumn, Text

HEAD = """* The recoding of a hartley policy for SPSS. It holds the codebook: keep it as secret as the policy.
* The active dataset holds afterwards what is published, and nothing else.
* SPSS takes text with and without spaces at its end for the same, and an empty text for missing.
"""


def spss_syntax(recoding: TableRecoding) -> str:
    """Return the syntax."""
    lines = [HEAD]
    for name, kind in recoding.present:
        lines.append(f"SELECT IF NOT ({_missing(_variable(name), kind or 'text')}).")
    lines.append("NUMERIC hartley_done (F1.0).")
    for place, column in enumerate(recoding.recoded):
        lines += _declared(f"hartley_{place}", column, recoding)
    for place, rule in enumerate(recoding.rules):
        lines.append("COMPUTE hartley_done = 0.")
        lines += _joint(rule) if isinstance(rule, JointRule) else _column(rule, f"hartley_{place}")
    for place, column in enumerate(recoding.recoded):
        name = _variable(column.name)
        lines += ["EXECUTE.", f"DELETE VARIABLES {name}.", f"RENAME VARIABLES (hartley_{place} = {name})."]
    if recoding.combinations is not None:
        lines += _combinations(recoding.combinations)
    if not recoding.keeps_order:
        lines += ["COMPUTE hartley_order = RV.UNIFORM(0, 1).", "SORT CASES BY hartley_order."]
    kept = " ".join(map(_variable, recoding.published))
    lines += [f"ADD FILES /FILE=* /KEEP={kept}.", "EXECUTE."]
    return "\n".join(lines) + "\n"


def _variable(name: str) -> str:
    plain = re.sub(r"[^\w.$#@]", "_", name)[:64]
    return plain if plain[:1].isalpha() else f"v{plain}"[:64]


def _declared(new: str, column: RecodedColumn, recoding: TableRecoding) -> list[str]:
    kind = column.released_kind
    if kind in ("text", "boolean"):
        return [f"STRING {new} (A{_width(column, recoding)})."]
    shown = {"date": "SDATE10", "timestamp": "YMDHMS26.6"}.get(kind, "F40.16")
    return [f"NUMERIC {new} ({shown}).", f"COMPUTE {new} = $SYSMIS."]


def _width(column: RecodedColumn, recoding: TableRecoding) -> int:
    widest = 1
    for rule in recoding.rules:
        if isinstance(rule, JointRule):
            places = [place for place, one in enumerate(rule.columns) if one.name == column.name]
            texts = [label[place] for label in rule.labels for place in places]
        else:
            texts = list(rule.labels()) if rule.column.name == column.name else []
        widest = max([widest, *(len((text or "").encode()) for text in texts)])
    return min(widest, 32767)


def _column(rule: ColumnRule, new: str) -> list[str]:
    name, kind = _variable(rule.column.name), rule.column.kind
    lines: list[str] = []

    def give(condition: str, label: Text) -> None:
        _give(lines, condition, {new: literal(label, rule.column.released_kind)})

    def settle(outcome: Treatment, condition: str) -> None:
        if outcome.does == "label":
            give(condition, outcome.text)
        elif outcome.does == "keep":
            _give(lines, condition, {new: name})

    for value, label in rule.entries:
        give(same(name, value, kind), label)
    settle(rule.missing, _missing(name, kind))
    for start, label in rule.beginnings:
        give(f"CHAR.SUBSTR({name}, 1, {len(start)}) = {literal(start, 'text')}", label)
    for one in rule.ranges:
        limits = one.limits(name, partial(literal, kind=kind))
        give(" AND ".join([f"NOT ({_missing(name, kind)})", *limits]), one.label)
    settle(rule.otherwise, "hartley_done = 0")
    return [*lines, *(REFUSE if rule.otherwise.does == "refuse" else ())]


REFUSE = (
    "* Syntax cannot stop at a value that the policy has never seen: such rows are listed and left out.",
    "DO IF hartley_done = 0.",
    'PRINT / "a row holds a public value that the policy has never seen; it is left out".',
    "END IF.",
    "SELECT IF hartley_done = 1.",
)


def _give(lines: list[str], condition: str, labels: dict[str, str]) -> None:
    lines.append(f"DO IF hartley_done = 0 AND ({condition}).")
    lines += [f"COMPUTE {new} = {label}." for new, label in labels.items()]
    lines += ["COMPUTE hartley_done = 1.", "END IF."]


def _joint(rule: JointRule) -> list[str]:
    if rule.unseen == "nearest":
        raise OptionError(
            f"the nearest of several columns is not written for SPSS; use {option('unseen', 'suppress')}"
        )
    lines: list[str] = []
    for key, label in zip(rule.keys, rule.labels, strict=True):
        given = {
            f"hartley_{place}": literal(label[place], column.released_kind)
            for place, column in enumerate(rule.columns)
        }
        _give(lines, _same_key(rule, key), given)
    return [*lines, *(REFUSE if rule.unseen == "error" else ())]


def _combinations(rule: JointRule) -> list[str]:
    """Withhold combinations of labels that are not released."""
    lines = ["COMPUTE hartley_done = 0."]
    lines += [f"IF ({_same_key(rule, key)}) hartley_done = 1." for key in rule.keys]
    lines.append("DO IF hartley_done = 0.")
    for column in rule.columns:
        lines.append(f"COMPUTE {_variable(column.name)} = {literal(None, column.kind)}.")
    return [*lines, "END IF."]


def _same_key(rule: JointRule, key: tuple[Text, ...]) -> str:
    """Return the condition that a row has the values of a key."""
    parts = zip(rule.columns, key, strict=True)
    return " AND ".join(same(_variable(column.name), text, column.kind) for column, text in parts)


def _missing(name: str, kind: Kind) -> str:
    return f'{name} = ""' if kind in ("text", "boolean") else f"MISSING({name})"


def same(name: str, text: Text, kind: Kind) -> str:
    """Return the condition that a variable has a value."""
    return _missing(name, kind) if text is None else f"{name} = {literal(text, kind)}"


def literal(text: Text, kind: Kind) -> str:
    """Return a value as SPSS writes it.

    >>> literal("2024-02-29", "date"), literal("it's", "text")
    ('DATE.DMY(29,2,2024)', "'it''s'")
    """
    if text is None:
        return "''" if kind in ("text", "boolean") else "$SYSMIS"
    if kind == "number":
        return text
    if kind in ("date", "timestamp"):
        year, month, day = (int(part) for part in text[:10].split("-"))
        date = f"DATE.DMY({day},{month},{year})"
        if kind == "date":
            return date
        hours, minutes, seconds = text.removesuffix("+00:00")[11:].split(":")
        return f"({date} + TIME.HMS({int(hours)},{int(minutes)},{float(seconds):g}))"
    return "'" + re.sub(r"[\r\n]+", " ", text).replace("'", "''") + "'"
