"""Several released files of one original side by side, by the same yardstick, whoever made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hartley.errors import ColumnError, OptionError, TableError, option
from hartley.measures.likeness.regression import Formula
from hartley.model.demand import Wanted
from hartley.workflow.against.audit_against import audit_against
from hartley.workflow.against.file_usefulness import FileUsefulness
from hartley.workflow.audit_table import AuditResult
from hartley.workflow.request.study_table import StudyTable


@dataclass(frozen=True, kw_only=True)
class JudgedRelease:
    """One released file, held against the original."""

    number: int
    """Its place in the list, from 1."""
    name: str
    result: AuditResult
    usefulness: FileUsefulness

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        found = self.result
        if found.against is None:  # an audit beside an original always has it
            raise OptionError(f"{option('against')} is missing")
        guess = max((one.guess_share for one in found.by_sensitive), default=None)
        return {
            "number": self.number,
            "name": self.name,
            "rows": found.audit.rows,
            "distinct_l": found.audit.distinct_l,
            "row_k": found.audit.row_k,
            "l0_bits": found.audit.l0_bits,
            "istar_bits": found.audit.istar_bits,
            "likeliest_guess": guess,
            "requirements": [one.to_dict() for one in found.requirements],
            "holds": found.holds,
            "against": found.against.to_dict(),
            "usefulness": self.usefulness.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class ReleaseComparison:
    """Released files of one original."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    releases: tuple[JudgedRelease, ...]

    @property
    def holds(self) -> bool:
        """Whether every file meets what is required."""
        return all(one.result.holds for one in self.releases)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in JSON."""
        return {
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "releases": [one.to_dict() for one in self.releases],
        }


def compare_releases(
    study: StudyTable,
    releases: Sequence[Any],
    require: Wanted = None,
    *,
    each: bool = False,
    hierarchies: Mapping[str, str | Path] | None = None,
    regress: Sequence[str] = (),
) -> ReleaseComparison:
    """Hold several released files against the table of a study; all are measured alike."""
    if not study.public:
        raise OptionError(f"name the columns that are published ({option('public')})")
    formulas = tuple(Formula.parse(text) for text in regress)
    judged = []
    for number, source in enumerate(releases, start=1):
        name = Path(source).name if isinstance(source, (str, Path)) else f"{type(source).__name__} {number}"
        file = replace(study, source=source)
        try:
            found = audit_against(
                file, study.source, require, each=each, hierarchies=hierarchies, regress=formulas, useful=True
            )
        except (ColumnError, TableError) as error:
            if name in error.message:
                raise
            raise type(error)(f"{name}: {error.message}") from None
        if found.against is None or found.against.usefulness is None:  # it was asked for
            raise OptionError(f"{option('release')} could not be measured")
        judged.append(
            JudgedRelease(number=number, name=name, result=found, usefulness=found.against.usefulness)
        )
    return ReleaseComparison(
        sensitive=tuple(study.sensitive), public=tuple(study.public), releases=tuple(judged)
    )
