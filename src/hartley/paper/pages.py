"""The paper run again, as figures and as a page of tables.

The axes of the figures are the paper's: the share of utility lost and the share of the leakage left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hartley.errors import worded
from hartley.frontiers import Point
from hartley.paper.experiment import GENERALISATION, Dominance, Experiment, K, Panel
from hartley.paper.printed_values import (
    AS_PRINTED,
    DIFFERS,
    MISPRINT,
    NOT_REPRODUCIBLE,
    SLIPS,
    PaperValue,
    Slip,
    shown,
)
from hartley.paper.reproduce import NO_DATA, Convergence, Reproduction
from hartley.report.figures.figure import LIGHT, Figure, Row, finished, needs_packages, series
from hartley.report.figures.frontier import SHAPES, frontier_figure
from hartley.report.words.comparison import tie_words

LEAKAGES = {"l0": "L0", "istar": "I*"}
UTILITIES = {"resolution": "U1", "distortion": "U2"}


def summary(found: Reproduction) -> str:
    """Say in one sentence how the values stand to the paper."""
    verdicts = [check.verdict for check in found.all_checks]
    differ = verdicts.count(DIFFERS)
    said = (
        f"{len(verdicts)} values: {verdicts.count(AS_PRINTED)} as printed, "
        f"{verdicts.count(MISPRINT)} misprints whose corrected value holds"
    )
    return f"{said}, {differ} that differ from both." if differ else f"{said}."


def dominance_words(panel: Panel) -> list[str]:
    """Say for one leakage and utility how the other methods' points stand to our frontiers."""
    said = [_standing(panel, one) for one in panel.dominance]
    if panel.optimal.leakage == "l0":
        said.append(_at_k(panel))
    return [*said, *tie_words(panel.ties)]


def _at_k(panel: Panel) -> str:
    """Say what the paper's k costs each method: the claim of its experiment."""

    def cost(point: Point) -> str:
        return (
            f"{point.largest_cluster if point.max_distortion is None else round(point.max_distortion, 2):g}"
        )

    best = max(panel.rivals[GENERALISATION], key=lambda point: point.utility)
    what = "the largest cluster holds" if panel.optimal.utility == "resolution" else "the farthest move is"
    return (
        f"To leave {K} candidates, {what} {cost(panel.optimal.best_utility_with(K))} (optimal), "
        f"{cost(panel.greedy.best_utility_with(K))} (greedy), {cost(best)} (best of the generalisations)."
    )


def _standing(panel: Panel, one: Dominance) -> str:
    axes = f"{LEAKAGES[panel.optimal.leakage]} and {UTILITIES[panel.optimal.utility]}"
    ours = "our optimal frontier" if one.search == "optimal" else "the paper's greedy run"
    points = f"{one.points} point{'s' if one.points != 1 else ''} of {one.rival}"
    said = f"{axes}: of {points}, {ours} dominates {one.dominated} and equals {one.equalled}"
    return f"{said}; {one.better} are better." if one.better else f"{said}; none is better."


def figures(found: Reproduction) -> dict[str, Figure]:
    """Draw the paper's figures again, by file name without its ending."""
    drawn = {
        "convergence_algorithm_1": _convergence("Algorithm 1 on the toy", found.first_convergence),
        "convergence_algorithm_2": _convergence("Algorithm 2 on the toy", found.second_convergence),
        "frontier_toy": _toy(found),
    }
    for panel in () if found.experiment is None else found.experiment.panels:
        drawn[f"hungarian_{panel.name}"] = frontier_figure(
            panel.optimal, beside={"greedy": panel.greedy.points, **panel.rivals}, unit="cholesterol"
        )
        axes = panel.on_papers_axes()
        drawn[f"hungarian_{panel.name}_papers_axes"] = papers_axes_figure(
            {name: axes[name] for name in ("optimal", "greedy")},
            {name: axes[name] for name in panel.rivals},
            title=f"Hungarian data: {LEAKAGES[panel.optimal.leakage]} against "
            f"{UTILITIES[panel.optimal.utility]}, on the paper's axes",
            caption=" ".join(dominance_words(panel)),
        )
    return drawn


