"""Persons with several rows, against the definition on small tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hartley import audit, release
from hartley.cli.program import run
from hartley.errors import HartleyError, OptionError, TableError, UnreachableError
from hartley.measures.person_range import fewest_of_all_rows, person_range
from hartley.model import JointRange, Partition
from hartley.model.closeness import NO_CLOSENESS
from hartley.model.requirement import Requirement
from hartley.web.page_json import audit_page
from hartley.workflow.apply_policy import apply
from hartley.workflow.persons.merge_for_persons import held_for_persons, repaired
from hartley.workflow.verify_release import verify
from sample_sizes import sample

Rows = list[tuple[int, str, str]]
"""Rows of (public, sensitive, person)."""


def drawn(source: Random, values: int = 6) -> Rows:
    persons = {f"p{number}": source.choice("abcd") for number in range(source.randint(2, 7))}
    rows = [(source.randrange(values), value, person) for person, value in persons.items()]
    for _ in range(source.randint(0, 8)):
        person = source.choice(list(persons))
        rows.append((source.randrange(values), persons[person], person))
    return rows


def left_by_definition(rows: Rows) -> dict[str, set[str]]:
    """The candidates of each person: the values of the persons whose rows show the same set."""
    shown: dict[str, set[int]] = {}
    for x, _, person in rows:
        shown.setdefault(person, set()).add(x)
    possible: dict[frozenset[int], set[str]] = {}
    for _, s, person in rows:
        possible.setdefault(frozenset(shown[person]), set()).add(s)
    return {person: possible[frozenset(seen)] for person, seen in shown.items()}


def left_by_all_rows(rows: Rows) -> dict[str, set[str]]:
    """What every one of a person's rows leaves possible."""
    possible: dict[int, set[str]] = {}
    for x, s, _ in rows:
        possible.setdefault(x, set()).add(s)
    found: dict[str, set[str]] = {}
    for x, _, person in rows:
        found[person] = found.get(person, possible[x]) & possible[x]
    return found


def fewest_alike(rows: Rows) -> int:
    seen: dict[str, set[int]] = {}
    for x, _, person in rows:
        seen.setdefault(person, set()).add(x)
    return min(Counter(map(frozenset, seen.values())).values())


def as_table(rows: Rows) -> pa.Table:
    return pa.table(
        {"x": [x for x, _, _ in rows], "s": [s for _, s, _ in rows], "who": [person for _, _, person in rows]}
    )


def test_persons_are_left_with_what_persons_have_whose_rows_show_the_same() -> None:
    for number in range(300):
        rows = drawn(Random(number))
        seen = person_range(JointRange.from_pairs(rows))
        left = left_by_definition(rows)
        sizes = sorted(len(seen.candidates(one)) for one in range(seen.observations))
        assert set(sizes) == {len(some) for some in left.values()}
        verdicts = held_for_persons(
            JointRange.from_pairs(rows), (Requirement("distinct-l", 1), Requirement("row-k", 1)), NO_CLOSENESS
        )
        assert [one.found for one in verdicts] == [min(map(len, left.values())), fewest_alike(rows)]
        assert fewest_of_all_rows(JointRange.from_pairs(rows)) == min(
            map(len, left_by_all_rows(rows).values())
        )
        assert all(left[person] <= all_rows for person, all_rows in left_by_all_rows(rows).items())


def test_where_every_person_has_one_row_everything_is_as_without_persons() -> None:
    for number in range(8):
        source = Random(number)
        rows = [(source.randrange(5), source.choice("abc"), f"p{place}") for place in range(12)]
        table = as_table(rows)
        plain = audit(table, sensitive="s", public="x", require={"distinct_l": 2, "row_k": 2})
        linked = audit(table, sensitive="s", public="x", person="who", require={"distinct_l": 2, "row_k": 2})
        assert linked.audit == plain.audit
        assert linked.requirements == plain.requirements


def test_merging_ends_with_what_is_required_of_persons() -> None:
    for number in range(150):
        source = Random(number)
        rows = drawn(source)
        linked = JointRange.from_pairs(sorted(rows))
        requirement = Requirement(
            *source.choice([("distinct-l", 2), ("distinct-l", 3), ("row-k", 2), ("l0", 1.0)])
        )
        start = Partition.singletons(linked.public.size)
        in_order = source.random() < 0.5
        everything = held_for_persons(
            linked.release(Partition.whole(linked.public.size)), (requirement,), NO_CLOSENESS
        )
        try:
            found = repaired(
                linked,
                start,
                (requirement,),
                NO_CLOSENESS,
                lambda one: one.sizes.astype(float),
                in_order=in_order,
            )
        except UnreachableError:
            assert not everything[0].holds
            continue
        assert everything[0].holds
        clusters = {label: place for place, label in enumerate(linked.public.labels())}
        after = [(int(found.labels[clusters[x]]), s, person) for x, s, person in rows]
        if requirement.name == "distinct-l":
            assert min(map(len, left_by_definition(after).values())) >= requirement.wanted
        if requirement.name == "row-k":
            assert fewest_alike(after) >= requirement.wanted
        if in_order:
            assert all(cluster == list(range(cluster[0], cluster[-1] + 1)) for cluster in found.clusters())


