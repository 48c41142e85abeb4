"""Connections to the app: so many and no more, and none that keeps it waiting for a request.

Anybody on the machine can open a connection, say nothing, and open the next. Each costs a descriptor, and
without descriptors nobody is served. So a connection has a few seconds to say what it wants; while too many
are open, the one that has kept silent longest makes room for the next.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 64
REQUEST_WITHIN = 10.0
"""Seconds for a request to come, and between two parts of what it sends along."""


class WatchedConnection(H11Protocol):
    """A connection that is closed when it keeps us waiting."""

    since = 0.0
    """When it was last known to be about something."""
    _look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; where that is one connection too many, end another."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._look = self.loop.call_later(REQUEST_WITHIN, self._end_if_silent)
        if len(self.connections) > MOST_CONNECTIONS:
            known = (one for one in self.connections if isinstance(one, WatchedConnection))
            silent = min((one for one in known if one.is_waiting), key=lambda one: one.since)
            say_once("more connections than are served at once; those that ask for nothing are closed")
            silent.transport.abort()

    @property
    def is_waiting(self) -> bool:
        """Whether it is for the other side to go on."""
        if self.cycle is None or self.cycle.response_complete:
            return True
        return self.cycle.more_body and not self.flow.read_paused

    def data_received(self, data: bytes) -> None:
        """Take what comes; parts of a request do not count, those of what it sends along do."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.since = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self.since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _end_if_silent(self) -> None:
        waited = self.loop.time() - self.since if self.is_waiting else 0.0
        if waited >= REQUEST_WITHIN:
            self.transport.abort()
        else:
            self._look = self.loop.call_later(REQUEST_WITHIN - waited, self._end_if_silent)


class AnnouncingServer(uvicorn.Server):
    """Calls ``on_ready`` once it listens."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        asyncio.get_running_loop().set_exception_handler(_say_fault)
        await super().startup(sockets)
        if self.started:
            self.on_ready()


_said: set[str] = set()


def say_once(message: str) -> None:
    """Say something on stderr, once and never again: who makes it happen must not fill a disk with it."""
    if message not in _said:
        _said.add(message)
        print(f"hartley: {message}", file=sys.stderr, flush=True)


def _say_fault(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say in one line what went wrong outside of any request."""
    del loop
    error = cast("BaseException | None", context.get("exception"))
    if isinstance(error, OSError):
        say_once(f"a connection could not be served ({(error.strerror or 'refused').lower()})")
    elif error is not None:
        say_once(f"a connection could not be served ({type(error).__name__})")
