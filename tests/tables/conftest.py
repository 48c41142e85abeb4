"""Servers for the tests of tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from servers import SHORT_LIVED_SPARK, lacking, running_postgresql, running_spark


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the tests."""
    try:
        import adbc_driver_postgresql  # noqa: F401
    except ImportError:
        lacking("adbc-driver-postgresql is not installed")
    with running_postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on a Spark cluster, a master and two workers, that lives as long as the tests."""
    with running_spark(SHORT_LIVED_SPARK) as session:
        yield session
