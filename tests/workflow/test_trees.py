"""Releases by a tree of cuts, and what they promise to a reader who knows the program."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest
from pycanon import anonymity

import hartley
from hartley.cli import main
from hartley.errors import HartleyError, OptionError, UnreachableError
from hartley.releases.certificate import Certificate
from hartley.releases.policy import Policy
from hartley.releases.tree_document import TreeCut
from hartley.search.effort import Effort
from hartley.verifier.verification import Documents, verify_release
from hartley.workflow.verify_release import verify_with_public_values
from sample_sizes import sample


def random_frame(draw: random.Random) -> pd.DataFrame:
    """Return a small table with a column of every kind."""
    rows = draw.choice((12, 30, 60))
    towns = ["1043", "1052", "1090", "2011", "2013", None]
    return pd.DataFrame(
        {
            "age": [draw.choice([*range(20, 60), None]) for _ in range(rows)],
            "town": [draw.choice(towns) for _ in range(rows)],
            "job": [draw.choice("abcd") for _ in range(rows)],
            "seen": [pd.Timestamp(2024, draw.randint(1, 12), 1).date() for _ in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
            "illness": [draw.choice("uvwxyz"[: draw.choice((3, 6))]) for _ in range(rows)],
            "income": [draw.choice((1, 2, 3, 5, 8, 13)) for _ in range(rows)],
        }
    )


def released(frame: pd.DataFrame, folder: Path, **asked: Any) -> Any:
    """Release a table, with the sensitive column in it."""
    given: dict[str, Any] = {
        "sensitive": "illness",
        "public": ["age", "job"],
        "publish_sensitive": True,
        "transparent": "retry",
        "overwrite": True,
    }
    given.update(asked)
    return hartley.release(frame, folder / "out.csv", **given)


def classes_of(path: Path, public: list[str], sensitive: list[str]) -> Counter[Any]:
    """Return the released rows, as they can be counted."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return Counter(map(tuple, table[[*public, *sensitive]].to_numpy().tolist()))


