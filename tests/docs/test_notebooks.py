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
