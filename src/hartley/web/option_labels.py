"""How the page calls the options that messages speak of."""

from __future__ import annotations

HOW_READ = "under “How the file is read”"
LABELS = {
    "delimiter": f"“Cells are separated by” {HOW_READ}",
    "distinct_l": "“Candidates left, at least”",
    "earlier": "“Earlier releases”",
    "encoding": f"“Encoding” {HOW_READ}",
    "harmless": "“published unchanged, not counted”",
    "keep": "“published unchanged”",
    "labels": "“A released value is written as”",
    "leakage": "“What to protect against”",
    "memory_limit": "more memory for the program",
    "missing": "“Rows with a missing cell”",
    "missing_at": "“A missing number lies at” under “More choices”",
    "public": "“published”",
    "search": "“Search”",
    "sheet": f"“Sheet” {HOW_READ}",
    "text": f"“Columns taken as text” {HOW_READ}",
    "time_limit": "“Stop after”",
    "utility": "“What to keep”",
}
VALUES = {
    ("encoding", "latin-1"): "Latin-1 or Windows",
    ("encoding", "utf-16"): "UTF-16",
    ("labels", "interval"): "an interval",
    ("labels", "midpoint"): "a middle value",
    ("missing", "drop"): "left out",
    ("utility", "distortion"): "distance from the true value",
    ("utility", "resolution"): "number of values kept apart",
}


def as_label(name: str, value: str | None) -> str:
    """Return an option in the words of the page.

    >>> as_label("time_limit", None), as_label("utility", "resolution")
    ('“Stop after”', '“number of values kept apart” for “What to keep”')
    """
    label = LABELS.get(name, f"“{name.replace('_', ' ')}”")
    return label if value is None else f"“{VALUES.get((name, value), value)}” for {label}"
