"""Servers for the tests of tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers import lacking, running_postgresql


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the tests."""
    try:
        import adbc_driver_postgresql  # noqa: F401
    except ImportError:
        lacking("adbc-driver-postgresql is not installed")
    with running_postgresql() as url:
        yield url