@pytest.mark.parametrize("shape", ["any", "intervals"])
def test_a_release_holds_for_persons_and_is_verified_so(shape: Any, tmp_path: Path) -> None:
    source = Random(1)
    persons = {f"p{number}": source.choice("abcdef") for number in range(30)}
    drawn_rows = [(source.randint(0, 15), source.choice(list(persons))) for _ in range(90)]
    table = as_table([(x, persons[person], person) for x, person in drawn_rows])
    options: dict[str, Any] = {"sensitive": "s", "public": "x", "require": {"distinct_l": 3}, "shape": shape}
    made = release(table, tmp_path / "out.csv", person="who", **options)
    plain = release(table, tmp_path / "plain.csv", **options)
    assert made.point.utility <= plain.point.utility
    checks = {"original": table, "certificate": None, "person": "who"}
    assert verify(made.output, policy=made.policy, **checks).holds
    failures = verify(plain.output, policy=plain.policy, **checks).failures
    assert [one.name for one in failures] == ["distinct-l of persons"]
    assert apply(made.policy, table, tmp_path / "again.csv", person="who").target_holds
    with pytest.raises(UnreachableError, match="does not keep what the policy was made for"):
        apply(plain.policy, table, tmp_path / "never.csv", person="who")


def wide_table(source: Random) -> pa.Table:
    """Draw persons, most of whom have a twin with the same rows and another value."""
    rows = drawn(source, 5)
    rows += [
        (x, "bcda"["abcd".index(s)], f"{who}+") for x, s, who in rows if who != "p0" or source.random() < 0.5
    ]
    table = as_table(rows)
    for name in ("k", "h"):
        of_person = {who.rstrip("+"): source.randrange(2) for _, _, who in rows}
        table = table.append_column(name, pa.array([of_person[who.rstrip("+")] for _, _, who in rows]))
    return table


def fewest_left(table: pa.Table, shown: list[tuple[Any, ...]]) -> int:
    """The fewest candidates of a person, where so much is seen or known of each row."""
    numbers = {seen: place for place, seen in enumerate(dict.fromkeys(shown))}
    cells = zip(shown, table["s"].to_pylist(), table["who"].to_pylist(), strict=True)
    left = left_by_definition([(numbers[seen], s, person) for seen, s, person in cells])
    return min(map(len, left.values()))


BESIDE: list[dict[str, Any]] = [
    {"keep": "k"},
    {"side": "k"},
    {"keep": "k", "side": "h"},
    {"withhold": 3},
    {"withhold": 3, "keep": "k"},
    {"harmless": "h"},
    {"shape": "intervals", "withhold": 3},
    {"shape": "columns", "public": ["x", "k"]},
]


@pytest.mark.parametrize("more", BESIDE, ids=lambda more: "-".join(map(str, more)))
def test_what_is_seen_beside_the_released_value_counts_for_persons(
    more: dict[str, Any], tmp_path: Path
) -> None:
    released = 0
    for number in range(sample(3, 60)):
        table = wide_table(Random(number))
        options: dict[str, Any] = {"sensitive": "s", "public": "x", "require": {"distinct_l": 2}, **more}
        out = tmp_path / f"out{number}.parquet"
        beside = [name for name in ("k", "h") if name in (more.get("keep"), more.get("side"))]
        try:
            made = release(table, out, person="who", keep_order=True, **options)
        except UnreachableError:
            # With everything merged nothing but the columns beside is seen.
            if not {"withhold", "shape", "harmless"} & set(more):
                nothing = [tuple(row[name] for name in beside) for row in table.to_pylist()]
                assert fewest_left(table, nothing) < 2
            continue
        released += 1
        found = pq.read_table(out).to_pylist()
        seen = [
            (*map(str, row.values()), *(own[name] for name in beside))
            for row, own in zip(found, table.to_pylist(), strict=True)
        ]
        assert fewest_left(table, seen) >= 2
        assert made.point.withheld_rows <= more.get("withhold", 0)
        checks: dict[str, Any] = {"original": table, "policy": made.policy, "certificate": made.certificate}
        assert verify(out, **checks, person="who").holds
        again = apply(made.policy, table, tmp_path / f"again{number}.parquet", person="who")
        assert again.target_holds
    assert released or "harmless" in more


