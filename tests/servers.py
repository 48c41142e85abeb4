"""Servers that tests start for themselves, and end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

PASSWORD = "s3cret-p4ssword"  # noqa: S105 (of a server that lives for a test)


def lacking(reason: str) -> NoReturn:
    """Skip with a reason; in CI, where everything is installed, fail."""
    if os.environ.get("HARTLEY_CI") == "1":
        pytest.fail(f"{reason}, and CI must have it")
    pytest.skip(reason)


def free_port() -> int:
    """Give a port on loopback that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _postgresql_binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if found:
        return found[-1].parent
    here = shutil.which("postgres")
    return None if here is None else Path(here).resolve().parent


@contextmanager
def running_postgresql() -> Iterator[str]:
    """Start a PostgreSQL server in a temporary folder, and give its URL with the password."""
    binaries = _postgresql_binaries()
    if binaries is None or not (binaries / "initdb").exists():
        lacking("PostgreSQL is not installed (Debian package postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="hartley-test-postgresql-"))
    port = free_port()
    user = _unprivileged(folder)
    try:
        password = folder / "password"
        password.write_text(PASSWORD)
        if user is not None:
            os.chown(password, user, -1)
        identity = (
            {} if user is None else {"user": user, "group": pwd.getpwuid(user).pw_gid, "extra_groups": []}
        )
        quiet = {"check": True, "capture_output": True, "cwd": folder, "timeout": 120}
        subprocess.run(
            [
                binaries / "initdb",
                "--pgdata=data",
                "--username=curator",
                "--auth=scram-sha-256",
                "--pwfile=password",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
            ],
            **quiet,
            **identity,
        )
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        control = [binaries / "pg_ctl", "--pgdata=data", "--wait"]
        subprocess.run([*control, f"--options={options}", "--log=log", "start"], **quiet, **identity)
        try:
            yield f"postgresql://curator:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "--mode=immediate", "stop"], **quiet, **identity)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> int | None:
    """Give the folder to a user without privileges where we are root, whom PostgreSQL refuses."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
        os.chown(folder, user, -1)
        return user
    lacking("PostgreSQL refuses to run as root, and there is no other user")
