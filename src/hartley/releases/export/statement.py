"""A recoding as one statement of SQL: conditions where the codebook is small, a table to join where not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from hartley.releases.cell_text import Kind
from hartley.releases.export.dialect import Words
from hartley.releases.export.recoding import (
    ColumnRule,
    JointRule,
    Range,
    Rule,
    TableRecoding,
    Treatment,
    columns_of,
)
from hartley.releases.policy import Text

CASE_LIMIT = 200
"""A codebook of more values than this is a table that rows are joined to."""
LISTED_FROM = 24
"""From so many values on, a small codebook is a list that rows are joined to, which is quicker."""
_DUMMIES: dict[Kind, str] = {
    "number": "0",
    "text": "",
    "boolean": "false",
    "date": "1970-01-01",
    "timestamp": "1970-01-01 00:00:00",
}
"""What stands in for a missing cell where rows are joined; a flag beside it says so."""
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class BookColumn:
    """A column of a codebook table."""

    name: str
    type: str
    kind: Kind


@dataclass(frozen=True)
class BookTable:
    """A codebook as a table."""

    name: str
    columns: tuple[BookColumn, ...]
    rows: Sequence[tuple[Text, ...]]


@dataclass(frozen=True)
class Statement:
    """A query that recodes a table, and the tables that it needs."""

    query: str
    tables: tuple[BookTable, ...]


@dataclass(frozen=True)
class _Piece:
    """What one rule adds to the query."""

    cells: dict[str, str]
    """The expression of each recoded column."""
    joins: tuple[str, ...] = ()
    tables: tuple[BookTable, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()
    """Queries by name that stand before; the last one is what is selected from."""
    aliases: tuple[str, ...] = ()
    """What the joined tables are called."""
    lists: tuple[tuple[str, str], ...] = ()
    """Codebooks within the query, which come first."""


def statement_of(
    recoding: TableRecoding,
    words: Words,
    table: str,
    *,
    book: str = "hartley_codebook",
    extra: Sequence[str] = (),
) -> Statement:
    """Return the statement that recodes a table, with some more columns of it as they are."""
    places = {column.name: f"x{place}" for place, column in enumerate(recoding.recoded)}
    untouched = [name for name in (*recoding.published, *extra) if name not in places]
    kept = {name: f"u{place}" for place, name in enumerate(dict.fromkeys(untouched))}
    pieces = [
        _piece(rule, words, [places[column.name] for column in columns_of(rule)], f"{book}{mark}")
        for rule, mark in zip(recoding.rules, _marks(recoding.rules), strict=True)
    ]
    lists = [one for piece in pieces for one in piece.lists]
    steps = [*lists, ("hartley_rows", _rows_query(recoding, words, table, places, kept))]
    if recoding.combinations is not None:
        first, piece = _combined(recoding, recoding.combinations, words, pieces, list(kept.values()), book)
        steps.append(("hartley_cells", first))
        made = tuple(one for other in pieces for one in other.tables)
        pieces = [replace(piece, tables=(*made, *piece.tables))]
    for piece in pieces:
        steps += piece.steps
    cells = {name: f"r.{place}" for name, place in kept.items()}
    for piece in pieces:
        cells |= piece.cells
    shown = (*recoding.published, *extra)
    selected = ",\n    ".join(f"{cells[name]} AS {words.name(name)}" for name in dict.fromkeys(shown))
    joins = "".join(f"\n{join}" for piece in pieces for join in piece.joins)
    before = ",\n".join(f"{name} AS (\n{query}\n)" for name, query in steps)
    query = f"WITH {before}\nSELECT\n    {selected}\nFROM {steps[-1][0]} AS r{joins}"
    return Statement(query, tuple(one for piece in pieces for one in piece.tables))


def _combined(
    recoding: TableRecoding,
    combinations: JointRule,
    words: Words,
    pieces: Sequence[_Piece],
    kept: Sequence[str],
    book: str,
) -> tuple[str, _Piece]:
    """Return the query of each column's label, and the piece that withholds combinations not released."""
    cells: list[str] = []
    known: list[str] = []
    joins: list[str] = []
    for place, (rule, piece) in enumerate(zip(recoding.rules, pieces, strict=True)):
        (cell,) = piece.cells.values()
        if isinstance(rule, ColumnRule):
            known.append(f"({_is_known(rule, words, f'r.x{place}', piece)})")
            if recoding.unseen == "suppress":
                cell = f"CASE WHEN {known[-1]} THEN {cell} ELSE NULL END"
        cells.append(f"{cell} AS y{place}")
        joins += piece.joins
    all_known = " AND ".join(known) if recoding.unseen == "suppress" else "1 = 1"
    selected = [*cells, f"CASE WHEN {all_known} THEN 1 ELSE 0 END AS f", *(f"r.{place}" for place in kept)]
    first = "  SELECT " + ",\n    ".join(selected) + "\n  FROM hartley_rows AS r"
    first += "".join(f"\n  {join}" for join in joins)
    names = [f"y{place}" for place in range(len(recoding.rules))]
    book = f"{book}_combinations"
    if len(combinations.keys) <= CASE_LIMIT:
        piece = _joint_case(combinations, words, names, book, "hartley_cells")
    else:
        piece = _joint_table(combinations, words, names, book)
    shown = {name: f"CASE WHEN r.f = 1 THEN {cell} ELSE NULL END" for name, cell in piece.cells.items()}
    return first, replace(piece, cells=shown)


