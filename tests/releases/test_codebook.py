"""Codewords: inside the range, of the column's own kind, and never shared by accident."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from math import ceil
from random import Random

import numpy as np
import pytest

from hartley.errors import OptionError
from hartley.model import Alphabet, Partition
from hartley.releases.cell_text import cell_text, parse_cell
from hartley.releases.codebook import LABELS, Codebook, codebook


def labels(values: list, clusters: list[list[int]], style: str, **options: object) -> list:
    book = codebook(Alphabet.of_values(values), Partition.from_clusters(clusters), style, **options)
    return [label[0] for label in book.labels]


def test_the_middle_of_whole_numbers_is_exact() -> None:
    assert labels([0, 3], [[0, 1]], "midpoint") == [Decimal("1.5")]
    assert labels([180, 215, 300], [[0, 1], [2]], "midpoint") == [Decimal("197.5"), 300]
    assert labels([0, 9, 10], [[0, 1, 2]], "member") == [9]
    assert isinstance(labels([0, 4], [[0, 1]], "midpoint")[0], int)


def test_a_mean_without_an_end_is_rounded_towards_the_middle() -> None:
    # Mean 6.33 of 0, 9, 10 lies above the middle 5; mean 3.67 of 0, 1, 10 below it.
    assert labels([0, 9, 10], [[0, 1, 2]], "centroid") == [Decimal("6.333333333")]
    assert labels([0, 1, 10], [[0, 1, 2]], "centroid") == [Decimal("3.666666667")]
    assert labels([-10, -1, 0], [[0, 1, 2]], "centroid") == [Decimal("-3.666666667")]
    assert labels([0, 1, 2, 7], [[0, 1, 2, 3]], "centroid") == [Decimal("2.5")]


def test_a_mean_of_dates_costs_the_next_whole_number_of_days() -> None:
    for days in ([0, 1, 3], [0, 1, 2, 6], [0, 5, 6], [0, 1]):
        start = dt.date(2024, 2, 27)
        (label,) = labels([start + dt.timedelta(day) for day in days], [list(range(len(days)))], "centroid")
        at, mean = (label - start).days, Fraction(sum(days), len(days))
        assert max(at - days[0], days[-1] - at) == ceil(max(mean - days[0], days[-1] - mean))


def test_dates_stay_dates() -> None:
    days = [dt.date(2024, 2, 28), dt.date(2024, 3, 1), dt.date(2025, 1, 1)]
    assert labels(days, [[0, 1], [2]], "midpoint") == [dt.date(2024, 2, 29), dt.date(2025, 1, 1)]
    assert labels(days, [[0, 1], [2]], "interval") == ["[2024-02-28, 2024-03-01]", "2025-01-01"]


def test_the_middle_of_moments_has_microseconds() -> None:
    start = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    times = [start, start + dt.timedelta(seconds=3)]
    assert labels(times, [[0, 1]], "midpoint") == [start + dt.timedelta(seconds=1.5)]
    fine = [start, start + dt.timedelta(microseconds=3)]
    assert labels(fine, [[0, 1]], "midpoint") == [start + dt.timedelta(microseconds=1)]


def test_floats_get_the_digits_that_they_need() -> None:
    assert labels([0.1, 0.4], [[0, 1]], "midpoint") == [0.25]
    assert labels([0.1, 0.2, 0.4], [[0, 1, 2]], "centroid") == [0.2333333334]
    assert labels([1e300, 2e300], [[0, 1]], "midpoint") == [1.5e300]
    assert labels([5e-324, 1.0], [[0, 1]], "midpoint") == [0.5]
    exact = [Decimal("12345678901234567890.1"), Decimal("12345678901234567890.3")]
    assert labels(exact, [[0, 1]], "midpoint") == [Decimal("12345678901234567890.2")]
    assert labels([2**60 + 1, 2**60 + 3], [[0, 1]], "midpoint") == [2**60 + 2]


def test_text_has_sets_and_members() -> None:
    for style in ("midpoint", "centroid", "interval", "set"):
        assert labels(["A", "B", "C"], [[0, 1], [2]], style) == ["{A, B}", "C"]
    assert labels(["A", "B", "C"], [[0, 1], [2]], "member") == ["A", "C"]
    odd = ["a, b", "", "missing", None, ' {"']
    assert labels(odd, [[0, 1, 2, 3, 4]], "set") == ['{"", " {\\"", "a, b", "missing", missing}']


def test_truth_values_have_sets() -> None:
    assert labels([False, True], [[0, 1]], "midpoint") == ["{false, true}"]
    assert labels([False, True], [[0, 1]], "member") == [False]


def test_missing_cells_are_said_or_filled() -> None:
    values = [180, 214, None]
    assert labels(values, [[0, 1, 2]], "interval") == ["[180, 214] or missing"]
    assert labels(values, [[0, 2], [1]], "interval") == ["180 or missing", "214"]
    assert labels(values, [[0, 1, 2]], "set") == ["{180, 214, missing}"]
    assert labels(values, [[0, 1, 2]], "midpoint") == [197]
    for style in LABELS:
        assert labels(values, [[0, 1], [2]], style)[1] is None


def test_missing_with_a_place_counts_as_that_number() -> None:
    public = Alphabet.of_values([None, 0, 5], ("chol",), positions=[-9, 0, 5])
    assert codebook(public, Partition.whole(3), "midpoint").labels == ((-2,),)
    apart = codebook(public, Partition.from_clusters([[0], [1, 2]]), "midpoint")
    assert apart.labels == ((None,), (Decimal("2.5"),))


def test_a_column_without_merges_is_unchanged() -> None:
    public = Alphabet.of_values([(1, "a"), (2, "a"), (9, "b")], ("age", "sex"))
    book = codebook(public, Partition.from_clusters([[0, 1], [2]]), "interval")
    assert [column.coding for column in book.columns] == ["interval", "unchanged"]
    assert book.labels == (("[1, 2]", "a"), ("9", "b"))


def test_clusters_never_share_a_label_by_accident() -> None:
    assert labels([1, 2, 3, 4], [[0, 3], [1, 2]], "midpoint") == [Decimal("2.5"), Decimal("2.4")]
    crossed = Alphabet.of_values([(1, "a"), (1, "b"), (2, "a"), (2, "b")], ("n", "t"))
    book = codebook(crossed, Partition.from_clusters([[0, 3], [1, 2]]), "interval")
    assert book.labels == (("[1, 2]", "{a, b}"),)  # what spans the same is one released value
    book = codebook(crossed, Partition.from_clusters([[0, 3], [1, 2]]), "midpoint")
    assert book.labels == ((Decimal("1.5"), "{a, b}"), (Decimal("1.4"), "{a, b}"))


def test_a_text_that_looks_like_a_set_stays_apart_from_the_set() -> None:
    assert labels(["A", "B", "{A, B}"], [[0, 1], [2]], "set") == ["{A, B} #2", "{A, B}"]


def test_labels_coincide_only_where_the_limit_leaves_nothing_free() -> None:
    public = Alphabet.of_values([0, 1, 9, 10])
    part = Partition.from_clusters([[0, 3], [1, 2]])
    tight = codebook(public, part, "midpoint", limit=5)
    assert tight.labels == ((5,), (Decimal("4.9"),))  # no farther than 5 from 1 and 9
    tighter = codebook(public, part, "midpoint", limit=4)
    assert tighter.coincided == 1
    assert tighter.partition == Partition.whole(4)
    assert tighter.labels == ((5,),)


def nearest_free_middles(clusters: list[list[int]]) -> list[Decimal]:
    """The definition, slowly, in tenths: those alone first, then each in order takes the nearest."""
    taken = {10 * cluster[0] for cluster in clusters if len(cluster) == 1}
    found = []
    for cluster in clusters:
        low, high = 10 * min(cluster), 10 * max(cluster)
        middle = (low + high) // 2
        inside = [tick for tick in range(low, high + 1) if tick not in taken or low == high]
        found.append(min(inside, key=lambda tick: (abs(tick - middle), tick)))
        taken.add(found[-1])
    return [Decimal(tick) / 10 for tick in found]


@pytest.mark.parametrize("seed", range(40))
def test_a_middle_that_is_taken_moves_to_the_nearest_that_is_free(seed: int) -> None:
    size = 8 + seed % 14
    values = list(range(size))
    crossed = Partition(np.minimum(np.arange(size), size - 1 - np.arange(size)))
    drawn = Partition(np.random.default_rng(seed).integers(0, size // 3, size))
    for part in (crossed, drawn):
        book = codebook(Alphabet.of_values(values), part, "midpoint")
        assert [label for (label,) in book.labels] == nearest_free_middles(part.clusters())


def test_many_clusters_with_one_middle_are_labelled_in_about_linear_time() -> None:
    size = 60_000
    crossed = Partition(np.minimum(np.arange(size), size - 1 - np.arange(size)))
    book = codebook(Alphabet.of_values(list(range(size))), crossed, "midpoint")  # minutes, if each asked all
    assert book.coincided == 0
    texts = Alphabet.of_values([(place, "a") for place in range(3000)], ("n", "t"))
    half = Partition(np.minimum(np.arange(3000), 2999 - np.arange(3000)))
    assert codebook(texts, half, "midpoint").coincided == 0


def test_an_unknown_kind_of_labels_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown kind of labels"):
        codebook(Alphabet.of_values([1]), Partition.whole(1), "mean")  # type: ignore[arg-type]


def random_public(source: Random) -> Alphabet:
    def column(kind: str) -> list:
        makers = {
            "int": lambda: source.randint(-8, 8),
            "float": lambda: source.choice([0.1, 0.25, 2.5, -3.75, 1e-7, 12.0, 1e16]),
            "date": lambda: dt.date(2024, 2, 27) + dt.timedelta(days=source.randint(0, 9)),
            "text": lambda: source.choice(["", "a", "b", "{a, b}", "1", "01", "ü,", '"', "missing", "a\nb"]),
        }
        return [None if source.random() < 0.15 else makers[kind]() for _ in range(25)]

    kinds = [source.choice(["int", "float", "date", "text"]) for _ in range(source.randint(1, 3))]
    rows = list(dict.fromkeys(zip(*map(column, kinds), strict=True)))
    names = [f"c{j}" for j in range(len(kinds))]
    return Alphabet.of_values([row[0] for row in rows] if len(kinds) == 1 else rows, names)


@pytest.mark.parametrize("seed", range(300))
def test_labels_of_random_tables_are_apart_inside_and_of_their_kind(seed: int) -> None:
    source = Random(seed)
    public = random_public(source)
    part = Partition(np.array([source.randrange(max(1, public.size // 2)) for _ in range(public.size)]))
    for style in LABELS:
        book = codebook(public, part, style)
        assert book.coincided == 0
        assert book.partition == part
        texts = [tuple(map(cell_text, label)) for label in book.labels]
        assert len(set(texts)) == len(texts)
        require_inside(public, book)


def require_inside(public: Alphabet, book: Codebook) -> None:
    for number, cluster in enumerate(book.partition.clusters()):
        for column, coordinate, label in zip(
            book.columns, public.coordinates, book.labels[number], strict=True
        ):
            cells = [coordinate.cell(place) for place in cluster]
            present = [cell for cell in cells if cell is not None]
            if not present:
                assert label is None
            elif column.released_kind == "text" and column.kind != "text":
                assert isinstance(label, str)
            elif column.kind == "text":
                assert column.coding == "set" or label in cells
            elif label is not None:
                assert min(present) <= label <= max(present)
                assert column.kind != "date" or isinstance(label, dt.date)
            if label is not None and column.released_kind == "number":
                assert parse_cell(cell_text(label), "number") == Decimal(cell_text(label))


def test_ranges_are_told_in_words_and_large_sets_by_a_number_of_their_own():
    assert labels([30, 33, 41, None], [[0, 1], [2, 3]], "range") == ["30 to 33", "41 or missing"]
    assert labels(["A", "B", "C or D", None], [[0, 2], [1, 3]], "range") == ['A or "C or D"', "B or missing"]
    many = labels(list("abcdefghijklmn"), [list(range(6)), list(range(6, 13)), [13]], "range")
    assert many == ["group 1 of 6 values", "group 2 of 7 values", "n"]


def test_dates_are_told_in_years_or_months_only_as_far_as_labels_stay_apart():
    days = [dt.date(1920 + 3 * year, 5, 6) for year in range(8)]
    assert labels(days, [[0, 1, 2, 3], [4, 5, 6, 7]], "range") == ["1920 to 1929", "1932 to 1941"]
    near = [dt.date(1950, 1, 1), dt.date(1950, 9, 9), dt.date(1950, 9, 20), dt.date(1951, 6, 1)]
    assert labels(near, [[0, 1], [2, 3]], "range") == ["1950-01 to 1950-09", "1950-09 to 1951-06"]
    same = [dt.date(1950, 1, 1), dt.date(1950, 1, 2), dt.date(1950, 9, 19), dt.date(1950, 9, 20)]
    told = labels(same, [[0, 2], [1, 3]], "range")
    assert told == ["1950-01-01 to 1950-09-19", "1950-01-02 to 1950-09-20"]
