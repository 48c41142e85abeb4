"""A recoding as a Python script that needs nothing but Python."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from hartley.releases.export.recoding import ColumnRule, Rule, TableRecoding, Treatment

MARK = "RULES = []"


def python_script(recoding: TableRecoding) -> str:
    """Return the script, with the rules in it, one value a line."""
    table = {
        "published": list(recoding.published),
        "present": [list(one) for one in recoding.present],
        "keeps_order": recoding.keeps_order,
        "suppresses": recoding.unseen == "suppress",
        "combinations": None
        if recoding.combinations is None
        else list(map(list, recoding.combinations.keys)),
        "encoding": recoding.encoding,
        "delimiter": recoding.delimiter,
    }
    text = (files("hartley.releases.export") / "python_template.txt").read_text(encoding="utf-8")
    head, tail = text.split(f"\n{MARK}\n")
    rules = "\n".join(map(_listed, recoding.rules))
    return f"{head}\nTABLE = {table!r}\nRULES = [\n{rules}\n]\n{tail}"


def _rule(rule: Rule) -> dict[str, Any]:
    if isinstance(rule, ColumnRule):
        return {
            "columns": [[rule.column.name, rule.column.kind]],
            "entries": [[[value], [label]] for value, label in rule.entries],
            "missing": _outcome(rule.missing),
            "otherwise": _outcome(rule.otherwise),
            "ranges": [[one.start, one.stop, one.label] for one in rule.ranges],
            "beginnings": [list(one) for one in rule.beginnings],
        }
    told: dict[str, Any] = {
        "columns": [[column.name, column.kind] for column in rule.columns],
        "entries": [[list(key), list(label)] for key, label in zip(rule.keys, rule.labels, strict=True)],
        "otherwise": "label" if rule.unseen == "suppress" else "refuse",
    }
    if rule.unseen == "nearest":
        told |= {"reaches": [str(reach) for reach in rule.reaches], "numbers": list(rule.numbers)}
    return told


def _outcome(outcome: Treatment) -> list[str | None]:
    return [outcome.does, outcome.text]


def _listed(rule: Rule) -> str:
    told = _rule(rule)
    lines = "".join(f"        {entry!r},\n" for entry in told.pop("entries"))
    return f"    {told!r} | {{'entries': [\n{lines}    ]}},"
