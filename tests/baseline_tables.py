"""The joint tables of the golden values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hartley.examples import toy
from hartley.model import JointRange

GOLDEN_FOLDER = Path(__file__).resolve().parent / "golden"
GOLDEN = json.loads((GOLDEN_FOLDER / "baselines_golden.json").read_text("utf-8"))
COUNTS = json.loads((GOLDEN_FOLDER / "measures_golden.json").read_text("utf-8"))["_counts"]


def of_counts(counts) -> JointRange:
    """Build from a table of row counts, a row for each sensitive value."""
    table = np.array(counts)
    sensitive, public = np.nonzero(table)
    return JointRange.from_codes(
        public_codes=public, sensitive_codes=sensitive, rows=table[sensitive, public]
    )


def toy_nonuniform() -> JointRange:
    """The toy table with the unequal weights of the golden file, in twentieths."""
    rows = {(1, 1): 4, (2, 1): 1, (1, 2): 2, (3, 3): 3, (4, 3): 1, (5, 4): 4, (6, 5): 2, (7, 6): 3}
    public, sensitive = np.array(list(rows)).T - 1
    return JointRange.from_codes(
        public_codes=public, sensitive_codes=sensitive, rows=np.array(list(rows.values()))
    )


TABLES = {
    "toy_uniform": toy(),
    "toy_nonuniform": toy_nonuniform(),
    "R1_full": of_counts(COUNTS["R1"]),
    "R2_sparse": of_counts(COUNTS["R2"]),
    "R3_blocks": of_counts(COUNTS["R3"]),
}


def random_joint(rng: np.random.Generator, publics: int, sensitives: int, pairs: int) -> JointRange:
    """Draw a table in which every value occurs."""
    public = np.concatenate([np.arange(publics), rng.integers(0, publics, pairs)])
    sensitive = rng.integers(0, sensitives, len(public))
    return JointRange.from_codes(
        public_codes=public, sensitive_codes=np.unique(sensitive, return_inverse=True)[1]
    )