@pytest.mark.parametrize("seed", range(sample(12, 200)))
def test_random_releases_are_confirmed_by_the_verifier(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    frame = random_frame(draw)
    public = draw.sample(["age", "town", "job", "seen"], draw.choice((1, 2, 3)))
    asked: dict[str, Any] = {"public": public, "transparent": draw.choice(("retry", "retry", "strict"))}
    kind = draw.randrange(4)
    if kind == 0:
        asked |= {"require": {"distinct_l": draw.choice((2, 3))}}
    elif kind == 1:
        asked |= {
            "sensitive": "income",
            "require": {"separated_l": 2, "row_k": 3},
            "tolerance": {"income": 1},
        }
    elif kind == 2:
        both = {"distinct_l:illness": 2, "distinct_l:income": 2}
        asked |= {"sensitive": ["illness", "income"], "require": both}
    else:
        asked |= {"require": {"distinct_l": 2}, "keep": ["sex"]}
    if "town" in public and draw.random() < 0.5:
        asked["prefix"] = ["town"]
    try:
        made = released(frame, tmp_path, **asked)
    except UnreachableError:
        return
    assert made.verification.holds
    assert "tree" in [check.name for check in made.verification.checks]
    # Whoever has the public values and the files alone comes to the same result.
    # (In a CSV file of one column pandas writes a missing cell as an empty text.)
    frame[[*public, *asked.get("keep", ())]].to_parquet(tmp_path / "public.parquet")
    by_stranger = verify_with_public_values(
        made.output, public_values=tmp_path / "public.parquet", certificate=made.certificate
    )
    assert by_stranger.holds, by_stranger.failures
    others = frame[[*public, *asked.get("keep", ())]].iloc[1:]
    others.to_parquet(tmp_path / "public.parquet")
    by_stranger = verify_with_public_values(
        made.output, public_values=tmp_path / "public.parquet", certificate=made.certificate
    )
    assert not by_stranger.holds


def test_public_values_that_share_a_class_are_not_told_apart_and_that_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": range(20, 60), "job": "a", "illness": list("uvwx") * 10})
    made = released(frame, tmp_path, require={"distinct_l": 3})
    first = str(pd.read_csv(made.output)["age"].min())
    assert first.startswith("20 to ")
    frame.loc[0, "age"] = 21
    frame[["age", "job"]].to_csv(tmp_path / "public.csv", index=False)
    found = verify_with_public_values(
        made.output, public_values=tmp_path / "public.csv", certificate=made.certificate
    )
    assert found.holds
    assert any(
        one.startswith("whether a public value is the right one of its class") for one in found.not_checked
    )


RULES = (
    {"guess_at_most": 0.6},
    {"entropy_l": 2},
    {"recursive_cl": (3, 2)},
    {"t_closeness": 0.35},
    {"beta_likeness": 2},
    {"guess_at_most": 0.7, "distinct_l": 3, "row_k": 4},
)


@pytest.mark.parametrize("seed", range(sample(12, 100)))
def test_rules_on_shares_hold_in_the_file_as_another_program_counts_them(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    frame, asked = random_frame(draw), RULES[seed % len(RULES)]
    secret = draw.choice(("illness", "income"))
    try:
        made = released(frame, tmp_path, sensitive=secret, require=asked, exposure="accept")
    except UnreachableError:
        return
    assert made.verification.holds
    out = pd.read_csv(made.output, keep_default_na=False).astype({"age": str})
    for name, wanted in asked.items():
        if name == "guess_at_most":
            assert anonymity.alpha_k_anonymity(out, ["age", "job"], [secret])[0] <= wanted + 1e-9
        elif name == "entropy_l":
            assert anonymity.entropy_l_diversity(out, ["age", "job"], [secret]) >= wanted - 1
        elif name == "t_closeness":
            assert anonymity.t_closeness(out, ["age", "job"], [secret]) <= wanted + 1e-9
        elif name == "beta_likeness":
            assert anonymity.basic_beta_likeness(out, ["age", "job"], [secret]) <= wanted + 1e-9
        elif name == "recursive_cl":
            for _, one in out.groupby(["age", "job"]):
                counts = one[secret].value_counts().tolist()
                assert counts[0] < wanted[0] * sum(counts[wanted[1] - 1 :])


def test_sums_of_weights_are_kept_and_counted_again(tmp_path: Path) -> None:
    draw = random.Random(11)
    frame = random_frame(draw).assign(w=lambda table: [draw.choice((0.5, 1.25, 7)) for _ in table.index])
    made = released(frame, tmp_path, require={"distinct_l": 2, "weight_k:w": 20})
    lightest = next(one for one in made.requirements if one.name == "weight-k")
    policy = Policy.read(made.policy)
    where = {member: at for at, cluster in enumerate(policy.clusters) for member in cluster.members}
    sums: dict[int, float] = {}
    for age, job, weight in zip(frame["age"], frame["job"], frame["w"], strict=True):
        at = where[None if pd.isna(age) else f"{age:g}", None if pd.isna(job) else job]
        sums[at] = sums.get(at, 0) + weight
    assert made.verification.holds
    assert lightest.found == pytest.approx(min(sums.values()))
    assert lightest.found >= 20
    lighter = frame.assign(w=1.0)
    failed = verify_release(made.output, lighter, policy, Documents()).failures
    assert {"requirement weight-k:w", "tree"} <= {one.name for one in failed}


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"weight_k": 20}, "needs the column of weights"),
        ({"weight_k:illness": 20}, "illness"),
        ({"weight_k:town": 20}, "numbers from 0 on in every row"),
    ],
)
def test_weights_are_numbers_that_are_not_sensitive(asked: dict[str, Any], line: str, tmp_path: Path) -> None:
    with pytest.raises(HartleyError, match=line):
        released(random_frame(random.Random(2)), tmp_path, require={"distinct_l": 2, **asked})


