"""Values as they are written in a figure."""

from __future__ import annotations

from typing import Any

from hartley.model.alphabet import label_to_json

LONGEST = 24


def shown_label(label: Any) -> str:
    """Write a value: a missing one as a word, a long one cut, several cells with a comma.

    >>> shown_label(214), shown_label(None), shown_label(("m", None))
    ('214', 'missing', 'm, missing')
    >>> shown_label("a very long name of a very small village")
    'a very long name of a v…'
    """
    if isinstance(label, tuple):
        text = ", ".join(shown_label(cell) for cell in label)
    elif isinstance(label, float):
        text = f"{label:g}"
    else:
        text = "missing" if label is None else str(label_to_json(label))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
