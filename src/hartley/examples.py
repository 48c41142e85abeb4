"""Example data: the paper's running example, and a made-up clinic."""

from __future__ import annotations

from random import Random

from hartley.model import JointRange

TOY_PAIRS = (
    ("x1", "s1"),
    ("x1", "s2"),
    ("x2", "s1"),
    ("x3", "s3"),
    ("x4", "s3"),
    ("x5", "s4"),
    ("x6", "s5"),
    ("x7", "s6"),
)
"""The joint range of Example 1, as (public, sensitive) pairs."""


def toy(x7: float = 1.0) -> JointRange:
    """Return the joint range of Example 1, with the positions of Example 2.

    Example 4 moves the last value: ``toy(x7=4)``.

    >>> toy()
    JointRange(7 public values, 6 sensitive values, 8 pairs)
    """
    places = {"x1": 0.2, "x2": 0.1, "x3": 0.4, "x4": 0.3, "x5": 0.6, "x6": 1.5, "x7": x7}
    return JointRange.from_pairs(TOY_PAIRS, positions=places)


CLINIC_COLUMNS = ("age", "sex", "pain", "pressure", "cholesterol", "pulse")
"""The columns of the clinic table."""


def clinic(
    rows: int = 300, seed: int = 1928
) -> list[tuple[int, str, str, int | None, int | None, int | None]]:
    """Return the rows of a made-up clinic's table, in the shape of the paper's real one.

    Nobody is behind these rows: they come from a seeded random source. Like the real data
    they are few, most pairs of age and cholesterol occur once, and some cells are missing.

    >>> clinic()[0]
    (60, 'm', 'none', 160, 275, 90)
    >>> len(clinic()), len({row[0] for row in clinic()})
    (300, 37)
    """
    source = Random(seed)  # noqa: S311 (an example table, not a secret)

    def about(mean: float, spread: float, step: int) -> int:
        return step * round(source.gauss(mean, spread) / step)

    table = []
    for _ in range(rows):
        age = min(max(about(48, 8, 1), 28), 66)
        sex = source.choices("fm", (28, 72))[0]
        pain = source.choices(("none", "atypical", "typical", "other"), (42, 36, 4, 18))[0]
        pressure = about(112 + 0.4 * age, 15, 5)
        cholesterol = max(about(200 + age, 58, 1), 85)
        pulse = about(190 - age, 20, 2)
        table.append(
            (
                age,
                sex,
                pain,
                None if source.random() < 0.01 else pressure,
                None if source.random() < 0.08 else cholesterol,
                None if source.random() < 0.01 else pulse,
            )
        )
    return table
