"""A study: a table with its roles, opened once, asked several things, closed for sure."""

from __future__ import annotations

import csv
import pickle
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

import hartley
from hartley.errors import OptionError, UnreachableError, WriteError
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.tables.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "clinic.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    return path


def test_inside_a_block_the_table_is_opened_once_and_closed_at_its_end(table, monkeypatch):
    opened, closed = [], []
    init, close = Table.__init__, Table.close
    monkeypatch.setattr(Table, "__init__", lambda self, *of: (opened.append(1), init(self, *of))[1])
    monkeypatch.setattr(Table, "close", lambda self: (closed.append(1), close(self))[1])
    with hartley.Study(table, sensitive="age", public="cholesterol", missing="drop") as study:
        study.audit()
        study.frontier(search="greedy")
        assert (len(opened), len(closed)) == (1, 0)
    assert len(closed) >= 1
    study.audit()
    assert len(opened) == 2
    assert len(closed) >= 2


def test_a_study_says_the_same_as_the_one_call_forms(table):
    roles = {"sensitive": "age", "public": "cholesterol", "missing": "drop"}
    with hartley.Study(table, **roles) as study:
        assert study.audit().to_dict() == hartley.audit(table, **roles).to_dict()
        ours = study.frontier(search="greedy").frontier
    assert ours.to_dict() == hartley.frontier(table, **roles, search="greedy").frontier.to_dict()


def test_its_text_shows_roles_and_no_cells():
    import pyarrow as pa

    study = hartley.Study(pa.table({"age": [41], "chol": [777]}), sensitive="age", public="chol")
    assert repr(study) == "Study('Table', sensitive=('age',), public=('chol',))"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"sensitve": "age"}, "did you mean 'sensitive'"),
        ({"missing": "dropp"}, "did you mean 'drop'?"),
        ({"tolerance": {"age": -1}}, "must be 0 or more"),
    ],
)
def test_what_makes_no_sense_is_one_line(table, fields, says):
    with pytest.raises(OptionError) as error:
        hartley.audit(table, **{"sensitive": "age", "public": "cholesterol", **fields})
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_requirements_combine_and_the_release_keeps_them_all(table, tmp_path):
    made = hartley.release(
        table,
        tmp_path / "out.csv",
        sensitive="age",
        public="cholesterol",
        missing="drop",
        require={"distinct_l": 5, "row_k": 10, "separated_l": 3},
        tolerance={"age": 4},
    )
    found = {one.name: (one.found, one.holds) for one in made.requirements}
    assert set(found) == {"distinct-l", "row-k", "separated-l"}
    assert all(holds for _, holds in found.values())
    assert made.after.distinct_l >= 5
    assert made.after.row_k >= 10
    again = hartley.audit(
        tmp_path / "out.csv", sensitive="cholesterol", public="cholesterol", require={"row_k": 10}
    )
    assert again.holds
    assert made.point.lower_bound_cost == made.point.max_distortion


def test_what_cannot_be_met_names_the_requirement_and_the_best(table, tmp_path):
    with pytest.raises(UnreachableError, match=r"row-k=1000 \(at most 274\)"):
        hartley.release(
            table,
            tmp_path / "out.csv",
            sensitive="age",
            public="cholesterol",
            missing="drop",
            require={"distinct_l": 5, "row_k": 1000},
        )
    assert not list(tmp_path.iterdir())


def test_withheld_rows_are_missing_in_the_file_counted_and_never_more_than_allowed(table, tmp_path):
    roles = {"sensitive": "age", "public": "cholesterol", "missing": "drop"}
    plain = hartley.release(table, tmp_path / "plain.csv", **roles, require={"distinct_l": 5})
    made = hartley.release(
        table, tmp_path / "out.csv", **roles, require={"distinct_l": 5}, withhold="5%", keep_order=True
    )
    with (tmp_path / "out.csv").open(newline="") as file:
        empty = sum(row["cholesterol"] == "" for row in csv.DictReader(file))
    assert empty == made.point.withheld_rows == made.usefulness.withheld_rows <= 0.05 * 274
    assert made.point.max_distortion < plain.point.max_distortion
    assert made.after.distinct_l >= 5
    found = hartley.verify(
        made.output,
        original=table,
        policy=made.policy,
        certificate=made.certificate,
        record=made.record,
    )
    assert found.holds


def test_a_larger_budget_never_costs_more(table):
    roles = {"sensitive": "age", "public": "cholesterol", "missing": "drop"}
    with hartley.Study(table, **roles) as study:
        costs = [
            study.frontier(withhold=budget, shape="intervals")
            .frontier.meeting({"distinct_l": 5})
            .max_distortion
            for budget in (0, 5, 13, 27)
        ]
    assert costs == sorted(costs, reverse=True)


