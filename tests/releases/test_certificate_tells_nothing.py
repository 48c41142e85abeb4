"""Nobody falls below what is certified because of the certificate: over all tables that agree with it.

A reader has the released rows and the certificate, knows everybody's public value and the codebook, and goes
through every table that could lie behind them. What is left possible for a person must not be less than
what the released rows alone leave possible.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import log2
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from conftest import shared_file
from hartley import release
from hartley.errors import UnreachableError
from hartley.measures.audit import measure
from hartley.model import JointRange
from hartley.model.demand import Target, Wanted
from hartley.releases.certificate import Certificate
from hartley.releases.policy import Policy
from hartley.releases.record import Measures, Record
from hartley.releases.writer.claims import certificate_of
from hartley.workflow.publication.write_release import ReleaseResult
from sample_sizes import sample

CASES = max(6, sample(usual=7, long=160))
"""Tables for each way to publish; of fewer, none may be within reach."""
OTHER_CASES = sample(usual=6, long=60)

Person = tuple[str, str]
"""A public value and a kept one."""
Table = tuple[tuple[Person, str], ...]
"""People, and the sensitive value of each."""

TARGETS = [
    Target("distinct_l", 2),
    Target("distinct_l", 3),
    Target("max_leakage", 0.6),
    Target("max_leakage", 1.0),
    Target("largest_cluster", 2),
    Target("max_distortion", 1.5),
    Target("utility_weight", 0.3),
]


@dataclass(frozen=True)
class Case:
    """A released table, with all that its reader has."""

    table: Table
    label_of: dict[Person, str]
    """The codebook, with what was kept; a reader who knows everybody's value can read it off the release."""
    publishes_sensitive: bool
    policy: Policy
    record: Record
    certificate: Certificate

    def seen(self, table: Table) -> list[tuple[str, ...]]:
        """Give the released rows of a table under the codebook, order aside."""
        rows = (
            (self.label_of[person], secret if self.publishes_sensitive else "") for person, secret in table
        )
        return sorted(rows)

    def others(self) -> Iterator[Table]:
        """Give every table of the same people that has the same released rows."""
        people = [person for person, _ in self.table]
        secrets = [secret for _, secret in self.table]
        if self.publishes_sensitive:
            arrangements: Any = set(permutations(secrets))
        else:
            arrangements = product(sorted(set(secrets)), repeat=len(people))
        mine = self.seen(self.table)
        for arrangement in arrangements:
            table = tuple(zip(people, arrangement, strict=True))
            if self.seen(table) == mine:
                yield table

    def promise_about(self, table: Table) -> dict[str, Any]:
        """Give what the certificate would say were this the original, released by the same codebook."""
        before = measure(joint_of(table, " ".join))
        after = measure(joint_of(table, self.label_of.__getitem__))
        point = msgspec.structs.replace(
            self.record.point,
            leakage_bits=after.l0_bits,
            distinct_l=after.distinct_l,
            components=after.components,
        )
        record = msgspec.structs.replace(
            self.record,
            before=Measures.of(before.to_dict()),
            after=Measures.of(after.to_dict()),
            after_all=Measures.of(after.to_dict()),
            point=point,
        )
        return said(certificate_of(self.policy, record, name="out.csv", earlier=0, signed=False))

    def is_promised(self, table: Table) -> bool:
        """Tell whether what the certificate promises to readers is true of a table."""
        after = measure(joint_of(table, self.label_of.__getitem__))
        rows = Counter(self.label_of[person] for person, _ in table)
        found = {
            "distinct-l": after.distinct_l,
            "row-k": min(rows.values()),
            "l0": after.l0_bits,
            "istar": after.istar_bits,
        }
        return all(
            found[one.name] <= one.wanted + 1e-9
            if one.name in ("l0", "istar")
            else found[one.name] >= one.wanted
            for reader in self.certificate.predicate.readers
            for one in reader.requirements
        )


