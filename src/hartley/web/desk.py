"""The curator's desk: one table, its roles, its frontier, the release in the making.

Lives in the worker process. Every number comes from :mod:`hartley.workflow` and is handed on as the JSON
that the command line prints; this module adds only sentences and what the page lists.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hartley import workflow
from hartley.errors import InputError, OptionError
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.report import words
from hartley.web.worker import Json, StopFlag, Tell


class Desk:
    """What the curator is working on."""

    def __init__(self, folder: Path, stop: StopFlag) -> None:
        self.folder = folder
        self.stop = stop
        self.revision = 0
        self.path: Path | None = None
        self.name = ""
        self._calls: dict[str, Callable[[Json, Tell], Any]] = {
            "open": self.open,
            "audit": self.audit,
        }

    def do(self, name: str, arguments: Json, tell: Tell) -> Any:
        """Answer a call by its name."""
        return self._calls[name](arguments, tell)

    def close(self) -> None:
        """Leave the desk."""

    def open(self, asked: Json, tell: Tell) -> Json:
        """Take a table; what was on the desk before is gone."""
        del tell
        path = self._example() if asked["path"] is None else Path(asked["path"])
        described = workflow.describe(path)
        self.revision += 1
        self.path, self.name = path, asked["name"]
        return {**described.to_dict(), "name": self.name, "revision": self.revision}

    def audit(self, asked: Json, tell: Tell) -> Json:
        """Measure the table as it is, and say in sentences what that means."""
        del tell
        found = workflow.audit(
            self._table(asked),
            sensitive=_columns(asked, "sensitive"),
            public=_columns(asked, "public"),
            side=_columns(asked, "side"),
        )
        audit = found.audit
        reader = f"A reader of {words.named(audit.public)}"
        if audit.side is not None:
            reader += f" who knows {words.named(audit.side)}"
        about = f"{reader} learns about {words.named(audit.sensitive)}:"
        return {
            "audit": found.to_dict(),
            "about": about,
            "findings": [
                {
                    "name": "In the worst case (L0)",
                    "number": words.bits(audit.l0_bits),
                    "sentence": words.worst_case(audit),
                },
                {
                    "name": "For certain (I*)",
                    "number": words.bits(audit.istar_bits),
                    "sentence": words.for_certain(audit),
                },
                {
                    "name": "At least (I0)",
                    "number": words.bits(audit.i0_bits),
                    "sentence": words.at_least(audit),
                },
                {
                    "name": "Candidates left",
                    "number": f"l = {audit.distinct_l:,}",
                    "sentence": words.candidates_left(audit),
                },
            ],
        }

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


def _columns(asked: Json, role: str) -> list[str]:
    columns = asked.get(role, [])
    if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
        raise OptionError("roles are lists of column names")
    return columns