def test_a_rule_on_shares_needs_a_tree(tmp_path: Path) -> None:
    asked = {"require": {"guess_at_most": 0.8}, "transparent": None}
    with pytest.raises(OptionError, match="can be broken by a class that grows"):
        released(random_frame(random.Random(2)), tmp_path, **asked)


@pytest.mark.parametrize("asked", [{}, {"transparent": None, "publish_sensitive": False, "shape": "tree"}])
def test_values_that_are_classes_by_themselves_are_confirmed_whatever_order_they_grow_in(
    asked: dict[str, Any], tmp_path: Path
) -> None:
    rows = [
        (3, 2009, 9),
        (3, 2010, 7),
        (3, 2010, 8),
        (4, 2010, 10),
        (3, 2010, 6),
        (3, 2010, 11),
        (3, 2013, 1),
    ]
    frame = pd.DataFrame([*rows, *rows[:3]], columns=["bedrooms", "year", "month"]).assign(paid=range(10))
    columns = ["bedrooms", "year", "month"]
    released(frame, tmp_path, sensitive="paid", public=columns, require={"distinct_l": 2}, **asked)


def test_the_certificate_says_what_is_promised_to_whom(tmp_path: Path) -> None:
    made = released(random_frame(random.Random(1)), tmp_path, require={"distinct_l": 2})
    promise = json.loads(made.certificate.read_text())["predicate"]
    assert promise["reader"] == "knows-the-program"
    assert "at least 2 values of illness possible for every row" in promise["statement"]
    assert "the reader knows nobody's sensitive value" in promise["statement"]
    assert "were chosen without looking at the sensitive column, this" in promise["statement"]
    both = released(
        random_frame(random.Random(1)),
        tmp_path,
        require={"row_k": 2, "distinct_l": 2},
        sensitive=["illness", "income"],
    )
    assert "looking at the sensitive columns, this is" in str(both.statement)


def test_without_transparent_nothing_is_promised_to_that_reader(tmp_path: Path) -> None:
    frame = random_frame(random.Random(1))
    made = released(frame, tmp_path, require={"distinct_l": 2}, transparent=None, shape="tree")
    promise = json.loads(made.certificate.read_text())["predicate"]
    assert promise["reader"] == "public-values"
    assert "statement" not in promise


@pytest.mark.parametrize(
    ("asked", "is_said"),
    [
        ({}, True),
        ({"require": {"distinct_l": 2, "row_k": 3}}, True),
        ({"keep": "sex"}, True),
        ({"publish_sensitive": True, "exposure": "accept"}, False),
        ({"require": {"row_k": 3}, "exposure": "accept"}, False),
        ({"sensitive": ["illness", "income"]}, False),
        ({"tolerance": {"income": 1}, "sensitive": "income", "require": {"separated_l": 2}}, False),
        ({"utility": "resolution"}, True),
        ({"public": "job"}, True),
        ({"side": "sex"}, False),
        ({"missing": "drop"}, False),
        ({"keep_order": True}, False),
        ({"shape": "tree"}, False),
    ],
)
def test_labels_alone_promise_something_where_the_search_is_blind_to_names(
    asked: dict[str, Any], is_said: bool, tmp_path: Path
) -> None:
    given = {"require": {"distinct_l": 2}, "publish_sensitive": False, "transparent": None, **asked}
    frame = random_frame(random.Random(3))
    made = released(frame, tmp_path, **given)
    promise = json.loads(made.certificate.read_text())["predicate"]
    assert promise["reader"] == "public-values"
    assert ("statement" in promise) == is_said
    if is_said:
        assert "at least 2 values of illness possible for every row" in promise["statement"]
    # A sentence that is not due, or a stronger reader, is noticed.
    certificate, policy = Certificate.read(made.certificate), Policy.read(made.policy)
    for changed in ({"reader": "knows-the-program"}, {"statement": "Nobody can learn anything."}):
        claim = msgspec.structs.replace(certificate.predicate, **changed)
        forged = msgspec.structs.replace(certificate, predicate=claim).sealed(policy)
        found = verify_release(made.output, frame, policy, Documents(certificate=forged))
        assert [one.name for one in found.failures] == ["promise to a reader who knows the program"]


