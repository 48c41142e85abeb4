"""Where the app under test listens, its key, and how a table is opened and a search followed."""

import time

PORT = 8417
ORIGIN = f"http://127.0.0.1:{PORT}"
TOKEN = "a-key-that-nobody-can-guess"  # noqa: S105
LIMIT = 200_000
"""Bytes that may be uploaded."""
FILES = {"table", "codebook", "codebook-page", "codebook-ddi", "certificate", "policy", "record"}
"""What can be saved of a release."""
ROLES = {"sensitive": ["age"], "public": ["cholesterol"], "side": []}


def opened(browser) -> dict:
    """Open the clinic; give a request with its roles."""
    described = browser.post("/api/open", json={"which": "given"}).json()
    return {"revision": described["revision"], **ROLES}


def finished(browser, found: dict, patience: float = 60) -> dict:
    """Follow a search to its end."""
    end = time.monotonic() + patience
    while found["state"] == "running" and time.monotonic() < end:
        time.sleep(0.05)
        found = browser.get("/api/search").json()
    return found
