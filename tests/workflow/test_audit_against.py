"""A released file, ours or anybody's, held against its original."""

from __future__ import annotations

import csv
import json

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

import hartley
from hartley.cli.program import run
from reference_disclosure import disclosure
from sample_sizes import sample

COUNTED = (
    "found",
    "disclosed_right",
    "disclosed_wrong",
    "guessed_right",
    "guessed_right_by_marginals",
    "disclosed_in_original",
    "unique_public",
    "singled_out",
    "unique_rows",
    "unique_rows_matched",
)


def frame(rows, names=("x", "y", "s")):
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


def against(released, original, **given):
    names = released.column_names
    given = {"sensitive": "s", "public": [name for name in names if name != "s"], **given}
    return hartley.audit(released, against=original, **given).against


def test_the_figures_of_synthpop_and_sdnist_by_hand():
    # The file says of a: 1 (right for two of three), of b: 2 (wrong), of c: two values; d is not there.
    original = frame([("a", 1), ("a", 1), ("a", 2), ("b", 1), ("c", 1), ("d", 2)], ("x", "s"))
    released = frame([("a", 1), ("b", 2), ("c", 1), ("c", 2), ("c", 2)], ("x", "s"))
    found = against(released, original)
    assert found.people == 6
    assert found.found == 5  # iS
    assert found.disclosed_right == 2  # DiSCO: 2 of 6
    assert found.disclosed_wrong == 2  # DiS is 4 of 6
    assert found.disclosed_in_original == 3  # b, c and d: Dorig
    assert found.unique_public == 3  # UiO: b, c and d
    assert found.singled_out == 1  # RepU: b, alone in both
    assert found.unique_rows == 4  # (a, 2), (b, 1), (c, 1), (d, 2)
    assert found.unique_rows_matched == 1  # (c, 1)
    assert found.guessed_right == 2 + 1  # a: 1, c: 2, b: 2; d is guessed 2, the commonest of the file
    assert found.guessed_right_by_marginals == 4
    assert found.to_dict()["disco"] == pytest.approx(2 / 6)
    assert found.to_dict()["repu"] == pytest.approx(1 / 6)


def test_a_file_without_the_secret_that_fits_nobody_is_refused_in_words():
    original = frame([(30, "m", 1), (31, "f", 2)])
    with pytest.raises(hartley.HartleyError, match="nobody of the original fits a row of the file"):
        against(frame([(1, "m")], ("x", "y")), original, public=["x", "y"])


def test_k_disco_is_the_mean_over_every_column_and_every_two_others():
    original = frame([(1, 1, 1), (1, 2, 1), (2, 1, 2), (2, 2, 1)])
    released = frame([(1, 1, 1), (1, 1, 2), (2, 2, 1)])
    # Target s known x, y: (1,1) has two, (2,2) says 1, right: 1. Target x known y, s: (1,1) says 1, right;
    # (1,2) says 1, wrong; (2,1) says 2: wrong for (1,2,1), right for (2,2,1): 2. Target y known x, s:
    # (1,1) says 1: right, wrong; (1,2) nobody; (2,1) says 2, right: 2.
    assert against(released, original).k_disco == pytest.approx((1 + 2 + 2) / 3 / 4)


def band(label, value):
    if label in ("*", value):
        return True
    if isinstance(label, str) and "-" in label:
        low, high = map(int, label.split("-"))
        return low <= value <= high
    return str(value) == label


@pytest.mark.parametrize("seed", range(sample(60, 600)))
def test_every_count_is_that_of_the_definitions(seed, monkeypatch):
    if seed % 3 == 0:  # as for large files: sorted in place of counted, and in many blocks
        monkeypatch.setattr("hartley.measures.against.row_tuples.SMALL", 0)
        monkeypatch.setattr("hartley.measures.against.row_tuples.AT_ONCE", 3)
    source = np.random.default_rng(seed)
    size = int(source.integers(1, 14))
    original = [tuple(row) for row in source.integers(0, [5, 3, 3], (size, 3)).tolist()]
    plain = bool(seed % 2)
    labels = [0, 1, 2, 3, 4, 7] if plain else ["0-1", "1-3", "4", "2", "*", "0-4"]
    released = [
        (source.choice(labels).item() if plain else str(source.choice(labels)), int(y), int(s))
        for y, s in source.integers(0, 3, (int(source.integers(1, 10)), 2))
    ]
    released.append((original[0][0] if plain else "*", *original[0][1:]))
    found = against(frame(released), frame(original))
    wanted = disclosure(original, released, band)
    assert {name: getattr(found, name) for name in COUNTED} == {name: wanted[name] for name in COUNTED}


