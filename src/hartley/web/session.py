"""The session of one curator: one table, its roles, its frontier, the release in the making.

Lives in the worker process. Every number comes from :mod:`hartley.workflow` and is handed on as the JSON
that the command line prints; this module adds only sentences and what the page lists.
"""

from __future__ import annotations

import contextlib
import csv
import secrets
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hartley
from hartley.documents import POLICY
from hartley.errors import HartleyError, InputError, TableError, worded
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.frontiers import Point
from hartley.model.demand import Demand
from hartley.notes import heard_notes
from hartley.releases.policy import Policy
from hartley.releases.writer.release_paths import ending_like
from hartley.report.study_report import Choice, report_of
from hartley.tables import ReadOptions
from hartley.tables.sources.excel import data_sheet, sheet_names
from hartley.web import page_json as pages
from hartley.web.candidates import (
    CandidateSearch,
    ReleasedWay,
    candidates_page,
    release_files,
    taken_page,
)
from hartley.web.found_frontier import FoundFrontier, Searcher
from hartley.web.recoding_page import MOST_BORDERS, Book, asked_borders, border_page
from hartley.web.request import Asked, as_label, in_words, reading, typed_reading
from hartley.workflow.demands.drawn_borders import BorderLine
from hartley.workflow.describe_table import TableDescription, column_names, describe
from hartley.workflow.find_frontier import FrontierResult
from hartley.workflow.request.declared_options import typed_options
from hartley.workflow.request.time_limit import SearchLimits
from hartley.workflow.study import release

if TYPE_CHECKING:
    from threading import Event

    from hartley.web.worker import Json, Tell


