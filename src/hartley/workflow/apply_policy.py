"""A policy on new data, audited again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack

import msgspec

from hartley.argument_kinds import checked
from hartley.errors import ColumnError, OptionError, UnreachableError, option
from hartley.measures.audit import Audit, measure
from hartley.measures.verdicts import verdicts
from hartley.model import Alphabet, JointRange
from hartley.model.closeness import Closeness
from hartley.model.demand import Demand, Wanted
from hartley.model.requirement import Requirement, Verdict, require_fitting
from hartley.model.words import Consent
from hartley.releases.apply import Applied, apply_codebook, codebook_of, open_for
from hartley.releases.formats import Format
from hartley.releases.policy import Policy, Unseen
from hartley.releases.rows.reader_view import ObservedRows
from hartley.releases.rows.source_rows import Rows
from hartley.releases.writer.claims import requirement_of
from hartley.releases.writer.original_source import require_publishable
from hartley.releases.writer.publication import require_defusable
from hartley.releases.writer.release_paths import require_not_input
from hartley.releases.writer.staging import staged
from hartley.tables import Roles, Table
from hartley.tables.value_files import groups_of
from hartley.workflow.persons.linked_rows import LinkedRows


@dataclass(frozen=True, kw_only=True)
class ApplyResult:
    """New data under an old policy, and what its readers learn.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(table, f"{folder}/out.csv", sensitive="age", public="chol", distinct_l=2)
    ...     again = hartley.apply(made.policy, table, f"{folder}/again.csv")
    >>> again.rows, again.unseen_rows, again.after.distinct_l
    (4, 0, 2)
    """

    output: Path
    """The file that was written."""
    rows: int
    """Its rows."""
    unseen_values: int
    """Public values that the policy had never seen."""
    unseen_rows: int
    """Rows whose public value the policy had never seen."""
    before: Audit | None
    """``None`` where the new data lacks the sensitive or side columns, so that nothing can be measured."""
    after: Audit | None
    """What a reader of the recoded and kept columns learns."""
    after_all: Audit | None
    """What a reader of every published column learns, the sensitive ones aside."""
    target: dict[str, Any]
    """What the policy was made for."""
    target_holds: bool | None
    """Whether the policy's own target holds for the new data; ``None`` where that cannot be measured."""
    requirements: tuple[Verdict, ...]
    """What the new file keeps of each requirement."""
    formula_cells: Mapping[str, int] = field(default_factory=dict)
    """How many cells of each column a spreadsheet would run; in the file they have a quote before them
    where that was asked for."""
    defused: bool = False
    """Whether they have."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as it stands in JSON."""
        return {
            "output": str(self.output),
            "rows": self.rows,
            "unseen": {"values": self.unseen_values, "rows": self.unseen_rows},
            "before": None if self.before is None else self.before.to_dict(),
            "after": None if self.after is None else self.after.to_dict(),
            "after_all": None if self.after_all is None else self.after_all.to_dict(),
            "target": self.target,
            "target_holds": self.target_holds,
            "requirements": [verdict.to_dict() for verdict in self.requirements],
            "formula_cells": dict(self.formula_cells),
        }


class AppliedFileFields(TypedDict, total=False):
    """How the file of an applied policy is written."""

    overwrite: bool
    defuse_formulas: bool