def test_duckdb_counts_the_same():
    source = np.random.default_rng(3)
    original, released = (
        frame(list(map(tuple, source.integers(0, [30, 6, 4], (rows, 3)).tolist()))) for rows in (900, 1300)
    )
    found = against(released, original)
    engine = duckdb.connect()
    engine.register("o", original)
    engine.register("r", released)
    disclosed = engine.execute(
        "WITH said AS (SELECT x, y, min(s) AS v FROM r GROUP BY x, y HAVING count(DISTINCT s) = 1) "
        "SELECT count(*) FILTER (o.s = v), count(*) FILTER (o.s <> v) FROM o JOIN said USING (x, y)"
    ).fetchone()
    assert (found.disclosed_right, found.disclosed_wrong) == disclosed
    (unique,) = engine.execute(
        "SELECT count(*) FROM (SELECT x, y FROM o GROUP BY x, y HAVING count(*) = 1) "
        "JOIN (SELECT x, y FROM r GROUP BY x, y HAVING count(*) = 1) USING (x, y)"
    ).fetchone()
    assert found.singled_out == unique
    (matched,) = engine.execute(
        "SELECT count(*) FROM (SELECT x, y, s FROM o GROUP BY ALL HAVING count(*) = 1) "
        "SEMI JOIN r USING (x, y, s)"
    ).fetchone()
    assert found.unique_rows_matched == matched


def people(rows, seed=0):
    """Draw a table of people: two public numbers that hang together, and a sensitive one."""
    source = np.random.default_rng(seed)
    hidden = source.normal(size=(rows, 3)) @ np.array([[1, 0.6, 0.3], [0, 0.8, 0.2], [0, 0, 0.9]])
    return pa.table(
        {
            "x": (50 + 12 * hidden[:, 0]).round().astype(int),
            "y": (1000 + 300 * hidden[:, 1]).round().astype(int),
            "s": (hidden[:, 2] * 2).round().astype(int),
        }
    )


def copula(table, seed=0):
    """Make a synthetic table by a Gaussian copula: ranks to normals, correlated, and back by quantiles."""
    source = np.random.default_rng(seed)
    columns = [column.to_numpy() for column in table.columns]
    rows = table.num_rows
    normals = [norm.ppf((np.argsort(np.argsort(one, kind="stable")) + 0.5) / rows) for one in columns]
    drawn = source.multivariate_normal(np.zeros(len(columns)), np.corrcoef(normals), size=rows)
    return pa.table(
        {
            name: np.quantile(one, norm.cdf(drawn[:, place])).round().astype(int)
            for place, (name, one) in enumerate(zip(table.column_names, columns, strict=True))
        }
    )


def test_row_copies_give_away_what_the_original_does():
    original = people(400)
    found = against(original.take(np.random.default_rng(1).permutation(400)), original)
    assert found.disclosed_right == found.disclosed_in_original > 300
    assert found.disclosed_wrong == 0
    assert found.singled_out == found.unique_public
    assert found.unique_rows_matched == found.unique_rows


def test_a_bootstrap_gives_away_whoever_was_drawn():
    original = people(300, seed=4)
    drawn = np.random.default_rng(2).integers(0, 300, 300)
    found = against(original.take(drawn), original)
    keys = list(zip(original["x"].to_pylist(), original["y"].to_pylist(), strict=True))
    there = {keys[one] for one in drawn}
    assert found.found == sum(key in there for key in keys)
    alone = [place for place in range(300) if keys.count(keys[place]) == 1]
    times = np.bincount(drawn, minlength=300)
    assert found.singled_out == int((times[alone] == 1).sum())