def _is_known(rule: ColumnRule, words: Words, x: str, piece: _Piece) -> str:
    """Return the condition that a column has a label for its cell."""
    missing = words.is_missing(x, rule.column.kind)
    present = [f"NOT {missing}"]
    if rule.otherwise.does == "refuse":
        ways = [f"{alias}.{'k0' if alias[0] == 'b' else 'low'} IS NOT NULL" for alias in piece.aliases]
        if rule.entries and not any(alias[0] == "b" for alias in piece.aliases):
            listed = ", ".join(words.key(value, rule.column.kind) for value, _ in rule.entries)
            ways.append(f"{words.compared(x, rule.column.kind)} IN ({listed})")
        ways += [words.begins(x, start) for start, _ in rule.beginnings]
        if rule.ranges:
            whole = Range(rule.ranges[0].start, rule.ranges[-1].stop, None)
            limits = whole.limits(x, partial(words.literal, kind=rule.column.kind))
            ways.append(" AND ".join(limits) or "1 = 1")
        present.append(f"({' OR '.join(ways)})")
    here = " AND ".join(present)
    return here if rule.missing.does == "refuse" else f"{missing} OR {here}"


def _marks(rules: Sequence[Rule]) -> list[str]:
    return [""] if len(rules) == 1 else [f"_{place + 1}" for place in range(len(rules))]


def table_name(words: Words, name: str) -> str:
    """Return the name of a table as SQL has it; dots part a schema from its table, but no file's ending."""
    is_file = words.dialect == "duckdb" and name.lower().endswith((".parquet", ".csv"))
    if _PLAIN_NAME.fullmatch(name) and not is_file:
        return ".".join(map(words.name, name.split(".")))
    return words.name(name)


def _rows_query(
    recoding: TableRecoding, words: Words, table: str, places: dict[str, str], kept: dict[str, str]
) -> str:
    """Select the cells that are needed, as they are compared, from the rows that are not left out."""
    joint = {column.name for rule in recoding.rules if isinstance(rule, JointRule) for column in rule.columns}
    cells = []
    for column in recoding.recoded:
        own = words.name(column.name)
        cell = words.cell(own, column.kind)
        missing = words.is_missing(own, column.kind)
        if column.name in joint and missing != f"{own} IS NULL":
            cell = f"CASE WHEN {missing} THEN NULL ELSE {own} END"
        cells.append(f"{cell} AS {places[column.name]}")
    cells += [f"{words.name(name)} AS {place}" for name, place in kept.items()]
    source = table if table.startswith("{{") else table_name(words, table)
    query = f"  SELECT {', '.join(cells)}\n  FROM {source}"
    if recoding.present:
        lacking = " OR ".join(words.is_missing(words.name(name), kind) for name, kind in recoding.present)
        query += f"\n  WHERE NOT ({lacking})"
    return query


