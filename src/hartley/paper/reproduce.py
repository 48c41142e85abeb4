"""The paper run again: every example and toy figure, and the experiment where its data is at hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hartley.documents import HEART_DATA
from hartley.errors import TableError, option
from hartley.frontiers import Frontier
from hartley.paper.experiment import Experiment, experiment
from hartley.paper.heart_data import SOURCE, HeartRows, read_heart
from hartley.paper.printed_values import DIFFERS, NOT_REPRODUCIBLE, SLIPS, TOY, PaperValue, checks
from hartley.paper.toy_examples import Example, ToyExamples, normalised
from hartley.search.effort import UNLIMITED, Effort

NO_DATA = (
    "The experiment on the Hungarian heart disease data was not run: the data is not part of hartley. Give "
    f"UCI's processed.hungarian.data with {option('data')}, or say {option('download')} to fetch it from UCI."
)


@dataclass(frozen=True, kw_only=True)
class Convergence:
    """A run as a convergence figure shows it, and the values the paper draws."""

    name: str
    utility_weight: float
    lagrangian: tuple[float, ...]
    """Up to the step that is returned."""
    printed: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class ToyFrontier:
    """A frontier of the toy figure on the paper's axes: greedy, optimal, and as printed."""

    name: str
    greedy: tuple[tuple[float, float], ...]
    optimal: tuple[tuple[float, float], ...]
    printed: tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """Everything of the paper that can be run, each value beside the printed one.

    Examples
    --------
    >>> import hartley
    >>> hartley.reproduce().holds
    True
    """

    checks: tuple[PaperValue, ...]
    """The values of the toy examples."""
    first_convergence: tuple[Convergence, ...]
    """What each merge of the first toy leaves."""
    second_convergence: tuple[Convergence, ...]
    """What each merge of the second toy leaves."""
    toy_frontiers: tuple[ToyFrontier, ...]
    """The points of the toy's figure: greedy, optimal, and as printed."""
    experiment: Experiment | None
    """``None`` where the data was not given."""

    @property
    def holds(self) -> bool:
        """Whether every value is as printed, or a misprint whose corrected value holds."""
        return all(check.verdict != DIFFERS for check in self.all_checks)

    @property
    def all_checks(self) -> tuple[PaperValue, ...]:
        """The checks of the toy and of the experiment."""
        return self.checks + (() if self.experiment is None else self.experiment.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "holds": self.holds,
            "checks": [check.to_dict() for check in self.checks],
            "slips": [slip.to_dict() for slip in SLIPS],
            "not_reproducible": [slip.to_dict() for slip in NOT_REPRODUCIBLE],
            "experiment": None if self.experiment is None else self.experiment.to_dict(),
        }


def reproduce(data: HeartRows | None = None, *, effort: Effort = UNLIMITED) -> Reproduction:
    """Run the paper again: every example and figure of its toy, and the experiment where its data is given.

    Parameters
    ----------
    data : HeartRows, optional
        The paper's real data, which is not part of hartley.
    effort : Effort
        When to stop, and whom to tell about progress.

    Returns
    -------
    Reproduction
        Every value beside the printed one.

    Examples
    --------
    >>> import hartley
    >>> found = hartley.reproduce()
    >>> found.holds, found.experiment is None
    (True, True)
    """
    examples = ToyExamples.run()
    return Reproduction(
        checks=checks(TOY, examples.values()),
        first_convergence=(
            _convergence("U1", "fig1.u1", examples.worst_resolution),
            _convergence("U2", "fig1.u2", examples.worst_distortion),
        ),
        second_convergence=(
            _convergence("U1", "fig2.u1", examples.certain_resolution),
            _convergence("U2", "fig2.u2", examples.certain_distortion),
        ),
        toy_frontiers=tuple(
            _toy_frontier(name, greedy, optimal)
            for name, greedy, optimal in zip(
                ("u1", "u2"), examples.frontiers(), examples.optimal_frontiers(), strict=True
            )
        ),
        experiment=None if data is None else experiment(data, effort),
    )


def read_data(path: str | Path) -> HeartRows:
    """Read the paper's data from a file, in either of its shapes."""
    return read_heart(HEART_DATA.read(path), Path(path).name)


def fetch_data() -> tuple[bytes, HeartRows]:
    """Fetch the paper's data from UCI, and check it by its content."""
    from hartley.paper.heart_data import fetch

    content = fetch(SOURCE)
    try:
        return content, read_heart(content, "what UCI sent")
    except TableError as error:
        raise TableError(f"{error.message} (nothing was kept)") from None


def _convergence(name: str, key: str, one: Example) -> Convergence:
    return Convergence(
        name=name,
        utility_weight=one.utility_weight,
        lagrangian=tuple(one.lagrangian[: one.stop + 1]),
        printed=_printed_numbers(f"{key}."),
    )


def _toy_frontier(name: str, greedy: Frontier, optimal: Frontier) -> ToyFrontier:
    losses = _printed_numbers(f"frontier.{name}.", ".loss")
    leaks = _printed_numbers(f"frontier.{name}.", ".leak")
    return ToyFrontier(
        name=name.upper(),
        greedy=tuple(normalised(greedy.points, greedy)),
        optimal=tuple(normalised(optimal.points, greedy)),
        printed=((0.0, 1.0), *zip(losses, leaks, strict=True)),
    )


def _printed_numbers(start: str, end: str = "") -> tuple[float, ...]:
    return tuple(
        float(value.printed)
        for value in TOY
        if value.key.startswith(start) and value.key.endswith(end) and isinstance(value.printed, str)
    )
