"""An audit where the data lives: the statement that counts, and the audit of what it returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hartley.argument_kinds import checked
from hartley.errors import OptionError, option
from hartley.measures.audit import Role, audit_of_summary
from hartley.model.demand import Demand, Wanted
from hartley.releases.export.count_statement import count_statement
from hartley.releases.export.dialect import dialect_named
from hartley.tables import Roles
from hartley.tables.counting.count_file import read_counts
from hartley.workflow.audit_table import AuditResult, is_counted, verdict_of
from hartley.workflow.request.study_table import Missing, Names, names


@checked
def audit_statement(
    *,
    sensitive: Names,
    public: Names,
    side: Names = (),
    dialect: str = "duckdb",
    table: str = "source_table",
    missing: Missing = "value",
    number: Sequence[str] = (),
) -> str:
    """Return the one statement that counts what an audit needs; :func:`audit_counts` takes its result.

    Parameters
    ----------
    sensitive, public, side : str or sequence of str
        The columns of each role.
    dialect : str
        Which SQL.
    table : str
        The name of the table.
    missing : {"value", "drop"}
        Whether a missing cell is a value, or its row is left out.
    number : sequence of str
        Columns of numbers in which NaN may stand, for dialects that do not tell types in a query.

    Returns
    -------
    str
        The statement. Its result holds numbers and column names, and no cell.

    Raises
    ------
    OptionError
        If there is no such dialect, or no column of a role.

    Examples
    --------
    >>> import hartley
    >>> "DENSE_RANK" in hartley.audit_statement(sensitive="age", public="chol", dialect="postgres")
    True
    """
    roles = Roles(sensitive=names(sensitive), public=names(public), side=names(side))
    spoken = dialect_named(dialect)
    return count_statement(roles, spoken, table, drop=missing == "drop", number=tuple(number))


@checked
def audit_counts(counts: str | Path, *, require: Wanted = None) -> AuditResult:
    """Measure what was counted in a warehouse by :func:`audit_statement`.

    Parameters
    ----------
    counts : str or Path
        What the statement returned, as CSV with a header or as Parquet.
    require
        What must hold, such as ``{"distinct_l": 5}``.

    Returns
    -------
    AuditResult
        The measures. Values are numbers, so no witness is named.

    Raises
    ------
    TableError
        If the file is no such result, or does not add up.
    OptionError
        If something is required that counts do not say.

    Examples
    --------
    >>> import duckdb, hartley, tempfile
    >>> counting = hartley.audit_statement(sensitive="s", public="x", table="t")
    >>> with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
    ...     _ = connection.execute("CREATE TABLE t AS SELECT 1 AS x, unnest(['a', 'b']) AS s")
    ...     _ = connection.execute("INSERT INTO t VALUES (2, 'b')")
    ...     connection.sql(counting).write_csv(folder + "/counts.csv")
    ...     hartley.audit_counts(folder + "/counts.csv").audit.distinct_l
    1
    """
    requirements = Demand.of(require).requirements
    beyond = [one for one in requirements if not is_counted(one)]
    if beyond:
        raise OptionError(
            f"counts do not say {beyond[0].name} of single columns or under a tolerance; "
            f"leave it out of {option('require')}, or audit the table"
        )
    found = read_counts(counts)
    audit = audit_of_summary(found.summary)
    audit = replace(audit, sensitive=Role(found.roles["sensitive"], audit.sensitive.values))
    return AuditResult(
        audit=audit,
        each=(),
        dropped_rows=0,
        requirements=tuple(verdict_of(one, audit) for one in requirements),
        separation=None,
        stochastic=None,
    )