def _convergence(title: str, runs: Sequence[Convergence]) -> Figure:
    names = {run.name: f"{run.name}, λ = {run.utility_weight:g}" for run in runs}
    return convergence_figure(
        {names[run.name]: run.lagrangian for run in runs},
        {names[run.name]: run.printed for run in runs},
        title=title,
    )


def _toy(found: Reproduction) -> Figure:
    return papers_axes_figure(
        {f"{one.name}, greedy": one.greedy for one in found.toy_frontiers},
        {f"{one.name}, printed": one.printed for one in found.toy_frontiers}
        | {f"{one.name}, optimal": one.optimal for one in found.toy_frontiers},
        title="I* against both utilities on the toy, on the paper's axes",
        caption="Filled marks are the non-dominated steps of the greedy runs, open ones what the paper "
        "prints and what the optimal search finds.",
    )


def markdown(found: Reproduction) -> str:
    """Return everything as a page of tables; no row of the data is in it."""
    parts = [
        "# The paper, run again",
        summary(found),
        "## Examples and toy figures",
        _checks(found.checks),
        "## Formulas and claims that contradict the definitions",
        _slips(SLIPS, "Here"),
        "## What cannot be reproduced from the text",
        _slips(NOT_REPRODUCIBLE, "Why"),
        "## The experiment on the Hungarian heart disease data",
        worded(NO_DATA) if found.experiment is None else _experiment(found.experiment),
    ]
    return "\n\n".join(parts) + "\n"


def _experiment(found: Experiment) -> str:
    variants = _table(
        ["Generalisation and suppression, k = 5", "`distinct_l`", "clusters", "largest", "rows suppressed"],
        (
            [one.name, one.distinct_l, one.clusters, one.largest_cluster, one.suppressed_rows]
            for one in found.variants
        ),
    )
    parts = [_checks(found.checks), variants]
    for panel in found.panels:
        leakage, utility = LEAKAGES[panel.optimal.leakage], UTILITIES[panel.optimal.utility]
        parts += [
            f"### {leakage} against {utility}",
            "\n".join(f"- {sentence}" for sentence in dominance_words(panel)),
            _levels(panel),
        ]
    return "\n\n".join(parts)


def _levels(panel: Panel) -> str:
    """Return the levels of the optimal frontier, and the greedy leakage at the same utility."""
    detail = "largest cluster" if panel.optimal.utility == "resolution" else "farthest move"

    def rows() -> Iterable[list[object]]:
        for point in panel.optimal.points:
            greedy = panel.greedy.least_leakage(point.utility)
            size = point.largest_cluster if point.max_distortion is None else f"{point.max_distortion:.5g}"
            yield [
                size,
                point.distinct_l,
                point.components,
                f"{point.leakage_bits:.4f}",
                "yes" if point.proven_optimal else f"no, at least {point.lower_bound_bits:.4f}",
                f"{greedy.leakage_bits:.4f}",
            ]

    return _table(["" + detail, "l", "components", "optimal, bits", "proven", "greedy, bits"], rows())


def _checks(checks: Iterable[PaperValue]) -> str:
    return _table(
        ["Where", "What", "Printed", "Corrected", "Found", "Verdict", "Note"],
        (
            [
                check.value.place,
                check.value.quantity,
                shown(check.value.printed),
                "" if check.value.corrected is None else shown(check.value.corrected),
                shown(check.found),
                check.verdict,
                check.value.note,
            ]
            for check in checks
        ),
    )


def _slips(slips: Iterable[Slip], last: str) -> str:
    return _table(["Where", "Printed", last], ([slip.place, slip.printed, slip.here] for slip in slips))


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("*", "\\*")