def test_intervals_on_borders_do_not_interleave(table):
    with hartley.Study(table, sensitive="age", public="cholesterol", missing="drop") as study:
        found = study.frontier(shape="intervals", borders=10)
        point = found.frontier.meeting({"distinct_l": 5})
    positions = found.joint.public.positions
    spans = sorted((positions[c].min(), positions[c].max()) for c in point.partition.clusters())
    for (_, high), (low, _) in pairwise(spans):
        assert high // 10 < low // 10
    assert point.shape == "intervals"
    assert point.shape_price >= 1


def test_several_columns_of_numbers_and_text_show_what_a_class_spans(table, tmp_path):
    made = hartley.release(
        table,
        tmp_path / "out.csv",
        sensitive="age",
        public=["cholesterol", "sex", "pulse"],
        missing="drop",
        require={"distinct_l": 3},
        keep_order=True,
    )
    with table.open(newline="") as before, (tmp_path / "out.csv").open(newline="") as after:
        rows = [
            row
            for row in csv.DictReader(before)
            if all(row[c] for c in ("cholesterol", "sex", "pulse", "age"))
        ]
        for old, new in zip(rows, csv.DictReader(after), strict=True):
            for column in ("cholesterol", "pulse"):
                text = new[column].split(" to ")
                assert float(text[0]) <= float(old[column]) <= float(text[-1])
            assert old["sex"] in new["sex"]
    assert {column.name for column in made.usefulness.columns} == {"cholesterol", "sex", "pulse"}
    assert 0 < made.usefulness.loss < 0.5


def test_harmless_columns_that_expose_somebody_are_refused_unless_accepted(table, tmp_path):
    asked = {
        "sensitive": "age",
        "public": "cholesterol",
        "missing": "drop",
        "harmless": "pulse",
        "require": {"distinct_l": 5},
    }
    with pytest.raises(UnreachableError, match=r"do not publish yet: with 'pulse' included"):
        hartley.release(table, tmp_path / "out.csv", **asked)
    assert not list(tmp_path.iterdir())
    made = hartley.release(table, tmp_path / "out.csv", **asked, exposure="accept")
    assert made.after_all.distinct_l < 5 <= made.after.distinct_l


@pytest.mark.parametrize("budget", ["-1", "150%", "2.5.%", "two", 1.5, True])
def test_a_budget_that_makes_no_sense_is_one_line(table, budget):
    with pytest.raises(OptionError, match=r"withhold (needs|must be)"):
        hartley.frontier(table, sensitive="age", public="cholesterol", withhold=budget)


def test_every_sensitive_column_can_be_counted_by_itself(table, tmp_path):
    made = hartley.release(
        table,
        tmp_path / "out.csv",
        sensitive=["age", "sex"],
        public="cholesterol",
        missing="drop",
        require={"distinct_l": 2},
        each=True,
    )
    assert [(one.column, one.holds) for one in made.requirements] == [("age", True), ("sex", True)]
    assert min(one.found for one in made.requirements) >= 2


def test_a_study_writes_its_report(table, tmp_path):
    with hartley.Study(table, sensitive="age", public="cholesterol", missing="drop") as study:
        page = study.report(tmp_path / "report.html", require={"distinct_l": 5}, search="greedy")
        text = page.read_text(encoding="utf-8")
        assert "clinic.csv" in text
        with pytest.raises(WriteError, match="exists already"):
            study.report(tmp_path / "report.html")


@pytest.mark.parametrize("public", ["chol", ["chol", "sex"]])
def test_results_can_be_pickled(tmp_path, public):
    table = pa.table(
        {"age": [30, 41, 41, 52, 30], "chol": [180, 181, 214, 215, 216], "sex": ["f", "m", "f", "m", "f"]}
    )
    study = hartley.Study(table, sensitive="age", public=public)
    found = study.frontier()
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert again.frontier.points == found.frontier.points
    assert [point.partition for point in again.frontier.points] == [
        point.partition for point in found.frontier.points
    ]
    made = study.release(tmp_path / "out.csv", require={"distinct_l": 2})
    assert pickle.loads(pickle.dumps(made)).point == made.point  # noqa: S301


def test_an_older_spelling_works_and_says_to_the_caller_what_to_write(tmp_path):
    table = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    with pytest.warns(DeprecationWarning, match="write require=") as told:
        made = hartley.release(
            table, tmp_path / "out.csv", sensitive="age", public="chol", target={"distinct_l": 2}
        )
    assert made.after.distinct_l == 2
    assert [Path(one.filename).name for one in told] == [Path(__file__).name]
