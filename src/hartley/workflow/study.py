"""A study: a table with its roles, and everything that can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from hartley.argument_kinds import checked
from hartley.errors import OptionError, option, warn_renamed
from hartley.model import JointRange
from hartley.model.demand import Demand, DemandFields, Wanted
from hartley.workflow.audit_table import AuditResult, audit_table
from hartley.workflow.request.destination import DestinationFields
from hartley.workflow.request.objective import Objective, ObjectiveFields
from hartley.workflow.request.study_table import StudyFields, StudyTable, names, sorted_into
from hartley.workflow.request.time_limit import LimitFields, SearchLimits
from hartley.workflow.request.utility_choice import UtilityChoice

if TYPE_CHECKING:
    from hartley.frontiers import Frontier, Point
    from hartley.measures.utility import Utility
    from hartley.search.greedy.runs import GreedyRun
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
        A path, a pattern, the URL of a database, a data frame; or a :class:`JointRange`, which has its roles
        already and no rows to release.
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
        from hartley.report.notebook import study_html

        return study_html(self)

    def joint_range(self) -> JointRange:
        """Return what a reader of the public columns sees: which values occur together, in how many rows."""
        from hartley.workflow.find_frontier import seen_range

        return seen_range(self, Objective())[0]

    @checked
    def audit(
        self,
        *,
        require: Wanted = None,
        each: bool = False,
        stochastic: bool = False,
        against: Any = None,
        hierarchies: Mapping[str, str | Path] | None = None,
        overlap: int | None = None,
        regress: Sequence[str] = (),
    ) -> AuditResult:
        """Measure what a reader of the public columns learns about the sensitive ones.

        Parameters
        ----------
        require
            What must hold: ``{"distinct_l": 5, "row_k": 10}``, or texts such as ``"distinct-l:age=5"``.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
        stochastic
            Whether to add what statistics say, with the row frequencies as probabilities.
        against
            The original of a released file, recoded or synthetic: count the people of the original whose
            sensitive values are read off from the file.
        hierarchies
            Files of value,label for columns of the released file whose labels say not which values share
            them.
        overlap
            Whether to add what stays told apart when overlaps of fewer sensitive values than this do not
            count (1 is I*), and how many rows hold each component together.
        regress
            Regressions to compare on both files, such as ``"wage ~ age + education"``.

        Returns
        -------
        AuditResult
            The measures, with the witnesses that say why.
        """
        if against is None:
            if hierarchies or regress:
                beside = option("hierarchy" if hierarchies else "regress")
                raise OptionError(
                    f"{beside} is about a file that is held against its original; name the "
                    f"original with {option('against')}"
                )
            return audit_table(self, require, each=each, stochastic=stochastic, overlap=overlap)
        if stochastic or overlap is not None:
            beside = option("stochastic" if stochastic else "overlap")
            raise OptionError(f"{option('against')} is not measured together with {beside}")
        from hartley.measures.likeness.regression import Formula
        from hartley.workflow.against.audit_against import audit_against

        formulas = tuple(Formula.parse(text) for text in names(regress))
        return audit_against(self, against, require, each=each, hierarchies=hierarchies, regress=formulas)

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
            ``leakage``, ``utility``, ``search``, ``shape`` with ``borders``,
            ``withhold`` (``"2%"``, or several, ``["0", "2%"]``: one frontier each, in
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
            Objective.of_keywords(objective, names(self.public)),
            SearchLimits(**limits),
            require=require,
            each=each,
            utility_weight=utility_weight,
            so_far=so_far,
        )

    @checked
    def greedy(
        self,
        leakage: str = "l0",
        utility: UtilityChoice | Utility | str | None = None,
        *,
        utility_weight: float | None = None,
        ties: str = "order",
        **limits: Unpack[LimitFields],
    ) -> GreedyRun:
        """Run the paper's greedy search: Algorithm 1 (``l0``), 2 (``istar``), or problem (3) (``joint``).

        Parameters
        ----------
        leakage, utility
            What is merged away, and what it may cost; a name, or a utility of one's own.
        utility_weight
            λ; it stops a run of Algorithms 1 and 2, and chooses the merges of problem (3).
        ties
            Of equally good merges that of the earliest values (``"order"``), or as ``seed`` decides
            (``"random"``).
        **limits
            ``time_limit``, ``seed``, ``progress`` or an ``effort``.

        Returns
        -------
        GreedyRun
            Every merge, the measures at every step, and the frontier cut from it.
        """
        objective: Any = {"leakage": leakage, "utility": utility, "ties": ties, "search": "greedy"}
        found = self.frontier(utility_weight=utility_weight, **objective, **limits)
        assert found.run is not None  # noqa: S101 (a greedy search has a run)
        return found.run

    @checked
    def solve(self, *, require: Wanted = None, each: bool = False, **fields: Unpack[SolveFields]) -> Point:
        """Find the one point that a release for a demand would have, and write nothing.

        Parameters
        ----------
        require
            What every released value must keep, and at most one cap on what may be lost.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
        **fields
            As of :meth:`release`: ``leakage``, ``utility``, ``search``, ``shape``, ``withhold``,
            ``time_limit``; ``distinct_l``, ``row_k`` and the like in place of ``require``.

        Returns
        -------
        Point
            The partition, its measures, and what is proven about it.
        """
        from hartley.workflow.find_frontier import solve_demand

        objective, limits, named = sorted_into(fields, Objective, SearchLimits, DemandFields)
        demand = self.demand(Demand.of_keywords(named, require), each=each)
        return solve_demand(
            self, demand, Objective.of_keywords(objective, names(self.public)), SearchLimits(**limits)
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
            An older spelling of ``require``.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
            Without any, only ``row_k`` can be required.
        point, found_in
            A point of a frontier found before, and the joint range of that frontier: nothing is searched.
        **fields
            ``leakage``, ``utility``, ``search``, ``shape``; ``labels``, ``policy``, ``certificate``,
            ``into``, ``into_database``, ``keep_order``, ``like_input``, ``overwrite``; ``time_limit``,
            ``seed``, ``progress``, ``effort``. In place of ``require``: ``distinct_l``, ``separated_l``,
            ``row_k``, ``max_leakage``, ``max_distortion``, ``largest_cluster``, ``utility_weight``.

        Returns
        -------
        ReleaseResult
            What was released, what it was before and is now, and where the files are.
        """
        from hartley.workflow.make_release import make_release

        require = _required(require, target)
        return make_release(self, output, fields, require, each=each, point=point, found_in=found_in)

    @checked
    def compare(
        self,
        *,
        require: Wanted = None,
        each: bool = False,
        target: Wanted = None,
        hierarchies: Mapping[str, str | Path] | None = None,
        **fields: Unpack[SolveFields],
    ) -> Comparison:
        """Put every method side by side, at the same requirement or the same utility.

        Parameters
        ----------
        require
            What every method must keep; without it, what the balanced point of our frontier keeps.
        each
            The default for several sensitive columns; ``jointly`` of the study counts them as one value.
        target
            An older spelling of ``require``.
        hierarchies
            Files of words for public columns.
        **fields
            ``leakage``, ``utility``, ``withhold`` (for our search; others withhold nothing); ``time_limit``
            for each method, ``effort``; ``distinct_l``, ``row_k`` and the like in place of ``require``.

        Returns
        -------
        Comparison
            Every method's release, measured alike.
        """
        from hartley.workflow.compare_methods import compare_methods

        objective, limits, named = sorted_into(fields, Objective, SearchLimits, DemandFields)
        demand = self.demand(Demand.of_keywords(named, _required(require, target)), each=each)
        return compare_methods(
            self,
            Objective.of_keywords(objective, names(self.public)),
            SearchLimits(**limits),
            demand=demand,
            hierarchies=hierarchies,
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
        from hartley.report.study_report import write_report

        return write_report(self, output, **options)


def _required(require: Wanted, target: Wanted) -> Wanted:
    """Take what is required, also under its older name."""
    if target is None:
        return require
    warn_renamed("target=", "require=")
    return target if require is None else require


class SolveFields(SearchFields, DemandFields, total=False):
    """What a search for one answer is told, as keywords."""


class AskedFields(StudyFields, total=False):
    """What every one-call form takes that asks for something."""

    require: Wanted
    each: bool


class AuditCallFields(AskedFields, total=False):
    """What the one-call form of an audit takes."""

    stochastic: bool
    against: Any
    hierarchies: Mapping[str, str | Path] | None
    overlap: int | None
    regress: Sequence[str]


class FrontierCallFields(AskedFields, SearchFields, total=False):
    """What the one-call form of a frontier takes."""

    utility_weight: float | None
    so_far: Callable[..., None] | None


class GreedyCallFields(StudyFields, LimitFields, total=False):
    """What the one-call form of a greedy run takes."""

    utility_weight: float | None
    ties: str


class SolveCallFields(AskedFields, SolveFields, total=False):
    """What the one-call form of a search for one answer takes."""


class CompareCallFields(SolveCallFields, total=False):
    """What the one-call form of a comparison takes."""

    target: Wanted
    hierarchies: Mapping[str, str | Path] | None


class ReleaseCallFields(AskedFields, ReleaseFields, total=False):
    """What the one-call form of a release takes."""

    target: Wanted
    point: Point | None
    found_in: JointRange | None


def _study(source: Any, fields: Mapping[str, Any], kind: type) -> tuple[Study, dict[str, Any]]:
    """Return the study of a one-call form that takes ``kind``, and what the study is asked."""
    of_study, _ = sorted_into(fields, StudyTable, kind)
    return Study(source, **of_study), {name: given for name, given in fields.items() if name not in of_study}


@checked
def audit(source: Any, **fields: Unpack[AuditCallFields]) -> AuditResult:
    """Measure what a reader of the public columns learns: :meth:`Study.audit` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    **fields
        The fields of a :class:`Study`, ``sensitive``, ``public``, ``side``, ``earlier`` and so on, and what
        :meth:`Study.audit` takes. Without ``public`` all other columns are taken together, and each alone.

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
    study, rest = _study(source, fields, AuditCallFields)
    return study.audit(**rest)


@checked
def frontier(source: Any, **fields: Unpack[FrontierCallFields]) -> FrontierResult:
    """Search the frontier of leakage against utility: :meth:`Study.frontier` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
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
    study, rest = _study(source, fields, FrontierCallFields)
    return study.frontier(**rest)


@checked
def greedy(
    source: Any,
    leakage: str = "l0",
    utility: UtilityChoice | Utility | str | None = None,
    **fields: Unpack[GreedyCallFields],
) -> GreedyRun:
    """Run the paper's greedy search: :meth:`Study.greedy` in one call.

    Parameters
    ----------
    source
        A :class:`JointRange`, or a table with ``sensitive`` and ``public`` among the fields.
    leakage, utility
        As of :meth:`Study.greedy`.
    **fields
        The fields of a :class:`Study`, and what else :meth:`Study.greedy` takes.

    Returns
    -------
    GreedyRun
        Every merge, the measures at every step, and the frontier cut from it.

    Examples
    --------
    >>> from hartley.examples import toy
    >>> run = greedy(toy(), "l0", "resolution")
    >>> run.steps, run.clusters(2)
    (3, [['x1', 'x2', 'x7'], ['x3', 'x4', 'x5', 'x6']])
    """
    study, rest = _study(source, fields, GreedyCallFields)
    return study.greedy(leakage, utility, **rest)


@checked
def solve(source: Any, **fields: Unpack[SolveCallFields]) -> Point:
    """Find the one point that a release for a demand would have: :meth:`Study.solve` in one call.

    Parameters
    ----------
    source
        A :class:`JointRange`, or a table with ``sensitive`` and ``public`` among the fields.
    **fields
        The fields of a :class:`Study`, and what :meth:`Study.solve` takes.

    Returns
    -------
    Point
        The partition, its measures, and what is proven about it.

    Examples
    --------
    >>> from hartley.examples import toy
    >>> found = solve(toy(), distinct_l=2, utility="resolution")
    >>> found.largest_cluster, found.proven_optimal
    (2, True)
    """
    study, rest = _study(source, fields, SolveCallFields)
    return study.solve(**rest)


@checked
def release(source: Any, output: str | Path, **fields: Unpack[ReleaseCallFields]) -> ReleaseResult:
    """Release a table so that what is required holds: :meth:`Study.release` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
    output
        The released file; policy, certificate and record go beside it.
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
    study, rest = _study(source, fields, ReleaseCallFields)
    return study.release(output, **rest)


@checked
def compare(source: Any, **fields: Unpack[CompareCallFields]) -> Comparison:
    """Put every method side by side: :meth:`Study.compare` in one call.

    Parameters
    ----------
    source
        A path, a pattern, the URL of a database, or a data frame.
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
    study, rest = _study(source, fields, CompareCallFields)
    return study.compare(**rest)
