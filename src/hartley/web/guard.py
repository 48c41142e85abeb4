"""Who may talk to the app: this machine's user, in the page that we served, and nobody else.

Every request passes here first.

* **Host** must name this app. A page elsewhere whose name suddenly points to this machine (DNS
  rebinding) still sends its own name.
* **Origin** must be ours on anything that changes or starts something. A form or script of another
  site sends that site's name. Other sites may not read either (``Sec-Fetch-Site``).
* **The token** stands behind the ``#`` of the address, which browsers keep to themselves: the address in the
  terminal has one, and a file that only the user can read has another, for one use, so that none
  is on the command line of a browser, where every user of the machine sees it. Our page turns it in
  for the session's **secret**, which it keeps for its own tab and sends as a header. There is no cookie: a
  cookie would go to every other program that listens on this machine.
* **The ticket** comes with the secret and stands in the addresses of images and downloads, which browsers
  fetch without headers of ours. It reads, and does nothing else.

The empty page and our scripts are for everybody; they hold nothing.

Every answer tells the browser to load nothing from elsewhere, to run no script but our files,
and to keep nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from hmac import compare_digest
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
READING = ("GET", "HEAD")
LOCKED = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>hartley</title></head>
<body><h1>This page is locked</h1>
<p>Open the address that hartley printed in the terminal; it holds the key.</p></body></html>"""


HEADER = "Hartley-Session"
"""The header in which our page sends the secret."""
ENTRANCE = "/api/enter"
WITH_TICKET = ("/figure/", "/download/")


def _new_word() -> str:
    return secrets.token_urlsafe(24)


@dataclass(kw_only=True)
class Door:
    """Where the app listens, and the keys to it."""

    hosts: tuple[str, ...]
    """The names by which a browser may address it, such as ``127.0.0.1``."""
    port: int
    token: str = field(default_factory=_new_word, repr=False)
    """Opens the door as long as the app runs; it stands in the address that the terminal shows."""
    secret: str = field(default_factory=_new_word, repr=False)
    ticket: str = field(default_factory=_new_word, repr=False)
    _once: dict[str, Callable[[], None]] = field(default_factory=dict, repr=False)

    @property
    def authorities(self) -> frozenset[str]:
        """What may stand in the Host header."""
        return frozenset(f"{host}:{self.port}" for host in self.hosts)

    @property
    def origins(self) -> frozenset[str]:
        """What may stand in the Origin header."""
        return frozenset(f"http://{authority}" for authority in self.authorities)

    def url(self, token: str | None = None) -> str:
        """Return the address to open, with a token behind its ``#``."""
        return f"http://{self.hosts[0]}:{self.port}/#key={token or self.token}"

    def one_time_url(self, on_use: Callable[[], None]) -> str:
        """Return an address that opens once; ``on_use`` is called then."""
        token = _new_word()
        self._once[token] = on_use
        return self.url(token)

    def admits(self, token: str) -> bool:
        """Tell whether a token opens the door; one for one use does so no more."""
        for known, on_use in list(self._once.items()):
            if same_word(token, known):
                del self._once[known]
                on_use()
                return True
        return same_word(token, self.token)


def same_word(given: str, known: str) -> bool:
    """Compare a word that was given to a secret one, in a time that tells nothing."""
    return compare_digest(given.encode(), known.encode())


class Guard:
    """Turns away every request that is not from our own page."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through or turn it away; add the headers of :data:`HEADERS` to the answer."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out[name] = value
            await send(message)

        refusal = self._refusal(scope, Headers(scope=scope))
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        path, is_reading = scope["path"], scope["method"] in READING
        if headers.getlist("host") not in [[authority] for authority in self.door.authorities]:
            return PlainTextResponse("this app does not go by that name", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in self.door.origins:
            return PlainTextResponse("this app does not answer other sites", 403)
        if not is_reading and origin is None:
            return PlainTextResponse("this app needs to know which page is asking", 403)
        # Whoever follows a link to the front page comes from elsewhere, and finds it empty.
        is_front = path == "/" and is_reading
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not is_front:
            return PlainTextResponse("this app does not answer other sites", 403)
        is_open = is_front or (is_reading and path.startswith("/static/"))
        is_entrance = path == ENTRANCE and scope["method"] == "POST"
        if not (is_open or is_entrance or self._has_secret(headers) or self._has_ticket(scope)):
            return HTMLResponse(LOCKED, 403)
        return None

    def _has_secret(self, headers: Headers) -> bool:
        given = headers.getlist(HEADER)
        return len(given) == 1 and same_word(given[0], self.door.secret)

    def _has_ticket(self, scope: Scope) -> bool:
        if scope["method"] not in READING or not scope["path"].startswith(WITH_TICKET):
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("ticket", [])
        return len(given) == 1 and same_word(given[0], self.door.ticket)
