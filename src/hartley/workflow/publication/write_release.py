"""The files of a release: written together, verified as they are on disk, and only then published."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

import hartley
from hartley.errors import WriteError
from hartley.frontiers import Point
from hartley.measures.audit import Audit, measure
from hartley.measures.by_column import ColumnLeft, guess_to_dict
from hartley.measures.uncertainty import row_counts
from hartley.measures.usefulness import Usefulness
from hartley.measures.verdicts import ToleranceMeasures
from hartley.model import JointRange, Partition
from hartley.model.arrays import Int64s
from hartley.model.closeness import Closeness
from hartley.model.demand import Target
from hartley.model.requirement import Verdict
from hartley.model.words import ObjectiveName
from hartley.operating_system import undisturbed
from hartley.releases.certificate import Certificate, Envelope, file_sha256, transparent_statement
from hartley.releases.point_labels import codebooks_record
from hartley.releases.policy import Policy
from hartley.releases.record import Commitments, Measures, Record
from hartley.releases.writer.claims import Released, certificate_of
from hartley.releases.writer.database_table import new_table
from hartley.releases.writer.original_source import doubt_about, original_file
from hartley.releases.writer.public_codebook import PublicCodebook
from hartley.releases.writer.publication import Publication, require_defusable
from hartley.releases.writer.release_paths import policies_beside
from hartley.releases.writer.released_folder import FolderWriter, frame_like
from hartley.releases.writer.staging import Staging, cannot_write, staged
from hartley.search.problem import CostMeaning
from hartley.verifier.verification import (
    Documents,
    Verification,
    input_commitment,
    policy_commitment,
    verify_release,
)
from hartley.workflow.publication.choose_point import ChosenPoint
from hartley.workflow.publication.prove_point import prove_point
from hartley.workflow.publication.release_plan import ReleaseFiles, ReleasePlan
from hartley.workflow.publication.release_policy import original_of, policy_of_release
from hartley.workflow.request.destination import Destination


@dataclass(frozen=True, kw_only=True)
class ReleaseResult:
    """What was released, what it was before and is now, and where the files are.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(
    ...         table, f"{folder}/out.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    ...     )
    >>> made.before.distinct_l, made.after.distinct_l, made.verification.holds
    (1, 2, True)
    """

    output: Path
    """The released file; a folder of Parquet files where the rows stay in Spark."""
    policy: Path
    """The policy file, which stays with the curator."""
    certificate: Path
    """The certificate file, to be published with the release."""
    record: Path
    """The record file, which stays with the curator: everything that was measured."""
    codebook: Path
    """The public codebook as CSV; as a page and as JSON it stands beside, with other endings."""
    signature: Path | None
    """The file with the signature of the certificate; ``None`` where it is not signed."""
    rows: int
    """Rows of the released file."""
    dropped_rows: int
    """Rows left out because a value was missing, where that was asked for."""
    point: Point
    """The point of the frontier that was released."""
    before: Audit
    """What a reader of the columns as they were would learn."""
    after: Audit
    """What a reader of the recoded and kept columns learns."""
    after_all: Audit
    """What a reader of every published column learns, the sensitive ones aside."""
    together: Audit | None
    """As ``after``, for a reader who also has the earlier releases."""
    together_all: Audit | None
    """As ``after_all``, for a reader who also has the earlier releases."""
    verification: Verification
    """What the verifier counted in the files as they are on disk."""
    input_sha256: str | None
    """For the curator: the certificate holds a keyed commitment instead. ``None`` for a frame."""
    output_sha256: str
    """The hash of the released file."""
    columns: tuple[tuple[str, str], ...]
    """Every column of the table, and how it was treated."""
    coincided: int
    """Clusters that were lost because labels had to coincide."""
    target: Target
    """What was asked for."""
    requirements: tuple[Verdict, ...]
    """What the release keeps of each requirement, for the reader for whom it must hold."""
    usefulness: Usefulness
    """What is left of the public columns: how far values move, how wide classes are, what agrees."""
    closeness: Closeness
    """Which sensitive values count as one."""
    formula_cells: Mapping[str, int]
    """How many cells of each column a spreadsheet would run; in the file they have a quote before them
    where that was asked for."""
    separations: Mapping[str, ToleranceMeasures]
    """With a tolerance, what ``before``, ``after`` and ``after_all`` keep of values that are apart."""
    complete: bool
    """Whether the search ended by itself, not at its time limit."""
    cost_meaning: CostMeaning
    """What the cost of a class over several columns is."""
    objective: ObjectiveName
    """What was to be small over several columns."""
    unused_budget: int = 0
    """Rows that could have been withheld where none is, for it buys nothing; 0 elsewhere."""
    helpful_rows: int | None = None
    """Where a budget buys nothing, the fewest rows found to help; ``None`` if none were."""
    needed_rows: int = 0
    """Where a budget buys nothing, fewer rows than these cannot keep what is required of a released value."""
    statement: str | None = None
    """What the certificate promises to a reader who knows the program; ``None``: nothing."""
    by_sensitive: tuple[ColumnLeft, ...] = ()
    """What a reader of everything published is left with of each sensitive column by itself."""
    counts_rows: bool = False
    """Whether no column is sensitive and only rows were counted; its measures are of the public values."""
    persons: tuple[Audit, Audit] | None = None
    """What is learnt of persons, whose rows are linked, before and after; ``None`` where rows count."""
    jointly: bool = False
    """Whether several sensitive columns count as one joint value."""
    identifiers: Mapping[str, str] = field(default_factory=dict)
    """Columns that look like they name people and are published on the curator's word, with the reasons."""
    transparent_loss: float | None = None
    """With the sensitive columns published, the mean relative width of a class of the tree that holds for a
    reader who knows the program; for the curator alone. ``None`` where none was grown."""
    policies_beside: tuple[Path, ...] = ()
    """Policies of tables with the same columns beside the release that were not named as earlier ones."""
    joint: JointRange = field(repr=False, compare=False)
    """What the search saw: the public values, and beside them what the reader sees or knows.

    Of a table that was searched in parts, the public and sensitive values alone.
    """
    partition: Partition = field(repr=False, compare=False)
    """The public values that share a label."""

    def __repr__(self) -> str:
        held = "verified" if self.verification.holds else "NOT VERIFIED"
        return f"ReleaseResult({self.output.name!r}: {self.rows} rows, l={self.after_all.distinct_l}, {held})"

    def _repr_html_(self) -> str:
        from hartley.report.notebook import release_html

        return release_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as it stands in JSON."""
        return {
            "output": str(self.output),
            "rows": self.rows,
            "dropped_rows": self.dropped_rows,
            "target": self.target.to_dict(),
            "point": self.point.to_dict(),
            **{
                name: audit.to_dict() | (self.separations[name].to_dict() if self.separations else {})
                for name, audit in (
                    ("before", self.before),
                    ("after", self.after),
                    ("after_all", self.after_all),
                )
            },
            "together": None if self.together is None else self.together.to_dict(),
            "together_all": None if self.together_all is None else self.together_all.to_dict(),
            "verified": self.verification.holds,
            "sha256": {"input": self.input_sha256, "output": self.output_sha256},
            "policy": str(self.policy),
            "certificate": str(self.certificate),
            "record": str(self.record),
            "codebook": str(self.codebook),
            "signature": None if self.signature is None else str(self.signature),
            "requirements": [verdict.to_dict() for verdict in self.requirements],
            "usefulness": self.usefulness.to_dict(),
            "complete": self.complete,
            "searched_parts": 1,  # as before 0.3, when large tables were searched in parts
            "columns": [{"name": name, "treatment": treatment} for name, treatment in self.columns],
            "formula_cells": dict(self.formula_cells),
            "statement": self.statement,
            "counts_rows": self.counts_rows,
            "likeliest_guess": guess_to_dict(self.by_sensitive),
            "by_sensitive": [one.to_dict() for one in self.by_sensitive],
            "identifiers": [{"column": name, "reason": why} for name, why in self.identifiers.items()],
            "transparent_loss": self.transparent_loss,
            "policies_beside": [place.name for place in self.policies_beside],
        }


@contextmanager
def _aside(files: ReleaseFiles, *, overwrite: bool) -> Iterator[Staging]:
    """Write the files aside; the folder of a release that stays in Spark is written beside them."""
    places = {role: place for role, place in files.places.items() if role != "output" or not files.in_spark}
    with staged(places, overwrite=overwrite, private=("policy", "record")) as staging:
        try:
            yield staging
        finally:
            if files.in_spark:
                shutil.rmtree(files.places["output"].parent / staging.home.name, ignore_errors=True)


def write_release(
    plan: ReleasePlan,
    files: ReleaseFiles,
    destination: Destination,
    reached: ChosenPoint,
    usefulness: Usefulness,
    progress: Callable[[int, int, str], None],
    *,
    is_complete: bool,
) -> ReleaseResult:
    """Write the release and its documents, have them verified, and let all of them appear together."""
    study, question, places, key = plan.study, plan.question, files.places, files.signer
    policy = policy_of_release(plan, destination, reached)
    known = (*study.earlier, places["policy"])
    beside = policies_beside(places["output"].parent, plan.table.column_names, plan.roles.sensitive, known)
    original = original_of(study.source, study.reading, policy)
    book, whole = reached.book, plan.observed.before()
    rows_of_clusters = row_counts(whole.without_side(), book.partition)
    audits, separations = _measured(whole, plan, reached)
    with _aside(files, overwrite=destination.overwrite) as staging:
        folder: FolderWriter | None = None
        formula_cells: dict[str, int] = {}
        output: Any
        try:
            if files.in_spark:
                rows = original.frame if plan.reduced is None else frame_like(study.source, plan.reduced.path)
                folder = FolderWriter(rows, places["output"], staging.home.name)
                output = folder.write(policy)
                output_sha256 = output.sha256()
            else:
                output = staging.path("output")
                formula_cells = _write_rows(plan, policy, output, rows_of_clusters)
                output_sha256 = file_sha256(output)
            staging.path("policy").write_bytes(policy.to_json())
            codebook = PublicCodebook.of(
                places["output"].name,
                policy,
                rows_of_clusters,
                [verdict.requirement for verdict in reached.verdicts],
            )
            staging.path("codebook").write_bytes(codebook.to_csv())
            staging.path("codebookpage").write_bytes(codebook.to_html())
            staging.path("codebookddi").write_bytes(codebook.to_json())
            released = Released(
                policy=policy,
                public=plan.public,
                book=book,
                utility=question.utility,
                joint=question.joint,
                before=whole,
                audit=reached.audit,
                verdicts=reached.verdicts,
                bits=reached.bits,
            )
            columns, requirements = released.columns(), released.requirements()
            measures = {name: one and Measures.of(one.to_dict()) for name, one in audits.items()}
            point, proofs = prove_point(released)
            record = Record(
                hartley=hartley.__version__,
                output_sha256=output_sha256,
                rows=reached.audit.rows,
                rows_withheld=reached.point.withheld_rows,
                dropped_rows=plan.read.dropped_rows,
                order="kept" if destination.keep_order else "shuffled",
                columns=columns,
                requirements=requirements,
                **measures,  # type: ignore[arg-type]
                point=point,
                proofs=proofs,
                commitments=Commitments(
                    original=input_commitment(policy, original),
                    policy=policy_commitment(policy, policy),
                    earlier=tuple(policy_commitment(policy, one) for one in plan.earlier),
                ),
                codebooks=codebooks_record(reached.point, book),
                usefulness=usefulness.to_dict(),
                timings={},
            )
            staging.path("record").write_bytes(record.to_json())
            certificate = certificate_of(
                policy,
                record,
                name=places["output"].name,
                earlier=len(plan.earlier),
                signed=key is not None,
            )
            staging.path("certificate").write_bytes(certificate.to_json())
            if key is not None:
                staging.path("signature").write_bytes(key.sign(certificate).to_json())
        except OSError as error:
            raise cannot_write(places["output"].parent, error) from None
        # From here on the policy is that of the file: both would take the memory of its values twice.
        del policy, released, codebook
        policy = Policy.read(staging.path("policy"))
        # Nothing is published that the verifier, with the files as they are on disk, does not confirm.
        verification = verify_release(
            output,
            original,
            policy,
            Documents(
                certificate=Certificate.read(staging.path("certificate")),
                record=Record.read(staging.path("record")),
                codebook=staging.path("codebook").read_bytes(),
                envelope=None if key is None else Envelope.read(staging.path("signature")),
                key=None if key is None else key.public,
            ),
            plan.earlier,
            progress,
        )
        if not verification.holds:
            failed = verification.failures[0]
            raise WriteError(
                f"the verifier does not confirm the release ({failed.name}: {failed.reason}); "
                f"nothing was written{doubt_about(original)}"
            )
        if files.database is not None:
            plan.table.close()  # a reader of SQLite keeps writers out
        input_sha256 = file_sha256(source) if (source := original_file(original)) else None
        if folder is not None:
            with undisturbed(), folder.published():
                staging.publish()
        else:
            filled: AbstractContextManager[Callable[[], None] | None] = nullcontext()
            if files.database is not None:
                filled = new_table(files.database, str(destination.into), output)
            with filled as commit, undisturbed():
                # The files are whole without the table, so they come first.
                staging.publish()
                if commit is not None:
                    commit()
    return ReleaseResult(
        output=places["output"],
        policy=places["policy"],
        certificate=places["certificate"],
        record=places["record"],
        codebook=places["codebook"],
        signature=places.get("signature"),
        rows=reached.audit.rows,
        dropped_rows=plan.read.dropped_rows,
        point=reached.point,
        **audits,  # type: ignore[arg-type]
        verification=verification,
        input_sha256=input_sha256,
        output_sha256=output_sha256,
        columns=tuple((name, policy.treatment(name)) for name in policy.columns),
        coincided=book.coincided,
        target=plan.demand.target,
        requirements=reached.verdicts,
        closeness=question.closeness,
        formula_cells=formula_cells,
        usefulness=usefulness,
        separations=separations,
        complete=is_complete,
        cost_meaning=question.cost_meaning,
        objective=question.objective if plan.demand.cap is None else "worst",
        statement=None if policy.choices.transparent is msgspec.UNSET else str(transparent_statement(policy)),
        jointly=study.jointly,
        policies_beside=beside,
        joint=question.joint,
        partition=book.partition,
    )


def _write_rows(plan: ReleasePlan, policy: Policy, output: Path, rows_of_clusters: Int64s) -> dict[str, int]:
    """Write the released table; count the cells of each column that a spreadsheet would run as they stand."""
    publication = Publication(plan.rows, policy)
    formula_cells = publication.formula_cells(plan.format_)
    require_defusable(policy, formula_cells)
    publication.write(
        output,
        plan.format_,
        keep_order=policy.choices.keep_order,
        cluster_rows=rows_of_clusters,
    )
    return formula_cells


def _measured(
    whole: JointRange, plan: ReleasePlan, reached: ChosenPoint
) -> tuple[dict[str, Audit | None], dict[str, ToleranceMeasures]]:
    """Measure what is learnt before and after; where there is a tolerance, what is kept apart, too."""
    observed, book, closeness = plan.observed, reached.book, plan.question.closeness
    audits: dict[str, Audit | None] = dict.fromkeys(("together", "together_all"))
    apart: dict[str, ToleranceMeasures] = {}

    def learn(name: str, joint: JointRange) -> None:
        audits[name] = measure(joint)
        if not closeness.is_empty:
            apart[name] = ToleranceMeasures.of(joint, closeness)

    learn("before", whole)
    if plan.reduced is not None:
        audits["before"] = plan.reduced.before
    if plan.earlier or not closeness.is_empty:
        learn("after", observed.reader(book))
    if plan.harmless:
        learn("after_all", observed.reader(book, harmless=True))
    audits.setdefault("after", reached.audit)  # the reader for whom it must hold is this one
    audits.setdefault("after_all", audits["after"])
    if plan.earlier:
        audits["together"] = reached.audit
        audits["together_all"] = measure(observed.reader(book, harmless=True, earlier=True))
    if apart:
        apart.setdefault("after_all", apart["after"])
    return audits, apart
