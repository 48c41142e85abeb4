"""Ends of intervals are rounded outwards, as far as the column asks for and labels stay apart."""

from __future__ import annotations

import csv
import datetime as dt
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest

import hartley
from hartley.model import Alphabet, Partition
from hartley.releases import codebook as module
from hartley.releases.cell_text import Cell, cell_text
from hartley.releases.codebook import Codebook, codebook
from sample_sizes import sample


def labels(values: list[Cell], clusters: list[list[int]]) -> list[Cell]:
    book = codebook(Alphabet.of_values(values), Partition.from_clusters(clusters), "interval")
    return [label[0] for label in book.labels]


def test_long_decimals_are_rounded_outwards_to_three_digits_of_the_spread() -> None:
    ages = [58.00136892539357, 61.177, 26.2778234, 44.52, 50.1232, 78.4394]
    assert labels(ages, [[0, 1], [2, 3], [4, 5]]) == ["[58, 61.18]", "[26.27, 44.52]", "[50.12, 78.44]"]
    assert labels([-1.23456, -0.5, 0.4, 1.23456], [[0, 1], [2, 3]]) == ["[-1.235, -0.5]", "[0.4, 1.235]"]
    tiny = [1.2345e-9, 3.4567e-9, 5.1111e-9, 9.9e-9]
    assert labels(tiny, [[0, 1], [2, 3]]) == ["[1.23e-09, 3.46e-09]", "[5.11e-09, 9.9e-09]"]
    fixed = [Decimal("1000.12345"), Decimal("2000.5"), Decimal("7000.98765"), Decimal("9000.00001")]
    assert labels(fixed, [[0, 1], [2, 3]]) == ["[1000, 2001]", "[7000, 9001]"]


@pytest.mark.parametrize(
    "values",
    [
        [180, 215, 300, 2**70],
        [1.25, 3.5, 9.75, 1e6],
        [Decimal("0.01"), Decimal("0.02"), Decimal(5), Decimal(900_000)],
        [dt.date(2024, 2, 28 - day) for day in range(4)],
        [dt.datetime(2024, 1, 1, 0, 0, 0, second) for second in (1, 500, 90_000, 123_456)],
    ],
)
def test_whole_numbers_two_decimals_and_dates_stay(values: list[Cell]) -> None:
    ends = [sorted(values[:2]), sorted(values[2:])]
    written = [f"[{cell_text(low)}, {cell_text(high)}]" for low, high in ends]
    assert labels(values, [[0, 1], [2, 3]]) == written


def test_a_value_alone_stays_as_it_is() -> None:
    values = [58.00136892539357, None, 26.2778234, 44.5212, 78.4394]
    assert labels(values, [[0, 1], [2, 3], [4]]) == [
        "58.00136892539357 or missing",
        "[26.27, 44.53]",
        "78.4394",
    ]


def test_labels_that_rounding_would_make_equal_get_further_decimals() -> None:
    # Interleaved: with the three decimals that suit the column both would be [0.1, 9.001].
    values = [0.10001, 0.10002, 9.00051, 9.00052]
    assert labels(values, [[0, 2], [1, 3]]) == ["[0.10001, 9.00051]", "[0.10002, 9.00052]"]
    two = Alphabet.of_values(
        [(0.10001, 1.2345), (0.10002, 5.4321), (9.00051, 1.2345), (9.00052, 5.4321)], ("a", "b")
    )
    book = codebook(two, Partition.from_clusters([[0, 2], [1, 3]]), "interval")
    assert book.partition.size == 2


def drawn(rng: Random, size: int) -> list[float | None]:
    kind = rng.choice(["even", "long tail", "near each other", "few decimals"])
    found: list[float | None] = []
    for _ in range(size):
        if rng.random() < 0.1:
            found.append(None)
        elif kind == "even":
            found.append(rng.uniform(-50, 50))
        elif kind == "long tail":
            found.append(rng.lognormvariate(0, 4))
        elif kind == "near each other":
            found.append(0.3 + rng.randrange(6) * 2.0**-54)
        else:
            found.append(round(rng.uniform(0, 9), rng.randrange(6)))
    return found


def unrounded(public: Alphabet, partition: Partition) -> Codebook:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_round_ends", lambda *_: None)
        return codebook(public, partition, "interval")


def test_every_label_holds_its_members_and_the_same_clusters_are_told_apart() -> None:
    rng = Random("interval ends")
    changed = 0
    for _ in range(sample(400, 20_000)):
        width, size = rng.randint(1, 3), rng.randint(2, 14)
        rows = list(dict.fromkeys(zip(*(drawn(rng, size) for _ in range(width)), strict=True)))
        public = Alphabet.of_values(rows if width > 1 else [row[0] for row in rows], tuple("abc"[:width]))
        partition = Partition([rng.randrange(4) for _ in range(public.size)])
        withheld = rng.choice([None, 0])
        book = codebook(public, partition, "interval", withheld=withheld, withheld_label="-999")
        if withheld is None:
            exact = unrounded(public, partition)
            assert book.partition == exact.partition
            assert book.columns == exact.columns
            changed += book.labels != exact.labels
        gone = int(book.partition.labels[partition.clusters()[0][0]]) if withheld is not None else None
        for number, (label, cluster) in enumerate(zip(book.labels, book.partition.clusters(), strict=True)):
            for column, coordinate in enumerate(public.coordinates):
                text, cells = cell_text(label[column]), [coordinate.cells[place] for place in cluster]
                if number == gone or text is None or not text.startswith("["):
                    continue
                low, high = (Fraction(end) for end in text[1 : text.index("]")].split(", "))
                assert all(low <= Fraction(repr(cell)) <= high for cell in cells if cell is not None)
                assert (None in cells) == text.endswith(" or missing")
    assert changed > sample(400, 20_000) // 4


def test_a_release_with_rounded_ends_verifies_and_apply_writes_the_same_labels(tmp_path) -> None:
    rng = Random(7)
    lines = ["pay,age,sex"]
    lines += [f"{rng.randint(1, 6)},{rng.uniform(26, 79):.14f},{rng.choice('fm')}" for _ in range(60)]
    source = tmp_path / "people.csv"
    source.write_text("\n".join(lines) + "\n")
    made = hartley.release(
        source,
        tmp_path / "out.csv",
        sensitive="pay",
        public=["age", "sex"],
        require={"distinct_l": 3},
        keep_order=True,
    )
    assert made.verification.holds
    hartley.apply(made.policy, source, tmp_path / "again.csv")
    released, again = ((tmp_path / name).read_text() for name in ("out.csv", "again.csv"))
    assert released == again
    ends = [
        end
        for row in csv.DictReader(released.splitlines())
        if " to " in row["age"]
        for end in row["age"].split(" to ")
    ]
    assert ends
    assert all(len(end.partition(".")[2]) <= 2 for end in ends)
