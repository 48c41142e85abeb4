"""Connections that ask for nothing cost nobody anything."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from hartley.web import connections
from hartley.web.connections import AnnouncingServer, WatchedConnection


async def app(scope, receive, send):
    """Answer with the length of what was sent, once all of it has come."""
    assert scope["type"] == "http"
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    if scope["path"] == "/slow":
        await asyncio.sleep(3 * connections.REQUEST_WITHIN)
    body = bytes(1 << 22) if scope["path"] == "/large" else str(length).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def port(monkeypatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.3)
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    monkeypatch.setattr(connections, "_said", set())
    listening = socket.create_server(("127.0.0.1", 0))
    ready = threading.Event()
    config = uvicorn.Config(app, http=WatchedConnection, log_level="error", lifespan="off", ws="none")
    server = AnnouncingServer(config, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    assert ready.wait(30)
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join()
    listening.close()


def opened(port: int, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(sent)
    return connection


def closed(connection: socket.socket) -> bool:
    """Wait for the other side to close; it may do so without a farewell."""
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def asked(port: int, path: str = "/", body: bytes = b"") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with opened(port, head.encode() + body) as connection:
        answer = b""
        while part := connection.recv(1000):
            answer += part
    return answer


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf",
    ],
)
def test_who_does_not_go_on_is_cut_off(port, begun):
    with opened(port, begun) as connection:
        assert closed(connection)


def test_a_head_that_comes_in_drops_is_cut_off(port):
    with opened(port, b"GET / HTTP/1.1\r\n") as connection:
        connection.settimeout(0.02)
        for _ in range(10_000):
            try:
                connection.sendall(b"x")
                if connection.recv(1000) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return
    raise AssertionError("never cut off")


def test_an_answer_that_takes_its_time_is_waited_for(port):
    assert asked(port, "/slow", b"12345").endswith(b"\r\n\r\n5")


def test_silent_connections_make_room_for_those_that_ask(port, capfd):
    silent = [opened(port) for _ in range(100)]
    assert asked(port, "/", b"123").endswith(b"\r\n\r\n3")
    for connection in silent:
        assert closed(connection)
        connection.close()
    said = capfd.readouterr().err
    assert (
        said == "hartley: more connections than are served at once; those that ask for nothing are closed\n"
    )


def test_so_many_connections_are_open_and_no_more(port, monkeypatch):
    """They come faster than they are looked at, and all at once."""
    most = []
    made = WatchedConnection.connection_made

    def noted(self, transport):
        made(self, transport)
        most.append(len(self.connections))

    monkeypatch.setattr(WatchedConnection, "connection_made", noted)
    silent = [opened(port) for _ in range(300)]
    assert asked(port, "/", b"123").endswith(b"\r\n\r\n3")
    assert max(most) <= connections.MOST_CONNECTIONS
    for connection in silent:
        connection.close()


def test_a_flood_of_connections_does_not_silence_the_app(port):
    """Others open connections without a pause, and say nothing; whoever asks is answered each time."""
    is_over = threading.Event()

    def flood():
        held = []
        for _ in range(20_000):
            if is_over.is_set():
                break
            with contextlib.suppress(OSError):
                held.append(opened(port))
            while len(held) > 200:
                held.pop(0).close()
        for connection in held:
            connection.close()

    threads = [threading.Thread(target=flood) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert asked(port, "/", b"12345").endswith(b"\r\n\r\n5")
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_who_does_not_take_the_answer_is_cut_off(port):
    """Large answers are asked for and never read, until nothing more goes through."""

    def ask_on(connection):
        while True:
            connection.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 100)

    with opened(port) as connection, pytest.raises(ConnectionError):
        ask_on(connection)


def test_a_connection_that_is_kept_for_another_request_is_closed_in_time(port):
    with opened(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as connection:
        answer = b""
        while part := connection.recv(1000):
            answer += part
    assert answer.endswith(b"\r\n\r\n0")


def test_faults_outside_of_requests_are_one_line(capfd, monkeypatch):
    monkeypatch.setattr(connections, "_said", set())
    full = {"message": "socket.accept() failed", "exception": OSError(24, "Too many open files")}
    for _ in range(1000):
        connections._say_fault(None, full)
    assert capfd.readouterr().err == "hartley: a connection could not be served (too many open files)\n"