def _piece(rule: Rule, words: Words, cells: Sequence[str], book: str) -> _Piece:
    if isinstance(rule, JointRule):
        small = len(rule.keys) <= CASE_LIMIT and rule.unseen != "nearest"
        return _joint_case(rule, words, cells, book) if small else _joint_table(rule, words, cells, book)
    return _column_piece(rule, words, cells[0], book)


def _column_piece(rule: ColumnRule, words: Words, cell: str, book: str) -> _Piece:
    """Return one column's recoding: values first, then missing cells, beginnings and ranges."""
    column, x = rule.column, f"r.{cell}"
    kind = column.released_kind
    type_ = words.type_for(list(rule.labels()), kind)
    tables: list[BookTable] = []
    joins, when = [], []
    aliases: list[str] = []
    lists: list[tuple[str, str]] = []

    def said(outcome: Treatment) -> str:
        if outcome.does == "keep":
            return x
        return words.refusal(x, type_) if outcome.does == "refuse" else words.literal(outcome.text, kind)

    is_listed = LISTED_FROM <= len(rule.entries) <= CASE_LIMIT and not words.is_translated
    if len(rule.entries) > CASE_LIMIT or is_listed:
        key = BookColumn("k0", words.type_for([text for text, _ in rule.entries], column.kind), column.kind)
        made = BookTable(book, (key, BookColumn("l0", type_, kind)), rule.entries)
        if is_listed:
            lists.append(_list(made, words))
        else:
            tables.append(made)
        alias = f"b_{cell}"
        aliases.append(alias)
        same = " = ".join(words.compared(one, column.kind) for one in (x, f"{alias}.k0"))
        joins.append(f"LEFT JOIN {words.name(book)} AS {alias} ON {same}")
        when.append((f"{alias}.k0 IS NOT NULL", f"{alias}.l0"))
    else:
        for label, values in _by_label(rule.entries):
            listed = ", ".join(words.key(value, column.kind) for value in values)
            when.append((f"{words.compared(x, column.kind)} IN ({listed})", words.literal(label, kind)))
    if rule.missing != rule.otherwise or rule.ranges or rule.beginnings or not when:
        when.append((words.is_missing(x, column.kind), said(rule.missing)))
    when += [(words.begins(x, start), words.literal(label, kind)) for start, label in rule.beginnings]
    last = said(rule.otherwise)
    inner = rule.ranges
    if len(rule.ranges) > CASE_LIMIT:
        edges = [text for one in rule.ranges for text in (one.start, one.stop)]
        of = words.type_for(edges, column.kind)
        columns = (BookColumn("low", of, column.kind), BookColumn("high", of, column.kind))
        name, alias = f"{book}_ranges", f"g_{cell}"
        aliases.append(alias)
        closed = [one for one in rule.ranges if one.start is not None and one.stop is not None]
        held = [(one.start, one.stop, one.label) for one in closed]
        tables.append(BookTable(name, (*columns, BookColumn("l0", type_, kind)), held))
        joins.append(f"LEFT JOIN {words.name(name)} AS {alias} ON {x} >= {alias}.low AND {x} < {alias}.high")
        when.append((f"{alias}.low IS NOT NULL", f"{alias}.l0"))
        inner = tuple(one for one in rule.ranges if one.start is None or one.stop is None)
    for one in inner:
        limits = one.limits(x, partial(words.literal, kind=column.kind))
        if limits:
            when.append((" AND ".join(limits), words.literal(one.label, kind)))
        else:
            last = words.literal(one.label, kind)
    case = _case(when, last)
    keeps = "keep" in (rule.missing.does, rule.otherwise.does)
    shown = {column.name: case if keeps else f"CAST({case} AS {type_})"}
    return _Piece(shown, tuple(joins), tuple(tables), aliases=tuple(aliases), lists=tuple(lists))


