"""How the page calls the options that messages speak of."""

from __future__ import annotations

HOW_READ = "under “How the file is read”"
LABELS = {
    "accept_exposure": "“Show the files all the same”",
    "borders": "“Intervals may begin at”",
    "decimal": f"“Decimal sign” {HOW_READ}",
    "delimiter": f"“Cells are separated by” {HOW_READ}",
    "distinct_l": "“At least this many candidates”",
    "each": "“each of them”",
    "earlier": "“Earlier releases”",
    "encoding": f"“Encoding” {HOW_READ}",
    "equal_width": "“All of one width”",
    "harmless": "“published unchanged, not counted”",
    "keep": "“published unchanged”",
    "labels": "“Write a released value as”",
    "leakage": "“What to protect against”",
    "memory_limit": "more memory for the program",
    "missing": "“Rows with a missing cell”",
    "missing_at": "“A missing number lies at” under “More choices”",
    "missing_word": f"“Missing cells say” {HOW_READ}",
    "missing_words": f"“Missing cells say” {HOW_READ}",
    "offset": "“shifted by”",
    "open_ends": "“The first and the last may be wider”",
    "public": "“published”",
    "require": "“What every released value must keep”",
    "row_k": "“rows”",
    "search": "“Search”",
    "separated_l": "“values more than so much apart”",
    "shape": "“Values that may share a released value”",
    "sheet": f"“Sheet” {HOW_READ}",
    "text": f"“Columns taken as text” {HOW_READ}",
    "time_limit": "“Stop after”",
    "tolerance": "“more than so much apart”",
    "utility": "“What to keep”",
    "withheld_label": "“Withheld cells are written as”",
    "withhold": "“Rows to withhold”",
}
VALUES = {
    ("decimal", ","): "comma, as in 3,5",
    ("encoding", "cp1250"): "Windows, Central Europe",
    ("encoding", "cp1251"): "Windows, Cyrillic",
    ("encoding", "cp1252"): "Windows, Western Europe",
    ("encoding", "latin-1"): "Latin-1",
    ("encoding", "utf-16"): "UTF-16",
    ("labels", "interval"): "an interval",
    ("labels", "midpoint"): "a middle value",
    ("missing", "drop"): "left out",
    ("search", "optimal"): "best known, with proof",
    ("shape", "any"): "any values",
    ("shape", "columns"): "bands of each column",
    ("shape", "intervals"): "neighbours only: intervals",
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
