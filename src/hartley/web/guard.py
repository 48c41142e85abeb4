"""Who may talk to the app: this machine's user, in the page that we served, and nobody else.

Every request passes here first.

* **Host** must name this app. A page elsewhere whose name suddenly points to this machine (DNS
  rebinding) still sends its own name.
* **Origin** must be ours on anything that changes or starts something. A form or script of another
  site sends that site's name. Other sites may not read either (``Sec-Fetch-Site``).
* **The token** is in the address that the terminal shows, and from then on in a cookie that no
  script can read and no other site can send along. Other users of this machine do not have it.

Every answer tells the browser to load nothing from elsewhere, to run no script but our files,
and to keep nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
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


@dataclass(frozen=True, kw_only=True)
class Door:
    """Where the app listens, and the key to it."""

    hosts: tuple[str, ...]
    """The names by which a browser may address it, such as ``127.0.0.1``."""
    port: int
    token: str

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies do not tell ports apart, so the name does."""
        return f"hartley-{self.port}"

    @property
    def authorities(self) -> frozenset[str]:
        """What may stand in the Host header."""
        return frozenset(f"{host}:{self.port}" for host in self.hosts)

    @property
    def origins(self) -> frozenset[str]:
        """What may stand in the Origin header."""
        return frozenset(f"http://{authority}" for authority in self.authorities)

    def url(self) -> str:
        """Return the address to open, with its key."""
        return f"http://{self.hosts[0]}:{self.port}/?token={self.token}"


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

        headers = Headers(scope=scope)
        gives_token = self._gives_token(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out[name] = value
                if gives_token:
                    out["Set-Cookie"] = (
                        f"{self.door.cookie}={self.door.token}; Path=/; HttpOnly; SameSite=Strict"
                    )
            await send(message)

        refusal = self._refusal(scope, headers, gives_token)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers, gives_token: bool) -> ASGIApp | None:
        if headers.getlist("host") not in [[authority] for authority in self.door.authorities]:
            return PlainTextResponse("this app does not go by that name", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in self.door.origins:
            return PlainTextResponse("this app does not answer other sites", 403)
        if scope["method"] not in READING and origin is None:
            return PlainTextResponse("this app needs to know which page is asking", 403)
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not gives_token:
            return PlainTextResponse("this app does not answer other sites", 403)
        if not gives_token and not self._has_cookie(headers):
            return HTMLResponse(LOCKED, 403)
        return None

    def _gives_token(self, scope: Scope) -> bool:
        """Tell whether this is the first visit, by the address from the terminal."""
        if scope["path"] != "/" or scope["method"] not in READING:
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        return len(given) == 1 and self._is_token(given[0])

    def _has_cookie(self, headers: Headers) -> bool:
        for line in headers.getlist("cookie"):
            try:
                found = SimpleCookie(line).get(self.door.cookie)
            except CookieError:
                continue
            if found is not None and self._is_token(found.value):
                return True
        return False

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode(), self.door.token.encode())