def _list(table: BookTable, words: Words) -> tuple[str, str]:
    """Return a codebook as a list within the query: its name with its columns, and its rows."""
    kinds = [column.kind for column in table.columns]
    rows = (
        ", ".join(words.literal(cell, kind) for cell, kind in zip(row, kinds, strict=True))
        for row in table.rows
    )
    names = ", ".join(column.name for column in table.columns)
    return f"{words.name(table.name)}({names})", "  VALUES " + ",\n    ".join(f"({row})" for row in rows)


def _by_label(entries: Sequence[tuple[str, Text]]) -> list[tuple[Text, list[str]]]:
    found: dict[Text, list[str]] = {}
    for value, label in entries:
        found.setdefault(label, []).append(value)
    return list(found.items())


def _case(when: Sequence[tuple[str, str]], otherwise: str) -> str:
    lines = "".join(f"\n      WHEN {condition} THEN {result}" for condition, result in when)
    return f"CASE{lines}\n      ELSE {otherwise}\n    END"


def _unknown(rule: JointRule, words: Words, cell: str, type_: str) -> str:
    return "NULL" if rule.unseen == "suppress" else words.refusal(f"r.{cell}", type_)


def _joint_case(
    rule: JointRule, words: Words, cells: Sequence[str], book: str, source: str = "hartley_rows"
) -> _Piece:
    """Find the number of each cluster by conditions on all columns, and label each column by it."""
    numbers: dict[tuple[Text, ...], int] = {}
    members: dict[int, list[str]] = {}
    for key, label in zip(rule.keys, rule.labels, strict=True):
        number = numbers.setdefault(label, len(numbers))
        members.setdefault(number, []).append(_same(key, rule, words, cells))
    found = [(" OR ".join(f"({one})" for one in some), str(number)) for number, some in members.items()]
    step = f"{book}_class".replace('"', "")
    query = f"  SELECT r.*, {_case(found, '-1')} AS c0\n  FROM {source} AS r"
    shown = {}
    for place, column in enumerate(rule.columns):
        kind = column.released_kind
        type_ = words.type_for([label[place] for label in numbers], kind)
        when = [(f"r.c0 = {n}", words.literal(label[place], kind)) for label, n in numbers.items()]
        shown[column.name] = f"CAST({_case(when, _unknown(rule, words, cells[place], type_))} AS {type_})"
    return _Piece(shown, steps=((step, query),))


def _same(key: tuple[Text, ...], rule: JointRule, words: Words, cells: Sequence[str]) -> str:
    return " AND ".join(
        f"r.{cell} IS NULL"
        if text is None
        else f"{words.compared(f'r.{cell}', column.kind)} = {words.key(text, column.kind)}"
        for text, column, cell in zip(key, rule.columns, cells, strict=True)
    )


