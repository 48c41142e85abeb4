"""Ways to publish a table side by side: shapes, candidates left and rows withheld, each released for real.

Each is what one command of the command line releases, so the page can name that command, and the one that is
chosen is there already.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hartley.errors import HartleyError, InputError
from hartley.releases.policy import Policy
from hartley.report.words import audit as words
from hartley.report.words import release as release_words
from hartley.tables.looks.identifiers import count_values
from hartley.web.page_json import reader_line, release_page
from hartley.web.recoding_page import Book, column_pages
from hartley.web.request import Asked, as_label, typed_reading
from hartley.workflow.against.candidates import LEAST, TIME_LIMIT, Setting, settings
from hartley.workflow.request.declared_options import typed_options
from hartley.workflow.request.time_limit import effort_within
from hartley.workflow.show_release import CodebookLines
from hartley.workflow.study import Study

if TYPE_CHECKING:
    from threading import Event

    from hartley.tables import ReadOptions
    from hartley.web.worker import Tell
    from hartley.workflow.publication.write_release import ReleaseResult

Json = dict[str, Any]
FIRST_L = 3
"""The candidates left of the ways that are shown first."""
FIRST_SHAPES: tuple[str, ...] = ("columns", "intervals", "any", "tree")
"""Of large tables the first are found soonest."""
SHAPES = {
    "any": "any values together",
    "intervals": "neighbours only",
    "columns": "bands of each column",
    "tree": "boxes cut from each other",
}
"""What the page calls them."""


@dataclass(frozen=True)
class ReleasedWay:
    """A way to publish the table, and its release; the reason where there is none."""

    setting: Setting
    made: ReleaseResult | None
    refused: str | None
    command: str

    def to_dict(self) -> Json:
        """Return it as the page shows it."""
        shown = {**self.setting.to_dict(), "refused": self.refused, "command": self.command}
        if self.made is None:
            return shown
        made, use = self.made, self.made.usefulness
        guesses = [one.guess_share for one in made.by_sensitive]
        return {
            **shown,
            "verdict": release_words.verdict(made).to_dict(),
            "loss": use.loss,
            "columns": [
                {"name": one.name, "lost": one.mean_relative_width, "unchanged": one.unchanged_share}
                for one in use.columns
            ],
            "unchanged": use.rows_unchanged_share,
            "withheld_rows": use.withheld_rows,
            "left": made.after_all.distinct_l,
            "row_k": made.after_all.row_k,
            "guess": max(guesses) if guesses else None,
            "complete": made.complete,
        }


@dataclass(frozen=True, kw_only=True)
class CandidateSearch:
    """Releases a table in every way that fits what is asked."""

    table: Path
    name: str
    """The table's name, as the user knows it."""
    stem: str
    """How released files are called, less their ending."""
    ending: str
    folder: Path
    options: ReadOptions
    policies: tuple[Policy, ...]
    policy_names: tuple[str, ...]
    stop: Event
    given: Asked

    def find(self, tell: Tell) -> list[ReleasedWay]:
        """Release every way, the most usual first, telling of each as it is there."""
        study = self._study()
        found: list[ReleasedWay] = []
        with study:
            every = sorted(self._settings(study), key=_turn)
            for at, setting in enumerate(every):
                if self.stop.is_set():
                    break
                tell({"progress": {"done": at, "total": len(every), "what": _words(setting)}})
                found.append(self._released(study, setting))
                tell({"frontier": candidates_page(found, complete=False)})
        return sorted(found, key=lambda one: one.setting.number)

    def _study(self) -> Study:
        given = self.given
        return Study(
            self.table,
            harmless=given.harmless,
            publish_sensitive=given.publish_sensitive,
            earlier=self.policies,
            options=self.options,
            **{**given.table_fields, "jointly": self._is_joint},
            **given.study_fields,
        )

    @property
    def _is_joint(self) -> bool:
        """Whether something is asked of several sensitive columns as one value."""
        of_all = (one for one in self.given.requirements if one.name != "row-k" and one.column is None)
        return len(self.given.sensitive) > 1 and any(of_all)

    @property
    def _wanted(self) -> dict[str | None, int]:
        """How many candidates are asked for, by the sensitive column; ``None``: of what is sensitive."""
        asked = self.given.requirements
        return {one.column: int(one.wanted) for one in asked if one.name == "distinct-l"}

    @property
    def _is_said(self) -> bool:
        """Whether it is said how many candidates every sensitive column keeps."""
        return None in self._wanted or (bool(self._wanted) and set(self.given.sensitive) <= set(self._wanted))

    def _requirements(self, setting: Setting) -> list[str]:
        """Return what a way must keep: its count of candidates, and everything that is asked."""
        others = [one.text for one in self.given.requirements]
        return others if self._is_said else [f"distinct-l={setting.distinct_l}", *others]

    def _settings(self, study: Study) -> Iterable[Setting]:
        """Return the ways that fit what is said of shape and withheld rows, and leave what can be left.

        A reader who knows the program asks for trees, own borders for bands; no tree is proved for persons.
        """
        given, wanted = self.given, self._wanted
        every = settings(study, min(wanted.values()) if self._is_said else None)
        if not (self._is_said or self._is_joint):
            with study.opened() as table:
                most = max(LEAST[0], min(count_values(table, given.sensitive).values()))
            every = tuple(one for one in every if one.distinct_l <= most)
        shapes = FIRST_SHAPES
        if given.transparent or given.shape == "tree":
            shapes = ("tree",)
        elif given.own_borders or given.shape != "any":
            shapes = ("intervals", "columns")
        elif given.person is not None:
            shapes = FIRST_SHAPES[:-1]
        held = f"{given.withhold:g}%" if given.withhold else None
        return [
            replace(one, withhold=held) if held is not None and one.withhold != "0" else one
            for one in every
            if one.shape in shapes
        ]

    def _released(self, study: Study, setting: Setting) -> ReleasedWay:
        given, command = self.given, self._command(setting)
        folder = self.folder / str(setting.number)
        folder.mkdir(parents=True)
        own: Json = {"borders": given.listed_borders} if given.own_borders else {}
        is_timed = not given.transparent  # when a search ends may depend on sensitive values
        try:
            made = study.release(
                folder / f"{self.stem}{self.ending}",
                require=self._requirements(setting),
                shape=setting.shape,  # type: ignore[arg-type]
                withhold=setting.withhold,
                withheld_label=given.withheld_label if setting.withhold != "0" else None,
                keep_order=given.keep_order,
                defuse_formulas=given.defuse_formulas,
                effort=effort_within(TIME_LIMIT if is_timed else None, should_stop=self.stop.is_set),
                **given.release_fields,
                **own,
            )
        except HartleyError as error:
            return ReleasedWay(setting, None, error.said(as_label), command)
        return ReleasedWay(setting, made, None, command)

    def _command(self, setting: Setting) -> str:
        """Return the command that makes the same release."""
        given, is_withholding = self.given, setting.withhold != "0"
        said = {
            **{name: getattr(given, name) for name in ("sensitive", "public", "side", "keep", "harmless")},
            "require": self._requirements(setting),
            "shape": setting.shape,
            "tolerance": given.tolerance,
            "withhold": setting.withhold if is_withholding else None,
            "withheld_label": given.withheld_label if is_withholding else None,
            **given.typed_release,
            "jointly": self._is_joint,
            "publish_sensitive": given.publish_sensitive,
            "keep_order": given.keep_order,
            "defuse_formulas": given.defuse_formulas,
            "missing": None if given.missing == "value" else given.missing,
            "missing_at": given.missing_at,
            "earlier": self.policy_names,
            "time_limit": None if given.transparent else TIME_LIMIT,
            **typed_reading(self.options),
        }
        return shlex.join(
            ["hartley", "release", self.name, f"{self.stem}{self.ending}", *typed_options(said)]
        )


