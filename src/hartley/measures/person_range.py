"""What a reader learns who can link the rows of one person.

He sees the set of public values that stand in the rows of a person, and what is left are the sensitive values
of the persons who have the same set. What all rows of a person leave possible, their intersection, is never
fewer: it is what a reader is left with who knows of no other person how many rows belong together.

Where the sensitive value of a person changes from row to row, the question is the value of each row. What is
seen of it is its own public value beside the set, so linking rows never leaves more possible than each row
alone; what is left are the values of the rows that show the same. Rows are then no persons:
:func:`fewest_persons` and :func:`persons_of_observations` count those.
"""

from __future__ import annotations

import numpy as np

from hartley.errors import InputError, TableError
from hartley.model import Alphabet, JointRange
from hartley.model.arrays import Ints, different

SETS = "rows of one person"
"""What is seen of a person with rows of several public values, as a column."""


def require_persons(linked: JointRange) -> None:
    """Refuse rows without a person."""
    if linked.side is None or linked.observed_side is None:
        raise InputError("linked rows need the person of each row")
    if any(bool(coordinate.missing.any()) for coordinate in linked.side.coordinates):
        raise TableError("some rows have no person; leave them out, or name another column")


def values_of_persons(linked: JointRange) -> Ints:
    """Return each person with each of his different sensitive values: two rows, persons and values."""
    assert linked.observed_side is not None  # noqa: S101 (asked only of linked rows)
    person = linked.observed_side[linked.observation_of]
    width = max(linked.sensitive.size, 1)
    values = different(person.astype(np.int64) * width + linked.indices)
    return np.stack([values // width, values % width])


def changing_persons(linked: JointRange) -> int:
    """Count the persons whose sensitive value changes from row to row.

    >>> changing_persons(JointRange.from_pairs([("x", 1, "ann"), ("y", 2, "ann"), ("x", 2, "bob")]))
    1
    """
    return int((np.bincount(values_of_persons(linked)[0]) > 1).sum())


def fewest_persons(linked: JointRange) -> int:
    """Return the fewest persons who share a set of public values.

    >>> fewest_persons(JointRange.from_pairs([("x", 1, "ann"), ("x", 2, "ann"), ("x", 2, "bob")]))
    2
    """
    return int(np.bincount(profiles_of(linked)[1]).min())


def profiles_of(linked: JointRange) -> tuple[list[tuple[int, ...]], Ints]:
    """Return the sets of public values that persons have, and the set of each person."""
    assert linked.observed_side is not None  # noqa: S101 (asked only of linked rows)
    persons = int(linked.observed_side.max()) + 1
    order = np.lexsort((linked.public_of, linked.observed_side))
    seen = linked.public_of[order]
    starts = np.searchsorted(linked.observed_side[order], np.arange(persons + 1))
    sizes = np.diff(starts)
    found: list[tuple[int, ...]] = []
    number_of = np.empty(persons, dtype=np.int64)
    for size in different(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        sets, number = np.unique(seen[starts[alike][:, None] + np.arange(size)], axis=0, return_inverse=True)
        number_of[alike] = len(found) + number.ravel()
        found += map(tuple, sets.tolist())
    # By value, so that where every person has one row the profiles are the public values in their order.
    order = np.array(sorted(range(len(found)), key=found.__getitem__), dtype=np.int64)
    place = np.empty(len(found), dtype=np.int64)
    place[order] = np.arange(len(found))
    return [found[number] for number in order.tolist()], place[number_of]


def person_range(linked: JointRange) -> JointRange:
    """Return the joint range of persons: what is seen is the set of a person's public values.

    ``linked`` has the person of each row as its side information. Where sensitive values change from row to
    row, it is that of rows: what is seen is the set, and the public value of the row in it.

    >>> rows = [("x", 1, "ann"), ("y", 1, "ann"), ("x", 2, "bob"), ("y", 3, "eve"), ("x", 1, "dan")]
    >>> persons = person_range(JointRange.from_pairs(rows))
    >>> [persons.candidates(seen).tolist() for seen in range(persons.observations)]
    [[0, 1], [0], [2]]
    >>> changing = person_range(JointRange.from_pairs([("x", 1, "ann"), ("y", 2, "ann")]))
    >>> [changing.candidates(seen).tolist() for seen in range(changing.observations)]
    [[0], [1]]
    """
    require_persons(linked)
    plain = linked.without_side()
    seen, seen_of = _seen_of_rows(linked)
    are_single = all(len(profile) == 1 for profile in seen)
    public = plain.public if are_single else Alphabet.numbered(len(seen), SETS)
    if changing_persons(linked):
        return JointRange.from_codes(
            public_codes=seen_of[linked.observation_of],
            sensitive_codes=linked.indices,
            public=public,
            sensitive=plain.sensitive,
            rows=linked.rows,
        )
    assert linked.observed_side is not None  # noqa: S101 (asked only of linked rows)
    person, value = values_of_persons(linked)
    profile_of = np.empty(int(linked.observed_side.max()) + 1, dtype=np.int64)
    profile_of[linked.observed_side] = seen_of
    return JointRange.from_codes(
        public_codes=profile_of[person], sensitive_codes=value, public=public, sensitive=plain.sensitive
    )


def persons_of_observations(linked: JointRange) -> tuple[list[tuple[int, ...]], list[Ints]]:
    """Return the set of public values, and the persons, of each observation of :func:`person_range`.

    >>> rows = [("x", 1, "ann"), ("y", 2, "ann"), ("x", 2, "bob")]
    >>> profiles, persons = persons_of_observations(JointRange.from_pairs(rows))
    >>> profiles, [one.tolist() for one in persons]
    ([(0,), (0, 1), (0, 1)], [[1], [0], [0]])
    """
    assert linked.observed_side is not None  # noqa: S101 (asked only of linked rows)
    seen, seen_of = _seen_of_rows(linked)
    order = np.lexsort((linked.observed_side, seen_of))
    starts = np.searchsorted(seen_of[order], np.arange(1, len(seen)))
    return seen, [different(some) for some in np.split(linked.observed_side[order], starts)]


def _seen_of_rows(linked: JointRange) -> tuple[list[tuple[int, ...]], Ints]:
    """Return the set of public values in each thing that is seen, and what is seen of each linked row."""
    assert linked.observed_side is not None  # noqa: S101 (asked only of linked rows)
    profiles, profile_of = profiles_of(linked)
    profile_of_row = profile_of[linked.observed_side]
    if not changing_persons(linked):
        return profiles, profile_of_row
    width = max(linked.public.size, 1)
    seen, seen_of = np.unique(profile_of_row * width + linked.public_of, return_inverse=True)
    return [profiles[number] for number in (seen // width).tolist()], seen_of.ravel()


def fewest_of_all_rows(linked: JointRange) -> int:
    """Return the fewest sensitive values that all rows of a person leave possible, for any person."""
    plain = linked.without_side()
    candidates = [set(plain.candidates(value).tolist()) for value in range(plain.observations)]
    profiles, _ = profiles_of(linked)
    return min(len(set.intersection(*(candidates[value] for value in profile))) for profile in profiles)
