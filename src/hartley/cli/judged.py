"""``hartley compare --release`` and ``--candidates``: released files side by side, by the same yardstick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from hartley.cli import option_values
from hartley.cli.output import console, grid, heading, paragraph, print_json, to_type
from hartley.cli.program import as_flag
from hartley.errors import OptionError, worded
from hartley.model.requirement import Requirement
from hartley.report.figures.trade import trade_figure
from hartley.report.words.against import fits_nobody, mostly_strange
from hartley.report.words.audit import listed
from hartley.tables.locations import shown_source
from hartley.workflow.against.candidates import NumberedSettings, find_candidates, release_by, settings
from hartley.workflow.against.compare_releases import JudgedRelease, compare_releases
from hartley.workflow.study import Study

LIMITS = ("max_leakage", "max_distortion", "largest_cluster")
SEARCHED = (
    *LIMITS,
    *("utility", "codeword", "combine", "scales", "leakage", "withhold", "withheld_label", "seed"),
)
"""What is said to a search; files that are there, and settings of ours, take nothing of it."""
PROTECTED = ["", "What each protects", "l", "k", "read off", "guessed", "asked"]
KEPT = ["", "What each keeps", "NCP", "counts", "2-way", "3-way", "pMSE"]


@dataclass(frozen=True)
class CandidateDemand:
    """What candidates must keep, and how long each may be searched for."""

    distinct_l: int | None
    require: tuple[Requirement, ...]
    time_limit: float | None


def judge(table: str, given: dict[str, Any], *, plot: str | None, as_json: bool) -> int:
    """Compare released files, or settings of ours; return the exit code."""
    fields = option_values.study_fields(given)
    name = Path(shown_source(table)).name
    if given["candidates"]:
        return _candidates(table, name, fields, given, plot=plot, as_json=as_json)
    _refuse_typed((*SEARCHED, "time_limit"), "--release measures files as they are and searches nothing")
    demand = option_values.demand(given)
    if given["take"] is not None or given["output"] is not None:
        raise OptionError("--take and --output are for --candidates")
    found = compare_releases(
        Study(table, **fields),
        given["releases"],
        demand if demand.requirements else None,
        each=given["each"],
        hierarchies=option_values.hierarchy_files(given),
        regress=given["regress"],
    )
    if plot is not None:
        trade_figure(found.releases, f"{name}: what each release loses and protects").save(plot)
    if as_json:
        print_json(found.to_dict())
    else:
        out = console()
        heading(out, f"{name}: releases that protect {listed(found.sensitive)} in {listed(found.public)}")
        out.print()
        show(out, found.releases)
    return 0 if found.holds else 3


def _candidates(
    table: str, name: str, fields: dict[str, Any], given: dict[str, Any], *, plot: str | None, as_json: bool
) -> int:
    if given["releases"]:
        raise OptionError("--candidates makes releases of its own; leave --release out")
    _refuse_typed((*SEARCHED, "hierarchies"), "--candidates has shapes and withheld rows of its own")
    demand = option_values.demand(given)
    wanted = [one for one in demand.requirements if (one.name, one.column) == ("distinct-l", None)]
    asked = CandidateDemand(
        distinct_l=int(wanted[0].wanted) if wanted else None,
        require=tuple(one for one in demand.requirements if one not in wanted),
        time_limit=given["time_limit"],
    )
    with Study(table, **fields) as study:
        if given["take"] is not None and plot is not None:
            raise OptionError("--take releases one candidate and draws nothing; leave --plot out")
        if given["take"] is not None:
            return _take(study, given, asked, as_json=as_json)
        if given["output"] is not None:
            raise OptionError("--output needs the number of a candidate; give it with --take")
        found = find_candidates(
            study,
            distinct_l=asked.distinct_l,
            require=asked.require,
            time_limit=asked.time_limit,
            regress=given["regress"],
        )
    judged = [one.judged for one in found.every if one.judged is not None]
    if plot is not None:
        trade_figure(judged, f"{name}: what each setting loses and protects").save(plot)
    if as_json:
        print_json(found.to_dict())
        return 0
    out = console()
    heading(out, f"{name}: ways of hartley to protect {listed(found.sensitive)} in {listed(found.public)}")
    out.print()
    show(out, judged)
    _show_next(out, table, found, given, judged)
    return 0


def _refuse_typed(names: Sequence[str], why: str) -> None:
    """Refuse options of a search that would have no effect; a study file may hold them for other commands."""
    ctx = click.get_current_context()
    flags = {one.name: one.opts[-1] for one in ctx.command.params}
    for name in names:
        is_typed = ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        if is_typed or (name in LIMITS and ctx.params[name] is not None):
            instead = ", and say --require l0=BITS" if name == "max_leakage" else ""
            raise OptionError(f"{why}; leave {flags[name]} out{instead}")


def _take(study: Study, given: dict[str, Any], asked: CandidateDemand, *, as_json: bool) -> int:
    every = {one.number: one for one in settings(study, asked.distinct_l)}
    if given["take"] not in every:
        raise OptionError(f"there is no candidate {given['take']}; the numbers go from 1 to {len(every)}")
    if given["output"] is None:
        raise OptionError("say where the release goes, as --output released.csv")
    made = release_by(
        study, every[given["take"]], given["output"], require=asked.require, time_limit=asked.time_limit
    )
    if as_json:
        print_json(made.to_dict())
    else:
        console().print(
            f"Released {made.output} with its policy, certificate and record.", markup=False, soft_wrap=True
        )
    return 0


def _call(table: str, found: NumberedSettings, given: dict[str, Any]) -> list[str]:
    """Return the call that numbers the same candidates again."""
    roles = [word for name in found.sensitive for word in ("-s", name)]
    roles += [word for name in found.public for word in ("-p", name)]
    said = ["--jointly"] if given["jointly"] else []
    for name in ("distinct_l", "separated_l", "row_k", "missing_at", "time_limit"):
        if given[name] is not None:
            said += [as_flag(name, None), f"{given[name]:g}"]
    for name in ("side", "require", "tolerance", "groups"):
        said += [word for text in given[name] for word in (as_flag(name, None), text)]
    call = ["hartley", "compare", table, *roles, "--candidates", *said]
    return [*call, *option_values.reading_words(given)]


def _show_next(
    out: Console,
    table: str,
    found: NumberedSettings,
    given: dict[str, Any],
    judged: Sequence[JudgedRelease],
) -> None:
    refused = [one for one in found.every if one.refused is not None]
    if refused:
        out.print()
        paragraph(out, "Not possible here:")
        for one in refused:
            setting = one.setting
            shown = (
                f"{setting.number}: {setting.shape}, l = {setting.distinct_l}, {setting.withhold} withheld"
            )
            paragraph(out, f"{shown}: {one.refused}")
    if judged:
        out.print()
        paragraph(out, "To release one of them:")
        number = str(judged[0].number)
        to_type(out, [*_call(table, found, given), "--take", number, "-o", "released.csv"])


def show(out: Console, releases: Sequence[JudgedRelease]) -> None:
    """Print the releases, one below the other."""
    protected, kept = [], []
    for one in releases:
        against = one.result.against
        if against is None:
            continue
        useful, head = one.usefulness, [str(one.number), one.name]
        asked = "-" if not one.result.requirements else "holds" if one.result.holds else "NO"
        left = [f"{number:,}" for number in (one.result.audit.distinct_l, one.result.audit.row_k)]
        guessed = f"{against.guessed_right / against.people:.1%}"
        protected.append([*head, *left, f"{against.disclosed_right:,}", guessed, asked])
        shares = map(_share, (useful.query_error, useful.two_way, useful.three_way))
        kept.append([*head, f"{useful.ncp:.3f}", *shares, f"{useful.propensity.pmse:.4f}"])
    for columns, rows in ((PROTECTED, protected), (KEPT, kept)):
        out.print(grid(columns, rows, right=range(2, len(columns))))
        out.print()
    paragraph(
        out,
        "l, k: fewest sensitive values and rows of a released value. Read off: people whose value is "
        "certain, and right. Guessed: people whose value is the likeliest in the file. Asked: whether what "
        "is required holds. NCP: detail lost (0 untouched, 1 nothing left). Counts: how far random counts "
        "over two columns are off, in the median. 2-way, 3-way: what histograms of two and three columns "
        "have in common with the original's (labels filled in by a draw). pMSE: how well a small tree tells"
        " the file from the original (0 not at all, .25 always).",
    )
    strange = [
        f"{one.number} {one.name}: most values of {listed(names)} are not in the original."
        for one in releases
        if one.result.against is not None and (names := mostly_strange(one.result.against))
    ]
    for line in [*strange, fits_nobody()] if strange else []:
        paragraph(out, worded(line, as_flag))
    show_regressions(out, releases)


def show_regressions(out: Console, releases: Sequence[JudgedRelease]) -> None:
    """Print how far the confidence intervals of regressions overlap."""
    rows = [
        [str(one.number), str(fit.formula), _share(fit.mean_overlap)]
        for one in releases
        for fit in one.usefulness.regressions
    ]
    if rows:
        out.print()
        heading(out, "Regressions: overlap of 95 % confidence intervals")
        out.print(grid(["", "formula", "mean overlap"], rows, right=[2]))


def _share(number: float | None) -> str:
    return "-" if number is None else f"{number:.1%}"