def _joint_table(rule: JointRule, words: Words, cells: Sequence[str], book: str) -> _Piece:
    """Join rows to the codebook by all columns at once.

    Where the codebook has missing cells, they are equal by a word of DuckDB's; elsewhere by a flag and a
    stand-in, because other databases join slowly by theirs.
    """
    types = [
        words.type_for([label[place] for label in rule.labels], column.released_kind)
        for place, column in enumerate(rule.columns)
    ]
    columns, on = [BookColumn("c", words.type_for(["0"], "number"), "number")], []
    for place, (column, cell) in enumerate(zip(rule.columns, cells, strict=True)):
        keys = [key[place] for key in rule.keys]
        side, same = f"r.{cell}", " = "
        if _is_flagged(rule, place, words):
            columns.append(BookColumn(f"n{place}", words.type_for(["0"], "number"), "number"))
            on.append(f"CASE WHEN r.{cell} IS NULL THEN 1 ELSE 0 END = b.n{place}")
            side = f"COALESCE(r.{cell}, {words.literal(_dummy(keys, column.kind), column.kind)})"
        elif None in keys:
            same = " IS NOT DISTINCT FROM "
        columns.append(BookColumn(f"k{place}", words.type_for(keys, column.kind), column.kind))
        on.append(same.join(words.compared(one, column.kind) for one in (side, f"b.k{place}")))
    columns += [
        BookColumn(f"l{place}", types[place], column.released_kind)
        for place, column in enumerate(rule.columns)
    ]
    table = BookTable(book, tuple(columns), list(_joint_rows(rule, words)))
    join = f"LEFT JOIN {words.name(book)} AS b ON {' AND '.join(on)}"
    shown, alias = {}, "b" if rule.unseen != "nearest" else "l"
    for place, column in enumerate(rule.columns):
        unknown = _unknown(rule, words, cells[place], types[place])
        case = _case([(f"{alias}.c IS NOT NULL", f"{alias}.l{place}")], unknown)
        shown[column.name] = f"CAST({case} AS {types[place]})"
    if rule.unseen != "nearest":
        return _Piece(shown, (join,), (table,))
    classes = (
        f"  SELECT r.*, CASE WHEN b.c IS NOT NULL THEN b.c\n"
        f"    ELSE ({_nearest(rule, words, cells, book)}) END AS c0\n  FROM hartley_rows AS r\n  {join}"
    )
    listed = ", ".join(f"l{place}" for place in range(len(rule.columns)))
    labels = f"  SELECT DISTINCT c, {listed} FROM {words.name(book)}"
    steps = (("hartley_labels", labels), ("hartley_classes", classes))
    return _Piece(shown, ("LEFT JOIN hartley_labels AS l ON l.c = r.c0",), (table,), steps)


def _dummy(keys: Sequence[Text], kind: Kind) -> str:
    dummy = _DUMMIES[kind]
    has_zone = kind == "timestamp" and any(key is not None and key.endswith("+00:00") for key in keys)
    return f"{dummy}+00:00" if has_zone else dummy


def _is_flagged(rule: JointRule, place: int, words: Words) -> bool:
    """Tell whether a column of the codebook has a flag beside it that says which cells are missing."""
    return words.dialect != "duckdb" and any(key[place] is None for key in rule.keys)


def _joint_rows(rule: JointRule, words: Words) -> Iterator[tuple[Text, ...]]:
    dummies = [
        _dummy([key[place] for key in rule.keys], column.kind) if _is_flagged(rule, place, words) else None
        for place, column in enumerate(rule.columns)
    ]
    for number, key, label in zip(rule.numbers, rule.keys, rule.labels, strict=True):
        row: list[Text] = [str(number)]
        for cell, dummy in zip(key, dummies, strict=True):
            if dummy is None:
                row.append(cell)
            else:
                row += ["1", dummy] if cell is None else ["0", cell]
        yield (*row, *label)


def _nearest(rule: JointRule, words: Words, cells: Sequence[str], book: str) -> str:
    """Select the cluster of the nearest value: text and missing cells must agree."""
    same, far = [], []
    for place, (column, cell) in enumerate(zip(rule.columns, cells, strict=True)):
        flag = f"CASE WHEN n.k{place} IS NULL THEN 1 ELSE 0 END"
        if _is_flagged(rule, place, words):
            flag = f"n.n{place}"
        same.append(f"CASE WHEN r.{cell} IS NULL THEN 1 ELSE 0 END = {flag}")
        if not rule.reaches[place]:
            same.append(f"(r.{cell} IS NULL OR r.{cell} = n.k{place})")
            continue
        apart = words.distance(f"r.{cell}", f"n.k{place}", column.kind)
        reach = repr(float(rule.reaches[place] / (1000000 if column.kind == "timestamp" else 1)))
        distance = f"ABS({apart}) / {reach if 'e' in reach else f'{reach}e0'}"
        far.append(f"CASE WHEN r.{cell} IS NULL THEN 0 ELSE {distance} END")
    # SQLite knows the row in a column of a query within, and not in its order.
    near = (
        f"SELECT n.c AS c, {words.greatest(far)} AS d FROM {words.name(book)} AS n WHERE {' AND '.join(same)}"
    )
    return f"SELECT m.c FROM ({near}) AS m ORDER BY m.d, m.c LIMIT 1"
