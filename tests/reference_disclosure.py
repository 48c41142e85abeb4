"""What a released file gives away about the people of its original, from the definitions, row by row."""

from __future__ import annotations

from collections import Counter


def commonest(values, whole):
    """Return the commonest value; of equal ones the commoner of the whole file, then the least."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], -whole[value], value))


def disclosure(original, released, fits):
    """Count people; rows are (public..., sensitive), and ``fits(label, value)`` compares public cells."""
    whole = Counter(row[-1] for row in released)
    found = Counter()
    keys = Counter(row[:-1] for row in original)
    rows = Counter(original)
    beside = {}
    for row in original:
        beside.setdefault(row[:-1], set()).add(row[-1])
    for *public, own in original:
        fitting = [row for row in released if all(map(fits, row[:-1], public))]
        left = {row[-1] for row in fitting}
        found["found"] += bool(fitting)
        found["disclosed_right"] += left == {own}
        found["disclosed_wrong"] += len(left) == 1 and left != {own}
        guess = (
            commonest([row[-1] for row in fitting], whole) if fitting else commonest(whole.elements(), whole)
        )
        found["guessed_right"] += guess == own
        found["disclosed_in_original"] += len(beside[tuple(public)]) == 1
        found["unique_public"] += keys[tuple(public)] == 1
        found["singled_out"] += keys[tuple(public)] == 1 and len(fitting) == 1
        found["unique_rows"] += rows[(*public, own)] == 1
        found["unique_rows_matched"] += rows[(*public, own)] == 1 and any(
            [str(cell) for cell in row] == [str(cell) for cell in (*public, own)] for row in released
        )
    found["guessed_right_by_marginals"] = max(Counter(row[-1] for row in original).values())
    return found
