"""Several settings of ours side by side, each released and measured from its file.

A setting is a shape, the candidates left and the rows withheld. Its number depends on the columns of the
table and on the requirement alone, so that one of them can be released by it later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hartley.errors import HartleyError, OptionError, option
from hartley.model.demand import Demand
from hartley.model.requirement import Requirement
from hartley.workflow.against.compare_releases import JudgedRelease, compare_releases

if TYPE_CHECKING:
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.study import Study

LEAST = (2, 3, 5)
"""Sensitive values left for everyone, where nobody says how many."""
WITHHELD = ("0", "2%")
TIME_LIMIT = 5.0
"""Seconds for the search of each setting, where nobody says."""


@dataclass(frozen=True)
class Setting:
    """One way to release a table."""

    number: int
    shape: str
    distinct_l: int
    withhold: str

    def required(self, beside: Sequence[Requirement] = ()) -> Demand:
        """Return what its release must keep, with what is required beside."""
        return Demand(requirements=(Requirement("distinct-l", self.distinct_l), *beside))

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class NumberedSetting:
    """A setting, and what its release loses and protects; the reason where there is none."""

    setting: Setting
    judged: JudgedRelease | None
    refused: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            **self.setting.to_dict(),
            "refused": self.refused,
            "release": None if self.judged is None else self.judged.to_dict(),
        }


@dataclass(frozen=True)
class NumberedSettings:
    """Every setting, by its number."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    every: tuple[NumberedSetting, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "candidates": [one.to_dict() for one in self.every],
        }


def settings(study: Study, distinct_l: int | None = None) -> tuple[Setting, ...]:
    """Return the settings that fit the columns of a study, in the order of their numbers."""
    if not study.sensitive or not study.public:
        raise OptionError(f"name the columns with {option('sensitive')} and {option('public')}")
    shapes = ("any", "intervals", "tree") if len(study.public) == 1 else ("any", "columns", "tree")
    least = LEAST if distinct_l is None else (distinct_l,)
    # A tree withholds nothing: which rows are left out would tell something.
    every = [one for one in product(shapes, least, WITHHELD) if one[0] != "tree" or one[2] == WITHHELD[0]]
    return tuple(Setting(number, *one) for number, one in enumerate(every, start=1))


def find_candidates(
    study: Study,
    *,
    distinct_l: int | None = None,
    require: Sequence[Requirement] = (),
    time_limit: float | None = None,
    regress: Sequence[str] = (),
) -> NumberedSettings:
    """Release a table by every setting into a folder that does not stay, and judge each file.

    What else is ``require`` names holds for each of them.
    """
    found = []
    for setting in settings(study, distinct_l):
        with TemporaryDirectory() as folder:
            try:
                output = Path(folder) / "candidate.csv"
                # Labels that can be read back, rows in the table's order: all is measured from the file.
                labels = {} if setting.shape == "columns" else {"labels": "range"}
                asked: dict[str, Any] = {"require": require, "time_limit": time_limit, **labels}
                release_by(study, setting, output, keep_order=True, **asked)
                judged = compare_releases(
                    study, [output], setting.required(require), regress=regress
                ).releases[0]
            except HartleyError as error:
                found.append(NumberedSetting(setting, None, str(error)))
                continue
        found.append(
            NumberedSetting(setting, replace(judged, number=setting.number, name=_name(setting)), None)
        )
    return NumberedSettings(tuple(study.sensitive), tuple(study.public), tuple(found))


def release_by(
    study: Study,
    setting: Setting,
    output: str | Path,
    *,
    require: Sequence[Requirement] = (),
    time_limit: float | None = None,
    **fields: Any,
) -> ReleaseResult:
    """Release a table by a setting; raise where it cannot be."""
    return study.release(
        output,
        require=setting.required(require),
        shape=setting.shape,  # type: ignore[arg-type]
        withhold=setting.withhold,
        time_limit=TIME_LIMIT if time_limit is None else time_limit,
        **fields,
    )


def _name(setting: Setting) -> str:
    return f"{setting.shape}, l = {setting.distinct_l}, {setting.withhold} withheld"
