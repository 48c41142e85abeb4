"""The golden cases of transparent trees: classes, how each ended, and the candidates of its rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reference_trees import Want, candidates, is_safe
from tree_instances import SmallTable, demand_of, grown

GOLDEN = Path(__file__).parents[2] / "golden" / "golden_transparent.json"
CASES = json.loads(GOLDEN.read_text())["cases"]


def wants_of(case: dict[str, Any]) -> tuple[list[Want], list[int | None]]:
    """Return the requirements of a case, and the column of each."""
    wants, views = [], []
    for one in case["require"]:
        column = one.get("column")
        views.append(column)
        if one["name"] == "rows":
            wants.append(Want("rows", one["k"]))
        elif one["name"] == "separated":
            wants.append(Want("separated", one["l"], lambda value: value[0], one["tolerance"]))
        else:
            view = (lambda value: value) if column is None else (lambda value, at=column: value[at])
            wants.append(Want("distinct", one["l"], view))
    return wants, views


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_classes_and_candidates_are_the_golden_ones(case: dict[str, Any]) -> None:
    values = [tuple(value) if isinstance(value, list) else (value,) for value in case["S"]]
    alphabet = sorted(set(values))
    wants, views = wants_of(case)
    table = SmallTable([tuple(row) for row in case["X"]])
    tree = grown(table, values, alphabet, demand_of(wants, alphabet, views, rule="middle", trials="once"))
    assert case["refused"] == (tree is None)
    if tree is None:
        return
    made = []
    for number, rows in enumerate(table.rows_of_classes(tree)):
        failed = [at for at, node in enumerate(tree.failures.node) if node == tree.node_of_class[number]]
        entry: dict[str, Any] = {"rows": list(rows), "ended": "tried" if failed else "leaf"}
        if failed:
            parts = table.parts_of_failure(tree, failed[0], rows)
            multiset = Counter(values[row] for row in rows)
            sizes = [len(part) for part in parts]
            assert is_safe(wants, multiset, sizes)
            entry["parts"] = parts
            entry["candidates of a row of each part"] = [
                sorted(list(value) if len(value) > 1 else value[0] for value in found)
                for found in candidates(wants, multiset, sizes)
            ]
        made.append(entry)
    assert sorted(made, key=lambda entry: entry["rows"]) == case["classes"]
