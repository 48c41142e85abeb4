"""Published tables of counts: ranges equal enumeration, and what is disclosed is said."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hartley.cli.program import run
from hartley.errors import InputError
from hartley.measures.against.count_ranges import CountSystem
from hartley.workflow.audit_published import audit_published
from sample_sizes import sample


def solutions(shape, constraints, most):
    """Yield every table of whole numbers up to a total that meets all sums."""
    for cells in product(range(most + 1), repeat=int(np.prod(shape))):
        if sum(cells) <= most:
            table = np.array(cells).reshape(shape)
            if all(low <= table[where].sum() <= high for where, low, high in constraints):
                yield table


def written(folder, name, header, rows):
    path = folder / name
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(sample(30, 400)))
def test_ranges_are_those_of_all_tables_that_fit(tmp_path, seed):
    source = np.random.default_rng(seed)
    shape = [(2, 2), (2, 3)][seed % 2]
    shares = np.ones(np.prod(shape)) / np.prod(shape)
    truth = source.multinomial(int(source.integers(1, 8)), shares).reshape(shape)
    base = 1 if seed % 3 else 3
    rows, constraints = [], []
    places = [*product(*map(range, shape)), *[(row, None) for row in range(shape[0])]]
    places += [(None, column) for column in range(shape[1])] + [(None, None)]
    for place in places:
        where = tuple(slice(None) if one is None else one for one in place)
        true = int(truth[where].sum())
        said, low, high = str(true), true, true
        if base > 1:
            shown = int(round(true / base) * base)
            said, low, high = str(shown), max(0, shown - 1), shown + 1
        is_total = place == (None, None)
        if not is_total and source.random() < 0.5:
            said, low, high = ("x", 0, 12) if source.random() < 0.5 or true > 4 else ("<5", 0, 4)
        rows.append(
            ["total" if one is None else f"{kind}{one}" for kind, one in zip("ab", place, strict=True)]
            + [said]
        )
        constraints.append((where, low, high))
    path = written(tmp_path, "t.csv", "a,b,count", rows)
    found = audit_published([path], rounded=None if base == 1 else base)
    every = np.array(list(solutions(shape, constraints, 9)))
    names = [[f"{kind}{one}" for one in range(size)] for kind, size in zip("ab", shape, strict=True)]
    for one in found.ranges:
        at = tuple(
            names[axis].index(one.where[kind]) if kind in one.where else slice(None)
            for axis, kind in enumerate("ab")
        )
        possible = [table[at].sum() for table in every]
        assert (one.least, one.greatest) == (min(possible), max(possible))
    told = {tuple(one.where.items()) for one in found.ranges}
    for place in product(*map(range, shape)):
        where = (("a", f"a{place[0]}"), ("b", f"b{place[1]}"))
        if where not in told:
            assert len({table[place] for table in every}) == 1
    for group in found.disclosed:
        axis = "ab".index(group.column)
        other = int(next(iter(group.group.values()))[1:])
        lines = every[:, :, other] if axis == 0 else every[:, other, :]
        category = int(group.category[1:])
        assert (lines.sum(axis=1) >= 1).all()
        assert (lines.sum(axis=1) == lines[:, category]).all()
        assert group.people == lines[:, category].min()
    assert found.disclosed_people == disclosed_people(every)


def disclosed_people(every):
    """Count people whose category of one column is the only one of their group, in the table with fewest."""
    people = [0]
    for axis in range(1, every.ndim):
        is_possible = (every >= 1).any(axis=0)
        alone = is_possible.sum(axis=axis - 1, keepdims=True) == 1
        people.append(int((every * (alone & is_possible)).reshape(len(every), -1).sum(axis=1).min()))
    return max(people)


@pytest.mark.parametrize("seed", range(sample(15, 100)))
def test_people_of_several_groups_are_counted_together(tmp_path, seed):
    source = np.random.default_rng(seed)
    shape = (2, 2, 2)
    truth = source.multinomial(int(source.integers(1, 4)), source.dirichlet(np.full(8, 0.4))).reshape(shape)
    files, constraints = [], []
    for pair in ((0, 1), (0, 2), (1, 2))[: 1 + seed % 3]:
        names = ["abc"[axis] for axis in pair]
        rows = []
        for place in product((0, 1, None), repeat=2):
            whole = [slice(None)] * 3
            for axis, one in zip(pair, place, strict=True):
                whole[axis] = slice(None) if one is None else one
            true, is_hidden = int(truth[tuple(whole)].sum()), None not in place and source.random() < 0.4
            cells = [
                "total" if one is None else f"{name}{one}" for name, one in zip(names, place, strict=True)
            ]
            rows.append([*cells, "x" if is_hidden else true])
            constraints.append((tuple(whole), 0 if is_hidden else true, 12 if is_hidden else true))
        files.append(written(tmp_path, f"{names[0]}{names[1]}.csv", f"{names[0]},{names[1]},n", rows))
    found = audit_published(files)
    every = np.array(list(solutions(shape, constraints, 3)))
    summed = tuple(1 + axis for axis in range(3) if "abc"[axis] not in found_columns(files))
    assert found.disclosed_people == disclosed_people(every.sum(axis=summed))


def found_columns(files):
    """Return the columns of some tables."""
    return {letter for file in files for letter in file.stem}


def test_another_table_of_the_same_people_discloses_nobody_less(tmp_path, capsys):
    rows = [("f", "yes", 3), ("f", "no", 0), ("m", "yes", 5), ("m", "no", 6)]
    one = written(tmp_path, "one.csv", "sex,ill,n", rows)
    rows = [("f", "young", "x"), ("f", "old", "x"), ("f", "total", 3), ("m", "young", 5), ("m", "old", 6)]
    other = written(tmp_path, "two.csv", "sex,age,n", rows)
    assert audit_published([one]).disclosed_people == 6
    found = audit_published([one, other], require={"disclosed_at_most": 5})
    assert found.disclosed_people == 6
    assert not found.requirements[0].holds
    # How the three women are spread over ages is not known, and all of them are ill.
    women = [group for group in found.disclosed if group.group.get("sex") == "f"]
    assert [(group.category, group.people) for group in women] == [("yes", 0), ("yes", 0)]
    assert run(["audit", "--published", str(one), "--published", str(other)]) == 0
    assert "In 4 groups everyone is known to have one category: 6 people" in " ".join(
        capsys.readouterr().out.split()
    )


def test_two_tables_of_the_same_people_are_read_together(tmp_path):
    one = written(tmp_path, "one.csv", "sex,ill,n", [("f", "yes", "x"), ("f", "no", "x"), ("f", "total", 4)])
    other = written(tmp_path, "two.csv", "ill,n", [("yes", 0), ("no", 4)])
    found = audit_published([one, other])
    assert [(r.least, r.greatest) for r in found.ranges] == [(0, 0), (4, 4)]
    assert [(group.column, group.category, group.people) for group in found.disclosed] == [("ill", "no", 4)]


@pytest.mark.parametrize(("size", "share"), [(100, 0.05), (40, 0.9)])
def test_thousands_of_cells_of_which_few_or_most_are_suppressed(size, share):
    source = np.random.default_rng(1)
    truth = source.poisson(6, (size, size))
    hidden = source.random((size, size)) < share
    cells = np.arange(size * size).reshape(size, size)
    rows, low = [], []
    for row, column in np.argwhere(~hidden):
        rows.append([cells[row, column]])
        low.append(truth[row, column])
    for axis in (0, 1):
        for line in range(size):
            rows.append(cells[line] if axis == 0 else cells[:, line])
            low.append(truth[line].sum() if axis == 0 else truth[:, line].sum())
    entries = np.concatenate([np.full(len(row), place) for place, row in enumerate(rows)])
    places = entries, np.concatenate(rows)
    matrix = csr_matrix((np.ones(len(entries)), places), shape=(len(rows), size * size))
    ends = np.array(low, dtype=float)
    least, greatest, exact = CountSystem(matrix, ends, ends).ranges()
    assert exact.all()
    flat = truth.ravel()
    assert (least <= flat).all()
    assert (greatest >= flat).all()
    assert (least == greatest)[~hidden.ravel()].all()


def test_counts_may_be_separated_by_semicolons(tmp_path):
    rows = [("f", "yes", "x"), ("f", "no", 0), ("f", "total", 3), ("m", "yes", "1,234"), ("m", "no", 6)]
    with_commas = written(tmp_path, "t.csv", "sex,ill,n", [(*row[:2], f'"{row[2]}"') for row in rows])
    with_semicolons = tmp_path / "s.csv"
    with_semicolons.write_text("\n".join(["sex;ill;n", *(";".join(map(str, row)) for row in rows)]) + "\n")
    found = audit_published([with_semicolons])
    assert found.ranges == audit_published([with_commas]).ranges
    assert [one.least for one in found.ranges] == [3]


def test_contradicting_counts_are_no_answer(tmp_path):
    path = written(tmp_path, "t.csv", "a,n", [("x1", 2), ("x2", 3), ("total", 9)])
    with pytest.raises(InputError, match="contradict"):
        audit_published([path])


def test_the_command_line_says_ranges_and_who_is_disclosed(tmp_path, capsys):
    rows = [("f", "yes", ""), ("f", "no", 0), ("f", "total", 3), ("m", "yes", 5), ("m", "no", 6)]
    path = str(written(tmp_path, "t.csv", "sex,ill,n", rows))
    assert run(["audit", "--published", path, "--json", "--require", "disclosed-at-most=2"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["undone"] == 1
    assert found["ranges"][0] == {
        "where": {"sex": "f", "ill": "yes"},
        "least": 3,
        "greatest": 3,
        "suppressed": True,
    }
    told = {(one["column"], one["category"], one["people"]) for one in found["disclosed"]}
    assert told == {("ill", "yes", 3), ("sex", "m", 6)}
    assert run(["audit", "--published", path]) == 0
    assert "1 of 1 suppressed count" in capsys.readouterr().out
    assert run(["audit", "--published", path, "-s", "ill"]) == 2
    assert "--published stands in place of a table" in capsys.readouterr().err
    bad = str(written(tmp_path, "bad.csv", "sex,n", [("f", "many")]))
    assert run(["audit", "--published", bad]) == 2
    assert "no count" in capsys.readouterr().err
    assert run(["audit", "--published", path, "--rounded", "often"]) == 2
    assert "--rounded" in capsys.readouterr().err


def test_a_table_with_a_column_for_each_category_is_refused_in_one_line(tmp_path, capsys):
    crossed, long = tmp_path / "crossed.csv", tmp_path / "long.csv"
    crossed.write_text("class,no,yes,Total\n1st,*,*,323\n2nd,158,119,277\nTotal,281,319,600\n")
    assert run(["audit", "--published", str(crossed)]) == 2
    assert "a line for each count" in capsys.readouterr().err
    long.write_text("class,year,rooms,total\na,1,2,9\na,1,3,4\n")
    assert run(["audit", "--published", str(long)]) != 2


@pytest.mark.parametrize("typed", [["--rounded", "5"], ["--threshold", "3"]])
def test_what_is_said_of_counts_is_refused_for_a_table(typed, tmp_path, capsys):
    path = str(written(tmp_path, "t.csv", "sex,ill", [("f", "yes"), ("m", "no")]))
    assert run(["audit", path, "-s", "ill", "-p", "sex", *typed]) == 2
    assert "name them with --published" in capsys.readouterr().err