def test_public_values_alone_do_not_confirm_requirements_on_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = random_frame(random.Random(1))
    groups = {"illness": {value: "lung" if value in "uv" else value for value in "uvwxyz"}}
    asked = {"require": {"separated_l": 2}, "groups": groups, "exposure": "accept"}
    made = released(frame, tmp_path, **asked)
    frame[["age", "job"]].to_csv(tmp_path / "public.csv", index=False)
    given = ["hartley", "verify", str(made.output), "--public-values", str(tmp_path / "public.csv")]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    said = " ".join(capsys.readouterr().out.split())
    assert "only classes and their sizes were checked" in said
    assert "CONFIRMED IN PART Not checked: requirements" in said


def test_a_reference_table_and_facts_choose_other_cuts_and_promise_the_same(tmp_path: Path) -> None:
    draw = random.Random(9)
    ages = [draw.randint(20, 59) for _ in range(300)]
    illness = ["u" if age < 35 else draw.choice("uvwxyz") for age in ages]
    frame = pd.DataFrame({"age": ages, "job": [draw.choice("ab") for _ in ages], "illness": illness})
    half, other = frame.iloc[::2], frame.iloc[1::2]
    asked: dict[str, Any] = {"require": {"distinct_l": 2}}
    alone = released(half, tmp_path, **asked)
    classes = classes_of(alone.output, ["age", "job"], ["illness"])
    for told in ({"reference": other}, {"keep_together": "age<35"}):
        made = released(half, tmp_path, **asked, **told)
        assert made.verification.holds
        assert classes_of(made.output, ["age", "job"], ["illness"]) != classes
        statement = json.loads(made.certificate.read_text())["predicate"]["statement"]
        assert ("the reference table has none of these rows" in statement) == ("reference" in told)


def test_what_is_known_of_everybody_besides_changes_nothing(tmp_path: Path) -> None:
    frame = random_frame(random.Random(4))
    alone = released(frame, tmp_path, require={"distinct_l": 2})
    classes = classes_of(alone.output, ["age", "job"], ["illness"])
    made = released(frame, tmp_path, require={"distinct_l": 2}, side=["sex", "town"])
    assert made.verification.holds
    assert classes_of(made.output, ["age", "job"], ["illness"]) == classes
    statement = json.loads(made.certificate.read_text())["predicate"]["statement"]
    assert "everybody's public values, their sex, town, this program" in statement


def test_who_knows_a_value_leaves_one_less(tmp_path: Path) -> None:
    asked = {"require": {"distinct_l": 3}, "transparent_knows": 1}
    made = released(random_frame(random.Random(4)), tmp_path, **asked)
    statement = json.loads(made.certificate.read_text())["predicate"]["statement"]
    assert "at least 2 values of illness possible for every other row" in statement


def test_an_arrangement_inside_a_leaf_changes_nothing_that_is_published(tmp_path: Path) -> None:
    frame = random_frame(random.Random(7))
    made = released(frame, tmp_path, require={"distinct_l": 2}, public=["job"])
    policy = Policy.read(made.policy)
    assert policy.tree is not msgspec.UNSET
    leaf = next(node for node in policy.tree.nodes if node.cluster is not None and not node.failed)
    jobs = {member[0] for member in policy.clusters[leaf.cluster or 0].members}
    inside = frame.index[frame["job"].isin(jobs)].tolist()
    other = frame.copy()
    other.loc[inside, "illness"] = frame.loc[inside[::-1], "illness"].tolist()
    again = released(
        other,
        tmp_path / "again" if (tmp_path / "again").mkdir() is None else tmp_path,
        require={"distinct_l": 2},
        public=["job"],
    )
    assert classes_of(made.output, ["job"], ["illness"]) == classes_of(again.output, ["job"], ["illness"])
    first, second = (json.loads(one.certificate.read_text())["predicate"] for one in (made, again))
    for keyed in ("commitment", "seal"):
        first.pop(keyed), second.pop(keyed)
    assert first == second


