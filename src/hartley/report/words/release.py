"""What a release keeps and costs, and what withheld rows buy, in sentences that claim what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor
from typing import TYPE_CHECKING, Literal, TypeAlias

from hartley.errors import option
from hartley.frontiers import Frontier, Point
from hartley.report.words.audit import (
    alone_exposed,
    bits,
    counted,
    digits,
    headline,
    listed,
    named,
    people,
    values_of,
)
from hartley.report.words.verdict import Headline, colour_of
from hartley.report.words.worst_class import unavoidable, worst_class
from hartley.tables.looks.codes import coded_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hartley.measures.audit import Audit
    from hartley.measures.usefulness import ColumnUsefulness, Correlation, Usefulness
    from hartley.model import Alphabet
    from hartley.workflow.against.file_usefulness import FileUsefulness
    from hartley.workflow.demands.budgets import BudgetFrontier, BudgetGain
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.publication.write_release import ReleaseResult


def withheld_rows(rows: int, total: int, columns: Sequence[str]) -> str:
    """Say how many rows have their public value withheld.

    >>> withheld_rows(12, 300, ["cholesterol"]), withheld_rows(1, 300, ["age", "sex"])
    ('12 of 300 rows have their cholesterol withheld', '1 of 300 rows has its age and sex withheld')
    """
    verb, whose = ("has", "its") if rows == 1 else ("have", "their")
    return f"{rows:,} of {counted(total, 'row')} {verb} {whose} {listed(columns)} withheld"


def budget(one: BudgetFrontier, total: int) -> str:
    """Name a budget of withheld rows."""
    if not one.rows:
        return "no row withheld"
    return f"at most {one.rows:,} of {counted(total, 'row')} withheld"


def bought(result: FrontierResult) -> list[str]:
    """Say what each budget buys at the same protection, or what budget would buy something."""
    columns = result.joint.public.columns
    lines = [_bought(one, columns) for one in result.budgets if one.gain is not None]
    if not result.budgets:
        most = max((point.withheld_rows for point in result.frontier.points), default=0)
        if result.unused is not None:
            lines.append(_bought_nothing(result.question.budget, result.unused))
        if most:
            lines.append(f"At most {withheld_rows(most, result.joint.row_count, columns)}.")
    return lines


def _bought(one: BudgetFrontier, columns: Sequence[str]) -> str:
    gain = one.gain
    assert gain is not None  # noqa: S101 (asked only of budgets that were compared)
    named = listed(columns)
    if not gain.is_gain:
        return _bought_nothing(one.rows, gain)
    before = ""
    if gain.protection.withheld_rows:
        before = f" (with {counted(gain.protection.withheld_rows, 'row')} withheld)"
    return (
        f"{_kept(gain)}: withholding {_owners(gain.point.withheld_rows)} {named} "
        "lets everyone else's "
        f"{_change(one.frontier, gain.point)} instead of {_size(one.frontier, gain.protection)}{before}."
    )


def _bought_nothing(rows: int, gain: BudgetGain) -> str:
    return f"{_kept(gain)}, {unused(rows, gain.helpful_rows, gain.needed_rows)}."


def _kept(gain: BudgetGain) -> str:
    """Say at which protection two budgets are compared."""
    if gain.is_of_components:
        groups = gain.protection.groups
        return f"With {f'{groups:,} groups of values' if groups > 1 else 'nothing'} told apart for certain"
    return f"With at least {counted(gain.protection.distinct_l, 'candidate')} left for everyone"


def unused(rows: int, helpful_rows: int | None, needed_rows: int = 0) -> str:
    """Say that a budget buys nothing, and which one would, or which one is needed at the least.

    >>> unused(3, 5), unused(1, None)
    ('withholding up to 3 rows buys nothing; 5 rows would', 'withholding up to 1 row buys nothing')
    >>> unused(3, None, 15)
    'withholding up to 3 rows buys nothing; it takes at least 15 rows'
    """
    nothing = f"withholding up to {counted(rows, 'row')} buys nothing"
    if helpful_rows is not None:
        return f"{nothing}; {counted(helpful_rows, 'row')} would"
    return f"{nothing}; it takes at least {counted(needed_rows, 'row')}" if needed_rows > rows else nothing


def _owners(rows: int) -> str:
    return "1 person's" if rows == 1 else f"{rows:,} people's"


def _change(frontier: Frontier, point: Point) -> str:
    verb = "share a label with at most" if frontier.utility == "resolution" else "move at most"
    if point.codebooks is not None:
        verb = "detail shrink by"
    return f"{verb} {_size(frontier, point)}"


def _size(frontier: Frontier, point: Point) -> str:
    if frontier.utility == "resolution":
        return counted(point.largest_cluster - 1, "other value")
    if point.codebooks is not None:
        return f"{100 * point.codebooks.loss:.3g} % on average"
    return digits(point.max_distortion or 0.0)


MOST_CORRELATIONS = 6


def verdict(result: ReleaseResult) -> Headline:
    """Return the verdict on a release: who was exposed before, and what remains possible for everyone now.

    It is of the reader who sees most: every published column, with earlier releases.
    """
    before, after = result.before, result.together_all or result.after_all
    if result.persons is not None:
        before, after = result.persons
    if result.counts_rows:
        colour = colour_of(after.row_k, after.rows, holds=all(one.holds for one in result.requirements))
        return Headline(colour, _shared_by(after.row_k, named(before.public)))
    secret, public = named(before.sensitive), named(before.public)
    was = (
        f"Before, {_first_small(people(before.narrowest_rows, before.rows))} could have their exact {secret} "
        f"read off from {public}. "
        if before.distinct_l == 1 and before.sensitive.values > 1
        else ""
    )
    if after.distinct_l == 1 and len(result.by_sensitive) < 2:
        still = people(after.narrowest_rows, after.rows)
        return Headline("red", f"{was}{still} still can, from everything that is published.")
    left = values_of(after.distinct_l, after.sensitive.columns)
    now = f"{'Now at' if was else 'At'} least {left} {_remain(after.distinct_l)} possible for everyone."
    asked = [one.wanted for one in result.requirements if one.requirement.name == "distinct-l"]
    holds = after.distinct_l >= max(asked, default=0) and all(one.holds for one in result.requirements)
    if len(result.by_sensitive) > 1 and not result.jointly:
        top = headline(after, holds=holds, left=result.by_sensitive)
        return Headline(top.colour, was + top.sentence)
    colour = colour_of(after.distinct_l, after.sensitive.values, holds=holds)
    return Headline(colour, was + now).beside(alone_exposed(result.by_sensitive, public))


def vanished(use: Usefulness, point: Point, public: Alphabet, unused_budget: int = 0) -> str | None:
    """Name the public columns of which nothing is left, if any, and say what may keep them."""
    gone = use.vanished
    if not gone:
        return None
    ways = []
    if len(use.columns) > 1:
        ways = [f"give more weight ({option('weight', f'{gone[0]}=5')})", "publish a column less"]
    withholds = point.tree is None and point.levels is None
    empty = [one for one in public.coordinates if one.name in gone and one.missing.any()]
    if empty and point.codebooks is not None:
        # A band holds empty cells only where it holds everything.
        ways.insert(0, f"leave rows with an empty cell out ({option('missing', 'drop')})")
    if withholds and not use.withheld_rows and not unused_budget:
        ways.append(f"let a few rows be withheld ({option('withhold', '1%')})")
    them = "it" if len(gone) == 1 else "them"
    said = f"Nothing is left of {listed(gone)}: every row has the same label there."
    return f"{said} What may keep {them}: {', or '.join(ways)}." if ways else said


def _shared_by(rows: int, public: str) -> str:
    return (
        f"Every released value of {public} is shared by at least {counted(rows, 'row')} (k-anonymity: "
        f"k = {rows:,}). No column was named as sensitive: what the people in a class have in common is not "
        "protected."
    )


def _first_small(text: str) -> str:
    return text[0].lower() + text[1:]


def _remain(number: int) -> str:
    return "remains" if number == 1 else "remain"


Seen: TypeAlias = Literal["after", "after_all", "together", "together_all"]
"""What a reader has: the release, with harmless columns, with earlier releases, and with both."""


def readers(result: ReleaseResult) -> dict[Seen, Audit]:
    """Return what each reader of a release learns, but those who learn what another does."""
    found: dict[Seen, Audit] = {"after": result.after}
    if result.after_all != result.after:
        found["after_all"] = result.after_all
    if result.together is not None and result.together_all is not None:
        found["together"] = result.together
        if result.together_all != result.together:
            found["together_all"] = result.together_all
    return found


def checked(result: ReleaseResult) -> str:
    """Say what the verifier found of the rows."""
    rows = counted(result.rows, "row")
    said = f"{rows}; the file was read again from disk, and every row of the original is there, recoded."
    if result.dropped_rows:
        said += f" {counted(result.dropped_rows, 'row')} left out because a cell is empty."
    return said


def required(result: ReleaseResult) -> list[str]:
    """Return a line for each requirement: what was asked, and what every released value keeps."""
    secret = list(result.before.sensitive.columns)
    reader = result.together or result.after
    lines = []
    for verdict in result.requirements:
        asked = verdict.requirement.sentence(secret, result.closeness)
        is_bits = verdict.requirement.is_limit
        found = bits(verdict.found) if is_bits else verdict.requirement.amount(verdict.found)
        lines.append(f"{asked}: {found} found, {'holds' if verdict.holds else 'DOES NOT HOLD'}")
    if not lines:
        lines.append(
            f"nothing; at least {values_of(reader.distinct_l, reader.sensitive.columns)} of "
            f"{reader.sensitive.values:,} {_remain(reader.distinct_l)} possible for everyone"
        )
    return lines


def lost(result: ReleaseResult) -> list[str]:
    """Return what a release costs: values, rows, moves and correlations."""
    lines = what_is_lost(result.usefulness, result.rows, result.point, result.joint.public)
    if result.unused_budget:
        said = unused(result.unused_budget, result.helpful_rows, result.needed_rows)
        lines.insert(1, f"no row is withheld: {said}")
    return lines


def measured(use: FileUsefulness) -> list[str]:
    """Return what analyses of the file lose: counts, histograms, what a tree sees, regressions."""
    lines = []
    if use.query_error is not None:
        lines.append(f"random counts over public columns are off by {share(use.query_error)} in the median")
    ways = [("two", use.two_way), ("three", use.three_way)]
    lines += [
        f"histograms of {number} columns have {share(found)} in common with the original's"
        for number, found in ways
        if found is not None
    ]
    lines.append(
        f"a small tree tells the file from the original by a pMSE of {use.propensity.pmse:.4f} (at most .25)"
    )
    lines += [
        f"{fit.formula}: 95 % confidence intervals overlap by {share(fit.mean_overlap)}"
        for fit in use.regressions
        if fit.mean_overlap is not None
    ]
    return lines


def what_is_lost(use: Usefulness, rows: int, point: Point, public: Alphabet) -> list[str]:
    """Return what a recoding costs: values, rows, moves and correlations.

    Where each column has a codebook, what is gone of its detail is what its own labels do not tell. Numbers
    that look like codes measure nothing, so neither moves nor correlations of them are told.
    """
    coded = coded_columns(public, rows)
    books = () if point.codebooks is None else point.codebooks.codebooks
    widths = {book.column: book.mean_width for book in books}
    names = [column.name for column in use.columns]
    lines = [
        f"{values_of(use.values_before, names)} became {use.values_after:,}; "
        f"{share(use.rows_unchanged_share)} of the rows are unchanged"
    ]
    if use.withheld_rows:
        lines.append(withheld_rows(use.withheld_rows, rows, names))
    for column in use.columns:
        shown = replace(column, mean_move=None, max_move=None) if column.name in coded else column
        lines.append(_column(shown, widths.get(column.name, column.mean_relative_width)))
    lines += _correlations([one for one in use.correlations if not set(coded).intersection(one.columns)])
    return lines


def proof(result: ReleaseResult) -> str:
    """Say what is proven of a release, and of what, and whether the search was stopped."""
    said = _proof(result)
    if result.complete:
        return said
    return f"{said} The search stopped at its time limit; with more time a recoding may keep more detail."


def _proof(result: ReleaseResult) -> str:
    point = result.point
    if point.codebooks is not None:
        return _codebooks_proof(point)
    secret = listed(result.before.sensitive.columns)
    public = listed(result.before.public.columns)
    if _is_over_columns(result) and result.objective == "mean":
        return _by_mean(result)
    if point.lower_bound_bits is None and point.lower_bound_cost is None:
        return (
            "Not proven: no bound is known for this search. Another recoding may protect as well and keep "
            "more detail."
        )
    if point.clusters == 1:
        return f"Nothing is left of {public}: all its values share one label."
    if _is_over_columns(result) and point.max_distortion is not None:
        return _columns_proof(result, point.max_distortion)
    if point.max_distortion is not None:
        size = f"largest move {digits(point.max_distortion)}"
    else:
        size = f"largest class {counted(point.largest_cluster, 'value')}"
    if _is_proven(result) and not result.coincided:
        return f"Proven: no recoding that protects {secret} this well keeps more detail ({size})."
    if point.lower_bound_cost is not None:
        least = digits(point.lower_bound_cost, 4)
        return f"Not proven: {size}; no recoding that protects this well can have less than {least}."
    gap = point.leakage_bits - (point.lower_bound_bits or 0.0)
    return f"Not proven: a recoding of the same detail might reveal up to {bits(gap)} less."


def _is_over_columns(result: ReleaseResult) -> bool:
    return result.point.max_distortion is not None and len(result.before.public.columns) > 1


def _by_mean(result: ReleaseResult) -> str:
    """Say what the average and the worst class over several columns cost, where the average decided."""
    cost, public = result.point.max_distortion, result.joint.public
    if result.usefulness.rows_unchanged_share == 1.0:
        return "Proven: nothing had to be changed, so no recoding keeps more detail."
    assert cost is not None  # noqa: S101 (asked only over several columns)
    return (
        f"On average a class spans {share(result.usefulness.loss)} of a column, the least that was found; "
        f"that is not proven. The worst class {worst_class(result.cost_meaning, cost, public)}. "
        f"{option('objective', 'worst')} makes that one as narrow as it can, with a proof or a bound."
    )


def _columns_proof(result: ReleaseResult, cost: float) -> str:
    """Say what is proven of the worst class over several columns, and that nothing is of the average."""
    secret, point, public = listed(result.before.sensitive.columns), result.point, result.joint.public
    average = (
        f"The average class spans {share(result.usefulness.loss)} of a column; no bound is known for that."
    )
    if point.lower_bound_cost is None:
        return f"Not proven: no bound is known for this search. {average}"
    every = f"every recoding that protects {secret} this well"
    if point.withheld_rows or result.unused_budget:
        every += " and withholds no more rows than were allowed"
    least = f"{every} has a class that {unavoidable(result.cost_meaning, point.lower_bound_cost, public)}"
    if _is_proven(result) and not result.coincided:
        return f"Proven: {least}; this one goes no further. {average}"
    worst = worst_class(result.cost_meaning, cost, public)
    return f"Not proven: the worst class {worst}; {least}. {average}"


def columns(result: ReleaseResult) -> list[str]:
    """Return a line for each column that has a codebook of its own, and what their choice can carry."""
    found = result.point.codebooks
    if found is None:
        return []
    return [codebook.words for codebook in found.codebooks]


def choice(point: Point) -> str:
    """Say what the choice of codebooks can carry, and what that does not bound; nothing without codebooks."""
    found = point.codebooks
    if found is None or point.levels is not None:
        return ""
    return (
        f"These codebooks were chosen with the data in view; the choice can carry at most "
        f"{bits(found.choice_bits)} about the whole table. That is no promise about one release."
    )


def may_withhold(result: ReleaseResult) -> bool:
    """Tell whether codebooks lost something and no row was allowed to be withheld that could be."""
    found = result.point.codebooks
    is_seen_beside = result.before.side is not None or result.together_all is not None
    if found is None or result.point.levels is not None:
        return False
    return found.loss > 0 and not found.withhold and not result.unused_budget and not is_seen_beside


def _codebooks_proof(point: Point) -> str:
    found = point.codebooks
    assert found is not None  # noqa: S101 (asked only with codebooks)
    gone = f"On average {share(found.loss)} of the detail is gone"
    if found.withheld_rows:
        gone += ", a withheld row counted as all of it"
    if found.loss == 0:
        return f"{gone}: nothing had to be merged."
    gone += f" (the widest band spans {share(found.worst_width)} of its column)"
    if found.maximal:
        best = "no border or category can be added that the requirements allow and that tells more"
    else:
        best = "finer ones may hold, too" if point.levels is None else "the next finer ones lack something"
    ladder = ""
    if found.ladder_loss is not None and found.ladder_loss > found.loss:
        sure = "the best" if found.proven_optimal_ladder else "the best found"
        ladder = (
            f"; {sure} of {found.ladder_nodes:,} codebooks of equal bands loses {share(found.ladder_loss)}"
        )
    elif found.ladder_loss is not None and found.proven_optimal_ladder:
        ladder = f"; none of {found.ladder_nodes:,} codebooks of equal bands loses less"
    spared = ""
    if found.least_loss is not None:
        spared = (
            f" Codebooks that lose {share(found.least_loss)} would leave nothing of "
            f"{listed(found.merged_away)}; {option('weight')} decides otherwise."
        )
    return f"{gone}; {best}{ladder}. Other codebooks might keep more: that is not proven.{spared}"


def _is_proven(result: ReleaseResult) -> bool:
    """Tell whether the bound that the demand asks for is met: of the cost, or of the bits within a cap."""
    point = result.point
    if result.target.kind in ("distinct_l", "max_leakage") and point.lower_bound_cost is not None:
        cost = point.largest_cluster if point.max_distortion is None else point.max_distortion
        return cost <= point.lower_bound_cost * (1 + 1e-12)
    return point.proven_optimal


def formulas(cells: Mapping[str, int], *, defused: bool) -> str | None:
    """Say which columns hold cells that a spreadsheet would run, and none of the cells.

    >>> formulas({"note": 2, "town": 1}, defused=True)
    "2 cells of 'note' and 1 cell of 'town' begin as formulas do; each has a quote before it"
    """
    if not cells:
        return None
    named = " and ".join(f"{counted(count, 'cell')} of {name!r}" for name, count in cells.items())
    verb = "begins as a formula does" if sum(cells.values()) == 1 else "begin as formulas do"
    if defused:
        return f"{named} {verb}; each has a quote before it"
    return f"{named} {verb}, and a spreadsheet would run {'it' if sum(cells.values()) == 1 else 'them'}"


def share(part: float) -> str:
    """Return a share in percent, never 0 % of something nor 100 % of nearly all.

    Halves are rounded up, as in the app.

    >>> share(0.5), share(0.0001), share(0.9999), share(1), share(0.185)
    ('50 %', 'less than 1 %', 'more than 99 %', '100 %', '19 %')
    """
    if 0 < part < 0.01:
        return "less than 1 %"
    if 0.99 < part < 1:
        return "more than 99 %"
    return f"{floor(100 * part + 0.5)} %"


def _column(column: ColumnUsefulness, width: float) -> str:
    if column.unchanged_share == 1:
        return f"{column.name}: unchanged"
    if column.vanished:
        return f"{column.name}: nothing is left of it"
    kept = f"{share(column.unchanged_share)} of rows unchanged"
    if column.left_out_rows:
        kept += f"; {_left_out(column.left_out_rows)}"
    if column.mean_move is None or column.max_move is None:
        return f"{column.name}: {kept}; on average {share(width)} of its detail is gone"
    whereto = ", to the middle of its band or set" if column.counted == "middle" else ""
    mean, most = (
        moved(digits(column.mean_move, 3), column.unit),
        moved(digits(column.max_move, 4), column.unit),
    )
    far = f"{mean} on average, {most} at most"
    return f"{column.name}: moves by {far}{whereto}; {kept}"


def moved(number: str, unit: str) -> str:
    """Return a move with the unit of its column, where it has one.

    >>> moved("1", "days"), moved("2.5", "days"), moved("1", "")
    ('1 day', '2.5 days', '1')
    """
    return f"{number} {unit.removesuffix('s') if number == '1' else unit}".rstrip()


def _left_out(rows: int) -> str:
    return f"{counted(rows, 'row')} left out, missing or withheld"


def _correlations(correlations: Sequence[Correlation]) -> list[str]:
    """Say how columns go together before and after.

    >>> from hartley.measures.usefulness import Correlation
    >>> _correlations([Correlation(columns=("age", "year"), before=0.01, after=-0.001)])
    ['correlation of age and year: 0.01 before, 0.00 after']
    """
    return [
        f"correlation of {listed(one.columns)}: {one.before:z.2f} before, "
        + ("none left" if one.after is None else f"{one.after:z.2f} after")
        + (f" ({_left_out(one.left_out_rows)})" if one.left_out_rows else "")
        for one in correlations[:MOST_CORRELATIONS]
    ]