def joint_of(table: Table, shown: Callable[[Person], str]) -> JointRange:
    return JointRange.from_pairs((shown(person), secret) for person, secret in table)


def said(certificate: Certificate) -> dict[str, Any]:
    """Give what a certificate says to somebody without the key: its codes are noise to them."""
    promise = json.loads(certificate.to_json())["predicate"]
    return {key: value for key, value in promise.items() if key not in ("commitment", "seal")}


def left_possible(tables: Iterator[Table]) -> dict[Person, set[str]]:
    possible: dict[Person, set[str]] = {}
    for table in tables:
        for person, secret in table:
            possible.setdefault(person, set()).add(secret)
    return possible


def by_release_alone(case: Case) -> dict[Person, set[str]]:
    """Give the candidates of each person by their released label and what was kept."""
    shown: dict[str, set[str]] = {}
    for person, secret in case.table:
        shown.setdefault(case.label_of[person], set()).add(secret)
    return {person: shown[case.label_of[person]] for person, _ in case.table}


def require_nothing_told(case: Case) -> int:
    """Go through all tables that agree with release and certificate; give how many there are."""
    promised = said(case.certificate)
    agreeing = [
        table for table in case.others() if case.promise_about(table) == promised and case.is_promised(table)
    ]
    assert case.table in agreeing
    possible = left_possible(iter(agreeing))
    for person, candidates in by_release_alone(case).items():
        assert possible[person] >= candidates, (person, case.table)
        for reader in case.certificate.predicate.readers:
            for one in reader.requirements:
                if one.name == "distinct-l":
                    assert len(possible[person]) >= one.wanted
                if one.name == "l0":
                    size = len({secret for _, secret in case.table})
                    assert log2(size / len(possible[person])) <= one.wanted + 1e-9
    return len(agreeing)


def released(folder: Path, table: Table, target: Wanted, **options: Any) -> Case:
    lines = ["x,k,s", *(f"{x},{kept},{secret}" for (x, kept), secret in table)]
    source = folder / "in.csv"
    source.write_text("\n".join(lines) + "\n")
    return read_case(table, release_of(source, target, **options))


def release_of(source: Path, target: Wanted, **options: Any) -> ReleaseResult:
    settings: dict[str, Any] = {"sensitive": "s", "public": "x", "overwrite": True, **options}
    return release(source, source.with_name("out.csv"), require=target, **settings)


def read_case(table: Table, made: ReleaseResult) -> Case:
    policy = Policy.read(made.policy)
    number_of = {
        member: number for number, cluster in enumerate(policy.clusters) for member in cluster.members
    }

    def label(person: Person) -> str:
        cells = dict(zip("xk", person, strict=True))
        number = number_of[tuple(cells[name] for name in policy.public_names)]
        return " ".join((str(number), *(cells[name] for name in policy.keep)))

    return Case(
        table=table,
        label_of={person: label(person) for person, _ in table},
        publishes_sensitive=policy.publish_sensitive,
        policy=policy,
        record=Record.read(made.record),
        certificate=Certificate.read(made.certificate),
    )


@pytest.mark.parametrize("publish_sensitive", [False, True])
@pytest.mark.parametrize("keep", [(), ("k",)])
def test_no_one_falls_below_the_promise(
    tmp_path: Path, publish_sensitive: bool, keep: tuple[str, ...]
) -> None:
    done = tables = 0
    for seed in range(CASES):
        random = Random(f"{publish_sensitive} {keep} {seed}")
        size, secrets = random.randint(2, 5), "abc"[: random.randint(2, 3)]
        people = [(str(random.randint(1, size)), random.choice("uv") if keep else "u") for _ in range(5)]
        table = tuple((person, random.choice(secrets)) for person in people)
        leakage = random.choice(["l0", "l0", "istar"])
        try:
            case = released(
                tmp_path,
                table,
                TARGETS[seed % len(TARGETS)],
                keep=keep,
                publish_sensitive=publish_sensitive,
                leakage=leakage,
            )
        except UnreachableError:
            continue
        tables += require_nothing_told(case)
        done += 1
    assert done >= CASES // 4
    assert tables > 2 * done


