"""``hartley compare --release`` and ``--candidates``: released files side by side, by the same yardstick."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from hartley.cli import option_values
from hartley.cli.output import console, grid, heading, paragraph, print_json, to_type
from hartley.errors import OptionError
from hartley.report.figures.trade import trade_figure
from hartley.report.words.audit import listed
from hartley.tables.locations import shown_source
from hartley.workflow.against.candidates import NumberedSettings, find_candidates, release_by, settings
from hartley.workflow.against.compare_releases import JudgedRelease, compare_releases
from hartley.workflow.study import Study

COLUMNS = ["", "file", "l", "k", "read off", "guessed", "NCP", "counts", "2-way", "3-way", "pMSE", "asked"]


def judge(table: str, given: dict[str, Any], *, plot: str | None, as_json: bool) -> int:
    """Compare released files, or settings of ours; return the exit code."""
    fields = option_values.study_fields(given)
    name = Path(shown_source(table)).name
    demand = option_values.demand({**given, "max_distortion": None, "largest_cluster": None})
    if given["candidates"]:
        return _candidates(table, name, fields, given, plot=plot, as_json=as_json)
    if given["take"] is not None or given["output"] is not None:
        raise OptionError("--take and --output are for --candidates")
    found = compare_releases(
        Study(table, **fields),
        given["releases"],
        demand if demand.requirements else None,
        each=given["each"],
        hierarchies=option_values.files_by_column(given["hierarchies"], "hierarchy", "city=city.csv"),
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
    with Study(table, **fields) as study:
        if given["take"] is not None and plot is not None:
            raise OptionError("--take releases one candidate and draws nothing; leave --plot out")
        if given["take"] is not None:
            return _take(study, given, as_json=as_json)
        if given["output"] is not None:
            raise OptionError("--output needs the number of a candidate; give it with --take")
        found = find_candidates(
            study,
            distinct_l=given["distinct_l"],
            time_limit=given["time_limit"],
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
    _show_next(out, table, found, judged)
    return 0


def _take(study: Study, given: dict[str, Any], *, as_json: bool) -> int:
    every = {one.number: one for one in settings(study, given["distinct_l"])}
    if given["take"] not in every:
        raise OptionError(f"there is no candidate {given['take']}; the numbers go from 1 to {len(every)}")
    if given["output"] is None:
        raise OptionError("say where the release goes, as --output released.csv")
    made = release_by(study, every[given["take"]], given["output"], time_limit=given["time_limit"])
    if as_json:
        print_json(made.to_dict())
    else:
        console().print(
            f"Released {made.output} with its policy, certificate and record.", markup=False, soft_wrap=True
        )
    return 0


def _show_next(out: Console, table: str, found: NumberedSettings, judged: Sequence[JudgedRelease]) -> None:
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
        roles = [word for name in found.sensitive for word in ("-s", name)]
        roles += [word for name in found.public for word in ("-p", name)]
        number = str(judged[0].number)
        call = ["hartley", "compare", table, *roles, "--candidates", "--take", number, "-o", "released.csv"]
        to_type(out, call)


def show(out: Console, releases: Sequence[JudgedRelease]) -> None:
    """Print the releases, one below the other."""
    rows = []
    for one in releases:
        against = one.result.against
        if against is None:
            continue
        useful = one.usefulness
        asked = "-" if not one.result.requirements else "holds" if one.result.holds else "NO"
        rows.append(
            [
                str(one.number),
                one.name,
                f"{one.result.audit.distinct_l:,}",
                f"{one.result.audit.row_k:,}",
                f"{against.disclosed_right:,}",
                f"{against.guessed_right / against.people:.1%}",
                f"{useful.ncp:.3f}",
                _share(useful.query_error),
                _share(useful.two_way),
                _share(useful.three_way),
                f"{useful.propensity.pmse:.4f}",
                asked,
            ]
        )
    out.print(grid(COLUMNS, rows, right=range(2, len(COLUMNS) - 1)))
    out.print()
    paragraph(
        out,
        "l, k: fewest sensitive values and rows of a released value. Read off: people whose value is "
        "certain, and "
        "right. Guessed: people whose value is the likeliest in the file. NCP: detail lost (0 untouched, 1 "
        "nothing left). Counts: how far random counts over two columns are off, in the median. "
        "2-way, 3-way: what histograms of two and three columns have in common with the original's (labels "
        "filled in by "
        "a draw). pMSE: how well a small tree tells the file from the original (0 not at all, .25 always).",
    )
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
