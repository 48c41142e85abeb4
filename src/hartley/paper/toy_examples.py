"""The paper's worked examples and toy figures, computed from the built-in data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hartley.examples import toy
from hartley.frontiers import Frontier, Point
from hartley.measures.overlap import components, maximin_information, overlap_partition
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.words import Leakage
from hartley.paper.printed_values import Clusters, Found
from hartley.search.effort import UNLIMITED
from hartley.search.frontier import frontier as optimal_frontier
from hartley.search.greedy.runs import GreedyRun, greedy_frontier, greedy_run
from hartley.search.problem import Problem


@dataclass(frozen=True, kw_only=True)
class Example:
    """A worked example: the question, the run, and the weight that ends it."""

    question: Problem
    run: GreedyRun
    utility_weight: float

    @property
    def stop(self) -> int:
        """The step that is returned."""
        if self.question.leakage == "joint":
            # Problem (3) runs until one component is left, whatever the weight.
            return self.run.tree.steps
        return self.run.along.stop(self.question.leakage, self.utility_weight)

    @property
    def lagrangian(self) -> list[float]:
        """Leakage less weighted utility at every step."""
        return [float(x) for x in self.run.along.lagrangian(self.question.leakage, self.utility_weight)]

    @property
    def joint(self) -> JointRange:
        """The joint range of the example."""
        return self.question.joint

    def clusters(self, step: int) -> Clusters:
        """Return the clusters at a step by name."""
        return _named(self.joint.public, self.run.tree.partition(step))

    def components(self, step: int) -> Clusters:
        """Return the components at a step by name."""
        return _named(self.joint.public, components(self.joint, self.run.tree.partition(step)))

    def candidates(self, *names: str) -> Clusters:
        """Return the sensitive values that a cluster leaves possible."""
        places = [self.joint.public.place(name) for name in names]
        seen = {int(code) for place in places for code in self.joint.candidates(place)}
        return (tuple(sorted(str(self.joint.sensitive.label(code)) for code in seen)),)


def example(leakage: Leakage, utility: str, utility_weight: float, *, x7: float = 1.0) -> Example:
    """Run a worked example; under distortion with the paper's centroids."""
    joint = toy(x7=x7)
    measure = (
        Resolution(joint.public.size)
        if utility == "resolution"
        else LineDistortion.of(joint.public, "centroid")
    )
    question = Problem(joint=joint, leakage=leakage, utility=measure)
    return Example(
        question=question, run=greedy_run(question, utility_weight, UNLIMITED), utility_weight=utility_weight
    )


@dataclass(frozen=True, kw_only=True)
class ToyExamples:
    """Examples 2 to 5 as the paper runs them; Example 1 is their joint range."""

    worst_resolution: Example
    worst_distortion: Example
    certain_resolution: Example
    certain_distortion: Example
    joint_resolution: Example

    @classmethod
    def run(cls) -> ToyExamples:
        """Run them all."""
        return cls(
            worst_resolution=example("l0", "resolution", 0.3),
            worst_distortion=example("l0", "distortion", 2.5),
            certain_resolution=example("istar", "resolution", 0.3),
            certain_distortion=example("istar", "distortion", 0.3, x7=4.0),
            joint_resolution=example("joint", "resolution", 0.3),
        )

    def frontiers(self) -> tuple[Frontier, Frontier]:
        """Return the frontiers of the toy figure: Examples 3 and 4, from the greedy runs."""
        one, other = self.certain_resolution, self.certain_distortion
        return greedy_frontier(one.question, one.run), greedy_frontier(other.question, other.run)

    def optimal_frontiers(self) -> tuple[Frontier, Frontier]:
        """Return what the optimal search finds for the same two questions."""
        return (
            optimal_frontier(self.certain_resolution.question, UNLIMITED),
            optimal_frontier(self.certain_distortion.question, UNLIMITED),
        )

    def values(self) -> dict[str, Found]:
        """Return every value that the paper prints, by its key."""
        joint = toy()
        two, two_moved = self.worst_resolution, self.worst_distortion
        three, four, five = self.certain_resolution, self.certain_distortion, self.joint_resolution
        found: dict[str, Found] = {
            "1.components": _named(joint.public, components(joint)),
            "1.overlap": _named(joint.sensitive, overlap_partition(joint)),
            "1.istar": maximin_information(joint),
            "2a.range46": two.candidates("x4", "x6"),
            "2a.range3456": two.candidates("x3", "x4", "x5", "x6"),
            "2a.delta1": _change(two, 1),
            "2a.delta2": _change(two, 2),
            "2a.returned": two.clusters(two.stop),
            "2a.last_line": two.clusters(two.stop),
            "2b.delta1": _change(two_moved, 1),
            "2b.delta2": _change(two_moved, 2),
            "2b.returned": two_moved.clusters(two_moved.stop),
            "3.delta1": _change(three, 1),
            "4.q3": four.clusters(3),
            "4.p3": four.components(3),
            "4.stop": four.stop,
            "4.returned": four.clusters(four.stop),
            "frontier.u1.solution": float(three.run.along.utility[three.stop]),
        }
        for step in (1, 2):
            found[f"2a.q{step}"] = two.clusters(step)
            found[f"2b.q{step}"] = two_moved.clusters(step)
        for step in (1, 2, 3, 4):
            for key, one in (("3", three), ("5", five)):
                found[f"{key}.q{step}"] = one.clusters(step)
                found[f"{key}.p{step}"] = one.components(step)
        for key, one in (("fig1.u1", two), ("fig1.u2", two_moved), ("fig2.u1", three), ("fig2.u2", four)):
            found |= {f"{key}.{step}": value for step, value in enumerate(one.lagrangian)}
        for key, frontier in zip(("u1", "u2"), self.frontiers(), strict=True):
            for number, (loss, leak) in enumerate(normalised(frontier.points, frontier)):
                found[f"frontier.{key}.{number}.loss"] = loss
                found[f"frontier.{key}.{number}.leak"] = leak
        return found


def normalised(points: Sequence[Point], frontier: Frontier) -> list[tuple[float, float]]:
    r"""Return points on the paper's axes: the loss of utility, and the leakage that is left, as shares.

    Under resolution the loss is :math:`1 - U_1(X; \hat X) / H_0(X)`; under distortion it is the share of the
    greatest distortion on the frontier. Leakage is a share of that of the untouched table, the first point.
    """
    first, last = frontier.points[0], frontier.points[-1]
    whole = first.leakage_bits or 1.0
    if frontier.utility == "resolution":
        return [(1 - point.utility / first.utility, point.leakage_bits / whole) for point in points]
    worst = -last.utility or 1.0
    return [(-point.utility / worst, point.leakage_bits / whole) for point in points]


def _change(one: Example, step: int) -> float:
    return one.lagrangian[step] - one.lagrangian[step - 1]


def _named(alphabet: Alphabet, partition: Partition) -> Clusters:
    names = [str(label) for label in alphabet.labels()]
    return tuple(sorted(tuple(names[place] for place in cluster) for cluster in partition.clusters()))
