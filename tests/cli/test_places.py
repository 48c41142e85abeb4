"""What a call writes never stands in its own way: it is refused first, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from hartley.cli.program import run

RELEASE = "release t.csv o.csv -s ill -p age --distinct-l 2"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{RELEASE} --plot p.svg --policy p.svg", "'p.svg' is a file of the release"),
        (f"{RELEASE} --plot o.codebook.html", "'o.codebook.html' is a file of the release"),
        (f"{RELEASE} --metadata dcat --policy o.dcat.jsonld", "the same name"),
        (f"{RELEASE} --metadata croissant", "o.croissant.json' exists already"),
        (f"{RELEASE} --save-study o.csv", "'o.csv' is no name for a study; end it in .toml"),
        (f"{RELEASE} --policy s.toml --save-study s.toml", "'s.toml' is named twice"),
        (f"{RELEASE} --borders age=1e-300", "a step of 1e-300 is too small"),
        (f"{RELEASE} --borders age=1e-320", "is too small for values of this size"),
        ("compare t.csv -s ill -p age --candidates --take 1 -o x.csv --plot x.svg", "leave --plot out"),
    ],
)
def test_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + n % 7},{n % 5}\n" for n in range(35))
    Path("t.csv").write_text(f"age,ill\n{rows}", encoding="utf-8")
    Path("o.croissant.json").write_text("{}", encoding="utf-8")
    assert run(line.split()) == 2
    refusal = capsys.readouterr().err
    assert said in refusal
    assert refusal.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.croissant.json", "t.csv"]
