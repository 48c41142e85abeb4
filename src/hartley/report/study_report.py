"""The report of a study: which point of a frontier it is about, why that one, and the page."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hartley.errors import OptionError, option
from hartley.frontiers import Frontier, Point
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand, Target, Wanted
from hartley.releases.writer.staging import require_free, write_files
from hartley.report.html import Audience, Report
from hartley.report.words import audit as words
from hartley.report.words.verdict import FEWEST
from hartley.tables.locations import shown_source
from hartley.workflow.request.time_limit import LimitFields, SearchLimits
from hartley.workflow.trees.price import price_of_transparency

if TYPE_CHECKING:
    from hartley.measures.audit import Audit
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.study import Study


FOR_PERSONS = "it is the best that was found of those that hold for a reader who links all rows of a person."


def require_page(path: Path, *, overwrite: bool) -> None:
    """Refuse a report that is to be something else than a web page, or cannot be written."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise OptionError(
            f"{path.name}: a report is a web page; end its name in .html, and print that to a PDF"
        )
    require_free({"page": path}, overwrite=overwrite)


def write_page(path: Path, report: Report, audience: Audience, *, overwrite: bool) -> None:
    """Write the page of a report; only one for the public can be read by others than its owner."""
    page = report.html(audience).encode()
    write_files({path: page}, overwrite=overwrite, is_private=audience != "public")


def write_report(
    study: Study,
    output: str | Path,
    *,
    require: Wanted = None,
    each: bool = False,
    audience: Audience | None = None,
    disclosive: bool = False,
    overwrite: bool = False,
    **fields: Any,
) -> Path:
    """Write what a table reveals, and what a release would, as one web page; return the page."""
    path = Path(output)
    require_page(path, overwrite=overwrite)
    report = study_report(study, study.demand(require, each=each), f"{study!r}.report({path.name!r})", fields)
    write_page(path, report, audience or ("curator" if disclosive else "board"), overwrite=overwrite)
    return path


def study_report(study: Study, demand: Demand, command: str, fields: Mapping[str, Any]) -> Report:
    """Search the frontier of what keeps a demand, and return the report of the point that meets it.

    The frontier is drawn over the count of different values, or of values that are apart where there is a
    tolerance; every other requirement is kept by all of its points. ``fields`` are what a frontier takes.
    """
    over = "distinct-l" if study.named_closeness.is_empty else "separated-l"
    drawn, effort = dict(fields), fields.get("effort")
    if effort is not None and not demand.is_empty and (study.person or len(study.roles.public) > 1):
        # The release is searched for by itself, and what a promise costs, too: each has a part of the time.
        drawn["effort"] = effort.share(3)
    found = study.frontier(require=demand.beside(over), **drawn)
    limits = SearchLimits(**{name: fields[name] for name in LimitFields.__annotations__ if name in fields})
    persons = None
    if study.person is not None:
        made = _made_for_persons(study, demand, fields)
        choice, persons = Choice(made.point, FOR_PERSONS), made.persons
    else:
        half = limits if effort is None else replace(limits, effort=effort.share(2))
        point = None if demand.is_empty else found.meeting(demand, half)
        choice = Choice.of_frontier(found, demand, point)
    is_place = isinstance(study.source, (str, Path))
    return report_of(
        found,
        choice,
        demand,
        table=Path(shown_source(study.source)).name if is_place else "the table",
        command=command,
        limits=None if persons else limits,
        jointly=study.jointly,
        persons=persons,
    )


def _made_for_persons(study: Study, demand: Demand, fields: Mapping[str, Any]) -> ReleaseResult:
    """Make the release that holds for persons where nobody sees it; its point and its counts are kept."""
    if demand.is_empty:
        raise OptionError(
            f"a report for persons is of a release; give {option('distinct_l')} or another target"
        )
    given = {name: value for name, value in fields.items() if name != "utility_weight"}
    with tempfile.TemporaryDirectory() as folder:
        return study.release(Path(folder) / "released.csv", require=demand, **given)


