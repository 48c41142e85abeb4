"""Starting and ending the app: a port on this machine, a key, a private folder, a worker.

A server that says when it can be reached.
"""

from __future__ import annotations

import secrets
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import uvicorn

from hartley.errors import InputError, OptionError, TableError
from hartley.operating_system import keep_port_to_ourselves

UPLOAD_LIMIT = 1_000_000_000
PACKAGES = ("jinja2", "starlette", "uvicorn")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve(
    table: Path | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    upload_limit: int = UPLOAD_LIMIT,
    on_ready: Callable[[str], None],
) -> None:
    """Serve the app until it is interrupted; ``on_ready`` is told the address with its key.

    Port 0 takes any that is free. Everything that was uploaded or made is removed at the end.
    """
    try:
        import uvicorn

        from hartley.web.guard import Door
        from hartley.web.routes import Service, create_app
        from hartley.web.server import AnnouncingServer
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
    bound = listening.getsockname()[1]
    door = Door(hosts=_names(host), port=bound, token=secrets.token_urlsafe(24))
    with tempfile.TemporaryDirectory(prefix="hartley-", ignore_cleanup_errors=True) as private:
        folder = Path(private)
        folder.chmod(0o700)
        service = Service(
            worker=Worker(folder),
            folder=folder,
            given=None if table is None else table.resolve(),
            upload_limit=upload_limit,
        )
        config = uvicorn.Config(
            create_app(service, door),
            log_level="error",
            # An access log would hold the key.
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            lifespan="on",
            ws="none",
        )
        server = AnnouncingServer(config, lambda: on_ready(door.url()))
        try:
            server.run(sockets=[listening])
        finally:
            service.worker.close()
            listening.close()


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        keep_port_to_ourselves(listening)
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise OptionError(
            f"cannot listen on {host} port {port} ({getattr(error, 'strerror', None) or error}); "
            "another program may use it, choose another --port"
        ) from None
    return listening


def _names(host: str) -> tuple[str, ...]:
    """Name the hosts that a browser may ask for: loopback by all its names, another as it was given."""
    if host in ("127.0.0.1", "localhost", "::1"):
        first = f"[{host}]" if ":" in host else host
        return (first, *(name for name in LOOPBACK if name != first))
    return (f"[{host}]" if ":" in host else host,)


class AnnouncingServer(uvicorn.Server):
    """Calls ``on_ready`` once it listens."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self.on_ready()
