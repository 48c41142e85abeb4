"""Files that say something of the values of a column, as spreadsheets of other countries write them."""

from __future__ import annotations

import pytest

from hartley.notes import heard_notes
from hartley.tables.value_files import read_hierarchy


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_hierarchy_may_be_separated_by_other_marks(tmp_path, mark):
    path = tmp_path / "h.csv"
    lines = [("value", "level1", "level2"), ("Rome", "Italy", "South"), ("a,b", "x", "y")]
    path.write_text("".join(mark.join(f'"{one}"' for one in line) + "\n" for line in lines))
    assert read_hierarchy(path, "town") == tuple(lines[1:])


def test_a_file_of_windows_is_read_by_the_letters_that_it_looks_like(tmp_path):
    file = tmp_path / "towns.csv"
    file.write_bytes("value,level1\nKöln,Süden\nKiel,Norden\n".encode("cp1252"))
    said = []
    with heard_notes(said.append):
        rows = read_hierarchy(file, "town")
    assert rows == (("Köln", "Süden"), ("Kiel", "Norden"))
    assert said == ["towns.csv is not UTF-8; it is read as Windows-1252 (Western Europe)"]
