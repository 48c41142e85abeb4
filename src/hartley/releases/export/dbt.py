"""A recoding as a part of a dbt project: a model, its codebook, and tests of the result."""

from __future__ import annotations

from hartley.errors import OptionError, option
from hartley.releases.export.codebook_csv import csv_line
from hartley.releases.export.dialect import Words, translate, type_name
from hartley.releases.export.recoding import TableRecoding
from hartley.releases.export.statement import BookTable, statement_of
from hartley.releases.policy import Policy

_DISTINCT_L = """{% test hartley_distinct_l(model, sensitive, public, l) %}
{# Released values that leave fewer than l sensitive values possible. #}
{%- set public_names = [public] if public is string else public %}
{%- set sensitive_names = [sensitive] if sensitive is string else sensitive %}
{%- set seen = [] %}
{%- for name in public_names %}{% do seen.append(adapter.quote(name) ~ ' as p' ~ loop.index) %}{% endfor %}
{%- for name in sensitive_names %}{% do seen.append(adapter.quote(name) ~ ' as s' ~ loop.index) %}{% endfor %}
{%- set groups = [] %}
{%- for name in public_names %}{% do groups.append('p' ~ loop.index) %}{% endfor %}
select {{ groups | join(', ') }}, count(*) as candidates
from (select distinct {{ seen | join(', ') }} from {{ model }}) as pairs
group by {{ groups | join(', ') }}
having count(*) < {{ l }}
{% endtest %}
"""
_ROW_K = """{% test hartley_row_k(model, public, k) %}
{# Released values that stand in fewer than k rows. #}
{%- set public_names = [public] if public is string else public %}
{%- set seen = [] %}
{%- for name in public_names %}{% do seen.append(adapter.quote(name) ~ ' as p' ~ loop.index) %}{% endfor %}
{%- set groups = [] %}
{%- for name in public_names %}{% do groups.append('p' ~ loop.index) %}{% endfor %}
select {{ groups | join(', ') }}, count(*) as released_rows
from (select {{ seen | join(', ') }} from {{ model }}) as released
group by {{ groups | join(', ') }}
having count(*) < {{ k }}
{% endtest %}
"""


def dbt_files(policy: Policy, recoding: TableRecoding, dialect: str, source: str) -> dict[str, str]:
    """Return the files of the part, by their paths in the project.

    ``hartley_recoded`` holds the recoded columns beside the sensitive ones, for the tests;
    ``hartley_released`` is what is published. A large codebook is a seed, whose texts begin with ``=`` so
    that dbt takes none of them for missing.
    """
    words = Words(dialect)
    if recoding.unseen == "nearest" and len(recoding.recoded) > 1 and len(recoding.rules) == 1:
        raise OptionError(
            "the nearest value of several columns is not written for dbt; "
            f"use {option('unseen', 'suppress')} or {option('unseen', 'error')}"
        )
    statement = statement_of(
        recoding, words, "{{ hartley_source }}", book="hartley_codebook", extra=policy.sensitive_names
    )
    query = statement.query
    if words.is_translated:
        query = translate(query.replace("{{ hartley_source }}", '"hartley_source_table"'), dialect)
        for quoted in ('"hartley_source_table"', "`hartley_source_table`", "[hartley_source_table]"):
            query = query.replace(quoted, "{{ hartley_source }}")
    query = _jinja_safe(query)
    files = {
        "tests/generic/hartley_distinct_l.sql": _DISTINCT_L,
        "tests/generic/hartley_row_k.sql": _ROW_K,
    }
    for table in statement.tables:
        for quoted in (words.name(table.name), f"`{table.name}`", f"[{table.name}]"):
            query = query.replace(f"{quoted} AS ", f"{_book(table, words)} AS ")
        files[f"seeds/{table.name}.csv"] = _seed(table)
        files[f"seeds/{table.name}.yml"] = _seed_types(table, words)
    files["models/hartley_recoded.sql"] = (
        f"{{%- set hartley_source = ref({source!r}) -%}}\n{{{{ config(materialized='view') }}}}\n{query}\n"
    )
    names = ", ".join(f"{{{{ adapter.quote({name!r}) }}}}" for name in recoding.published)
    files["models/hartley_released.sql"] = f"select {names} from {{{{ ref('hartley_recoded') }}}}\n"
    files["models/hartley_recoded.yml"] = _tests(policy)
    return files


def _jinja_safe(query: str) -> str:
    """Keep what looks like Jinja in a label from being taken for it."""
    kept = "{{ hartley_source }}"
    return kept.join(part.replace("{", "{{ '{' }}") for part in query.split(kept))


def _book(table: BookTable, words: Words) -> str:
    """Return the seed as the table that the query was written for."""
    cells = []
    for column in table.columns:
        cell = column.name
        if column.kind == "text":
            cell = f"SUBSTR({cell}, 2)" if words.dialect != "sqlserver" else f"SUBSTRING({cell}, 2, 4000)"
        cells.append(f"{cell} AS {column.name}")
    return f"(SELECT {', '.join(cells)} FROM {{{{ ref('{table.name}') }}}})"


def _seed(table: BookTable) -> str:
    lines = [csv_line([column.name for column in table.columns])]
    kinds = [column.kind for column in table.columns]
    for row in table.rows:
        cells = zip(row, kinds, strict=True)
        lines.append(
            csv_line([f"={cell}" if kind == "text" and cell is not None else cell for cell, kind in cells])
        )
    return "".join(lines)


def _seed_types(table: BookTable, words: Words) -> str:
    lines = ["version: 2", "seeds:", f"  - name: {table.name}", "    config:", "      column_types:"]
    for column in table.columns:
        type_ = type_name(column.type, words.dialect) if words.is_translated else column.type
        lines.append(f"        {column.name}: {type_}")
    return "\n".join(lines) + "\n"


def _tests(policy: Policy) -> str:
    """Return what the policy requires as tests of the recoded table."""
    public = ", ".join(_quoted(name) for name in (*policy.public_names, *policy.keep))
    lines = ["version: 2", "models:", "  - name: hartley_recoded"]
    tests: list[str] = []
    for one in policy.requirements:
        named = ", ".join(map(_quoted, policy.sensitive_names if one.column is None else [one.column]))
        if one.name == "distinct-l" and not policy.side:
            asked = f"sensitive: [{named}], public: [{public}], l: {one.wanted}"
            tests += ["      - hartley_distinct_l:", f"          arguments: {{{asked}}}"]
        if one.name == "row-k":
            asked = f"public: [{public}], k: {one.wanted}"
            tests += ["      - hartley_row_k:", f"          arguments: {{{asked}}}"]
    return "\n".join([*lines, *(["    data_tests:", *tests] if tests else []), ""])


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
