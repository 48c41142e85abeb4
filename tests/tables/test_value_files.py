"""Files that say something of the values of a column, as spreadsheets of other countries write them."""

from __future__ import annotations

import pytest

from hartley.tables.value_files import read_hierarchy


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_hierarchy_may_be_separated_by_other_marks(tmp_path, mark):
    path = tmp_path / "h.csv"
    lines = [("value", "level1", "level2"), ("Rome", "Italy", "South"), ("a,b", "x", "y")]
    path.write_text("".join(mark.join(f'"{one}"' for one in line) + "\n" for line in lines))
    assert read_hierarchy(path, "town") == tuple(lines[1:])
