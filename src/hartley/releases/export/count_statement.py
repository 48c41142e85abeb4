"""The one statement that counts what an audit needs, inside any warehouse.

Values are told apart by rank, so that equal means equal also where both are missing; what comes out are
numbers alone, and the names of the columns.
"""

from __future__ import annotations

from hartley.releases.export.dialect import Words, translate
from hartley.releases.export.statement import table_name
from hartley.tables import Roles

_NAN_TYPES = {
    "duckdb": "typeof({0}) IN ('DOUBLE', 'FLOAT') AND isnan(TRY_CAST({0} AS DOUBLE))",
    "postgres": (
        "CAST(pg_typeof({0}) AS TEXT) IN ('double precision', 'real', 'numeric') "
        "AND CAST({0} AS TEXT) = 'NaN'"
    ),
}


def count_statement(
    roles: Roles, dialect: str, table: str, *, drop: bool = False, number: tuple[str, ...] = ()
) -> str:
    """Return the statement; columns of numbers that may hold NaN are named for dialects that need it."""
    words = Words(dialect)
    named = {name: f"v{place}" for place, name in enumerate(roles.columns)}
    cells = [_cell(words, name, is_number=name in number) for name in named]
    selected = ", ".join(f"{cell} AS {place}" for cell, place in zip(cells, named.values(), strict=True))
    places = ", ".join(named.values())
    present = " AND ".join(f"{place} IS NOT NULL" for place in named.values())
    ranks = {
        mark: f"DENSE_RANK() OVER (ORDER BY {', '.join(named[name] for name in names)})" if names else "1"
        for mark, names in (("x", roles.public), ("s", roles.sensitive), ("a", roles.side))
    }
    coded = ", ".join(f"{rank} AS {mark}" for mark, rank in ranks.items())
    numbers = "anchor, value, prior, candidates, observations, table_rows, least_rows"
    zeros = ", ".join(["0"] * 7).split(", ")

    def line(part: str, name: str = "''", /, **known: str) -> str:
        given = [known.get(field, zero) for field, zero in zip(numbers.split(", "), zeros, strict=True)]
        listed = ", ".join(
            f"{cell} AS {field}" for cell, field in zip(given, numbers.split(", "), strict=True)
        )
        return f"SELECT '{part}' AS part, {name} AS name, {listed}"

    parts = [
        line(role, words.text(name), value=str(place + 1))
        for role, names in (("sensitive", roles.sensitive), ("public", roles.public), ("side", roles.side))
        for place, name in enumerate(names)
    ]
    parts += [
        line(
            "total",
            anchor="(SELECT COUNT(DISTINCT x) FROM hartley_coded)",
            value="(SELECT COUNT(DISTINCT a) FROM hartley_coded)" if roles.side else "0",
            prior="(SELECT COUNT(*) FROM hartley_links)",
            candidates="(SELECT COUNT(*) FROM hartley_coded)",
            observations="(SELECT COUNT(*) FROM hartley_seen)",
            table_rows="(SELECT SUM(n) FROM hartley_coded)",
            least_rows=str(sum(map(len, roles.named.values()))),
        ),
        line(
            "observations",
            anchor="o.anchor",
            prior="p.prior",
            candidates="o.candidates",
            observations="COUNT(*)",
            table_rows="SUM(o.table_rows)",
            least_rows="MIN(o.table_rows)",
        )
        + " FROM hartley_seen AS o JOIN hartley_before AS p ON o.a = p.a"
        + " GROUP BY o.anchor, p.prior, o.candidates",
        line("link", anchor="l.anchor", value="l.s") + " FROM hartley_links AS l",
    ]
    where = f"\n  WHERE {present}" if drop else ""
    body = "\nUNION ALL\n".join(parts)
    query = f"""WITH hartley_cells AS (
  SELECT {selected}
  FROM {table_name(words, table)}
), hartley_pairs AS (
  SELECT {places}, COUNT(*) AS n
  FROM hartley_cells{where}
  GROUP BY {places}
), hartley_ranked AS (
  SELECT {coded}, n
  FROM hartley_pairs
), hartley_coded AS (
  SELECT x, s, a, SUM(n) AS n
  FROM hartley_ranked
  GROUP BY x, s, a
), hartley_seen AS (
  SELECT x, a, COUNT(*) AS candidates, SUM(n) AS table_rows, MIN(s) AS anchor
  FROM hartley_coded
  GROUP BY x, a
), hartley_before AS (
  SELECT a, COUNT(DISTINCT s) AS prior
  FROM hartley_coded
  GROUP BY a
), hartley_links AS (
  SELECT DISTINCT o.anchor, c.s
  FROM hartley_coded AS c
  JOIN hartley_seen AS o ON c.x = o.x AND c.a = o.a
)
{body}"""
    return (translate(query, dialect) if words.is_translated else query) + "\n;\n"


def _cell(words: Words, name: str, *, is_number: bool) -> str:
    """Return a cell as it is compared; NaN is missing."""
    own = words.name(name)
    if is_number:
        missing = words.is_missing(own, "number")
        return own if missing == f"{own} IS NULL" else f"CASE WHEN {missing} THEN NULL ELSE {own} END"
    if words.dialect in _NAN_TYPES:
        return f"CASE WHEN {_NAN_TYPES[words.dialect].format(own)} THEN NULL ELSE {own} END"
    if words.dialect in ("sqlserver", "mysql"):
        return f"HARTLEY_TEXT({own})"
    return f"{own} COLLATE BINARY" if words.dialect == "sqlite" else own
