"""What a comparison finds: every method's release, measured alike, and who does best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hartley.errors import InputError, worded
from hartley.frontiers import Frontier, Point
from hartley.measures.usefulness import Usefulness
from hartley.model import JointRange
from hartley.model.demand import Target
from hartley.model.requirement import Requirement
from hartley.model.words import SLACK
from hartley.search.greedy.runs import TieSpread
from hartley.search.problem import Problem
from hartley.workflow.rivals.noise_method import NoiseFound

OPTIMAL, GREEDY, TREE, NOISE = "optimal", "greedy", "tree", "noise"
OURS = {
    OPTIMAL: "ours, the best partition known",
    GREEDY: "ours, the paper's greedy search",
    TREE: "ours, safe against a reader who knows how it was chosen",
}
NOISE_TITLE = "our clusters, then noise (the paper's last idea)"
Axis: TypeAlias = Literal["worst_case", "ncp", "query_error"]
"""What releases are judged by: the worst class (at a given utility, the leakage), the mean relative width of
a class over rows and columns, and the median error of random counts."""
AXES: tuple[Axis, ...] = ("worst_case", "ncp", "query_error")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The release that a method offers."""

    setting: str | None
    """What the method was told to get there; ``None`` where there is nothing to tell."""
    point: Point
    """Its measures; the bound is that of our optimal search at its utility, whoever found the release."""
    l0_bits: float
    istar_bits: float
    row_k: int
    usefulness: Usefulness
    """What is left of the public columns."""
    query_error: float | None
    """The median relative error of random counts; ``None`` where none can be drawn."""

    @property
    def ncp(self) -> float:
        """The mean relative width of a class: 0 untouched, 1 nothing left."""
        return self.usefulness.loss


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Why a method offers nothing."""

    reason: str
    """With its mentions of options; they are worded where it is shown."""


@dataclass(frozen=True)
class Method:
    """What one method did."""

    name: str
    title: str
    cpu_seconds: float
    """Processor time of finding and choosing the release, over all settings tried."""
    complete: bool
    """Whether it ended by itself."""
    answer: Measured | Refused

    def to_dict(self) -> dict[str, Any]:
        """Return the row as it stands in JSON."""
        return _row(self, _of_partition(self.answer) if isinstance(self.answer, Measured) else {})


@dataclass(frozen=True, kw_only=True)
class NoiseMethod:
    """What noise on our clusters did; no partition, so no rows to count and no bound."""

    name: str = NOISE
    title: str = NOISE_TITLE
    question: Problem
    cpu_seconds: float
    complete: bool
    answer: NoiseFound | Refused

    def to_dict(self) -> dict[str, Any]:
        """Return the row as it stands in JSON, in the worst case like all others."""
        if isinstance(self.answer, Refused):
            return _row(self, {})
        after = self.answer.release.after
        return _row(
            self,
            {
                "setting": self.answer.setting,
                "leakage_bits": after.istar_bits if self.question.leakage == "istar" else after.l0_bits,
                "l0_bits": after.l0_bits,
                "istar_bits": after.istar_bits,
                "utility": self.answer.utility(self.question),
                "distinct_l": after.distinct_l,
                "components": self.answer.components,
                "clusters": self.answer.released,
                "largest_cluster": self.answer.largest_cluster,
                "max_distortion": self.answer.max_distortion,
            },
        )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Every method at one target.

    Examples
    --------
    >>> import hartley, pyarrow
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> found = hartley.compare(table, sensitive="age", public="chol", require={"distinct_l": 2})
    >>> isinstance(found, hartley.Comparison), found.ours.point.distinct_l
    (True, 2)
    """

    question: Problem
    """The joint range, what clusters cost, and which may be."""
    target: Target
    """What every method was held to."""
    is_given: bool
    """Whether the target was asked for; otherwise it is that of the balanced point of our frontier."""
    frontier: Frontier
    """Of our optimal search."""
    greedy: Frontier
    """Of the paper's merges, step by step."""
    methods: tuple[Method, ...]
    """Ours, then the baselines."""
    noise: NoiseMethod
    """Bounded noise in place of a recoding."""
    dropped_rows: int
    """Rows left out because a value was missing, where that was asked for."""
    requirements: tuple[Requirement, ...] = ()
    """What all methods must keep, where it is more than the target."""
    ties: TieSpread | None = None
    """What the greedy search reaches with ties broken at random; ``None`` where it was not tried."""

    def __repr__(self) -> str:
        return f"Comparison({len(self.methods)} methods at {self.target.kind} {self.target.number:g})"

    def to_frame(self) -> Any:
        """Return the methods as a data frame of pandas or polars, whichever is there."""
        from hartley.report.notebook import comparison_frame

        return comparison_frame(self)

    def plot(self, **options: Any) -> Any:
        """Draw the frontier, and one labelled mark for every other method; see :meth:`Frontier.plot`."""
        beside = {
            method.name: (method.answer.point,)
            for method in self.methods[1:]
            if isinstance(method.answer, Measured)
        }
        return self.frontier.plot(beside=beside, chosen=self.ours.point, **options)

    @property
    def joint(self) -> JointRange:
        """The joint range of the table."""
        return self.question.joint

    @property
    def is_at_utility(self) -> bool:
        """Whether all methods are held to the same utility; otherwise to the same protection."""
        return self.target.kind in ("largest_cluster", "max_distortion")

    @property
    def is_by_mean(self) -> bool:
        """Whether methods compete for the mean loss over several columns."""
        return self.question.is_polished and self.question.objective == "mean" and not self.is_at_utility

    @property
    def ours(self) -> Measured:
        """What our optimal search offers."""
        answer = self.methods[0].answer
        if isinstance(answer, Refused):  # our search refuses by raising, so this cannot be built
            raise InputError(answer.reason)
        return answer

    @property
    def baselines(self) -> tuple[tuple[Method, Measured], ...]:
        """The baselines that have an answer, the best at this target first."""
        answered = [
            (method, method.answer)
            for method in self.methods[len(OURS) :]
            if isinstance(method.answer, Measured)
        ]
        return tuple(sorted(answered, key=lambda pair: self._worth(pair[1]), reverse=True))

    @property
    def better(self) -> tuple[str, ...]:
        """The baselines that beat our optimal search here; none, where its answer is proven best."""
        return self._beating(self._worth)

    def _beating(self, worth: Callable[[Measured], tuple[float, float]]) -> tuple[str, ...]:
        ours = worth(self.ours)[0]
        return tuple(method.name for method, answer in self.baselines if worth(answer)[0] > ours + SLACK)

    @property
    def rivals(self) -> tuple[tuple[Method, Measured], ...]:
        """All methods but our optimal search that have an answer and protect as well as it does."""
        most = self.ours.point.leakage_bits + SLACK
        return tuple(
            (method, method.answer)
            for method in self.methods[1:]
            if isinstance(method.answer, Measured)
            and (not self.is_at_utility or method.answer.point.leakage_bits <= most)
        )

    def best_by(self, axis: Axis) -> tuple[Method, Measured] | None:
        """Return the best of the others on one axis; ``None`` where none is measured there."""
        if axis == "worst_case":
            return max(self.baselines, key=lambda pair: self._worst_case(pair[1]), default=None)
        there = [pair for pair in self.rivals if _number(pair[1], axis) is not None]
        return min(there, key=lambda pair: _number(pair[1], axis) or 0.0, default=None)

    def better_by(self, axis: Axis) -> tuple[str, ...]:
        """Return the methods that beat our optimal search on one axis, the best first."""
        if axis == "worst_case":
            return self._beating(self._worst_case)
        ours = _number(self.ours, axis)
        if ours is None:
            return ()
        found = [(_number(answer, axis), method.name) for method, answer in self.rivals]
        beating = [
            (number, name) for number, name in found if number is not None and number < ours * (1 - 1e-9)
        ]
        return tuple(name for _, name in sorted(beating, key=lambda pair: pair[0]))

    def _worth(self, answer: Measured) -> tuple[float, float]:
        """Return what the methods compete for, then what decides between equals."""
        return (-answer.ncp, answer.point.utility) if self.is_by_mean else self._worst_case(answer)

    def _worst_case(self, answer: Measured) -> tuple[float, float]:
        """Return what counts in the worst case, then what decides between equals."""
        point = answer.point
        if self.is_at_utility:
            return -point.leakage_bits, point.utility
        return point.utility, -point.leakage_bits

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as it stands in JSON."""
        joint, answer = self.joint, self.noise.answer
        return {
            "rows": joint.row_count,
            "dropped_rows": self.dropped_rows,
            "sensitive": {"columns": list(joint.sensitive.columns), "values": joint.sensitive.size},
            "public": {"columns": list(joint.public.columns), "values": joint.public.size},
            "leakage": self.frontier.leakage,
            "utility": self.frontier.utility,
            "codeword": self.frontier.codeword,
            "target": {**self.target.to_dict(), "given": self.is_given},
            **({"requirements": [one.to_dict() for one in self.requirements]} if self.requirements else {}),
            "methods": [*(method.to_dict() for method in self.methods), self.noise.to_dict()],
            "greedy_ties": None if self.ties is None else self.ties.to_dict(),
            "noise": None if isinstance(answer, Refused) else answer.to_dict(),
            "best_baseline": self.baselines[0][0].name if self.baselines else None,
            "better_than_optimal": list(self.better),
            "better_by": {axis: list(self.better_by(axis)) for axis in AXES},
        }


def _number(answer: Measured, axis: Axis) -> float | None:
    return answer.ncp if axis == "ncp" else answer.query_error


def _row(method: Method | NoiseMethod, measures: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table with every key, ``None`` where one does not apply."""
    empty = dict.fromkeys(
        (
            "setting",
            "leakage_bits",
            "l0_bits",
            "istar_bits",
            "utility",
            "distinct_l",
            "row_k",
            "components",
            "clusters",
            "largest_cluster",
            "max_distortion",
            "lower_bound_bits",
            "proven_optimal",
            "lower_bound_cost",
            "shape",
            "band_width",
            "mean_distortion",
            "shape_price",
            "withheld_rows",
            "withheld_values",
            "withheld_l",
            "requirements",
            "ncp",
            "query_error",
            "usefulness",
        )
    )
    return {
        "method": method.name,
        "title": method.title,
        **empty,
        **measures,
        "complete": method.complete,
        "cpu_seconds": method.cpu_seconds,
        "not_applicable": worded(method.answer.reason) if isinstance(method.answer, Refused) else None,
    }


def _of_partition(answer: Measured) -> dict[str, Any]:
    measures = answer.point.to_dict()
    del measures["step"]
    return {
        "setting": answer.setting,
        **measures,
        "l0_bits": answer.l0_bits,
        "istar_bits": answer.istar_bits,
        "row_k": answer.row_k,
        "ncp": answer.ncp,
        "query_error": answer.query_error,
        "usefulness": answer.usefulness.to_dict(),
    }
