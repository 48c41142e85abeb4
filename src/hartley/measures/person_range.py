"""What a reader learns who can link the rows of one person.

Each row leaves some sensitive values possible, and the value of a person is among them in every one of his
rows: what is left is their intersection. That is sound where a person has one sensitive value.
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

    >>> rows = [("x", 1, "ann"), ("y", 1, "ann"), ("x", 2, "bob"), ("y", 3, "eve")]
    >>> linked = JointRange.from_pairs(rows)
    >>> persons = person_range(linked)
    >>> [persons.candidates(seen).tolist() for seen in range(persons.observations)]
    [[0, 1], [0], [0, 2]]
    """
    require_one_value_each(linked)
    plain = linked.without_side()
    profiles, profile_of, value_of = profiles_of(linked)
    candidates = [set(plain.candidates(value).tolist()) for value in range(plain.observations)]
    left = [sorted(set.intersection(*(candidates[value] for value in profile))) for profile in profiles]
    seen = np.repeat(np.arange(len(profiles)), [len(values) for values in left])
    values = np.concatenate([np.array(some) for some in left])
    # Candidates that nobody with this profile has are possible all the same, in no row.
    counts = np.zeros(len(seen), dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(values) for values in left])])
    for profile, value in zip(profile_of.tolist(), value_of.tolist(), strict=True):
        counts[starts[profile] + left[profile].index(value)] += 1
    are_single = all(len(profile) == 1 for profile in profiles)
    return JointRange.from_codes(
        public_codes=seen,
        sensitive_codes=values,
        public=plain.public if are_single else Alphabet.numbered(len(profiles), "rows of one person"),
        sensitive=plain.sensitive,
        rows=counts,
    )