def test_labels_name_groups_and_beginnings_whatever_cells_are_missing(tmp_path: Path) -> None:
    seen = {"81a": "uv", "81b": "uw", "90a": "xy", "90b": "xz", None: "uvwx"}
    rows = [(cell, illness) for cell, found in seen.items() for illness in found * 4]
    frame = pd.DataFrame(rows, columns=["town", "illness"])
    groups = [("town", "side"), ("81a", "west"), ("81b", "west"), ("90a", "east"), ("90b", "east")]
    asked: dict[str, Any] = {"public": ["town"], "require": {"distinct_l": 3}}
    for named, labels in (
        ({"hierarchy": {"town": groups}}, {"west", "east", ""}),
        ({"prefix": "town"}, {"81…", "90…", ""}),
    ):
        made = released(frame, tmp_path, **asked, **named)
        assert {cells[0] for cells in classes_of(tmp_path / "out.csv", ["town"], [])} == labels
        assert made.verification.holds


def test_kept_values_are_roots(tmp_path: Path) -> None:
    made = released(random_frame(random.Random(3)), tmp_path, require={"distinct_l": 2}, keep=["sex"])
    table = pd.read_csv(made.output, dtype=str)
    assert set(table["sex"]) == {"f", "m"}
    counts = table.groupby(["age", "job", "sex"], dropna=False)["illness"].nunique()
    assert counts.min() >= 2


def test_a_kept_value_that_lacks_is_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "k": list("aaab"), "s": list("uvuw")})
    with pytest.raises(UnreachableError, match="kept value"):
        released(frame, tmp_path, sensitive="s", public="x", keep=["k"], require={"distinct_l": 2})


def test_a_table_that_lacks_as_a_whole_is_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "s": list("uvuv")})
    with pytest.raises(UnreachableError, match="the whole table has only 2 values of s"):
        released(frame, tmp_path, sensitive="s", public="x", require={"distinct_l": 3})


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"keep_order": True}, "keep_order"),
        ({"harmless": ["sex"]}, "harmless"),
        ({"public": ["age", "illness"], "publish_sensitive": False}, "one of public is sensitive"),
        ({"side": ["sex", "illness"]}, "one of side is sensitive"),
        ({"keep": "illness"}, "one of keep is sensitive"),
        ({"time_limit": 5.0}, "time_limit"),
        ({"withhold": 3}, "withholds no rows"),
        ({"person": "sex"}, "person"),
        ({"shape": "intervals"}, "proved for shape='tree'"),
        ({"shape": "columns", "withhold": 3}, "withholds no rows"),
        ({"shape": "columns", "transparent_knows": 1}, "proved for shape='tree' alone"),
        ({"shape": "columns", "objective": "worst"}, "goes without objective"),
        ({"transparent": None, "shape": "tree", "side": "sex"}, "counts no side columns"),
        ({"leakage": "istar"}, "leakage"),
        ({"require": {"istar": 0}}, "limits no bits"),
        ({"require": {"distinct_l": 2}, "transparent_knows": 2}, "leaves nothing to promise"),
        ({"transparent": None, "transparent_knows": 1}, "needs transparent"),
        ({"transparent": None, "keep_together": "age<15"}, "told to a tree of cuts"),
        ({"keep_together": "children"}, "cannot read keep_together"),
        ({"keep_together": "age<young"}, "with a number"),
        ({"keep_together": "job<b"}, "by = and !="),
        ({"transparent": "loose"}, "loose"),
        (
            {"sensitive": (), "require": {"row_k": 2}, "publish_sensitive": False},
            "name one with sensitive",
        ),
    ],
)
def test_what_is_not_proved_is_refused_in_one_line(asked: dict[str, Any], line: str, tmp_path: Path) -> None:
    given = {"require": {"distinct_l": 2}, **asked}
    with pytest.raises(OptionError, match=line) as refusal:
        released(random_frame(random.Random(2)), tmp_path, **given)
    assert "\n" not in str(refusal.value)


