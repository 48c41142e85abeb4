"""Slow twins of the baselines, written for reading."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import inf

import numpy as np

from hartley.measures.stochastic import JointDistribution, mutual_information
from hartley.model import JointRange, Partition


def pairs_of(joint: JointRange) -> list[tuple[int, int, int, int]]:
    """List (public, sensitive, side, rows) for every pair that occurs."""
    side = np.zeros(joint.observations, int) if joint.observed_side is None else joint.observed_side
    return [
        (int(joint.public_of[o]), int(s), int(side[o]), int(r))
        for o, s, r in zip(joint.observation_of, joint.indices, joint.rows, strict=True)
    ]


def count_of(joint: JointRange, places, count: str) -> int:
    """Count the sensitive values (or rows) behind a set of public values, at the worst side value."""
    values, rows = defaultdict(set), defaultdict(int)
    for x, s, a, r in pairs_of(joint):
        if x in places:
            values[a].add(s)
            rows[a] += r
    return min(map(len, values.values())) if count == "distinct" else min(rows.values())


def rows_of(joint: JointRange, places) -> int:
    return sum(r for x, _, _, r in pairs_of(joint) if x in places)


def classes_by_word(words) -> list[set[int]]:
    found = defaultdict(set)
    for place, word in enumerate(words):
        found[word].add(place)
    return list(found.values())


def datafly(joint: JointRange, words_by_column, at_least: int, budget: int):
    """Datafly as published; gives the levels and the classes that are left over."""
    levels = [0] * len(words_by_column)
    while True:
        words = list(
            zip(*(tree[level] for tree, level in zip(words_by_column, levels, strict=True)), strict=True)
        )
        classes = classes_by_word(words)
        left_over = [c for c in classes if count_of(joint, c, "distinct") < at_least]
        if sum(rows_of(joint, c) for c in left_over) <= budget and len(left_over) < len(classes):
            return levels, classes, left_over
        distinct = [len(set(tree[level])) for tree, level in zip(words_by_column, levels, strict=True)]
        levels[distinct.index(max(distinct))] += 1


def local_recoding(joint: JointRange, words, at_least: int) -> Partition:
    """Lift failing classes one level at a time, with all that shares the coarser word."""
    level_of = [0] * joint.public.size
    for level in range(1, len(words)):
        classes = classes_by_word([(level_of[x], words[level_of[x]][x]) for x in range(joint.public.size)])
        failing = {words[level][x] for c in classes if count_of(joint, c, "distinct") < at_least for x in c}
        for x in range(joint.public.size):
            if words[level][x] in failing:
                level_of[x] = level
    return Partition.from_clusters(
        classes_by_word([(level_of[x], words[level_of[x]][x]) for x in range(joint.public.size)])
    )


def mondrian_on_a_line(joint: JointRange, at_least: int, cut: str) -> Partition:
    """Mondrian for one column of distinct numbers, by trying cuts one by one."""
    boxes, final = [list(np.argsort(joint.public.positions))], []
    while boxes:
        box = boxes.pop()
        total = rows_of(joint, box)
        cuts = sorted(range(1, len(box)), key=lambda k: (abs(2 * rows_of(joint, box[:k]) - total), k))
        for k in cuts[:1] if cut == "median" else cuts:
            if min(count_of(joint, half, "distinct") for half in (box[:k], box[k:])) >= at_least:
                boxes += [box[:k], box[k:]]
                break
        else:
            final.append(box)
    return Partition.from_clusters(final)


def information(joint: JointRange, partition: Partition) -> float:
    return mutual_information(JointDistribution.of(joint.without_side(), partition))


def kept(joint: JointRange, partition: Partition) -> float:
    share = np.bincount(
        partition.labels[joint.public_of[joint.observation_of]], weights=joint.rows
    ) / joint.row_count  # fmt: skip
    return float(-(share * np.log2(share)).sum())


def merge_pairs(joint: JointRange, cost, spends=(0.0, 0.0), budget=inf, ceiling=inf) -> list[tuple[int, int]]:
    """Try all pairs each time; the cost, rounded to 12 decimals, then the earliest pair decides."""
    total = joint.row_count
    phi = np.zeros(total + 1)
    phi[1:] = np.arange(1, total + 1) * np.log2(np.arange(1, total + 1))
    rows: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for x, s, _, r in pairs_of(joint):
        rows[x][s] += r
    weights = np.array([*cost, *spends]) / total
    left = budget + 1e-12
    merges = []
    while len(rows) > 1:
        best = (inf, -1, -1, 0.0)
        for i, j in combinations(sorted(rows), 2):
            a, b = sum(rows[i].values()), sum(rows[j].values())
            public = phi[a + b] - phi[a] - phi[b]
            shared = 0.0
            for s in sorted(rows[i].keys() & rows[j].keys()):
                shared += phi[rows[i][s] + rows[j][s]] - phi[rows[i][s]] - phi[rows[j][s]]
            sensitive = public - shared
            spent = weights[2] * sensitive + weights[3] * public
            value = np.rint((weights[0] * sensitive + weights[1] * public) * 1e12)
            if spent <= left and value < best[0]:
                best = (value, i, j, spent)
        if best[1] < 0 or best[0] >= ceiling * 1e12:
            break
        _, i, j, spent = best
        left -= spent
        for s, r in rows.pop(j).items():
            rows[i][s] += r
        merges.append((i, j))
    return merges


def best_subset_change(partition: Partition, change) -> float:
    """Give the least of ``change(merged)`` over all merges of two or more clusters."""
    subsets = (w for size in range(2, partition.size + 1) for w in combinations(range(partition.size), size))
    return min((change(partition.merge(*w)) for w in subsets), default=0.0)
