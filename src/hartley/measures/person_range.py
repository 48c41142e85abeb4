"""What a reader learns who can link the rows of one person.

He sees the set of public values that stand in the rows of a person, and what is left are the sensitive values
of the persons who have the same set. What all rows of a person leave possible, their intersection, is never
fewer: it is what a reader is left with who knows of no other person how many rows belong together. All this
holds where a person has one sensitive value.
"""

from __future__ import annotations

import numpy as np

from hartley.errors import InputError, TableError
from hartley.model import Alphabet, JointRange
from hartley.model.arrays import Ints


def require_one_value_each(linked: JointRange) -> None:
    """Refuse persons whose sensitive value changes from row to row, and rows without a person."""
    if linked.side is None or linked.observed_side is None:
        raise InputError("linked rows need the person of each row")
    if any(bool(coordinate.missing.any()) for coordinate in linked.side.coordinates):
        raise TableError("some rows have no person; leave them out, or name another column")
    person = linked.observed_side[linked.observation_of]
    values = np.unique(np.stack([person, linked.indices]), axis=1)
    if values.shape[1] > linked.side.size:
        several = int((np.bincount(values[0]) > 1).sum())
        raise TableError(
            f"the sensitive value of {several:,} persons changes from row to row; what a reader of all their "
            "rows learns is known only where each person has one value"
        )


def profiles_of(linked: JointRange) -> tuple[list[tuple[int, ...]], Ints, Ints]:
    """Return the sets of public values that persons have, the set of each person, and his sensitive value."""
    assert linked.observed_side is not None  # noqa: S101 (asked only of linked rows)
    persons = int(linked.observed_side.max()) + 1
    order = np.lexsort((linked.public_of, linked.observed_side))
    seen = linked.public_of[order]
    starts = np.searchsorted(linked.observed_side[order], np.arange(persons + 1))
    numbers: dict[tuple[int, ...], int] = {}
    for person in range(persons):
        numbers.setdefault(tuple(seen[starts[person] : starts[person + 1]].tolist()), len(numbers))
    # By value, so that where every person has one row the profiles are the public values in their order.
    listed = sorted(numbers)
    place = {profile: number for number, profile in enumerate(listed)}
    profile_of = np.array(
        [place[tuple(seen[starts[person] : starts[person + 1]].tolist())] for person in range(persons)]
    )
    value_of = np.empty(persons, dtype=np.int64)
    value_of[linked.observed_side[linked.observation_of]] = linked.indices
    return listed, profile_of, value_of


def person_range(linked: JointRange) -> JointRange:
    """Return the joint range of persons: what is seen is the set of a person's public values.

    ``linked`` has the person of each row as its side information.

    >>> rows = [("x", 1, "ann"), ("y", 1, "ann"), ("x", 2, "bob"), ("y", 3, "eve"), ("x", 1, "dan")]
    >>> persons = person_range(JointRange.from_pairs(rows))
    >>> [persons.candidates(seen).tolist() for seen in range(persons.observations)]
    [[0, 1], [0], [2]]
    """
    require_one_value_each(linked)
    plain = linked.without_side()
    profiles, profile_of, value_of = profiles_of(linked)
    are_single = all(len(profile) == 1 for profile in profiles)
    return JointRange.from_codes(
        public_codes=profile_of,
        sensitive_codes=value_of,
        public=plain.public if are_single else Alphabet.numbered(len(profiles), "rows of one person"),
        sensitive=plain.sensitive,
    )


def fewest_of_all_rows(linked: JointRange) -> int:
    """Return the fewest sensitive values that all rows of a person leave possible, for any person.

    >>> rows = [("x", 1, "ann"), ("y", 1, "ann"), ("x", 2, "bob"), ("y", 2, "eve")]
    >>> fewest_of_all_rows(JointRange.from_pairs(rows))
    2
    """
    plain = linked.without_side()
    candidates = [set(plain.candidates(value).tolist()) for value in range(plain.observations)]
    profiles, _, _ = profiles_of(linked)
    return min(len(set.intersection(*(candidates[value] for value in profile))) for profile in profiles)