def test_rows_are_not_left_out_for_a_sensitive_cell_that_is_empty(tmp_path: Path) -> None:
    # The label 1 to 4 would tell whoever knows the five people that the one of 8 has no value.
    frame = pd.DataFrame({"x": [1, 2, 4, 5, 8], "y": list("abbbb"), "s": ["u", "v", "u", "v", None]})
    asked: dict[str, Any] = {"sensitive": "s", "public": "x", "require": {"distinct_l": 2}}
    with pytest.raises(OptionError, match="whose row is left out"):
        released(frame, tmp_path, **asked, missing="drop")
    assert released(frame, tmp_path, **asked).rows == 5
    # Rows that are left out for a public cell tell nothing of sensitive ones.
    frame = pd.DataFrame({"x": [1, 2, 4, 5, None], "s": list("uvuvu")})
    assert released(frame, tmp_path, **asked, missing="drop").rows == 4


def test_a_point_of_a_tree_is_released_where_what_is_asked_makes_it(tmp_path: Path) -> None:
    frame = random_frame(random.Random(6))
    roles: dict[str, Any] = {"sensitive": "illness", "public": ["age", "job"], "publish_sensitive": True}
    for how in ({"transparent": "retry"}, {"shape": "tree"}, {"transparent": "strict", "shape": "columns"}):
        with hartley.Study(frame, **roles) as study:
            found = study.frontier(**how)
            point = found.meeting({"distinct_l": 2})
            asked: dict[str, Any] = {"distinct_l": 2, "overwrite": True, **how}
            made = study.release(tmp_path / "out.csv", **asked, point=point)
            assert made.partition == study.release(tmp_path / "out.csv", **asked).partition == point.partition
            with pytest.raises(OptionError, match="the point has other classes"):
                study.release(tmp_path / "out.csv", **asked, point=found.meeting({"distinct_l": 1}))


def test_a_frontier_begins_above_what_its_reader_knows() -> None:
    frame = random_frame(random.Random(6))
    asked: dict[str, Any] = {"sensitive": "illness", "public": ["age", "job"], "transparent": "retry"}
    found = hartley.frontier(frame, **asked, transparent_knows=1)
    assert min(point.distinct_l for point in found.points) >= 2


@pytest.mark.parametrize(
    ("side", "line"), [("illness", "one of side is sensitive"), ("nope", "no column 'nope'")]
)
def test_a_frontier_drops_side_columns_only_where_a_release_would(side: str, line: str) -> None:
    frame = random_frame(random.Random(2))
    with pytest.raises(HartleyError, match=line):
        hartley.frontier(frame, sensitive="illness", public="age", side=side, transparent="retry")


def tampered(policy: Policy, **changes: Any) -> Policy:
    """Return a policy with another tree, and its checksum."""
    assert policy.tree is not msgspec.UNSET
    changed = msgspec.structs.replace(policy, tree=msgspec.structs.replace(policy.tree, **changes))
    return msgspec.structs.replace(changed, checksum=changed.content_hash())


