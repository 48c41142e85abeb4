"""Groups of categories within groups: a hierarchy that a curator gives, or the prefixes of text."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hartley.errors import InputError
from hartley.model.arrays import Int64s, frozen_array


@dataclass(frozen=True)
class Node:
    """A group: an interval of the values in the tree's order."""

    label: str
    first: int
    end: int


@dataclass(frozen=True, eq=False)
class CategoryTree:
    """Values in an order in which every group is an interval, and the groups.

    Two groups are one inside the other, or share nothing.
    """

    ranks: Int64s
    """The place of each value in the tree's order."""
    nodes: tuple[Node, ...]
    """The groups that occur, larger ones first; single values come last. The whole is none of them."""
    levels: tuple[Int64s, ...]
    """Ever coarser labels of the values in the tree's order."""
    level_names: tuple[str, ...]
    groups: dict[str, tuple[str, ...]]
    """Every value of the hierarchy, also one that does not occur: its groups, from the nearest."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", frozen_array(self.ranks))


def require_named(what: str, words: Iterable[str], names: Container[str]) -> None:
    """Raise where a hierarchy or an order misses some words, with the first of them."""
    absent = sorted({word for word in words if word not in names})
    if absent:
        more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
        raise InputError(f"{what} misses {', '.join(map(repr, absent[:5]))}{more}; add a line for each")


def value_tree(column: str, words: Sequence[str], rows: Sequence[Sequence[str]]) -> CategoryTree:
    """Build the tree over these values from rows of a value, its group, the group of the group, and so on.

    Raises InputError, with the names, where the rows miss a value or repeat one, or groups are not nested.
    """
    height = max((len(row) for row in rows), default=1)
    groups: dict[str, tuple[str, ...]] = {}
    for row in rows:
        padded = [str(cell) for cell in row] + [str(row[-1])] * (height - len(row))
        if padded[0] in groups:
            raise InputError(f"the hierarchy of {column!r} names {padded[0]!r} more than once")
        groups[padded[0]] = tuple(padded[1:])
    require_named(f"the hierarchy of {column!r}", words, groups)
    _check_nested(column, groups, height - 1)
    # Sorted from the outermost group inwards, every group is an interval.
    paths = [(*reversed(groups[word]), word) for word in words]
    order = sorted(range(len(words)), key=lambda place: paths[place])
    ranks = np.empty(len(words), dtype=np.int64)
    ranks[order] = np.arange(len(words))
    return _tree(ranks, [paths[place] for place in order], [f"level {t}" for t in range(1, height)], groups)


def _check_nested(column: str, groups: dict[str, tuple[str, ...]], levels: int) -> None:
    for level in range(levels - 1):
        above: dict[str, str] = {}
        for path in groups.values():
            if above.setdefault(path[level], path[level + 1]) != path[level + 1]:
                raise InputError(
                    f"the hierarchy of {column!r} puts {path[level]!r} into {above[path[level]]!r} "
                    f"and into {path[level + 1]!r}; a group lies in one group"
                )


def prefix_tree(words: Sequence[str]) -> CategoryTree:
    """Build the tree of what the values begin with.

    >>> tree = prefix_tree(["1043", "1052", "2011"])
    >>> [(node.label, node.first, node.end) for node in tree.nodes]
    [('1…', 0, 2), ('1043', 0, 1), ('1052', 1, 2), ('2011', 2, 3)]
    """
    order = sorted(range(len(words)), key=lambda place: words[place])
    ranks = np.empty(len(words), dtype=np.int64)
    ranks[order] = np.arange(len(words))
    longest = max((len(word) for word in words), default=0)
    paths = []
    for place in order:
        word = words[place]
        paths.append((*(f"{word[:t]}…" for t in range(1, longest)), word))
    names = [f"first {t} characters" for t in range(longest - 1, 0, -1)]
    return _tree(ranks, paths, names, {})


def _tree(
    ranks: Int64s, paths: Sequence[tuple[str, ...]], names: Sequence[str], groups: dict[str, tuple[str, ...]]
) -> CategoryTree:
    """Build the tree from the groups of each value, outermost first; the values stand in the tree's order."""
    count, depth = len(paths), len(paths[0]) if paths else 0
    nodes: dict[tuple[int, int], Node] = {}
    levels = []
    for level in range(depth):
        labels = np.zeros(count, dtype=np.int64)
        starts = [0] + [p for p in range(1, count) if paths[p][: level + 1] != paths[p - 1][: level + 1]]
        for number, (first, end) in enumerate(zip(starts, [*starts[1:], count], strict=True)):
            labels[first:end] = number
            is_value = end - first == 1
            label = paths[first][-1] if is_value else paths[first][level]
            if end - first < count:
                nodes.setdefault((first, end), Node(label, first, end))
        levels.append(labels)
    ordered = sorted(nodes.values(), key=lambda node: (node.first - node.end, node.first))
    return CategoryTree(ranks, tuple(ordered), tuple(reversed(levels[:-1])), tuple(names), groups)
