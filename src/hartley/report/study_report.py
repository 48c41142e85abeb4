"""The report of a study, written from Python."""

from __future__ import annotations

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
    found = study.frontier(**fields)
    demand = Demand.of(require)
    target = None if demand.is_empty else demand.target
    choice = Choice.of(found.frontier, target, found.reader.beside)
    is_place = isinstance(study.source, (str, Path))
    report = Report(
        table=Path(shown_source(study.source)).name if is_place else "the table",
        joint=found.joint,
        frontier=found.frontier,
        chosen=choice.point,
        reason=choice.reason,
        command=f"{study!r}.report({path.name!r})",
        dropped_rows=found.dropped_rows,
        known=found.known,
        target=target,
    )
    page = report.html(audience or ("curator" if disclosive else "board"))
    path.write_text(page, encoding="utf-8")
    return path