def test_copies_hidden_in_a_synthetic_table_are_counted_one_by_one():
    original = people(300, seed=5)
    synthetic = copula(original)
    far = synthetic.set_column(1, "y", pa.array(synthetic["y"].to_numpy() + 100_000))
    assert against(far, original).found == 0
    for copies in (1, 7):
        found = against(pa.concat_tables([far, original.slice(0, copies)]), original)
        keys = list(zip(original["x"].to_pylist(), original["y"].to_pylist(), strict=True))
        assert found.found == sum(key in keys[:copies] for key in keys)
        assert found.unique_rows_matched == copies


def test_a_plain_copula_discloses_hardly_anybody_rightly_who_would_not_be_guessed():
    original = people(2000, seed=6)
    found = against(copula(original, seed=3), original)
    assert found.disclosed_right < found.disclosed_in_original / 4
    assert found.unique_rows_matched < found.unique_rows / 20


def test_a_release_without_the_sensitive_column_is_joined_by_rows_or_by_who_fits():
    original = frame([(20, "m", 1), (25, "f", 2), (30, "m", 3), (35, "f", 3)])
    bands = pa.table({"x": ["20-29", "20-29", "30-39", "30-39"], "y": ["*"] * 4})
    given = {"sensitive": "s", "public": ["x", "y"]}
    linked = against(bands, original, **given)
    assert (linked.sensitive_from, linked.disclosed_right) == ("linked rows", 2)
    turned = against(bands.take([3, 0, 1, 2]), original, **given)
    assert (turned.sensitive_from, turned.disclosed_right) == ("people who fit", 2)
    assert turned.singled_out == 0
    assert hartley.audit(bands.take([3, 0, 1, 2]), against=original, **given).distinct_l == 1


def test_a_sensitive_band_is_no_value_that_is_read_off():
    original = frame([(1, 10), (2, 20)], ("x", "s"))
    released = pa.table({"x": [1, 2], "s": ["10-15", "10-25"]})
    found = against(released, original)
    assert (found.disclosed_right, found.disclosed_wrong) == (1, 0)  # 10-15 holds one value of the original


def test_several_sensitive_columns_are_held_each_by_itself():
    original = pa.table({"x": [1, 2, 3], "s": [1, 2, 3], "t": [5, 5, 6]})
    released = pa.table({"x": [1, 2, 2], "s": [1, 2, 3], "t": [5, 5, 5]})
    result = hartley.audit(
        released, against=original, sensitive=["s", "t"], public="x", require={"disclosed_at_most": 1}
    )
    assert [(one.column, one.disclosed_right) for one in result.against.columns] == [("s", 1), ("t", 2)]
    assert [(one.column, one.found, one.holds) for one in result.requirements] == [
        ("s", 1, True),
        ("t", 2, False),
    ]
    assert result.against.disclosed_right == 2


def written(path, table):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.column_names, *zip(*table.to_pydict().values(), strict=True)])
    return str(path)


@pytest.fixture
def files(tmp_path):
    original = frame([(20, "m", 1), (25, "f", 2), (31, "m", 3), (35, "f", 3)])
    released = pa.table({"x": ["20-29", "20-29", "30+", "30+"], "y": ["*", "*", "m", "f"], "s": [1, 2, 3, 3]})
    names = "released.csv", "original.csv"
    return *(
        written(tmp_path / name, one) for name, one in zip(names, (released, original), strict=True)
    ), tmp_path


