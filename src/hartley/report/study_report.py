"""The report of a study, written from Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hartley.errors import OptionError, option
from hartley.model.demand import Demand, Wanted
from hartley.report.chosen_point import Choice
from hartley.report.html import Audience, Report
from hartley.workflow import shown_source

if TYPE_CHECKING:
    from hartley.workflow import Study


def require_page(path: Path) -> None:
    """Refuse a report that is to be something else than a web page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise OptionError(
            f"{path.name}: a report is a web page; end its name in .html, and print that to a PDF"
        )


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
    require_page(path)
    if path.exists() and not overwrite:
        raise OptionError(f"{path.name} is there already; choose another name, or give {option('overwrite')}")
    report = study_report(study, study.demand(require, each=each), f"{study!r}.report({path.name!r})", fields)
    page = report.html(audience or ("curator" if disclosive else "board"))
    path.write_text(page, encoding="utf-8")
    return path


def study_report(study: Study, demand: Demand, command: str, fields: Mapping[str, Any]) -> Report:
    """Search the frontier of what keeps a demand, and return the report of the point that meets it.

    The frontier is drawn over the count of different values, or of values that are apart where there is a
    tolerance; every other requirement is kept by all of its points. ``fields`` are what a frontier takes.
    """
    over = "distinct-l" if study.named_closeness.is_empty else "separated-l"
    found = study.frontier(require=demand.beside(over), **fields)
    sensitive = found.joint.sensitive.columns
    choice = Choice.of(found.frontier, demand, found.reader.beside, sensitive, found.question.closeness)
    is_place = isinstance(study.source, (str, Path))
    return Report(
        table=Path(shown_source(study.source)).name if is_place else "the table",
        joint=found.joint,
        frontier=found.frontier,
        chosen=choice.point,
        reason=choice.reason,
        command=command,
        dropped_rows=found.dropped_rows,
        known=found.known,
        demand=demand,
        closeness=found.question.closeness,
    )
