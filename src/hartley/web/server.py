"""Starting and ending the app: a port on this machine, a key, a private folder, a worker."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hartley.errors import InputError, OptionError, TableError, option
from hartley.operating_system import create_private, keep_port_to_ourselves
from hartley.scratch import scratch_folder

UPLOAD_LIMIT = 1_000_000_000
PACKAGES = ("jinja2", "starlette", "uvicorn")
REDIRECT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>hartley</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={url}"></head>
<body><p><a href="{url}">Open hartley</a></p></body></html>
"""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Address:
    """Where the app can be reached."""

    url: str
    """For the user to open: it holds a token."""
    page: Path
    """A file that only the user can read, and that leads there with a token for one use; gone after it."""


def serve(
    table: Path | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    upload_limit: int = UPLOAD_LIMIT,
    on_ready: Callable[[Address], None],
) -> None:
    """Serve the app until it is interrupted; ``on_ready`` is told the address with its key.

    Port 0 takes any that is free. Everything that was uploaded or made is removed at the end, and what
    a killed app has left behind at the next start.
    """
    try:
        import uvicorn

        from hartley.web.connections import AnnouncingServer, WatchedConnection
        from hartley.web.guard import Door
        from hartley.web.routes import create_app
        from hartley.web.service import Service
        from hartley.web.worker import Worker
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        raise InputError(
            f"the app needs the package {error.name}; install it with: pip install 'hartley[web]'"
        ) from None
    if table is not None and not table.is_file():
        raise TableError(
            f"no file {table.name!r}; give the path of a table, or none to choose one in the app"
        )
    listening = _listen(host, port)
    door = Door(hosts=_names(host), port=listening.getsockname()[1])
    folder = scratch_folder()
    service = Service(
        worker=Worker(folder),
        folder=folder,
        given=None if table is None else table.resolve(),
        upload_limit=upload_limit,
    )
    config = uvicorn.Config(
        create_app(service, door),
        http=WatchedConnection,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        lifespan="on",
        ws="none",
    )
    page = folder / "open.html"
    with open(create_private(page), "w", encoding="utf-8") as file:
        file.write(REDIRECT.format(url=door.one_time_url(partial(page.unlink, missing_ok=True))))
    server = AnnouncingServer(config, lambda: on_ready(Address(door.url(), page)))
    try:
        server.run(sockets=[listening])
    finally:
        service.worker.close()
        listening.close()
        shutil.rmtree(folder, ignore_errors=True)


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        keep_port_to_ourselves(listening)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise OptionError(
            f"cannot listen on {host} port {port} ({getattr(error, 'strerror', None) or error}); "
            f"another program may use it, choose another {option('port')}"
        ) from None
    return listening


def _names(host: str) -> tuple[str, ...]:
    """Name the hosts that a browser may ask for: loopback by all its names, another as it was given."""
    if host in ("127.0.0.1", "localhost", "::1"):
        first = f"[{host}]" if ":" in host else host
        return (first, *(name for name in LOOPBACK if name != first))
    return (f"[{host}]" if ":" in host else host,)
