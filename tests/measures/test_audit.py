from __future__ import annotations

from math import log2

import pytest
from hypothesis import given

from hartley.errors import OptionError
from hartley.examples import toy
from hartley.measures import overlap, uncertainty
from hartley.measures.audit import measure
from hartley.measures.verdicts import verdicts
from hartley.model import JointRange
from hartley.model.requirement import Requirement
from strategies import joint_ranges_with_partition


@given(joint_ranges_with_partition(side=True))
def test_an_audit_holds_what_each_measure_says(pair):
    joint, partition = pair
    found = measure(joint, partition)
    assert found.l0_bits == uncertainty.max_uncertainty_reduction(joint, partition)
    assert found.i0_bits == uncertainty.min_uncertainty_reduction(joint, partition)
    assert found.b0_bits == uncertainty.least_posterior_entropy(joint, partition)
    assert found.h0_given_public_bits == uncertainty.conditional_entropy(joint, partition)
    assert found.h0_bits == log2(joint.sensitive.size)
    assert found.istar_bits == overlap.maximin_information(joint, partition)
    assert found.distinct_l == uncertainty.distinct_l(joint, partition)
    assert found.row_k == uncertainty.row_k(joint, partition)
    assert found.independent == uncertainty.is_independent(joint, partition)
    assert found.rows == joint.row_count
    assert sum(group.rows for group in found.groups) == joint.row_count
    assert all(narrow.candidates == found.distinct_l for narrow in found.narrowest)
    assert found.narrowest_rows >= found.narrowest_count


def test_witnesses_name_public_values_and_counts():
    joint = JointRange.from_pairs([(180, 61), (180, 61), (214, 61), (214, 55)])
    witness = measure(joint).to_dict()["witnesses"]
    assert witness["narrowest"] == [{"public": {"public": 180}, "candidates": 1, "rows": 2}]
    assert witness["narrowest_count"] == 1
    assert witness["narrowest_rows"] == 2


def test_sensitive_values_appear_only_when_disclosive():
    found = measure(toy())
    assert "s3" not in str(found.to_dict())
    assert "s3" in str(found.to_dict(disclosive=True))


def test_a_column_in_both_roles_is_hidden_among_the_public_cells():
    joint = JointRange.from_pairs([((61, 180), 61), ((55, 214), 55)])
    sensitive = joint.sensitive.of_values([61, 55], columns=("public1",))
    joint = JointRange.from_codes(
        public_codes=joint.observation_of,
        sensitive_codes=joint.indices,
        public=joint.public,
        sensitive=sensitive,
    )
    assert [narrow.public for narrow in measure(joint).narrowest] == [{"public2": 180}, {"public2": 214}]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("distinct-l=1", True),
        ("distinct-l=2", False),
        ("row-k=1", True),
        ("l0=2.585", True),
        ("l0=2.5", False),
        ("istar=2.3219280948873626", True),
        ("istar=0", False),
    ],
)
def test_requirements_on_the_toy(text, holds):
    (verdict,) = verdicts(toy(), [Requirement.parse(text)])
    assert verdict.holds is holds


@pytest.mark.parametrize(
    "text", ["", "k=5", "distinct-l", "distinct-l=", "distinct-l=2.5", "l0=-1", "l0=nan", "l0=inf"]
)
def test_a_requirement_that_does_not_parse_is_refused_in_one_line(text):
    with pytest.raises(OptionError) as error:
        Requirement.parse(text)
    assert "\n" not in str(error.value)