WAYS: dict[str, dict[str, Any]] = {
    "rows withheld": {"withhold": 2},
    "codebooks of columns": {"public": ["x", "k"], "shape": "columns"},
    "bands": {"shape": "intervals", "borders": 2},
    "a reader with side information": {"side": "k"},
    "the order kept": {"keep_order": True, "keep": ("k",)},
}
DEMANDS: tuple[dict[str, float], ...] = ({"distinct_l": 2}, {"row_k": 2}, {"distinct_l": 2, "row_k": 3})


@pytest.mark.parametrize("publish_sensitive", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_no_one_falls_below_the_promise_of_other_releases(
    tmp_path: Path, publish_sensitive: bool, way: str
) -> None:
    done = 0
    for seed in range(OTHER_CASES):
        random = Random(f"{publish_sensitive} {way} {seed}")
        people = [(str(random.randint(1, 4)), random.choice("uv")) for _ in range(5)]
        table = tuple((person, random.choice("ab")) for person in people)
        demand = DEMANDS[seed % len(DEMANDS)]
        try:
            case = released(tmp_path, table, demand, publish_sensitive=publish_sensitive, **WAYS[way])
        except UnreachableError:
            continue
        require_nothing_told(case)
        done += 1
    assert done


def shared_table(name: str) -> Table:
    lines = shared_file("spec", "trust_cases", name).read_text().split()[1:]
    return tuple(((x, "u"), secret) for x, secret in (line.split(",") for line in lines))


@pytest.mark.parametrize("name", ["m.csv", "m2.csv"])
@pytest.mark.parametrize("target", TARGETS[:1] + TARGETS[4:6], ids=str)
def test_the_certificates_that_told_too_much_tell_nothing_now(
    tmp_path: Path, name: str, target: Target
) -> None:
    require_nothing_told(released(tmp_path, shared_table(name), target, publish_sensitive=True))


def test_the_count_of_pairs_would_have_told(tmp_path: Path) -> None:
    # What was found first: 3 pairs before, so x = 2 has b for certain.
    table: Table = ((("1", "u"), "a"), (("1", "u"), "b"), (("2", "u"), "b"))
    case = released(tmp_path, table, Target("distinct_l", 2), publish_sensitive=True)
    assert case.record.before.pairs == 3
    telling = [other for other in case.others() if measure(joint_of(other, " ".join)).pairs == 3]
    assert left_possible(iter(telling))["2", "u"] == {"b"}
    assert left_possible(case.others())["2", "u"] == {"a", "b"}


def test_the_certificate_is_small_and_holds_no_measure(tmp_path: Path) -> None:
    table = tuple(((str(n % 5), "u"), "abc"[n % 3]) for n in range(12))
    case = released(tmp_path, table, Target("distinct_l", 2))
    promise = json.loads(case.certificate.to_json())["predicate"]
    numbers = [value for value in promise.values() if isinstance(value, int | float)]
    assert numbers == [12, 0]  # the rows, which the file shows, and those withheld
    assert promise["readers"][0]["requirements"] == [{"name": "distinct-l", "column": None, "wanted": 2}]
    assert len(case.certificate.to_json()) < 4096


def test_with_harmless_columns_nothing_is_promised(tmp_path: Path) -> None:
    table = tuple(((str(n % 3), "uv"[n % 2]), "abc"[n % 3]) for n in range(12))
    case = released(tmp_path, table, Target("distinct_l", 2), harmless=("k",))
    first, every = case.certificate.predicate.readers
    assert (first.sees, every.sees) == (("x",), ("x", "k"))
    assert first.requirements
    assert not every.requirements
