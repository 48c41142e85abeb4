"""The dbt part: rendered by Jinja as dbt renders it, and run in DuckDB."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pyarrow as pa
import pytest
import yaml

from hartley import release
from hartley.releases.export import statement
from hartley.releases.policy import Policy
from hartley.workflow.warehouse.export_codebook import export

TABLE = pa.table(
    {
        "age": [30, 41, 52, 30, 41, 52, 30, 41],
        "t x": ["a", "it's", "{{ b }}", "null", "", None, "{% c %}", "=d"],
    }
)


class Adapter:
    """What dbt calls an adapter."""

    def quote(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'


def rendered(text: str, **more: Any) -> str:
    environment = jinja2.Environment(extensions=["jinja2.ext.do"], autoescape=False)  # noqa: S701 (it is SQL)
    stubs = {"ref": lambda name: f'"{name}"', "config": lambda **_: "", "adapter": Adapter()}
    return environment.from_string(text).render(**stubs, **more)


def failures(connection: duckdb.DuckDBPyConnection, text: str, **arguments: Any) -> list[Any]:
    """The rows that a generic test finds, as dbt runs it."""
    name, named = re.match(r"\{% test (\w+)\((.*?)\) %\}", text).groups()  # type: ignore[union-attr]
    macro = text.replace(f"{{% test {name}({named}) %}}", f"{{% macro {name}({named}) %}}")
    macro = macro.replace("{% endtest %}", "{% endmacro %}")
    given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    query = rendered(f"{macro}{{{{ {name}(model='hartley_recoded', {given}) }}}}")
    return connection.execute(query).fetchall()


@pytest.mark.parametrize("limit", [1, 200])
def test_the_models_give_what_apply_gives_and_the_tests_see_it(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statement, "CASE_LIMIT", limit)
    made = release(
        TABLE,
        tmp_path / "out.csv",
        sensitive="age",
        public="t x",
        require={"distinct_l": 2, "row_k": 2},
        search="optimal",
    )
    policy = Policy.read(made.policy)
    result = export(policy, to="dbt", table="visits", output=tmp_path / "project")
    files = {name: (tmp_path / "project" / name).read_text() for name in result.files}
    assert result.tables == (() if limit == 200 else ("hartley_codebook",))
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE visits AS FROM given")
        for name in result.tables:
            (seed,) = yaml.safe_load(files[f"seeds/{name}.yml"])["seeds"]
            types = seed["config"]["column_types"]
            columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
            connection.execute(f"CREATE TABLE {name} ({columns})")
            path = tmp_path / "project" / f"seeds/{name}.csv"
            connection.execute(f"COPY {name} FROM '{path}' (HEADER, NULLSTR '')")
        for model in ("hartley_recoded", "hartley_released"):
            connection.execute(f"CREATE VIEW {model} AS {rendered(files[f'models/{model}.sql'])}")
        found = connection.execute("FROM hartley_released").fetchall()
        assert sorted(found, key=repr) == sorted(
            [tuple(row.values()) for row in policy.apply(TABLE).to_pylist()], key=repr
        )
        (model,) = yaml.safe_load(files["models/hartley_recoded.yml"])["models"]
        assert len(model["data_tests"]) == 2
        for test in model["data_tests"]:
            ((name, told),) = test.items()
            text = files[f"tests/generic/{name}.sql"]
            assert failures(connection, text, **told["arguments"]) == []
            wanted = {key: 99 for key in ("l", "k") if key in told["arguments"]}
            assert failures(connection, text, **{**told["arguments"], **wanted})
