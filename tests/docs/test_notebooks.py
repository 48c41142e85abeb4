"""The notebooks, run from top to bottom by a real kernel."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_real_kernel_runs_the_notebook(path, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    streams = [
        out for cell in notebook.cells for out in cell.get("outputs", []) if out["output_type"] == "stream"
    ]
    assert [out["text"] for out in streams if out["name"] == "stderr"] == []
    if path.stem == "tour":
        pages = [
            out["data"]["text/html"]
            for cell in notebook.cells
            for out in cell.get("outputs", [])
            if "text/html" in out.get("data", {})
        ]
        assert len(pages) >= 5
        assert "97 of 300 people can have their exact age read off" in "".join(pages)
        assert all(re.search("<svg|<table", page) for page in pages)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if "outputs" in cell)


def test_the_notebook_of_the_paper_is_rendered_as_it_runs():
    sys.path.insert(0, str(NOTEBOOKS[0].parent))
    try:
        import render
    finally:
        sys.path.pop(0)
    assert render.rendered() == render.PAGE.read_text(encoding="utf-8")


def test_a_strict_type_checker_takes_the_notebooks_as_scripts(tmp_path):
    check = pytest.importorskip("mypy.api")
    scripts = [tmp_path / f"{path.stem}_script.py" for path in NOTEBOOKS]
    for script, path in zip(scripts, NOTEBOOKS, strict=True):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        script.write_text("\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code"))
    words = ["size", "midpoint", "centroid", "member", "resolution", "distortion"]
    calls = [f"hartley.solve(joint, distinct_l=2, utility={word!r})" for word in words]
    start = "import hartley\njoint = hartley.instances.load('line-8-0').joint\n"
    (tmp_path / "words.py").write_text(start + "\n".join(calls))
    cache = str(Path(__file__).resolve().parents[2] / ".mypy_cache")
    asked = ["--strict", "--cache-dir", cache, *map(str, scripts), str(tmp_path / "words.py")]
    said, errors, code = check.run(asked)
    assert (said.splitlines()[-1:], errors, code) == (["Success: no issues found in 4 source files"], "", 0)