def test_the_verifier_refuses_a_tree_that_is_not_the_one(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": range(1, 9), "s": list("uuvuvvuv")})
    made = released(frame, tmp_path, sensitive="s", public="x", require={"distinct_l": 2})
    policy = Policy.read(made.policy)
    assert policy.tree is not msgspec.UNSET
    nodes = policy.tree.nodes

    def is_confirmed(changed: Policy) -> bool:
        checks = verify_release(made.output, frame, changed, Documents()).checks
        return all(check.holds for check in checks if check.name == "tree")

    assert is_confirmed(policy)
    # A cut said to have failed that holds, a cut elsewhere, a node that is lacking, no tree at all.
    root = nodes[0]
    assert root.cut is not None
    said = msgspec.structs.replace(root, failed=(root.cut,))
    assert not is_confirmed(tampered(policy, nodes=(said, *nodes[1:])))
    moved = msgspec.structs.replace(root, cut=TreeCut(column="x", up_to="7"))
    assert not is_confirmed(tampered(policy, nodes=(moved, *nodes[1:])))
    assert not is_confirmed(tampered(policy, nodes=nodes[:-1]))
    assert not is_confirmed(msgspec.structs.replace(policy, tree=msgspec.UNSET))


def test_a_frontier_of_trees_has_a_loss_for_every_level() -> None:
    frame = random_frame(random.Random(5))
    found = hartley.frontier(frame, sensitive="illness", public=["age", "job"], shape="tree").frontier
    assert [point.shape for point in found.points] == ["tree"] * len(found.points)
    losses = [-point.utility for point in found.points]
    assert losses == sorted(losses)
    assert found.meeting({"distinct_l": 3}).distinct_l >= 3


@pytest.mark.parametrize("shape", ["tree", "columns"])
def test_a_frontier_level_by_level_ends_when_its_time_is_over(shape: Any) -> None:
    asked: dict[str, Any] = {"sensitive": "illness", "public": ["age", "job"], "shape": shape}
    ended = Effort(should_stop=lambda: True)
    found = hartley.frontier(random_frame(random.Random(5)), transparent="retry", effort=ended, **asked)
    assert (len(found), found.complete) == (1, False)


@pytest.mark.parametrize(
    ("command", "shape"), [("frontier", "tree"), ("report", "tree"), ("report", "columns")]
)
def test_trees_are_shown_by_the_command_line(
    command: str,
    shape: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random_frame(random.Random(5)).head(12).to_csv(tmp_path / "t.csv", index=False)
    given = [
        "hartley",
        command,
        str(tmp_path / "t.csv"),
        "-s",
        "illness",
        "-p",
        "age",
        "-p",
        "job",
        "--shape",
        shape,
    ]
    if command == "report":
        given += ["--distinct-l", "2", "-o", str(tmp_path / "report.html")]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    if command == "frontier":
        assert "loss  values  l" in capsys.readouterr().out
    else:
        page = (tmp_path / "report.html").read_text()
        assert "of a column on average" in page[page.index("What is not protected") :]


@pytest.mark.parametrize("seed", range(sample(6, 100)))
def test_codebooks_by_levels_are_confirmed_by_the_verifier(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    frame = random_frame(draw)
    asked: dict[str, Any] = {
        "public": draw.sample(["age", "town", "job", "seen"], draw.choice((1, 2))),
        "shape": "columns",
        "require": {"distinct_l": draw.choice((2, 3)), "row_k": 3},
        "transparent": draw.choice(("retry", "retry", "strict")),
        "keep": ["sex"] if draw.random() < 0.3 else [],
    }
    try:
        made = released(frame, tmp_path, **asked)
    except UnreachableError:
        return
    assert made.verification.holds
    assert "tree" in [check.name for check in made.verification.checks]
    assert "at least" in json.loads(made.certificate.read_text())["predicate"]["statement"]


def test_the_verifier_refuses_a_path_of_levels_that_is_not_the_one(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": range(1, 9), "s": list("uvuvuuuv")})
    asked: dict[str, Any] = {"borders": {"x": "each"}, "shape": "columns", "require": {"distinct_l": 2}}
    made = released(frame, tmp_path, sensitive="s", public="x", **asked)
    policy = Policy.read(made.policy)
    path = policy.levels
    assert path is not msgspec.UNSET
    assert path.held

    def is_confirmed(**changes: Any) -> bool:
        changed = msgspec.structs.replace(policy, levels=msgspec.structs.replace(path, **changes))
        changed = msgspec.structs.replace(changed, checksum=changed.content_hash())
        checks = verify_release(made.output, frame, changed, Documents()).checks
        return all(check.holds for check in checks if check.name == "tree")

    assert is_confirmed()
    assert not is_confirmed(held=path.held[:-1])
    assert not is_confirmed(held=(*path.held, TreeCut(column="x", up_to="1")))
    assert not is_confirmed(failed=TreeCut(column="x", up_to="1"))