def taken_page(one: ReleasedWay, given: Asked) -> tuple[Json, Book]:
    """Return the release of a way that was chosen, as the page shows a release, and its codebook."""
    made = one.made
    if made is None:
        raise InputError("there is no release of this way; choose another")
    as_it_is = f"of {words.listed((*given.public, *given.keep))} as the table has it"
    lines = CodebookLines.of_point(made.joint, made.point, None)
    is_same = np.array_equal(lines.book.partition.labels, made.partition.labels)
    is_counted = is_same and len(given.sensitive) == 1 and made.persons is None
    known = Book.of(made.joint, made.point, None) if is_counted else Book((), len(given.public))
    book = known.as_released(Policy.read(made.policy))
    page = {
        **release_page(made, given, reader_line(as_it_is, made.before), book),
        "about": f"{made.usefulness.values_before:,} different values of {words.listed(given.public)} became "
        f"{made.usefulness.values_after:,}.",
        "command": one.command,
        **(column_pages(made.joint, made.point, made.usefulness, lines.book) if is_same else {"strips": []}),
        "files": release_files(made),
    }
    return page, book


def release_files(made: ReleaseResult) -> Json:
    """Return the files of a release by our words for them, with the names under which they are saved."""
    page, ddi = made.codebook.with_suffix(".html"), made.codebook.with_suffix(".json")
    named = {
        "table": made.output,
        "codebook": made.codebook,
        "codebook-page": page,
        "codebook-ddi": ddi,
        "certificate": made.certificate,
        "policy": made.policy,
        "record": made.record,
    }
    return {word: (str(path), path.name) for word, path in named.items()}


def candidates_page(found: Iterable[ReleasedWay], *, complete: bool) -> Json:
    """Return the ways that were found, by their numbers."""
    listed = sorted(found, key=lambda one: one.setting.number)
    return {"candidates": [one.to_dict() for one in listed], "complete": complete}


def _turn(setting: Setting) -> tuple[int, int, int, int]:
    """Return when it is a setting's turn: usual ones first, trees of large tables last."""
    return (
        setting.withhold != "0",
        FIRST_SHAPES.index(setting.shape) == len(FIRST_SHAPES) - 1,
        abs(setting.distinct_l - FIRST_L),
        FIRST_SHAPES.index(setting.shape),
    )


def _words(setting: Setting) -> str:
    held = "nothing" if setting.withhold == "0" else setting.withhold
    return f"{SHAPES[setting.shape]}, {setting.distinct_l} left, {held} withheld"
