"""The cheapest partition of one ordered, arranged or numbered column that keeps a demand."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from hartley.errors import OptionError, UnreachableError, option
from hartley.measures.overlap import components
from hartley.measures.utility import LineDistortion, Resolution
from hartley.model import JointRange
from hartley.model.shapes.border_grid import CALENDARS
from hartley.model.shapes.shape import ANY_SHAPE
from hartley.search.demands.question import DemandAnswer, DemandQuestion, answer_of
from hartley.search.effort import Effort
from hartley.search.enough import Enough
from hartley.search.joined_intervals import least_cost_of_components
from hartley.search.line.borders import Borders
from hartley.search.line.equal_width import best_equal_width
from hartley.search.line.intervals import finest_free_grid
from hartley.search.line.least_cost import least_cost
from hartley.search.line.ordered_values import LineUtility, OrderedValues
from hartley.search.line.withheld import WithheldQuestion, least_cost_withholding


def arranged_answer(question: DemandQuestion, utility: Resolution, effort: Effort) -> DemandAnswer:
    """Return clusters of neighbours, the largest as small as can be: of a line, a taxonomy, or a tree."""
    joint, known, shape = question.joint, question.arrangement, question.shape
    if known is not None and (known.tree is not None or known.edges is not None):
        if question.budget or shape != replace(ANY_SHAPE, name=shape.name):
            raise OptionError(
                f"groups and neighbours of categories do not go with {option('withhold')}, borders or widths"
            )
        return answer_of(known.least(Enough.of(joint, question.requirements, question.closeness)))
    if known is not None and shape != replace(ANY_SHAPE, name=shape.name):
        raise OptionError(
            f"column {joint.public.columns[0]!r} is text; borders and widths are of numbers and dates"
        )
    return _of_values(question, _in_order(question, utility), effort)


def line_answer(question: DemandQuestion, utility: LineDistortion, effort: Effort) -> DemandAnswer:
    """Return clusters of a line that keep the demand, of the shape and within the budget asked for."""
    return _of_values(question, _in_order(question, utility), effort)


def joined_bands(question: DemandQuestion, found: DemandAnswer, effort: Effort) -> DemandAnswer:
    """Return bands that leave few enough components, where those that were found leave too many.

    They withhold nothing. The bound is that of the bands that were found, which have less to keep.
    """
    most = question.most_components or 1
    if components(question.joint.release(found.partition)).size <= most:
        return found
    joined = bands_of_components(question, question.joint, most, effort)
    return replace(joined, lower_bound_cost=found.lower_bound_cost, any_bound=found.any_bound)


def bands_of_components(
    question: DemandQuestion, linked: JointRange, most: int, effort: Effort
) -> DemandAnswer:
    """Return bands that keep the requirements and leave at most so many components of a linked table."""
    known, shape = question.arrangement, question.shape
    is_grouped = known is not None and (known.tree is not None or known.edges is not None)
    if shape.equal_width or is_grouped:
        raise OptionError(
            f"bands that leave few groups apart for certain ({option('leakage', 'joint')} or istar) are "
            f"found only of any width: leave out {option('equal_width')}, {option('hierarchy')} and "
            f"{option('neighbours')}"
        )
    values = _in_order(question, cast("LineUtility", question.utility))
    return answer_of(least_cost_of_components(values, linked, most, _borders(question, values), effort))


def _in_order(question: DemandQuestion, utility: LineUtility) -> OrderedValues:
    """Return the public values in the order of the line, or in the one that is known of a text column."""
    positions = None if question.arrangement is None else question.arrangement.positions
    return OrderedValues.of(question.joint, utility, question.requirements, question.closeness, positions)


def _of_values(question: DemandQuestion, values: OrderedValues, effort: Effort) -> DemandAnswer:
    shape = question.shape
    if shape.name == "columns":
        raise OptionError(
            f"{option('shape', 'columns')} is of several public columns; name more, or use intervals"
        )
    if shape.equal_width:
        if question.budget:
            raise OptionError(f"{option('equal_width')} does not go with {option('withhold')}")
        step = shape.borders if isinstance(shape.borders, float) else None
        return answer_of(
            best_equal_width(
                values, open_ends=shape.open_ends, step=step, offset=shape.offset or None, effort=effort
            )
        )
    kind: Literal["any", "intervals"] = "any" if shape.is_any else "intervals"
    if shape.borders == "auto" and not question.budget:
        unit = _calendar_unit(question)
        grids = None if unit is None else Borders.calendars(values.positions, unit)
        return answer_of(finest_free_grid(values, effort, shape.offset, grids))
    borders = _borders(question, values)
    if question.budget:
        asked = WithheldQuestion.of(values, question.budget, borders)
        if question.budget < asked.least_budget and not values.can_be_met:
            raise UnreachableError(
                f"withholding {question.budget} rows buys nothing here; at least {asked.least_budget} rows "
                "must be withheld for what is withheld to keep the requirements itself"
            )
        return answer_of(least_cost_withholding(values, question.budget, kind, borders, effort=effort))
    return answer_of(least_cost(values, kind, borders, effort))


def _calendar_unit(question: DemandQuestion) -> Literal["day", "second"] | None:
    """Return what positions of the column count, ``None`` where it holds no dates."""
    kind = question.joint.public.coordinates[0].kind
    if kind == "date":
        return "day"
    return "second" if kind == "timestamp" else None


def _borders(question: DemandQuestion, values: OrderedValues) -> Borders | None:
    shape, column = question.shape, question.joint.public.coordinates[0]
    if shape.borders is None or shape.borders == "auto":
        return None
    if shape.borders in CALENDARS:
        unit = _calendar_unit(question)
        if unit is None:
            raise OptionError(
                f"borders by {shape.borders} are of dates; column {column.name!r} is a {column.kind}"
            )
        return Borders.in_calendar(values.positions, shape.borders, unit)
    return Borders.on_grid(values.positions, cast("float", shape.borders), shape.offset)
