"""Releases by a tree of cuts, and what they promise to a reader who knows the program."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest

import hartley
from hartley.errors import OptionError, UnreachableError
from hartley.releases.policy import Policy
from hartley.releases.tree_document import TreeCut
from hartley.releases.verifier.verification import Documents, verify_release
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


def test_the_certificate_says_what_is_promised_to_whom(tmp_path: Path) -> None:
    made = released(random_frame(random.Random(1)), tmp_path, require={"distinct_l": 2})
    promise = json.loads(made.certificate.read_text())["predicate"]
    assert promise["reader"] == "knows-the-program"
    assert "at least 2 values of illness possible for every row" in promise["statement"]
    assert "the reader knows nobody's sensitive value" in promise["statement"]


def test_without_transparent_nothing_is_promised_to_that_reader(tmp_path: Path) -> None:
    frame = random_frame(random.Random(1))
    made = released(frame, tmp_path, require={"distinct_l": 2}, transparent=None, shape="tree")
    assert "reader" not in json.loads(made.certificate.read_text())["predicate"]


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
    with pytest.raises(UnreachableError):
        released(frame, tmp_path, sensitive="s", public="x", require={"distinct_l": 3})


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"keep_order": True}, "keep_order"),
        ({"harmless": ["sex"]}, "harmless"),
        ({"time_limit": 5.0}, "time_limit"),
        ({"withhold": 3}, "withholds no rows"),
        ({"person": "sex"}, "person"),
        ({"shape": "columns"}, "proved for shape='tree'"),
        ({"leakage": "istar"}, "leakage"),
        ({"require": {"istar": 0}}, "limits no bits"),
        ({"require": {"distinct_l": 2}, "transparent_knows": 2}, "leaves nothing to promise"),
        ({"transparent": None, "transparent_knows": 1}, "needs transparent"),
        ({"transparent": "loose"}, "loose"),
    ],
)
def test_what_is_not_proved_is_refused_in_one_line(asked: dict[str, Any], line: str, tmp_path: Path) -> None:
    given = {"require": {"distinct_l": 2}, **asked}
    with pytest.raises(OptionError, match=line) as refusal:
        released(random_frame(random.Random(2)), tmp_path, **given)
    assert "\n" not in str(refusal.value)


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
