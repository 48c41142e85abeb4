"""The curator's desk: one table, its roles, its frontier, the release in the making.

Lives in the worker process. Every number comes from :mod:`hartley.workflow` and is handed on as the JSON
that the command line prints; this module adds only sentences and what the page lists.
"""

from __future__ import annotations

import csv
import secrets
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from hartley import workflow
from hartley.errors import InputError, OptionError
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.frontiers import Frontier, Point
from hartley.releases.formats import ENDINGS
from hartley.report.choice import Choice
from hartley.report.html import Report
from hartley.web import pages
from hartley.web.uploads import kind_of
from hartley.web.worker import Json, StopFlag, Tell
from hartley.workflow import FrontierResult
from hartley.workflow.effort import effort_within
from hartley.workflow.releasing import release
from hartley.workflow.target import Target

SECONDS_BETWEEN = 0.2
"""How often a search reports, at most."""


class Desk:
    """What the curator is working on."""

    def __init__(self, folder: Path, stop: StopFlag) -> None:
        self.folder = folder
        self.stop = stop
        # Not from 0: a page that is older than this process must not find its table here by number.
        self.revision = secrets.randbelow(2**31)
        self.path: Path | None = None
        self.name = ""
        self.request: Json = {}
        self.found: FrontierResult | None = None
        self._calls: dict[str, Callable[[Json, Tell], Any]] = {
            "open": self.open,
            "audit": self.audit,
            "search": self.search,
            "look": self.look,
            "figure": self.figure,
            "release": self.release,
            "report": self.report,
        }

    def do(self, name: str, arguments: Json, tell: Tell) -> Any:
        """Answer a call by its name."""
        return self._calls[name](arguments, tell)

    def open(self, asked: Json, tell: Tell) -> Json:
        """Take a table; what was on the desk before is gone."""
        del tell
        path = self._example() if asked["path"] is None else Path(asked["path"])
        described = workflow.describe(path)
        self.revision += 1
        self.path, self.name, self.found = path, asked["name"], None
        return {**described.to_dict(), "name": self.name, "revision": self.revision}

    def audit(self, asked: Json, tell: Tell) -> Json:
        """Measure the table as it is, and say in sentences what that means."""
        del tell
        found = workflow.audit(self._table(asked), **_roles(asked), missing=_missing(asked))
        return pages.audit_page(found)

    def search(self, asked: Json, tell: Tell) -> Json:
        """Search the frontier, telling of the progress and of the points as they are found."""
        table, roles = self._table(asked), _roles(asked)
        self.found = None
        said = shown = 0.0

        def progress(done: int, total: int, what: str) -> None:
            nonlocal said
            if monotonic() - said >= SECONDS_BETWEEN:
                said = monotonic()
                tell({"progress": {"done": done, "total": total, "what": what}})

        def so_far(frontier: Callable[[], Frontier]) -> None:
            nonlocal shown
            # Measuring the points takes its time; no more than a tenth of the search is spent on it.
            if monotonic() >= shown:
                began = monotonic()
                tell({"frontier": pages.frontier_page(frontier())})
                shown = monotonic() + max(SECONDS_BETWEEN, 9 * (monotonic() - began))

        found = workflow.frontier(
            table,
            **roles,
            missing=_missing(asked),
            leakage=asked.get("leakage") or "l0",
            utility=asked.get("utility") or None,
            search=asked.get("search") or "optimal",
            effort=effort_within(
                _number(asked, "time_limit"), should_stop=self.stop.is_set, progress=progress
            ),
            so_far=so_far,
        )
        self.found, self.request = found, {**asked, **roles, "missing": _missing(asked)}
        return pages.frontier_page(found.frontier, found.to_dict())

    def look(self, asked: Json, tell: Tell) -> Json:
        """Show the recoding of a point."""
        del tell
        found, place = self._point(asked)
        return pages.point_page(found, place)

    def figure(self, asked: Json, tell: Tell) -> str:
        """Draw a figure of a point as SVG."""
        del tell
        if self.found is None or not 0 <= asked["point"] < len(self.found.frontier.points):
            raise InputError("there is no such point; search first")
        return pages.figure(self.found, asked["point"], asked["kind"], asked["theme"]).svg()

    def release(self, asked: Json, tell: Tell) -> Json:
        """Release a point into the private folder, verified; show its first rows and its codebook."""
        del tell
        found, place = self._point(asked)
        point = found.frontier.points[place]
        stem = "".join(c for c in self.name.split(".")[0] if c.isalnum() or c in "-_ ").strip() or "table"
        folder = Path(tempfile.mkdtemp(prefix="release-", dir=self.folder))
        made = release(
            self._table(asked),
            folder / f"{stem}-released{self._ending()}",
            target=Target("max_leakage", point.leakage_bits),
            point=point,
            sensitive=self.request["sensitive"],
            public=self.request["public"],
            side=self.request["side"],
            leakage=found.frontier.leakage,
            utility=found.frontier.utility,
            search=found.frontier.search,
            labels=asked.get("labels"),
            missing=self.request["missing"],
        )
        return {
            **pages.release_page(made),
            "files": {
                word: (str(path), path.name)
                for word, path in (
                    ("table", made.output),
                    ("policy", made.policy),
                    ("certificate", made.certificate),
                )
            },
        }

    def report(self, asked: Json, tell: Tell) -> Json:
        """Write the report of a point, for the board or for the curator."""
        del tell
        found, place = self._point(asked)
        point = found.frontier.points[place]
        choice = Choice.of(found.frontier, Target("max_leakage", point.leakage_bits))
        disclosive = asked.get("disclosive") is True
        word = "curators-report" if disclosive else "report"
        report = Report(
            table=self.name,
            joint=found.joint,
            frontier=found.frontier,
            chosen=choice.point,
            reason=choice.reason,
            command=self._command(choice.point, f"{word}.html", disclosive),
            dropped_rows=found.dropped_rows,
        )
        path = Path(tempfile.mkdtemp(prefix="report-", dir=self.folder)) / f"{word}.html"
        path.write_text(report.html(disclosive=disclosive), encoding="utf-8")
        return {"files": {word: (str(path), path.name)}}

    def _command(self, point: Point, output: str, disclosive: bool) -> str:
        """Give the command line that makes the same report."""
        said = ["hartley", "report", self.name, "--output", output]
        for role in ("sensitive", "public", "side"):
            for column in self.request[role]:
                said += [f"--{role}", column]
        for option in ("leakage", "utility", "search", "missing"):
            if self.request.get(option):
                said += [f"--{option}", str(self.request[option])]
        if self.request.get("time_limit"):
            said += ["--time-limit", f"{self.request['time_limit']:g}"]
        said += ["--max-leakage", repr(point.leakage_bits)]
        return shlex.join([*said, "--disclosive"] if disclosive else said)

    def _ending(self) -> str:
        """Give the ending of the released table: the original's, or CSV where nothing is written like it."""
        kind = kind_of(self.name)
        return kind if kind in ENDINGS else ".csv"

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

    def _point(self, asked: Json) -> tuple[FrontierResult, int]:
        self._table(asked)
        place = asked.get("point")
        if (
            self.found is None
            or not isinstance(place, int)
            or not 0 <= place < len(self.found.frontier.points)
        ):
            raise InputError("there is no such point; search first")
        return self.found, place


def _roles(asked: Json) -> dict[str, Any]:
    roles = {name: asked.get(name, []) for name in ("sensitive", "public", "side")}
    for columns in roles.values():
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise OptionError("roles are lists of column names")
    return roles


def _missing(asked: Json) -> Any:
    given = asked.get("missing") or "value"
    if given not in ("value", "drop"):
        raise OptionError("a missing cell is a value, or its row is dropped")
    return given


def _number(asked: Json, name: str) -> float | None:
    number = asked.get(name)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise OptionError(f"{name.replace('_', ' ')} needs a number")
    return float(number)