@checked
def apply(
    policy: str | Path | Policy,
    source: Any,
    output: str | Path,
    *,
    unseen: Unseen = "error",
    require: Wanted = None,
    person: str | None = None,
    unmet: Consent = "refuse",
    **written: Unpack[AppliedFileFields],
) -> ApplyResult:
    """Release new data by the codebook of an earlier release, and measure the result.

    A codebook that protected one table need not protect another: the result is audited again
    where the sensitive columns are there. Where what the policy asks for no longer holds, nothing is
    written, unless that is accepted.

    Parameters
    ----------
    policy : str, Path or Policy
        The policy of the earlier release, or its file.
    source
        The new data: a path, a pattern, the URL of a database, or a data frame.
    output : str or Path
        The file to write.
    unseen : {"error", "nearest", "suppress"}
        What to do with public values that the policy has never seen: refuse them, give them the label of
        the nearest value, or leave their cells empty.
    require
        What must hold for the new data, such as ``{"distinct_l": 5}``; otherwise nothing is written.
    person : str, optional
        The column that says whose row it is: what is required then holds for a reader who can link the rows
        of one person.
    unmet : {"refuse", "accept"}
        What to do where the requirements of the policy itself do not hold for the new data.
    **written
        How the file is written: ``overwrite``, whether to replace one that is there; ``defuse_formulas``,
        whether cells of a CSV file that a spreadsheet would run get a quote before them (they do anyway where
        the policy says so).

    Returns
    -------
    ApplyResult
        What was written, and what its readers learn.

    Raises
    ------
    PolicyError
        If the policy is damaged, or values are new to it and ``unseen`` is ``"error"``.
    UnreachableError
        If what is required does not hold; nothing was written.
    WriteError
        If the file cannot be written.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> first = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> second = pyarrow.table({"age": [33, 44], "chol": [181, 180]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(
    ...         first, f"{folder}/first.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    ...     )
    ...     later = hartley.apply(made.policy, second, f"{folder}/second.csv")
    >>> later.after.distinct_l, later.target_holds
    (2, True)
    """
    requirements = Demand.of(require).requirements
    book = policy if isinstance(policy, Policy) else Policy.read(policy)
    book.require_members()
    if book.choices.transparent is not msgspec.UNSET:
        raise OptionError(
            f"the policy was made with {option('transparent')}, which is proved for the rows it was made "
            f"from; a new table is a release of its own: release it with {option('transparent')}"
        )
    if written.get("defuse_formulas", False):
        book = msgspec.structs.replace(
            book, choices=msgspec.structs.replace(book.choices, formulas="defused")
        )
    out = Path(output)
    format_ = Format.of(out)
    require_not_input(out, source)
    table = open_for(book, source)
    try:
        measured = (*book.sensitive_names, *book.side_names)
        can_measure = all(name in table.column_names for name in measured)
        if requirements and not can_measure:
            raise ColumnError("nothing can be required of data without the sensitive and side columns")
        needed = [*book.public_names, *book.published, *(measured if can_measure else ())]
        drops = book.reading.missing == "drop"
        present = [*book.public_names, *book.keep, *(measured if can_measure else ())] if drops else []
        require_publishable(source, table, book.published)
        rows = Rows(table, needed, present=present)
        applied = apply_codebook(book, rows, unseen)
        audits: tuple[Audit | None, Audit | None, Audit | None] = (None, None, None)
        held: tuple[Verdict, ...] = ()
        own: tuple[Verdict, ...] = ()
        if can_measure:
            audits, seen = _audits(book, table, rows, applied, format_)
            closeness = closeness_of(book, seen.sensitive)
            require_fitting(requirements, seen.sensitive.columns, closeness)
            judged = seen if person is None else _seen_of_persons(book, table, applied, person)
            held, own = verdicts(judged, requirements, closeness), verdicts(judged, asked_by(book), closeness)
        elif person is not None:
            raise ColumnError("nothing is known of persons in data without the sensitive and side columns")
        failed = next((verdict for verdict in held if not verdict.holds), None)
        if failed is not None:
            raise UnreachableError(
                f"{failed.requirement.label} is {failed.found:g} where {failed.wanted:g} is required; "
                "nothing was written"
            )
        broken = next((verdict for verdict in own if not verdict.holds), None)
        if broken is not None and unmet == "refuse":
            raise UnreachableError(
                f"this table does not keep what the policy was made for: {broken.requirement.label} is "
                f"{broken.found:g}, and {broken.wanted:g} is required; nothing was written. Release it on "
                f"its own, or give {option('accept_unmet')}"
            )
        formula_cells = applied.publication.formula_cells(format_)
        require_defusable(book, formula_cells)
        with staged({"output": out}, overwrite=written.get("overwrite", False)) as staging:
            applied.publication.write(staging.path("output"), format_, keep_order=book.choices.keep_order)
            staging.publish()
        return ApplyResult(
            output=out,
            rows=rows.count(),
            unseen_values=applied.unseen_values,
            unseen_rows=applied.unseen_rows,
            before=audits[0],
            after=audits[1],
            after_all=audits[2],
            target=dict(book.choices.target),
            target_holds=all(verdict.holds for verdict in own) if own else None,
            requirements=held,
            formula_cells=formula_cells,
            defused=book.choices.defuses_formulas,
        )
    finally:
        table.close()


def _audits(
    policy: Policy, table: Table, rows: Rows, applied: Applied, format_: Format
) -> tuple[tuple[Audit, Audit, Audit], JointRange]:
    drops = policy.reading.missing == "drop"
    side = policy.side_names
    asked = Roles(
        sensitive=policy.sensitive_names,
        public=policy.public_names,
        side=tuple(dict.fromkeys((*side, *policy.keep))) if drops else side,
    )
    joint = table.joint_range(asked, missing=policy.reading.missing).joint
    observed = ObservedRows(
        rows, joint.public, joint.sensitive, format_, side=side, keep=policy.keep, harmless=policy.harmless
    )
    book = codebook_of(policy, joint.public, applied.unseen)
    seen = observed.reader(book)
    audits = measure(observed.before()), measure(seen), measure(observed.reader(book, harmless=True))
    return audits, seen


def _seen_of_persons(policy: Policy, table: Table, applied: Applied, person: str) -> JointRange:
    """Return what a reader sees who can link the rows of one person."""
    linked = LinkedRows.of_policy(table, policy, person)
    linked.require_countable(asked_by(policy))
    return linked.seen(codebook_of(policy, linked.joint.public, applied.unseen).partition)


def asked_by(policy: Policy) -> tuple[Requirement, ...]:
    """Return what a policy asks of every release by it; caps on what is lost are of the first one alone."""
    return tuple(map(requirement_of, policy.requirements))


def closeness_of(policy: Policy, sensitive: Alphabet) -> Closeness:
    """Return which sensitive values count as one under a policy."""
    groups = {name: groups_of(sensitive, name, dict(given)) for name, given in policy.choices.groups.items()}
    return Closeness.of(policy.choices.tolerance, groups)
