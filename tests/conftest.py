"""What tests share: the paper's real data, read where it lies, and never copied."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Timings are not tested: the first call of a compiled loop waits for the compiler. CI runs the
# same examples each time; elsewhere hypothesis looks for new ones, few of them where a person waits for the
# tests of some paths. A busy machine draws slowly.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("here", **UNTIMED)
settings.register_profile("quick", max_examples=10, **UNTIMED)
settings.register_profile("ci", max_examples=60, derandomize=True, **UNTIMED)
settings.register_profile("long", max_examples=1000, **UNTIMED)
settings.load_profile(os.environ.get("HARTLEY_TESTS", "here"))

# A shell that runs the tests in the background has Ctrl-C ignored; tests that send it need it heard.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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


@pytest.fixture(autouse=True)
def exposure_is_accepted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests release tables of a few made-up rows, all different, where someone often keeps one candidate.

    The refusal has tests of its own (``refuses_danger = True`` in their module), and pages and docstrings are
    run as a user would run them.
    """
    module = getattr(request, "module", None)
    if module is None or "docs" in request.path.parts or getattr(module, "refuses_danger", False):
        return
    for place in ("make_release", "persons.hold_for_persons"):
        monkeypatch.setattr(f"hartley.workflow.{place}.refuse_one_candidate", lambda *_: None)
    monkeypatch.setattr("hartley.workflow.make_release.refuse_identifiers", lambda *_: {})


MAY_BE_SKIPPED = (
    "is not on this machine (set HARTLEY_SHARED to its folder)",
    "building an image takes minutes",
    "neither docker nor podman answers here",
    "root may write into a read-only folder",
    "one value has no border",
    "SCIPY_ARRAY_API is not set",  # scikit-learn's own check of other kinds of arrays
)
"""Why a test may be skipped in CI, which installs what tests need; for any other reason it fails there."""


def _failed_in_ci(report: Any) -> Any:
    if os.environ.get("HARTLEY_TESTS") == "ci" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(words in reason for words in MAY_BE_SKIPPED):
            report.outcome = "failed"
            report.longrepr = f"{reason}: CI must have what this test needs"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Fail in CI where a test is skipped for want of something."""
    return _failed_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Fail in CI where all tests of a file are."""
    return _failed_in_ci((yield))
