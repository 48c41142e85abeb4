"""The report: one web page that holds everything, opens without a network, and prints.

Three versions, each for one kind of reader. What the public reads says what a certificate says and nothing
that was measured on the original: it is the same page for every table of the same columns and rows. The
board's has one page for those who decide (:mod:`~hartley.report.board_page`), then counts before and after
and the frontier; of the cells it shows the public ones of five common rows and the bands, and no sensitive
one. It is internal, because counts of the original let a reader rule out more than the release allows. The
curator's shows cells.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

import hartley
from hartley.errors import OptionError, option
from hartley.frontiers import Frontier, Point
from hartley.model import Alphabet, JointRange, Partition
from hartley.model.alphabet import CLUSTER
from hartley.model.closeness import NO_CLOSENESS, Closeness
from hartley.model.demand import Demand
from hartley.releases.rows.reader import Reader
from hartley.report.board_page import board_content
from hartley.report.figures import (
    Figure,
    candidates_figure,
    confusability_figure,
    frontier_figure,
    joint_range_figure,
    recoding_figure,
)
from hartley.report.figures.figure import shown_label
from hartley.report.words import audit as words
from hartley.report.words.release import moved, what_is_lost
from hartley.tables.sources.source import required as optional_package
from hartley.workflow.show_release import usefulness_of

if TYPE_CHECKING:
    from hartley.measures.audit import Audit
    from hartley.workflow.trees.price import TransparencyPrice
from hartley.workflow.request.utility_choice import default_labels

MOST_WITNESSES = 10
MOST_LISTED = 12
MOST_DRAWN = 12
"""Candidates that are drawn one by one."""
Audience = Literal["public", "board", "curator"]
"""Whom a report is for."""
AUDIENCES: tuple[Audience, ...] = get_args(Audience)
BY_ROWS = (
    "Rows are counted one by one here; a reader who links the rows of a person may be left with fewer, as "
    "the table above says."
)
PACKAGES = ("numpy", "scipy", "duckdb", "pyarrow", "numba")


def template_engine() -> Any:
    """Return the package that fills in the page, or say how to get it."""
    return optional_package("jinja2", "a report", "web")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a report tells."""

    table: str
    """The name of the table, without its folder."""
    joint: JointRange
    frontier: Frontier
    chosen: Point
    reason: str
    """Why this point was chosen; reads on from "The point was chosen because "."""
    command: str
    """The command that makes this report again."""
    dropped_rows: int = 0
    """Rows left out for a missing value."""
    known: int | None = None
    """How many columns of the side information are only known, not published beside; ``None``: all."""
    demand: Demand = field(default_factory=Demand)
    """What was asked for; a page for the public says nothing else."""
    closeness: Closeness = NO_CLOSENESS
    """Which sensitive values count as one."""
    price: TransparencyPrice | None = None
    """What a promise to a reader who knows the program costs, where that is known."""
    jointly: bool = False
    """Whether several sensitive columns count as one value."""
    persons: tuple[Audit, Audit] | None = None
    """What a reader learns who links the rows of a person, before and after; rows are persons in it."""
    by_mean: bool = False
    """Whether what is lost on average over several columns decides, not the worst class."""
    is_transparent: bool = False
    """Whether the release holds for a reader who knows the program as well."""

    @property
    def reader(self) -> Reader:
        """Who reads the release."""
        side = self.joint.side
        return Reader(
            joint=self.joint,
            known=(0 if side is None else len(side.columns)) if self.known is None else self.known,
        )

    def figures(self, *, disclosive: bool) -> list[Figure]:
        """Draw the figures; those that show cells only when disclosive."""
        partition, public = self.chosen.partition, self.joint.public
        is_date = public.coordinates[0].kind == "date"
        drawn = [candidates_figure(self.joint, partition)]
        if self.persons is not None:
            # The frontier counts rows, and none of its points need hold where those of a person are linked.
            drawn = [replace(drawn[0], caption=f"{drawn[0].caption} {BY_ROWS}")]
        else:
            drawn.insert(
                0,
                frontier_figure(
                    self.frontier,
                    chosen=self.chosen,
                    unit="days" if is_date else words.listed(public.columns),
                    columns=len(public.columns),
                    subject=words.frontier_title(self.joint, self.table),
                    lost=self._lost if self.by_mean else None,
                ),
            )
        if disclosive:
            drawn += [
                recoding_figure(self.joint.public, partition),
                joint_range_figure(self.joint, partition),
                confusability_figure(self.joint, partition),
            ]
        return drawn

    def _lost(self, point: Point) -> float:
        """Return the share of a column that a point loses on average, by the labels of its release."""
        return usefulness_of(self.joint, point, self.frontier.codeword).loss

    def html(self, audience: Audience = "board") -> str:
        """Return the page for one kind of reader."""
        if audience not in AUDIENCES:
            raise OptionError.unknown("reader of a report", audience, AUDIENCES)
        engine = template_engine()
        environment = engine.Environment(
            loader=engine.PackageLoader("hartley.report"),
            autoescape=True,
            undefined=engine.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        name = "public.html" if audience == "public" else "report.html"
        content = self._promise() if audience == "public" else self._content(audience == "curator")
        page: str = environment.get_template(name).render(content)
        return page

    def _promise(self) -> dict[str, Any]:
        """Return what the public is told: what was asked for, and nothing that was measured."""
        if self.demand.is_empty or self.demand.utility_weight is not None:
            raise OptionError(
                "a page for the public says what a release promises, and nothing is asked for; give "
                f"{option('distinct_l')} or another target"
            )
        reader, side = self.reader, self.joint.side
        known = () if side is None else tuple(name for name in side.columns if name not in reader.beside)
        secret = words.listed(self.joint.sensitive.columns)
        wanted = self.demand.wanted("separated-l") or self.demand.wanted("distinct-l") or 0
        return {
            "table": self.table,
            "rows": words.counted(self.joint.row_count, "row"),
            "sensitive": secret,
            "public": words.listed(self.joint.public.columns),
            "kept": words.listed(reader.beside) if reader.beside else None,
            "side": words.listed(known) if known else None,
            "promise": self._promised(),
            "drawn": min(int(wanted), MOST_DRAWN),
            "candidates": words.counted(int(wanted), "candidate") if wanted else "",
            "is_all_drawn": 0 < wanted <= MOST_DRAWN,
            "transparent": self.is_transparent,
            "version": hartley.__version__,
        }

    def _promised(self) -> list[str]:
        """Say what a release keeps, as it was asked for."""
        columns, demand = self.joint.sensitive.columns, self.demand
        secret = words.listed(columns)
        promised = []
        for one in demand.requirements:
            if (one.name, one.column) == ("distinct-l", None):
                promised.append(
                    f"Every released value leaves at least {words.counted(int(one.wanted), 'candidate')} for "
                    f"{secret}: no reader can rule out all but fewer."
                )
            else:
                promised.append(f"{one.led_in} {one.sentence(columns, self.closeness)}.")
        if demand.max_leakage is not None:
            worst = "for certain" if self.frontier.leakage == "istar" else "in the worst case"
            promised.append(
                f"The release reveals at most {words.bits(demand.max_leakage)} about {secret} {worst}."
            )
        if demand.cap is not None:
            number = demand.cap.number
            promised.append(
                f"At most {int(number):,} values share a released value."
                if demand.cap.kind == "largest_cluster"
                else f"No released value lies farther than {number:g} from the true one."
            )
            promised.append("That limits what is lost; it protects nobody.")
        if self.frontier.leakage == "joint":
            promised.append(f"Nothing about {secret} is known for certain.")
        return promised

    def _content(self, disclosive: bool) -> dict[str, Any]:
        partition = self.chosen.partition
        reader = self.reader
        before, after = self.persons or (reader.audit(), reader.audit(partition))
        recoded, side = self.joint.public, self.joint.side
        return {
            "table": self.table,
            "disclosive": disclosive,
            "sensitive": words.named(before.sensitive),
            "public": words.listed(recoded.columns),
            "values": words.counted(recoded.size, _thing(recoded.columns)),
            "kept": words.listed(reader.beside) if reader.beside else None,
            "side": None if before.side is None else words.named(before.side),
            "seen_with": None if side is None else words.listed(side.columns),
            "before": before,
            "after": after,
            "dropped": words.counted(self.dropped_rows, "row") if self.dropped_rows else None,
            "rows": words.counted(self.joint.row_count, "row"),
            "persons": words.counted(before.rows, "person") if self.persons else None,
            "asked": _asked(self.frontier, recoded, self.chosen.shape, by_mean=self.by_mean),
            **board_content(self, before, _by_name(after, recoded.columns)),
            "measures": [
                *_measures(before, after, "Persons" if self.persons else "Rows"),
                (
                    "Different released values",
                    f"{recoded.size:,}",
                    f"{partition.size:,}",
                    f"what is left of the detail of {words.listed(recoded.columns)}",
                ),
            ],
            "sentences_before": _sentences(before),
            "sentences_after": _sentences(_by_name(after, recoded.columns)),
            "figures": [
                {"svg": figure.svg(), "caption": figure.caption, "title": figure.title}
                for figure in self.figures(disclosive=disclosive)
            ],
            "lost": what_is_lost(
                usefulness_of(self.joint, self.chosen, self.frontier.codeword),
                self.joint.row_count,
                self.chosen,
                self.joint.public,
            ),
            "reason": self.reason,
            "point": _point(
                self.frontier,
                self.chosen,
                after if self.persons else None,
                words.told_by(reader.beside) if reader.beside else "",
                "days" if len(recoded.columns) == 1 and recoded.coordinates[0].kind == "date" else "",
                len(recoded.columns),
            ),
            "proof": _proof(self.frontier, self.chosen, len(recoded.columns)),
            "witnesses": _witnesses(self.joint, None, before, disclosive, self.persons is not None),
            "witnesses_after": _witnesses(self.joint, partition, after, disclosive, self.persons is not None),
            "command": self.command,
            "transparent": self.is_transparent,
            "versions": versions(),
        }


def _by_name(after: Audit, columns: Sequence[str]) -> Audit:
    """Return the audit of a release with its clusters under the names of the columns that they recode."""
    named = [[*columns] if column == CLUSTER else [column] for column in after.public.columns]
    return replace(after, public=replace(after.public, columns=tuple(chain.from_iterable(named))))


def versions() -> list[tuple[str, str]]:
    """Name the programs whose versions a repetition needs."""
    found = [("hartley", hartley.__version__), ("Python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return [*found, ("system", f"{platform.system()} {platform.machine()}")]


AVERAGE = "what share of a column a class spans on average over rows and columns (detail lost)"
SEVERAL = (
    "what the worst class costs (distortion): by the distances asked for, or half of what it spans of a "
    "column's range, and 1 where it mixes categories"
)


def _asked(frontier: Frontier, public: Alphabet, shape: str, *, by_mean: bool) -> list[tuple[str, str]]:
    leakage = {
        "l0": "what the most telling released value gives away (worst case, L0)",
        "istar": "what every reader knows for certain (I*)",
        "joint": "the worst case (L0), with nothing known for certain (I* = 0)",
    }[frontier.leakage]
    utility = {
        "resolution": "how finely public values can still be told apart (resolution)",
        "distortion": "how far a released value may lie from the true one (distortion)",
    }[frontier.utility]
    if len(public.columns) > 1 and frontier.utility == "distortion":
        utility = AVERAGE if by_mean else SEVERAL
    search = {
        "optimal": "best known recoding for each utility; what is proven of it stands below",
        "greedy": "the paper's greedy merging, step by step",
    }[frontier.search]
    asked = [("Leakage", leakage), ("Utility", utility), ("Search", search)]
    if frontier.codeword is not None:
        labels = default_labels(public, shape, frontier.codeword)
        asked.append(("Values that share a label are released as their", labels))
    return asked


def _sentences(audit: Audit) -> list[str]:
    return [words.worst_case(audit), words.for_certain(audit), words.at_least(audit)]


def _measures(before: Audit, after: Audit, who: str) -> list[tuple[str, str, str, str]]:
    measures = [
        (
            "In the worst case (L0)",
            "l0_bits",
            "bits about the sensitive value that one released value reveals at most",
        ),
        ("For certain (I*)", "istar_bits", "bits that every reader gets without any doubt"),
        ("At least (I0)", "i0_bits", "bits that every released value reveals"),
        (
            "Candidates left (distinct l)",
            "distinct_l",
            "sensitive values that a released value leaves possible, at least",
        ),
        (f"{who} per value (row k)", "row_k", f"{who.lower()} that share a released value, at least"),
        ("Groups never confused", "components", "one group means that nothing is known for certain"),
    ]

    def shown(audit: Audit, name: str) -> str:
        found = getattr(audit, name)
        return words.bits(found) if name.endswith("_bits") else f"{found:,}"

    return [(title, shown(before, name), shown(after, name), said) for title, name, said in measures]


def _point(
    frontier: Frontier, point: Point, persons: Audit | None, kept: str, unit: str, columns: int
) -> list[tuple[str, str]]:
    counted = bool(kept) and frontier.leakage != "istar"
    bits, left = point.leakage_bits, point.distinct_l
    if persons is not None:
        bits = persons.istar_bits if frontier.leakage == "istar" else persons.l0_bits
        left = persons.distinct_l
    rows = [
        (f"Leakage, added to {kept}" if counted else "Leakage", words.bits(bits)),
        ("Candidates left, at least", f"{left:,}"),
        ("Different released values", f"{point.clusters:,}"),
        ("Values that share a released value, at most", f"{point.largest_cluster:,}"),
    ]
    if frontier.utility == "distortion" and point.max_distortion is not None and columns == 1:
        most = moved(f"{point.max_distortion:g}", unit)
        rows.append(("A released value lies from the true one, at most", most))
    return rows


def _proof(frontier: Frontier, point: Point, columns: int) -> str:
    if point.lower_bound_bits is None and frontier.search == "optimal":
        return _proof_of_cost(point, columns)
    if point.lower_bound_bits is None:
        return (
            "None is claimed: the point is a step of a greedy run. Another recoding of the same utility may "
            "give away less; the search for the optimum would say."
        )
    if point.proven_optimal:
        return (
            f"Proven: no recoding of the same or a better utility gives away less than "
            f"{words.bits(point.lower_bound_bits)}, and this one gives away no more."
        )
    return (
        f"Not proven to be best: this recoding gives away {words.bits(point.leakage_bits)}, and none of the "
        f"same or a better utility can give away less than {words.bits(point.lower_bound_bits)}. "
        + ("" if frontier.complete else "The search was stopped early; more time may close the gap.")
    )


def _proof_of_cost(point: Point, columns: int) -> str:
    """Say what is proven of the worst class of a point that was searched for what it must keep."""
    if point.proven_optimal:
        return (
            "Proven: no recoding that keeps what is required has a smaller worst class, by the utility "
            "above. Among those whose worst class is the same, this one keeps most detail on average of all "
            "that the search found; nothing is proven of the average."
        )
    if columns > 1 and point.lower_bound_cost is None and point.mean_distortion is not None:
        return (
            "Not proven to be best: of the recodings that the search found this one keeps most detail on "
            "average, and no bound is known for that."
        )
    return "Not proven to be best: another recoding may keep what is required and lose less."


def _witnesses(
    joint: JointRange, partition: Partition | None, found: Audit, disclosive: bool, of_persons: bool
) -> dict[str, Any]:
    """Say which values are the most telling: how many, and, for the curator, which."""
    side = () if joint.side is None else joint.side.columns
    things = words.counted(found.observations, _thing((*joint.public.columns, *side)))
    leave = "leaves" if found.narrowest_count == 1 else "leave"
    left = words.counted(found.distinct_l, "candidate")
    who = words.counted(found.narrowest_rows, "person" if of_persons else "row")
    where = (
        f"that is {who}" if of_persons else f"{'it stands' if leave == 'leaves' else 'they stand'} in {who}"
    )
    told: dict[str, Any] = {
        "said": f"{found.narrowest_count:,} of {things} {leave} the fewest candidates, {left}; {where}.",
        "candidates": left,
        "independent": found.independent,
        "listed": [],
        "groups": [],
    }
    if not disclosive or found.independent or of_persons:
        return told
    released = joint.release(partition)
    members = None if partition is None else partition.clusters()
    narrowest = np.flatnonzero(np.diff(released.indptr) == found.distinct_l)
    for place in narrowest[:MOST_WITNESSES].tolist():
        value = int(released.public_of[place])
        public = [shown_label(joint.public.label(p)) for p in (members[value] if members else [value])]
        told["listed"].append(
            {
                "public": _list(public),
                "side": ""
                if released.side is None or released.observed_side is None
                else shown_label(released.side.label(int(released.observed_side[place]))),
                "sensitive": _list(
                    [shown_label(joint.sensitive.label(int(s))) for s in released.candidates(place)]
                ),
            }
        )
    if found.components > 1:
        told["groups"] = [
            {"values": _list([words.cell(value) for value in group.sensitive]), "rows": f"{group.rows:,}"}
            for group in found.groups
        ]
    return told


def _thing(columns: Sequence[str]) -> str:
    """Name what stands in some columns together."""
    return "value" if len(columns) == 1 else "combination"


def _list(values: list[str]) -> str:
    shown = ", ".join(values[:MOST_LISTED])
    return shown if len(values) <= MOST_LISTED else f"{shown} and {len(values) - MOST_LISTED:,} more"
