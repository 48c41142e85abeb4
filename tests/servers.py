"""Servers that tests start for themselves, and end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import pytest

PASSWORD = "s3cret-p4ssword"  # noqa: S105 (of a server that lives for a test)


def lacking(reason: str) -> NoReturn:
    """Skip with a reason; in CI, where everything is installed, fail."""
    if os.environ.get("HARTLEY_TESTS") == "ci":
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
        port = free_port()  # as late as can be: another server may take it
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


# For tables of a few rows most of the time goes into compiling, by Java and by Spark, and into small stages.
SHORT_LIVED_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
SHORT_LIVED_SPARK = {
    "spark.driver.extraJavaOptions": SHORT_LIVED_JAVA,
    "spark.executor.extraJavaOptions": SHORT_LIVED_JAVA,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.shuffle.compress": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}


@contextmanager
def running_spark(config: Mapping[str, str] = MappingProxyType({})) -> Iterator[Any]:
    """Start a standalone Spark cluster, a master and two workers on loopback, and give a session on it."""
    try:
        import pyspark
        from pyspark.sql import SparkSession
    except ImportError:
        lacking("pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        lacking("Spark needs Java (Debian package openjdk-17-jre-headless)")
    home = Path(pyspark.__file__).parent
    folder = Path(tempfile.mkdtemp(prefix="hartley-test-spark-"))
    port = free_port()
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED_JAVA,
        "SPARK_LOG_DIR": str(folder),
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    master = f"spark://127.0.0.1:{port}"
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, kind: str, *arguments: str) -> None:
        log = (folder / f"{name}.log").open("wb")
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *arguments]
        with log:
            started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder))

    session = None
    before = {name: os.environ.get(name) for name in ("SPARK_HOME", "SPARK_LOCAL_IP", "PYSPARK_PYTHON")}
    try:
        start("master", "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        for name in ("one", "two"):
            more = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0")
            start(name, "worker.Worker", *more, master)
        _wait_for(folder / "master.log", b"Registering worker", 2, started)
        os.environ.update({name: environment[name] for name in before})
        builder = SparkSession.builder
        for name, value in config.items():
            builder = builder.config(name, value)
        session = (
            builder.master(master)
            .appName("hartley tests")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.executor.memory", "600m")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
        yield session
    finally:
        if session is not None:
            session.stop()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(log: Path, words: bytes, times: int, processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait until a log says some words often enough."""
    end = time.monotonic() + 120
    while log.read_bytes().count(words) < times:
        if any(process.poll() is not None for process in processes) or time.monotonic() > end:
            raise RuntimeError(f"Spark does not start: {log.read_text(errors='replace')[-1000:]}")
        time.sleep(0.1)