class Desk:
    """What the curator is working on."""

    def __init__(self, folder: Path, stop: Event) -> None:
        self.folder = folder
        self.stop = stop
        # Not from 0: a page that is older than this process must not find its table here by number.
        self.revision = secrets.randbelow(2**31)
        self.path: Path | None = None
        self.name = ""
        self.options = ReadOptions()
        self.earlier: dict[str, tuple[str, Policy]] = {}
        """By a word of ours: the file name and the content of the policies of earlier releases."""
        self.found: FoundFrontier | None = None
        self.candidates: tuple[Asked, dict[int, ReleasedWay]] | None = None
        """What was asked, and the ways to publish it by their numbers."""
        self.book: Book | None = None
        """What is looked up in: the codebook of the point that is shown, as released once it is."""
        self._tell: Tell = print
        """Who hears, of the call under way, how far it is."""
        self._calls: dict[str, Callable[[Json], Any]] = {
            "open": self.open,
            "earlier": self.add_earlier,
            "audit": self.audit,
            "search": self.search,
            "borders": self.borders,
            "look": self.look,
            "codebook": self.codebook,
            "figure": self.figure,
            "release": self.release,
            "candidates": self.find_candidates,
            "take": self.take,
            "report": self.report,
        }

    def do(self, name: str, arguments: Json, tell: Tell) -> Any:
        """Answer a call by its name; a refusal is in the words of the page."""
        self._tell = tell
        try:
            return self._calls[name](arguments)
        except HartleyError as error:
            given = arguments.get("path")
            stored = given if isinstance(given, str) and given else self.path
            shown = arguments.get("name") or self.name
            # A file goes by the name that the user knows.
            message = in_words(error.said(as_label), arguments)
            raise InputError(
                message if stored is None else message.replace(Path(stored).name, str(shown))
            ) from None

    def open(self, asked: Json) -> Json:
        """Take a table, or read the same one in another way; what was on the desk before is gone."""
        options = reading(asked)
        again = asked.get("again", False)
        path = self._table(asked) if again else Path(asked["path"] or self._example())
        sheets = sheet_names(path)
        notes: list[str] = []
        with heard_notes(notes.append):
            described, options = _described(path, options, sheets)
        self.revision += 1
        self.path, self.options, self.found, self.book = path, options, None, None
        self.candidates = None
        self.earlier = {}
        self.name = self.name if again else asked["name"]
        return {
            **described.to_dict(),
            "name": self.name,
            "revision": self.revision,
            "notes": [worded(one, as_label).replace(path.name, self.name) for one in notes],
            "sheets": list(sheets),
            "sheet": options.sheet or data_sheet(path),
            "reading": {
                "encoding": options.encoding,
                "delimiter": options.delimiter,
                "decimal": options.decimal,
                "missing_words": options.missing_words,
                "text": options.text,
            },
        }

    def add_earlier(self, asked: Json) -> Json:
        """Take the policy of an earlier release of the table on the desk."""
        table = self._table(asked)
        policy = Policy.read_json(POLICY.read(asked["path"]), asked["name"])
        policy.require_columns(column_names(table, self.options), self.name)
        if policy in [known for _, known in self.earlier.values()]:
            raise InputError(f"{asked['name']}: this release is counted already")
        word = secrets.token_hex(8)
        self.earlier[word] = (asked["name"], policy)
        return {"word": word, "name": asked["name"], "columns": list(policy.published)}

    def audit(self, asked: Json) -> Json:
        """Measure the table as it is, and say in sentences what that means."""
        table, given = self._table(asked), Asked.of(asked)
        found = hartley.audit(
            table,
            sensitive=given.sensitive,
            public=(*given.public, *given.keep),
            side=given.side,
            jointly=len(given.sensitive) > 1,  # what is of each column names it
            missing=given.missing,
            earlier=self._policies(given),
            require=given.requirements,
            tolerance=given.tolerance,
            options=self.options,
            **given.study_fields,
        )
        return pages.audit_page(found, earlier=len(given.earlier))

    def search(self, asked: Json) -> Json:
        """Search the frontier, telling of the progress and of the points as they are found."""
        table, given = self._table(asked), Asked.of(asked)
        if given.person is not None or given.transparent:
            raise InputError(
                "a frontier is of single rows, for readers who do not know how hartley works; choose among "
                "the ways side by side"
            )
        before, self.found = self.found, None
        self.found = self._searcher(table, given).find(given, asked["number"], before)
        return pages.frontier_page(self.found.result.frontier, given, self.found.result, self.found.without)

    def look(self, asked: Json) -> Json:
        """Show the recoding of a point."""
        found, point = self._point(asked)
        self.book = Book.of(found.result.joint, point, found.result.frontier.codeword)
        return pages.point_page(found.result, point, asked["point"], found.number, self.book)

    def borders(self, asked: Json) -> Json:
        """Show the borders of a point, its own or those set by hand, and what they keep and cost."""
        found, point = self._point(asked)
        line = BorderLine.of(found.result.question)
        if line is None:
            return {"line": None}
        drawn = asked_borders(asked, line, point)
        if drawn is None or len(drawn.borders) > MOST_BORDERS:
            return {"line": None}
        if asked.get("borders") is None or drawn.borders == line.borders_of(point):
            return border_page(line, drawn, asked["point"])
        self.found = found.with_drawn(drawn.point)
        return border_page(line, drawn, self.found.drawn_place)

    def codebook(self, asked: Json) -> Json:
        """Look a text up in the codebook that is shown."""
        self._table(asked)
        text = asked.get("find", "")
        if self.book is None or not isinstance(text, str):
            raise InputError("there is no codebook to look in; preview a point first")
        return self.book.page(text)

    def figure(self, asked: Json) -> str:
        """Draw a figure of a point as SVG."""
        found = self.found
        if found is None or found.number != asked["search"]:
            raise InputError("there is no such point; search first")
        point = found.point(asked["point"])
        return pages.figure(found.result.joint, point, asked["kind"], asked["theme"]).svg()

    def release(self, asked: Json) -> Json:
        """Release a point into the private folder, verified; show its first rows and its codebook."""
        found, point = self._point(asked)
        given, frontier = found.asked, found.result.frontier
        folder = Path(tempfile.mkdtemp(prefix="release-", dir=self.folder))
        made = release(
            self._table(asked),
            folder / f"{self._stem}{ending_like(self.path)}",
            require=found.demand(point),
            point=point,
            found_in=found.result.joint,
            harmless=given.harmless,
            publish_sensitive=given.publish_sensitive,
            leakage=frontier.leakage,
            utility=given.utility_choice,
            search=frontier.search,
            labels=asked.get("labels"),
            earlier=self._policies(given),
            keep_order=given.keep_order,
            defuse_formulas=given.defuse_formulas,
            like_input=given.like_input,
            accept_identifier=given.accept_identifier,
            exposure="accept",  # the page warns, and shows who is exposed
            options=self.options,
            **given.table_fields,
            **given.search_fields,
        )
        book = Book.of(found.result.joint, point, frontier.codeword)
        self.book = book.as_released(Policy.read(made.policy))
        return {
            **pages.release_page(made, given, pages.as_it_is(found.result.reader), self.book),
            "files": release_files(made),
        }

    def find_candidates(self, asked: Json) -> Json:
        """Release the table in several ways side by side, telling of each as it is there."""
        table, given = self._table(asked), Asked.of(asked)
        self.candidates = None
        search = CandidateSearch(
            table=table,
            name=self.name,
            stem=self._stem,
            ending=ending_like(self.path),
            folder=Path(tempfile.mkdtemp(prefix="candidates-", dir=self.folder)),
            options=self.options,
            policies=self._policies(given),
            policy_names=tuple(self.earlier[word][0] for word in given.earlier),
            stop=self.stop,
            given=given,
        )
        found = search.find(self._tell)
        self.candidates = given, {one.setting.number: one for one in found}
        return candidates_page(found, complete=not self.stop.is_set())

    def take(self, asked: Json) -> Json:
        """Show the release of one of the ways that were found."""
        self._table(asked)
        given, found = self.candidates or (None, {})
        number = asked.get("number")
        if given is None or not isinstance(number, int) or number not in found:
            raise InputError("there is no such way to publish the table; show them first")
        page, self.book = taken_page(found[number], given)
        return page

    def report(self, asked: Json) -> Json:
        """Write the report of a point, for the board or for the curator."""
        found, point = self._point(asked)
        demand = Demand(requirements=found.asked.requirements, max_leakage=point.leakage_bits)
        is_drawn = point is found.drawn
        result = found.result if is_drawn else self._whole_frontier(found, demand)
        choice = Choice(point, "its borders were set by hand in the app.")
        if not is_drawn:
            choice = Choice.of_frontier(result, demand)
        disclosive = asked.get("disclosive") is True
        word = "curators-report" if disclosive else "report"
        report = report_of(
            result,
            choice,
            demand,
            table=self.name,
            command=f"hartley serve {shlex.quote(self.name)}"
            if is_drawn
            else self._command(found, choice.point, f"{word}.html", disclosive),
            limits=None if is_drawn else SearchLimits(),
        )
        path = Path(tempfile.mkdtemp(prefix="report-", dir=self.folder)) / f"{word}.html"
        path.write_text(report.html("curator" if disclosive else "board"), encoding="utf-8")
        return {"files": {word: (str(path), path.name)}}

    def _whole_frontier(self, found: FoundFrontier, demand: Demand) -> FrontierResult:
        """Return the frontier that the command line draws for a demand: over the count that goes up in it."""
        over = "distinct-l" if found.result.question.closeness.is_empty else "separated-l"
        beside = demand.beside(over)
        if len(beside) == len(demand.requirements) or not found.result.frontier.complete:
            return found.result
        asked = tuple(
            {"name": one.name, "wanted": one.wanted, "column": one.column, "each": False} for one in beside
        )
        given = replace(found.asked, require=asked)
        return self._searcher(self.path or Path(), given).find(given, found.number, None).result

    def _searcher(self, table: Path, given: Asked) -> Searcher:
        return Searcher(
            table=table, options=self.options, policies=self._policies(given), stop=self.stop, tell=self._tell
        )

    def _command(self, found: FoundFrontier, point: Point, output: str, disclosive: bool) -> str:
        """Return the command line that makes the same report."""
        said = {
            "output": output,
            **found.asked.typed_search(),
            "earlier": [self.earlier[word][0] for word in found.asked.earlier],
            **typed_reading(self.options),
            "max_leakage": repr(point.leakage_bits),
            "disclosive": disclosive,
        }
        return shlex.join(["hartley", "report", self.name, *typed_options(said)])

    @property
    def _stem(self) -> str:
        """How a released file is called, less its ending."""
        plain = "".join(c for c in self.name.split(".")[0] if c.isalnum() or c in "-_ ").strip()
        return f"{plain or 'table'}-released"

    def _policies(self, given: Asked) -> tuple[Policy, ...]:
        unknown = [word for word in given.earlier if word not in self.earlier]
        if unknown:
            raise InputError("an earlier release is no longer here; add its policy again")
        return tuple(self.earlier[word][1] for word in given.earlier)

    def _example(self) -> Path:
        path = self.folder / "clinic.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(CLINIC_COLUMNS)
            writer.writerows(clinic())
        return path

    def _table(self, asked: Json) -> Path:
        if self.path is None or asked.get("revision") != self.revision:
            raise InputError("another table has been opened since; open this one again")
        return self.path

    def _point(self, asked: Json) -> tuple[FoundFrontier, Point]:
        self._table(asked)
        if self.found is None:
            raise InputError("there is no such point; search first")
        return self.found, self.found.point(asked.get("point"))


def _described(
    path: Path, options: ReadOptions, sheets: tuple[str, ...]
) -> tuple[TableDescription, ReadOptions]:
    """Describe a table, and say how it was read; of a workbook, the first sheet that holds a table."""
    try:
        return describe(path, options), options
    except TableError:
        # A first sheet of remarks is common; the page can choose among the others only once one is open.
        for sheet in sheets[1:] if options.sheet is None else ():
            with contextlib.suppress(TableError):
                return describe(path, replace(options, sheet=sheet)), replace(options, sheet=sheet)
        raise
