"""Fetching one small public file, once the user has said yes."""

from __future__ import annotations

from urllib.error import URLError
from urllib.request import Request, urlopen

from hartley.errors import TableError

PATIENCE = 30
"""Seconds without an answer before it is given up."""
MOST_BYTES = 1 << 20


def fetch(address: str) -> bytes:
    """Give the content at an https address; refuse anything large."""
    if not address.startswith("https://"):
        raise TableError("only an https address can be fetched")
    request = Request(address, headers={"User-Agent": "hartley"})  # noqa: S310 (https only, see above)
    try:
        with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            content: bytes = answer.read(MOST_BYTES + 1)
    except (URLError, OSError):
        raise TableError(
            f"the file cannot be fetched from {address}; fetch it yourself and give it with --data"
        ) from None
    if len(content) > MOST_BYTES:
        raise TableError(f"what {address} sends is larger than the file can be; nothing was kept")
    return content
