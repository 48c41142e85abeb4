"""How far a reader has to walk who follows a release through the house; the figures may fall, not rise."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "walk"
MOST = {"one column": (130, 27, 6), "several columns": (121, 25, 5), "codebooks": (116, 29, 6)}
"""Modules, changes of room, zigzags. Where a change makes them fewer, write the new figures here."""


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(SCRIPT))


def test_a_walk_counts_changes_of_room_and_ways_there_and_back(script):
    walk = script["Walk"]("a", ("x/one", "x/two", "y", "x/three", "z", "y"))
    assert (len(walk.modules), walk.changes, walk.zigzags) == (6, 4, {frozenset("xy")})


# In a process of its own: what another test has met before would not be met again.
WALKED = """
import json, runpy, sys
script = runpy.run_path(sys.argv[1])
made = script["walks"]()
figures = {one.name: (len(one.modules), one.changes, len(one.zigzags)) for one in made}
print(json.dumps([figures, script["drawing"](made)]))
"""


def test_a_release_is_not_followed_through_more_of_the_house_than_it_was():
    walked = subprocess.run(
        [sys.executable, "-P", "-c", WALKED, str(SCRIPT)], capture_output=True, text=True, check=True
    )
    reached, picture = json.loads(walked.stdout)
    assert all(a <= b for name in MOST for a, b in zip(reached[name], MOST[name], strict=True)), reached
    assert all(name in picture for name in MOST)
