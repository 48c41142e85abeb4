import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage

from hartley.baselines.dendrogram import dendrogram
from hartley.errors import InputError, OptionError
from hartley.model import Alphabet, JointRange, Partition

pytest.importorskip("sklearn")


def scattered(seed: int, size: int = 40) -> JointRange:
    rng = np.random.default_rng(seed)
    places = rng.normal(size=size).cumsum()
    return JointRange.from_pairs(
        [(float(x), int(s)) for x, s in zip(places, rng.integers(0, 9, size), strict=True)]
    )


@pytest.mark.parametrize("kind", ["complete", "average", "single", "ward"])
def test_the_tree_is_the_one_scipy_finds(kind):
    joint = scattered(1)
    tree = dendrogram(joint.public, linkage=kind)
    places = np.array(joint.public.labels())[:, None]
    scaled = (places - places.min()) / (places.max() - places.min())
    for clusters in (2, 3, 5, 10, 20):
        expected = cut_tree(linkage(scaled, kind), clusters)[:, 0]
        assert tree.partition(40 - clusters) == Partition(expected)


def test_a_missing_value_joins_last():
    cells = Alphabet.of_values([1.0, 2.0, None, 50.0])
    assert dendrogram(cells).partition(2) == Partition.from_clusters([[0, 1, 3], [2]])


def test_words_and_numbers_of_several_columns():
    cells = Alphabet.of_values(
        [("red", 1), ("blue", 1), ("red", 2), ("blue", 100)], columns=("colour", "size")
    )
    assert dendrogram(cells).partition(1) == Partition.from_clusters([[0, 2], [1], [3]])


def test_one_value_has_a_tree_of_no_merges():
    assert dendrogram(Alphabet.of_values([3])).steps == 0


def test_bad_calls_are_refused():
    with pytest.raises(OptionError, match="unknown linkage"):
        dendrogram(Alphabet.of_values([1, 2]), linkage="nearest")
    with pytest.raises(InputError, match="up to 5000 public values"):
        dendrogram(Alphabet.numbered(5001))


@pytest.mark.parametrize("kind", ["complete", "average"])
def test_two_words_are_not_taken_for_distances(kind):
    words = Alphabet.of_values(["north", "south"], ("town",))
    assert dendrogram(words, linkage=kind).steps == 1
