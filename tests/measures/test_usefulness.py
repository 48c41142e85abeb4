"""What is left of the public columns, against a count row by row."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hartley.measures.usefulness import Shown, Usefulness
from hartley.model import Alphabet, JointRange, Partition


@pytest.mark.parametrize("seed", range(60))
def test_it_is_what_the_rows_say(seed):
    source = Random(seed)
    values = [(float(a), b) for a in range(source.randint(2, 5)) for b in "xyz"]
    source.shuffle(values)
    values = values[: source.randint(2, len(values))]
    rows = [source.choice(values) for _ in range(40)]
    values = [value for value in values if value in rows]
    public = Alphabet.of_values(values, columns=("a", "b"))
    joint = JointRange.from_codes(
        public_codes=np.array([values.index(row) for row in rows]),
        sensitive_codes=np.array([source.randint(0, 2) for _ in rows]) * 0,
        public=public,
    )
    labels = np.array([source.randint(0, 2) for _ in values])
    withheld = tuple(np.flatnonzero(labels == 2).tolist()) if source.random() < 0.5 else ()
    partition = Partition(labels)
    found = Usefulness.of(joint, partition, withheld)
    clusters = {
        place: [values[m] for m in np.flatnonzero(labels == labels[place])] for place in range(len(values))
    }
    widths, moves, kept, same = [[], []], [], 0, 0
    extent = max(v[0] for v in values) - min(v[0] for v in values)
    kinds = len({v[1] for v in values})
    for row in rows:
        place = values.index(row)
        inside = clusters[place]
        low, high = min(v[0] for v in inside), max(v[0] for v in inside)
        gone = place in withheld
        widths[0].append(1.0 if gone else (high - low) / extent if extent else 0.0)
        widths[1].append(1.0 if gone else (len({v[1] for v in inside}) - 1) / max(kinds - 1, 1))
        if not gone:
            moves.append(abs(row[0] - (low + high) / 2))
            kept += 1
            same += len(inside) == 1
    assert found.values_before == len(values)
    assert found.withheld_rows == len(rows) - kept
    assert found.rows_unchanged_share == pytest.approx(same / len(rows))
    assert [c.mean_relative_width for c in found.columns] == pytest.approx([np.mean(w) for w in widths])
    assert found.columns[0].mean_move == pytest.approx(np.mean(moves) if moves else 0.0)
    assert found.columns[0].max_move == pytest.approx(max(moves, default=0.0))
    assert found.columns[1].mean_move is None
    assert found.loss == pytest.approx(np.mean([np.mean(w) for w in widths]))


def test_a_correlation_that_is_kept_is_kept():
    public = Alphabet.of_values([(1, 2), (2, 4), (3, 6)], columns=("a", "b"))
    joint = JointRange.from_codes(
        public_codes=np.arange(3), sensitive_codes=np.array([0, 1, 0]), public=public
    )
    (before,) = Usefulness.of(joint, Partition.singletons(3)).correlations
    assert (before.before, before.after) == pytest.approx((1.0, 1.0))
    (gone,) = Usefulness.of(joint, Partition.whole(3)).correlations
    assert gone.after is None


@pytest.mark.parametrize(
    ("doses", "withheld", "vanished"),
    [
        ([None, None, 7, 8], (2, 3), True),
        ([None, None, 7, 8], (3,), False),
        ([7, 7, 8, 8], (2, 3), False),
        ([None] * 4, (3,), False),
    ],
)
def test_a_column_has_vanished_where_its_few_values_are_all_withheld(doses, withheld, vanished):
    public = Alphabet.of_values(list(enumerate(doses)), columns=("age", "dose"))
    joint = JointRange.from_codes(
        public_codes=np.arange(4), sensitive_codes=np.array([0, 1, 0, 1]), public=public
    )
    shown = [
        Shown(
            codes=np.unique([str(cell) for cell in column.cells], return_inverse=True)[1],
            missing=column.missing,
            positions=None,
            counted="label",
            is_unchanged=np.ones(4, dtype=np.bool_),
        )
        for column in public.coordinates
    ]
    found = Usefulness.of(joint, Partition.singletons(4), withheld, shown)
    assert found.columns[1].vanished == vanished