def test_earlier_releases_count_for_persons(tmp_path: Path) -> None:
    released = 0
    for number in range(sample(4, 60)):
        table = wide_table(Random(number))
        asked: dict[str, Any] = {"sensitive": "s", "require": {"distinct_l": 2}, "keep_order": True}
        places = [tmp_path / f"{name}{number}.parquet" for name in ("first", "second")]
        try:
            first = release(table, places[0], public="k", person="who", **asked)
            second = release(table, places[1], public="x", person="who", earlier=[first.policy], **asked)
        except UnreachableError:
            continue
        released += 1
        cells = [pq.read_table(place).column(0).to_pylist() for place in places]
        assert fewest_left(table, list(zip(*cells, strict=True))) >= 2
        found = verify(
            second.output,
            original=table,
            policy=second.policy,
            certificate=second.certificate,
            earlier=[first.policy],
            person="who",
        )
        assert found.holds
    assert released


def test_what_has_no_meaning_for_persons_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = as_table([(1, "a", "p"), (2, "b", "p"), (2, "b", "q")])
    with pytest.raises(OptionError, match="of 1 persons changes from row to row"):
        audit(table, sensitive="s", public="x", person="who", require={"row_k": 2})
    wrong: list[tuple[type[HartleyError], dict[str, Any]]] = [
        (OptionError, {"public": ["x", "who"], "person": "who"}),
        (OptionError, {"public": "x", "person": "s"}),
        (OptionError, {"public": "x", "side": "k", "person": "who"}),
        (HartleyError, {"public": "x", "person": "nobody"}),
    ]
    more = table.append_column("k", pa.array([1, 1, 2]))
    for error, fields in wrong:
        with pytest.raises(error):
            audit(more, sensitive="s", **fields)
    for reason, given in (
        ("reads the sensitive value", {"publish_sensitive": True}),
        ("differs from row to row", {"side": "k", "require": {"distinct_l": 1, "l0": 1}}),
        ("cannot say whose row", {"keep": "who"}),
    ):
        fields = {"require": {"distinct_l": 1}} | given
        with pytest.raises(OptionError, match=reason):
            release(more.slice(1), tmp_path / "no.csv", sensitive="s", public="x", person="who", **fields)
    lone = pa.table({"x": [1, 2], "s": ["a", "b"], "who": ["p", None]})
    with pytest.raises(TableError, match="have no person"):
        audit(lone, sensitive="s", public="x", person="who")
    (tmp_path / "in.csv").write_text("x,s,who\n1,a,p\n1,b,q\n2,a,p\n2,b,q\n")
    assert run(["audit", str(tmp_path / "in.csv"), "-s", "s", "-p", "x", "--person", "who", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["persons"] == {
        "column": "who",
        "persons": 2,
        "most_values": 2,
        "all_rows_l": 2,
        "changing": 0,
    }
    (tmp_path / "bare.csv").write_text("x,s,who\n1,a,p\n2,b,q\n1,a,r\n2,b,q\n")
    assert run(["audit", str(tmp_path / "bare.csv"), "-s", "s", "-p", "x", "--person", "who"]) == 0
    assert "--person who --distinct-l 2" in " ".join(capsys.readouterr().out.split())
    assert run(["audit", str(tmp_path / "in.csv"), "-s", "s", "-p", "who", "--person", "who"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_value_that_changes_is_asked_for_row_by_row_and_persons_are_counted() -> None:
    # The sets of public values: p and q have {a, b}, r has {a}; p has two values, q two of three.
    rows = [("a", 1, "p"), ("b", 2, "p"), ("a", 2, "q"), ("b", 3, "q"), ("a", 3, "r")]
    found = audit(as_table(rows), sensitive="s", public="x", person="who")
    assert (found.distinct_l, found.row_k, found.audit.rows) == (1, 1, 3)
    assert found.persons is not None
    assert found.persons.changing == 2
    both = audit(as_table(rows[:4]), sensitive="s", public="x", person="who")
    assert (both.distinct_l, both.row_k) == (2, 2)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_of_changing_values_is_what_the_definition_says(seed: int) -> None:
    draw = Random(seed)
    rows = [(draw.choice("abc"), draw.randint(1, 3), draw.choice("pqrstu")) for _ in range(12)]
    seen = {who: frozenset(x for x, _, p in rows if p == who) for _, _, who in rows}
    left = [{s for y, s, p in rows if (y, seen[p]) == (x, seen[who])} for x, _, who in rows]
    alike = [sum(seen[p] == seen[who] for p in seen) for who in seen]
    found = audit(as_table(rows), sensitive="s", public="x", person="who")
    assert found.distinct_l == min(map(len, left))
    assert found.row_k == min(alike)
    fewest = {who for (_, _, who), kept in zip(rows, left, strict=True) if len(kept) == found.distinct_l}
    assert found.audit.narrowest_rows == len(fewest)
    shown = {(x, seen[who]): {p for y, _, p in rows if (y, seen[p]) == (x, seen[who])} for x, _, who in rows}
    told = sorted(one.rows for one in found.audit.narrowest)
    assert (
        told
        == sorted(
            len(people)
            for (x, alike), people in shown.items()
            if len({s for y, s, p in rows if (y, seen[p]) == (x, alike)}) == found.distinct_l
        )[: len(told)]
    )
    # Who links rows learns no less than who does not.
    assert found.distinct_l <= audit(as_table(rows), sensitive="s", public="x").distinct_l


def test_no_more_people_are_counted_than_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{visit},{number % 3 + visit},p{number}" for number in range(9) for visit in range(3)]
    (tmp_path / "in.csv").write_text("\n".join(["x,s,who", *lines]) + "\n")
    assert run(["audit", str(tmp_path / "in.csv"), "-s", "s", "-p", "x", "--person", "who"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "All 9 people are left with only 3 of the 5 values of s" in said
    assert "33.3 % have the same s (9 rows)" in said
    lines = [f"{line},{'a' if line[0] == '2' else line[-1]}" for line in lines]
    (tmp_path / "in.csv").write_text("\n".join(["x,s,who,t", *lines]) + "\n")
    both = ["-s", "s", "-s", "t", "-p", "x", "--person", "who"]
    assert run(["audit", str(tmp_path / "in.csv"), *both]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "All 9 people can have their exact t read off from x" in said
    assert "s and t change between the rows of 9 persons" in said


def test_a_release_holds_for_each_row_of_a_person_whose_values_change(tmp_path: Path) -> None:
    # By row, and by set, three values are left; who sees the row beside the set is left with one.
    rows = [("a", 1, "p"), ("b", 2, "p"), ("a", 1, "q"), ("b", 3, "q"), ("b", 4, "q")]
    rows += [("a", 4, "r"), ("c", 5, "r"), ("a", 5, "t"), ("c", 6, "t"), ("c", 7, "t")]
    assert audit(as_table(rows), sensitive="s", public="x").distinct_l == 3
    assert audit(as_table(rows), sensitive="s", public="x", person="who").distinct_l == 1
    for wanted in (2, 3):
        made = release(
            as_table(rows),
            tmp_path / f"{wanted}.parquet",
            sensitive="s",
            public="x",
            person="who",
            distinct_l=wanted,
        )
        assert made.persons is not None
        assert made.persons[1].distinct_l >= wanted


def test_a_release_tells_of_persons_and_not_of_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{person % 7},{'xyz'[person % 3]},p{person}" for person in range(30) for _ in range(2)]
    (tmp_path / "in.csv").write_text("\n".join(["x,s,who", "9,x,lone", "9,x,lone", *lines]) + "\n")
    call = ["release", str(tmp_path / "in.csv"), str(tmp_path / "out.csv"), "-s", "s", "-p", "x"]
    assert run([*call, "--person", "who", "--distinct-l", "2"]) == 0
    assert "Before, 1 of 31 people" in " ".join(capsys.readouterr().out.split())


def test_a_release_for_persons_tells_the_fewest_persons(tmp_path, capsys):
    table, out = tmp_path / "visits.csv", tmp_path / "out.csv"
    rows = [(person, 30 + person // 2, 10 * person + visit) for person in range(6) for visit in range(3)]
    table.write_text("who,age,ill\n" + "".join(f"{who},{age},{ill}\n" for who, age, ill in rows))
    asked = ["release", str(table), str(out), "-s", "ill", "-p", "age", "--person", "who"]
    assert run([*asked, "--distinct-l", "3"]) == 0
    said = capsys.readouterr().out
    assert "persons (k)" in said
    assert "fewest rows (k)" not in said
    assert re.search(r"^after +6 +2 ", said, flags=re.M)


def test_the_most_telling_rows_of_a_person_are_named_by_their_values(tmp_path):
    table = tmp_path / "visits.csv"
    rows = ["ann,50,f,1", "ann,51,f,1", "bob,50,f,1", "bob,51,f,1", "eve,60,m,2", "dan,60,m,3"]
    table.write_text("\n".join(["who,age,sex,ill", *rows]) + "\n")
    found = audit(table, sensitive="ill", public=("age", "sex"), person="who")
    assert [(one.public, one.rows) for one in found.narrowest] == [
        ({"rows of one person": "50, f; 51, f"}, 2)
    ]
    said = audit_page(found)["findings"]
    assert any("The rarest combination is that of 2 persons" in one["sentence"] for one in said)