@needs_packages
def papers_axes_figure(
    ours: Mapping[str, Sequence[tuple[float, float]]],
    others: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str,
    caption: str,
) -> Figure:
    """Draw (loss, leakage) points: ``ours`` with lines and filled marks, ``others`` as open marks."""
    import altair as alt

    data = {"ours": _rows(ours), "others": _rows(others)}
    names = [*ours, *others]
    shapes = ["circle", *SHAPES][: len(names)]
    x = alt.X("loss:Q").title("Utility lost (share)").scale(domain=[-0.02, _top(data, "loss")], nice=False)
    y = (
        alt.Y("leakage:Q")
        .title("Leakage left (share)")
        .scale(domain=[-0.02, _top(data, "leakage")], nice=False)
    )
    legend = alt.Legend(orient="bottom", columns=3)
    inks = [LIGHT.first] * len(ours) + [LIGHT.second] * len(others)
    papers = [LIGHT.first] * len(ours) + [LIGHT.paper] * len(others)
    marks = {
        "shape": alt.Shape("method:N", title=None, legend=legend).scale(domain=names, range=shapes),
        "stroke": alt.Stroke("method:N", title=None, legend=legend).scale(domain=names, range=inks),
        "fill": alt.Fill("method:N", title=None, legend=legend).scale(domain=names, range=papers),
        "tooltip": [
            alt.Tooltip("method:N"),
            alt.Tooltip("loss:Q").format(".4~g"),
            alt.Tooltip("leakage:Q").format(".4~g"),
        ],
    }
    lines = [
        alt.Chart(series("ours"))
        .mark_line(
            interpolate="step-after", strokeWidth=1, color=LIGHT.first, strokeDash=[1, 0] if not n else [6, 3]
        )
        .encode(x=x, y=y)
        .transform_filter(alt.FieldEqualPredicate(field="method", equal=name))
        for n, name in enumerate(ours)
    ]
    points = [
        alt.Chart(series(name)).mark_point(size=size, strokeWidth=1.5, opacity=1).encode(x=x, y=y, **marks)
        for name, size in (("others", 90), ("ours", 40))
    ]
    return finished(
        alt.layer(*lines, *points).properties(width=520, height=300),
        title=title,
        caption=caption,
        data=data,
    )


def _rows(given: Mapping[str, Sequence[tuple[float, float]]]) -> list[Row]:
    return [
        {"method": name, "loss": loss, "leakage": leak}
        for name, points in given.items()
        for loss, leak in points
    ]


def _top(data: Mapping[str, Sequence[Row]], what: str) -> float:
    return 1.04 * max(1.0, *(float(row[what]) for rows in data.values() for row in rows))


DASHES = ([1, 0], [6, 3], [2, 3])
MARKS = ("circle", "square", "diamond")


@needs_packages
def convergence_figure(
    runs: Mapping[str, Sequence[float]],
    printed: Mapping[str, Sequence[float]],
    *,
    title: str,
) -> Figure:
    """Draw the Lagrangian of each run by step, and what is printed for it as open marks."""
    import altair as alt

    data = {
        "runs": [_row(name, step, value) for name, run in runs.items() for step, value in enumerate(run)],
        "printed": [
            _row(name, step, value) for name, run in printed.items() for step, value in enumerate(run)
        ],
    }
    names = list(runs)
    x = alt.X("step:Q").title("Step of the run").axis(tickMinStep=1, format="d")
    y = alt.Y("bits:Q").title("Leakage less weighted utility (bits)").scale(zero=False)
    look = {
        "shape": alt.Shape("run:N").title(None).scale(domain=names, range=list(MARKS[: len(names)])),
        "strokeDash": alt.StrokeDash("run:N")
        .title(None)
        .scale(domain=names, range=list(DASHES[: len(names)])),
    }
    line = (
        alt.Chart(series("runs"))
        .mark_line(strokeWidth=2, color=LIGHT.first)
        .encode(x=x, y=y, strokeDash=look["strokeDash"])
    )
    marks = (
        alt.Chart(series("runs"))
        .mark_point(size=60, filled=True, color=LIGHT.first, opacity=1)
        .encode(
            x=x, y=y, shape=look["shape"], tooltip=["run:N", "step:Q", alt.Tooltip("bits:Q").format(".5~g")]
        )
    )
    beside = (
        alt.Chart(series("printed"))
        .mark_point(size=190, strokeWidth=1.5, color=LIGHT.second, opacity=1)
        .encode(
            x=x, y=y, shape=look["shape"], tooltip=["run:N", "step:Q", alt.Tooltip("bits:Q").format(".5~g")]
        )
    )
    return finished(
        alt.layer(line, beside, marks).properties(width=520, height=260),
        title=title,
        caption=(
            "Filled marks are what the definitions give, open ones what the paper prints; where they part, "
            "the printed value is a misprint."
        ),
        data=data,
    )


def _row(name: str, step: int, value: float) -> Row:
    return {"run": name, "step": step, "bits": value}
