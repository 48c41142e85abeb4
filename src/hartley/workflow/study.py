"""A study: a table with its roles, and everything that can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from hartley.argument_kinds import checked
from hartley.lazy import late_function
from hartley.model import JointRange
from hartley.model.demand import Demand, Wanted
from hartley.workflow.audit_table import AuditResult, audit_table
from hartley.workflow.request.destination import Destination, DestinationFields
from hartley.workflow.request.named_demand import DemandFields, NamedDemand
from hartley.workflow.request.objective import Objective, ObjectiveFields
from hartley.workflow.request.study_table import StudyFields, StudyTable, sorted_into
from hartley.workflow.request.time_limit import LimitFields, SearchLimits

if TYPE_CHECKING:
    from hartley.frontiers import Frontier, Point
    from hartley.workflow.find_frontier import FrontierResult
    from hartley.workflow.publication.write_release import ReleaseResult
    from hartley.workflow.rivals.comparison import Comparison


class SearchFields(ObjectiveFields, LimitFields, total=False):
    """What a search is told, as keywords."""


class ReleaseFields(SearchFields, DestinationFields, DemandFields, total=False):
    """What a release is told, as keywords."""


class Study(StudyTable):
    """A table with its roles: who is protected, what is published, what the reader knows.

    As a context manager it opens the table once, and closes it for sure; without one, every call
    opens and closes it.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    sensitive, jointly
        Columns to protect, each by itself, or jointly as one value.
    public, side
        Columns to publish, and that the reader knows already.
    keep, harmless
        Columns that are published unchanged: counted in what is required, or left out on your word.
    publish_sensitive
        Whether the sensitive columns are published as well.
    earlier
        Policies of earlier releases of the same data.
    person
        The column that says whose row it is, where a reader can link the rows of one person.
    missing, missing_at
        Whether a missing cell is a value or its row is dropped; where a missing number lies.
    tolerance, groups
        Which values of a sensitive column count as one: those within a distance, or in one group.
    options
        How the table is read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with Study(table, sensitive="age", public="chol") as study:
    ...     study.audit().audit.distinct_l
    ...     study.frontier().frontier.meeting({"distinct_l": 2}).max_distortion
    1
    0.5
    """

    def __enter__(self) -> Self:
        self.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        shown: str = late_function("Study.html")(self)
        return shown

    @checked
    def audit(self, *, require: Wanted = None, each: bool = False, stochastic: bool = False) -> AuditResult:
        """Measure what a reader of the public columns learns about the sensitive ones.

        Parameters
        ----------
        require
            What must hold: ``{"distinct_l": 5, "row_k": 10}``, or texts such as ``"distinct-l:age=5"``.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
        stochastic
            Whether to add what statistics say, with the row frequencies as probabilities.

        Returns
        -------
        AuditResult
            The measures, with the witnesses that say why.
        """
        return audit_table(self, require, each=each, stochastic=stochastic)

    @checked
    def frontier(
        self,
        *,
        require: Wanted = None,
        each: bool = False,
        utility_weight: float | None = None,
        so_far: Callable[[Callable[[], Frontier]], None] | None = None,
        **fields: Unpack[SearchFields],
    ) -> FrontierResult:
        """Search the frontier of leakage against utility.

        Parameters
        ----------
        require
            What every point must keep, such as ``{"row_k": 10}``.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
        utility_weight
            Where a greedy run stops; the greedy search of ``leakage="joint"`` chooses its merges by it.
        so_far
            Is offered the frontier while an optimal search makes it grow.
        **fields
            ``leakage``, ``utility``, ``search``, ``shape`` with ``borders``, ``offset``, ``equal_width`` and
            ``open_ends``, ``withhold`` (``"2%"``, or several, ``["0", "2%"]``: one frontier each, in
            :attr:`FrontierResult.budgets`); ``time_limit``, ``seed``, ``progress`` or an ``effort``.

        Returns
        -------
        FrontierResult
            The frontier, and the joint range it is of.
        """
        from hartley.workflow.find_frontier import find_frontier

        objective, limits = sorted_into(fields, Objective, SearchLimits)
        return find_frontier(
            self,
            Objective(**objective),
            SearchLimits(**limits),
            require=require,
            each=each,
            utility_weight=utility_weight,
            so_far=so_far,
        )

    @checked
    def release(
        self,
        output: str | Path,
        *,
        require: Wanted = None,
        target: Wanted = None,
        each: bool = False,
        point: Point | None = None,
        found_in: JointRange | None = None,
        **fields: Unpack[ReleaseFields],
    ) -> ReleaseResult:
        """Release the table so that what is required holds, with its policy and certificate.

        Parameters
        ----------
        output
            The released file; policy, certificate and record go beside it.
        require
            What every released value must keep, such as ``{"distinct_l": 5, "row_k": 10}``, and at most
            one cap on what may be lost (``max_distortion``, ``largest_cluster``).
        target
            The same, as one :class:`Target`.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
            Without any, only ``row_k`` can be required.
        point, found_in
            A point of a frontier found before, and the joint range of that frontier: nothing is searched.
        **fields
            ``leakage``, ``utility``, ``search``, ``shape``; ``labels``, ``policy``, ``certificate``,
            ``into``, ``into_database``, ``keep_order``, ``overwrite``; ``time_limit``, ``seed``,
            ``progress``, ``effort``. In place of ``require``: ``distinct_l``, ``separated_l``, ``row_k``,
            ``max_distortion``, ``largest_cluster``.

        Returns
        -------
        ReleaseResult
            What was released, what it was before and is now, and where the files are.
        """
        from hartley.workflow.make_release import KnownPoint, make_release

        objective, limits, destination, named = sorted_into(
            fields, Objective, SearchLimits, Destination, NamedDemand
        )
        wanted = NamedDemand(**named).beside(target if require is None else require)
        demand = self.demand(wanted, each=each)
        study, counts_rows = self, not self.sensitive
        if counts_rows:
            study, destination["exposure"] = self.counting_rows(demand), "accept"
        made = make_release(
            study,
            demand,
            Destination(output=output, **destination),
            Objective(**objective),
            SearchLimits(**limits),
            None if point is None else KnownPoint(point=point, found_in=found_in),
        )
        return replace(made, counts_rows=counts_rows, by_sensitive=() if counts_rows else made.by_sensitive)

    def demand(self, wanted: Wanted, *, each: bool) -> Demand:
        """Return a demand, of each sensitive column by itself unless they count jointly."""
        demand = Demand.of(wanted)
        return replace(demand, requirements=self.by_column(demand.requirements, each=each))

    @checked
    def compare(
        self,
        *,
        require: Wanted = None,
        each: bool = False,
        target: Wanted = None,
        hierarchies: Mapping[str, str | Path] | None = None,
        **fields: Unpack[SearchFields],
    ) -> Comparison:
        """Put every method side by side, at the same requirement or the same utility.

        Parameters
        ----------
        require
            What every method must keep; without it, what the balanced point of our frontier keeps.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
        target
            The same as ``require``.
        hierarchies
            Files of words for public columns.
        **fields
            ``leakage``, ``utility``, ``withhold`` (for our search; others withhold nothing); ``time_limit``
            for each method, ``effort``.

        Returns
        -------
        Comparison
            Every method's release, measured alike.
        """
        from hartley.workflow.compare_methods import compare_methods

        objective, limits = sorted_into(fields, Objective, SearchLimits)
        demand = self.demand(target if require is None else require, each=each)
        return compare_methods(
            self, Objective(**objective), SearchLimits(**limits), demand=demand, hierarchies=hierarchies
        )

    def report(self, output: str | Path, **options: Any) -> Path:
        """Write what the table reveals, and what a release would, as one web page.

        Parameters
        ----------
        output
            The page.
        **options
            ``audience`` (``"public"``, ``"board"`` or ``"curator"``; by default the board), ``require``,
            ``overwrite``, and what a frontier takes.

        Returns
        -------
        Path
            The page.
        """
        written: Path = late_function("Study.report")(self, output, **options)
        return written


class FrontierCallFields(StudyFields, SearchFields, total=False):
    """What the one-call form of a frontier takes."""


class ReleaseCallFields(StudyFields, ReleaseFields, total=False):
    """What the one-call form of a release takes."""


def _study(source: Any, fields: Mapping[str, Any], *others: type) -> tuple[Study, dict[str, Any]]:
    of_study, *_ = sorted_into(fields, StudyTable, *others)
    return Study(source, **of_study), {name: given for name, given in fields.items() if name not in of_study}


@checked
def audit(
    source: Any,
    *,
    require: Wanted = None,
    each: bool = False,
    stochastic: bool = False,
    **fields: Unpack[StudyFields],
) -> AuditResult:
    """Measure what a reader of the public columns learns: :meth:`Study.audit` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    require, each, stochastic
        As of :meth:`Study.audit`.
    **fields
        The fields of a :class:`Study`: ``sensitive``, ``public``, ``side``, ``earlier`` and so on. Without
        ``public`` all other columns are taken together, and each one alone.

    Returns
    -------
    AuditResult
        The measures, with the witnesses that say why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 41, 41], "chol": [180, 180, 214]})
    >>> audit(table, sensitive="age", public="chol", require={"distinct_l": 2}).holds
    False
    """
    study, _ = _study(source, fields)
    return study.audit(require=require, each=each, stochastic=stochastic)


@checked
def frontier(
    source: Any,
    *,
    require: Wanted = None,
    each: bool = False,
    utility_weight: float | None = None,
    so_far: Callable[[Callable[[], Frontier]], None] | None = None,
    **fields: Unpack[FrontierCallFields],
) -> FrontierResult:
    """Search the frontier of leakage against utility: :meth:`Study.frontier` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    require, each, utility_weight, so_far
        As of :meth:`Study.frontier`.
    **fields
        The fields of a :class:`Study`, and what :meth:`Study.frontier` takes.

    Returns
    -------
    FrontierResult
        The frontier, and the joint range it is of.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> [point.distinct_l for point in frontier(table, sensitive="age", public="chol").frontier.points]
    [1, 2, 3]
    """
    study, rest = _study(source, fields, Objective, SearchLimits)
    return study.frontier(require=require, each=each, utility_weight=utility_weight, so_far=so_far, **rest)


@checked
def release(
    source: Any,
    output: str | Path,
    *,
    require: Wanted = None,
    target: Wanted = None,
    each: bool = False,
    point: Point | None = None,
    found_in: JointRange | None = None,
    **fields: Unpack[ReleaseCallFields],
) -> ReleaseResult:
    """Release a table so that what is required holds: :meth:`Study.release` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    output
        The released file; policy, certificate and record go beside it.
    require, target, each, point, found_in
        As of :meth:`Study.release`.
    **fields
        The fields of a :class:`Study`, and what :meth:`Study.release` takes.

    Returns
    -------
    ReleaseResult
        What was released, what it was before and is now, and where the files are.

    Examples
    --------
    >>> import pyarrow as pa, tempfile
    >>> table = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = release(table, folder + "/out.csv", sensitive="age", public="chol", distinct_l=2)
    ...     made.after.distinct_l
    2
    """
    study, rest = _study(source, fields, Objective, SearchLimits, Destination, NamedDemand)
    return study.release(
        output, require=require, target=target, each=each, point=point, found_in=found_in, **rest
    )


@checked
def compare(
    source: Any,
    *,
    require: Wanted = None,
    each: bool = False,
    target: Wanted = None,
    hierarchies: Mapping[str, str | Path] | None = None,
    **fields: Unpack[FrontierCallFields],
) -> Comparison:
    """Put every method side by side: :meth:`Study.compare` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    require, each, target, hierarchies
        As of :meth:`Study.compare`.
    **fields
        The fields of a :class:`Study`, and what :meth:`Study.compare` takes.

    Returns
    -------
    Comparison
        Every method's release, measured alike.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> compare(table, sensitive="age", public="chol", require={"distinct_l": 2}).better
    ()
    """
    study, rest = _study(source, fields, Objective, SearchLimits)
    return study.compare(require=require, each=each, target=target, hierarchies=hierarchies, **rest)
