"""What a tree of cuts must be, held by the verifier against trees that were grown wrongly."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hartley
from hartley.errors import WriteError
from hartley.search.trees.loops import growth, room


@pytest.mark.parametrize("secrets", ["aaaaabbb", "bbbbbaab", "aaabbbbb", "aaabaaaa"])
def test_a_class_that_leaves_no_room_for_failed_cuts_is_not_confirmed(
    secrets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"x": list(range(len(secrets))), "s": list(secrets)})
    roles = {"sensitive": "s", "public": "x", "publish_sensitive": True}

    def release(name: str) -> object:
        return hartley.release(table, tmp_path / name, distinct_l=2, transparent="retry", **roles)

    release("grown.csv")
    for module in (room, growth):
        monkeypatch.setattr(module, "room_in_sides", lambda *_: 1_000)
    with pytest.raises(WriteError, match="leaves no room for the cuts that failed"):
        release("again.csv")
    assert not (tmp_path / "again.csv").exists()
