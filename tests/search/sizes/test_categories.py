"""Taxonomies and ordered siblings, against all partitions of their shape."""

from __future__ import annotations

import random
from itertools import product

import numpy as np

from enough_instances import joint_of, random_requirements, random_rows
from hartley.model.requirement import Requirement
from hartley.search.enough import Enough
from hartley.search.sizes.categories import (
    Taxonomy,
    finest_cut,
    least_sibling_runs,
)
from reference_requirements import Twin


def instance(rng, largest=6):
    rows = random_rows(rng, rng.randint(2, largest), rng.randint(1, 5))
    joint = joint_of(rows)
    requirements, closeness, tolerance = random_requirements(rng, joint)
    return Enough.of(joint, requirements, closeness), Twin(rows, requirements, tolerance, "size")


def random_taxonomy(rng, values):
    parents = {}
    roots = list(range(values))
    node = values
    while len(roots) > 1 or node == values:
        taken = rng.sample(roots, rng.randint(min(2, len(roots)), min(3, len(roots))))
        for child in taken:
            parents[child] = node
        roots = [root for root in roots if root not in taken] + [node]
        node += 1
    parents[roots[0]] = -1
    return Taxonomy.of_parents([parents[each] for each in range(node)], values)


def below(tree, node):
    inner = tree.children[node]
    return {node} if not inner else set().union(*(below(tree, child) for child in inner))


def mask(values):
    return sum(1 << value for value in values)


def cuts(tree, node):
    yield [below(tree, node)]
    if tree.children[node]:
        for parts in product(*(list(cuts(tree, child)) for child in tree.children[node])):
            yield [cluster for part in parts for cluster in part]


def sibling_runs(tree, node):
    """All partitions into runs of siblings, or inside one of them."""
    inner = tree.children[node]
    if not inner:
        yield [{node}]
        return
    for breaks in product((False, True), repeat=len(inner) - 1):
        runs = [[inner[0]]]
        for child, cut in zip(inner[1:], breaks, strict=True):
            if cut:
                runs.append([child])
            else:
                runs[-1].append(child)
        options = [
            [[set().union(*(below(tree, child) for child in run))]]
            + (list(sibling_runs(tree, run[0])) if len(run) == 1 and tree.children[run[0]] else [])
            for run in runs
        ]
        for parts in product(*options):
            yield [cluster for part in parts for cluster in part]


def best_of(twin, partitions):
    return [clusters for clusters in partitions if all(twin.is_enough[mask(c)] for c in clusters)]


def test_the_finest_cut_has_most_clusters_and_the_smallest_largest():
    rng = random.Random(51)
    for _ in range(250):
        enough, twin = instance(rng)
        tree = random_taxonomy(rng, twin.size)
        fitting = best_of(twin, cuts(tree, tree.root))
        if not fitting:
            continue
        answer = finest_cut(enough, tree)
        assert answer.partition.size == max(map(len, fitting))
        assert answer.cost == min(max(map(len, clusters)) for clusters in fitting)
        assert enough.is_met_by(answer.partition)


def test_runs_of_siblings_have_the_smallest_largest_cluster():
    rng = random.Random(52)
    for _ in range(250):
        enough, twin = instance(rng)
        tree = random_taxonomy(rng, twin.size)
        fitting = best_of(twin, sibling_runs(tree, tree.root))
        if not fitting:
            continue
        answer = least_sibling_runs(enough, tree)
        best = min(max(map(len, clusters)) for clusters in fitting)
        assert answer.cost == best
        assert answer.partition.size == max(len(c) for c in fitting if max(map(len, c)) == best)
        found = sorted(map(sorted, answer.partition.clusters()))
        assert found in [sorted(map(sorted, clusters)) for clusters in fitting]


def test_a_taxonomy_of_many_values_is_cut_in_one_pass():
    rng = np.random.default_rng(54)
    size = 4000
    joint = joint_of([(float(x), int(s)) for x, s in enumerate(rng.integers(40, size=size))])
    enough = Enough.of(joint, [Requirement("distinct-l", 5)])
    parents = [size + x // 10 for x in range(size)] + [size + 400 + x // 10 for x in range(400)]
    parents += [size + 440] * 40 + [-1]
    answer = finest_cut(enough, Taxonomy.of_parents(parents, size))
    assert enough.is_met_by(answer.partition)
    assert 40 <= answer.partition.size <= 400