def report_of(
    found: FrontierResult,
    choice: Choice,
    demand: Demand,
    *,
    table: str,
    command: str,
    limits: SearchLimits | None = None,
    jointly: bool = False,
    persons: tuple[Audit, Audit] | None = None,
) -> Report:
    """Return the report of a point of a frontier; with ``limits`` a transparent release is priced as well."""
    question = found.question
    price = None
    if limits is not None:
        effort = limits.start(question.default_seconds)
        price = price_of_transparency(question, demand, choice.point, effort)
    return Report(
        table=table,
        joint=found.joint,
        frontier=found.frontier,
        chosen=choice.point,
        reason=choice.reason,
        command=command,
        dropped_rows=found.dropped_rows,
        known=found.known,
        demand=demand,
        closeness=question.closeness,
        price=price,
        jointly=jointly,
        by_mean=question.is_by_mean and found.frontier.search == "optimal",
        persons=persons,
        is_transparent=question.transparent is not None,
    )


@dataclass(frozen=True)
class Choice:
    """A point, and why it was chosen."""

    point: Point
    reason: str
    """Reads on from "because"."""

    @classmethod
    def of_frontier(cls, found: FrontierResult, demand: Demand, point: Point | None = None) -> Choice:
        """Choose a point of a frontier as it was found, for the reader and the closeness it was found for."""
        secret = found.joint.sensitive.columns
        return cls.of(found.frontier, demand, found.reader.beside, secret, found.question.closeness, point)

    @classmethod
    def of(
        cls,
        frontier: Frontier,
        wanted: Wanted,
        beside: Sequence[str] = (),
        sensitive: Sequence[str] = ("value",),
        closeness: Closeness = NO_CLOSENESS,
        point: Point | None = None,
    ) -> Choice:
        """Choose the point that meets a demand, or take the one given for it; else the balanced point.

        ``beside`` are columns that the reader sees as they are; leakage is counted beyond what they tell.
        """
        demand = Demand.of(wanted)
        if demand.is_empty:
            # Never a point below what is called protected while there is one above.
            most = max(point.distinct_l for point in frontier.points)
            safe = [point for point in frontier.points if point.distinct_l >= min(FEWEST, most)]
            balanced = replace(frontier, points=tuple(safe)).balanced()
            if balanced.distinct_l == 1:
                return cls(balanced, "nothing protects everyone here: do not publish it.")
            return cls(
                balanced,
                "no target was given: here a little more loss of detail buys the most protection.",
            )
        counted = beside and frontier.leakage != "istar"
        beyond = f" beyond {words.told_by(beside)}" if counted else ""
        point = point or frontier.meeting(demand)
        if demand == Demand.of(demand.target):
            return cls(point, f"{_best(demand.target, beyond)}.")
        kept = [one.sentence(sensitive, closeness) for one in demand.requirements]
        if demand.max_leakage is not None:
            kept.append(f"at most {words.bits(demand.max_leakage)} given away{beyond}")
        if demand.cap is None:
            return cls(point, f"it has the best utility of all that keep {words.listed(kept)}.")
        return cls(point, f"{_best(demand.cap, beyond)} and keep {words.listed(kept)}.")


def _best(target: Target, beyond: str) -> str:
    number = target.number
    return {
        "distinct_l": f"it has the best utility of all that leave at least "
        f"{words.counted(int(number), 'candidate')}",
        "max_leakage": f"it has the best utility of all that give away at most {words.bits(number)}{beyond}",
        "largest_cluster": f"it gives away least of all that let at most {int(number):,} values share a "
        "released value",
        "max_distortion": f"it gives away least of all that move no value farther than {number:g}",
        "utility_weight": f"it has the least leakage less utility, utility weighted {number:g}",
    }[target.kind]
