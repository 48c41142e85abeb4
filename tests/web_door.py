"""Where the app under test listens, and its key."""

PORT = 8417
ORIGIN = f"http://127.0.0.1:{PORT}"
TOKEN = "a-key-that-nobody-can-guess"  # noqa: S105
LIMIT = 200_000
"""Bytes that may be uploaded."""
