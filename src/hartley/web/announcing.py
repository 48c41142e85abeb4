"""A server that says when it can be reached."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn


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
