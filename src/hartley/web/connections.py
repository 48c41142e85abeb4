"""Connections to the app: so many and no more, and none that keeps it waiting for a request.

Anybody on the machine can open a connection, say nothing, and open the next. Each costs a descriptor, and
without descriptors nobody is served. So connections are accepted only where there is room; while too many
are open, the quarter that has kept silent longest makes room for the next: whoever sends a request at once is
heard long before its own turn comes. A connection has a few seconds to say
what it wants, and to take what it asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable
from heapq import nsmallest
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 64
BACKLOG = 128
"""Connections that the system keeps for us until we accept them."""
REQUEST_WITHIN = 10.0
"""Seconds for a request to come, and between two parts of what it sends along or takes."""
PATIENCE = 0.05
"""Seconds after which we look again for room, or for a descriptor."""


class WatchedConnection(H11Protocol):
    """A connection that is closed when it keeps us waiting."""

    since = 0.0
    """When it was last known to be about something."""
    _look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._look = self.loop.call_later(REQUEST_WITHIN, self._end_if_silent)

    @property
    def is_waiting(self) -> bool:
        """Whether it is for the other side to go on."""
        if self.cycle is None or self.cycle.response_complete or self.flow.write_paused:
            return True
        return self.cycle.more_body and not self.flow.read_paused

    def data_received(self, data: bytes) -> None:
        """Take what comes; parts of a request do not count, those of what it sends along do."""
        if self.cycle is not None and not self.cycle.response_complete and not self.flow.write_paused:
            self.since = self.loop.time()
        super().data_received(data)

    def pause_writing(self) -> None:
        """Begin to wait for the other side to take what it asked for."""
        self.since = self.loop.time()
        super().pause_writing()

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
    """Accepts connections where there is room for them, and calls ``on_ready`` once it listens."""

    _accepting: tuple[asyncio.Task[None], ...] = ()

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_say_fault)
        # No socket for uvicorn: it would accept as many at a time as there are.
        await super().startup([])
        for listening in sockets or ():
            listening.setblocking(False)
            listening.listen(BACKLOG)
        self._accepting = tuple(loop.create_task(self._accept(one)) for one in sockets or ())
        if self.started:
            self.on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, and end."""
        for task in self._accepting:
            task.cancel()
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted = [(await loop.sock_accept(listening))[0]]
            except OSError as error:
                _say_fault(loop, {"exception": error})
                await asyncio.sleep(PATIENCE)
                continue
            try:
                room = await self._room()
            except asyncio.CancelledError:
                accepted[0].close()
                raise
            with contextlib.suppress(OSError):  # as when nobody else waits
                while len(accepted) < room:
                    accepted.append(listening.accept()[0])
            for one in accepted:
                one.setblocking(False)
            made = (loop.connect_accepted_socket(self._connection, one) for one in accepted)
            await asyncio.gather(*made, return_exceptions=True)

    async def _room(self) -> int:
        """Return for how many connections there is room, at least one; silent ones make it."""
        at_once = max(1, MOST_CONNECTIONS // 4)
        while True:
            known = cast("set[WatchedConnection]", self.server_state.connections)
            if len(known) < MOST_CONNECTIONS:
                return min(at_once, MOST_CONNECTIONS - len(known))
            silent = nsmallest(at_once, (one for one in known if one.is_waiting), key=lambda one: one.since)
            for one in silent:
                one.transport.abort()
            if silent:
                say_once("more connections than are served at once; those that ask for nothing are closed")
            # Those that were ended have left by the next turn of the loop.
            await asyncio.sleep(0 if silent else PATIENCE)

    def _connection(self) -> asyncio.Protocol:
        return WatchedConnection(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


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
