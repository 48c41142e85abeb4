"""The app as a browser meets it: the whole of it, with its worker process."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.web.guard import HEADER, Door
from hartley.web.routes import create_app
from hartley.web.service import Service
from hartley.web.worker import Worker
from web_door import LIMIT, ORIGIN, PORT, TOKEN


@pytest.fixture(scope="session")
def clinic_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "clinic.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(CLINIC_COLUMNS)
        writer.writerows(clinic())
    return path


@pytest.fixture(scope="module")
def service(tmp_path_factory, clinic_csv) -> Service:
    folder = tmp_path_factory.mktemp("private")
    return Service(worker=Worker(folder), folder=folder, given=clinic_csv, upload_limit=LIMIT)


@pytest.fixture(scope="module")
def door() -> Door:
    return Door(hosts=("127.0.0.1", "localhost", "[::1]"), port=PORT, token=TOKEN)


@pytest.fixture(scope="module")
def stranger(service, door) -> Iterator[TestClient]:
    """A client without the key."""
    with TestClient(create_app(service, door), base_url=ORIGIN, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def browser(stranger) -> Iterator[TestClient]:
    """A client that came by the address from the terminal, and whose page is ours."""
    stranger.headers["Origin"] = ORIGIN
    entered = stranger.post("/api/enter", json={"token": TOKEN})
    assert entered.status_code == 200
    stranger.headers[HEADER] = entered.json()["secret"]
    yield stranger
    del stranger.headers["Origin"], stranger.headers[HEADER]
