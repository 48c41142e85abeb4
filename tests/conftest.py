"""What tests share: the paper's real data, read where it lies, and never copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Timings are not tested: the first call of a compiled loop waits for the compiler. CI runs the
# same examples each time; elsewhere hypothesis looks for new ones, few of them where a person waits for the
# tests of some paths. A busy machine draws slowly.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("here", **UNTIMED)
settings.register_profile("quick", max_examples=10, **UNTIMED)
settings.register_profile("ci", derandomize=True, **UNTIMED)
settings.register_profile("long", max_examples=1000, **UNTIMED)
settings.load_profile(os.environ.get("HARTLEY_TESTS", "here"))

SHARED = Path(os.environ.get("HARTLEY_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def shared_file(*parts: str) -> Path:
    """Return a file of the shared specification, or skip where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not on this machine (set HARTLEY_SHARED to its folder)")
    return path


@pytest.fixture(scope="session")
def hungarian_heart() -> Path:
    """The paper's real data."""
    return shared_file("data", "hungarian_heart.csv")