def test_the_gate_of_the_command_line(files, capsys):
    released, original, _ = files
    call = ["audit", released, "--against", original, "-s", "s", "-p", "x", "-p", "y"]
    assert run([*call, "--json", "--require", "disclosed-at-most=2"]) == 0
    shown = json.loads(capsys.readouterr().out)["against"]
    assert {"people", "disclosed_right", "disclosed_wrong", "guessed_right"} < set(shown)
    assert {"guessed_right_by_marginals", "unique_rows_matched"} < set(shown)
    assert (shown["people"], shown["disclosed_right"]) == (4, 2)
    assert run([*call, "--require", "disclosed-at-most=1"]) == 3
    out = capsys.readouterr().out
    assert "2 of 4 people" in out
    assert "x was read as 2 bands" in out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["-s", "z"], "no column 'z'"),
        (["-s", "s", "-p", "xx"], "did you mean 'x'"),
        (["-s", "s", "-p", "x", "--side", "y"], "--side"),
        (["-s", "s", "-p", "x", "--person", "y"], "--person"),
        (["-s", "s", "-p", "x", "--stochastic"], "--stochastic"),
        (["-s", "s", "-p", "x", "--hierarchy", "y=nothing.csv"], "y"),
        (["-p", "x"], "needs a column to protect"),
        (["-s", "s", "-p", "x", "-p", "x"], "column 'x' is named twice as public"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(files, capsys, change, said):
    released, original, _ = files
    assert run(["audit", released, "--against", original, *change]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "\n" not in error


def test_labels_that_cannot_be_read_are_counted_and_named_without_a_sensitive_cell(files, capsys):
    _, original, folder = files
    public = written(folder / "p.csv", frame([("young", "m", 1), ("old", "f", 2)]))
    assert run(["audit", public, "--against", original, "-s", "s", "-p", "x"]) == 2
    error = capsys.readouterr().err
    assert "2 different labels" in error
    assert "'aaaaa'" in error
    assert "young" not in error
    secret = written(folder / "q.csv", frame([(20, "m", "Smith"), (25, "f", "2")]))
    assert run(["audit", secret, "--against", original, "-s", "s", "-p", "x"]) == 2
    error = capsys.readouterr().err
    assert "'aaaaa'" in error
    assert "Smith" not in error
    groups = folder / "groups.csv"
    groups.write_text("x,level1\n20,young\n25,young\n31,old\n35,old\n", encoding="utf-8")
    call = ["audit", public, "--against", original, "-s", "s", "-p", "x"]
    assert run([*call, "--hierarchy", f"x={groups}"]) == 0


def test_an_original_with_no_text_in_common_is_asked_for_before_its_labels(files, capsys):
    _, _, folder = files
    towns = written(folder / "towns.csv", frame([("Ulm", "m", 1), ("Bonn", "f", 2), ("Kiel", "f", 2)]))
    other = written(folder / "trees.csv", frame([("oak", "m", 1), ("ash", "f", 2), ("elm", "f", 2)]))
    assert run(["audit", towns, "--against", other, "-s", "s", "-p", "x"]) == 2
    error = capsys.readouterr().err.strip()
    assert "no cell of 'x' in the released file is or names a value of the original; is this the" in error
    assert "--hierarchy x=FILE" in error
    assert "Ulm" not in error
    assert "oak" not in error
    assert run(["audit", towns, "--against", other, "-s", "s", "-p", "x", "-p", "y"]) == 2
    assert "that cannot be read" in capsys.readouterr().err  # the sexes are in common


def test_an_original_that_is_not_the_original_is_refused(files, capsys):
    released, _, folder = files
    other = written(folder / "other.csv", frame([(1, "u", 1), (2, "v", 2)]))
    assert run(["audit", released, "--against", other, "-s", "s", "-p", "x"]) == 2
    assert "share too little" in capsys.readouterr().err
    assert run(["audit", released, "--against", released, "-s", "s", "-p", "x"]) == 2
    assert "against itself" in capsys.readouterr().err


def test_a_file_in_which_nobody_is_found_is_not_called_protected(files, capsys):
    _, original, folder = files
    means = [(22.5, "m", s) for s in (1, 2, 3)] + [(33.5, "f", s) for s in (1, 2, 3)]
    released = written(folder / "means.csv", frame(means))
    assert run(["audit", released, "--against", original, "-s", "s", "-p", "x", "-p", "y"]) == 0
    out = capsys.readouterr().out
    assert "AT RISK  Nobody of the original is found" in out
    assert "PROTECTED" not in out


def test_the_requirement_needs_an_original(files, capsys):
    released, _, _ = files
    assert run(["audit", released, "-s", "s", "-p", "x", "--require", "disclosed-at-most=0"]) == 2
    assert "--against" in capsys.readouterr().err


def test_the_labels_of_our_own_releases_are_read_with_the_codebook_beside_the_file(tmp_path, capsys):
    towns = [f"Town {place}, St. {place % 2}" for place in range(12)]
    rows = [
        (towns[place % 12], ["red", "green", "blue"][place % 3], place % 2 == 0, place % 7)
        for place in range(84)
    ]
    table, out = tmp_path / "in.csv", tmp_path / "out.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("town", "colour", "new", "s"), *rows])
    asked = ["-s", "s", "-p", "town", "-p", "colour", "-p", "new"]
    assert run(["release", str(table), str(out), *asked, "--row-k", "40", "--distinct-l", "3"]) == 0
    assert "group 1 of " in out.read_text()
    capsys.readouterr()
    assert run(["audit", str(out), "--against", str(table), "-s", "s", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["against"]
    assert (told["found"], told["disclosed_right"], told["singled_out"]) == (84, 0, 0)
    read = {one["column"]: {entry["form"] for entry in one["read_as"]} for one in told["labels"]}
    assert read["town"] == {"group"}
    assert run(["audit", str(out), "--against", str(table), "-s", "s"]) == 0
    assert "84 people of the original beside 84 rows; " in capsys.readouterr().out
    (tmp_path / "out.codebook.csv").unlink()
    assert run(["audit", str(out), "--against", str(table), "-s", "s"]) == 2
    assert "codebook beside the file" in capsys.readouterr().err


def test_midpoints_of_our_own_releases_stand_for_the_classes_of_the_policy_beside_the_file(tmp_path, capsys):
    rows = [(180 + 7 * place % 90, 30 + place * place % 11) for place in range(60)]
    table, out = tmp_path / "in.csv", tmp_path / "out.csv"
    table.write_text("\n".join(["chol,age", *(f"{chol},{age}" for chol, age in rows), ",33", ",34"]) + "\n")
    asked = ["-s", "age", "-p", "chol"]
    release = ["release", str(table), str(out), *asked, "--distinct-l", "4", "--withhold", "6"]
    assert run([*release, "--publish-sensitive", "--labels", "midpoint"]) == 0
    held = ["audit", str(out), "--against", str(table), *asked]
    capsys.readouterr()
    assert run([*held, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["against"]
    # Whoever knows the classes finds everybody, also the withheld and those without a value.
    assert told["found"] == len(rows) + 2
    book = hartley.Policy.read(tmp_path / "out.policy.json")
    label_of = {cell: one.label[0] for one in book.clusters for (cell,) in one.members}
    shown = [(label_of[str(chol)], age) for chol, age in rows] + [(label_of[None], 33), (label_of[None], 34)]
    ages = {label: [age for one, age in shown if one == label] for label, _ in shown}
    found = list(csv.reader(out.read_text().splitlines()))[1:]
    assert sorted((float(label) if label else -1, int(age)) for label, age in found) == sorted(
        (float(label) if label else -1, age) for label, age in shown
    )
    likeliest = {label: min(those, key=lambda age: (-those.count(age), age)) for label, those in ages.items()}
    assert told["guessed_right"] == sum(likeliest[label] == age for label, age in shown)
    # A policy of another release says nothing, and then midpoints look safer than they are, which is said.
    (tmp_path / "out.policy.json").rename(tmp_path / "alone.policy.json")
    out.rename(tmp_path / "alone.csv")
    changed = (tmp_path / "alone.csv").read_text() + "33,1234.5\n"
    (tmp_path / "alone.csv").write_text(changed)
    held[1] = str(tmp_path / "alone.csv")
    assert run([*held, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["against"]["found"] < len(rows)
    assert run(held) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "AT RISK" in said
    assert "most values of chol are not in the original" in said
    assert "--hierarchy COL=FILE" in said
