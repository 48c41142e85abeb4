"""Render the notebook of the paper as a page of the site: ``python docs/notebooks/render.py``.

Every cell is run in order; what its last line gives stands below it. A test holds the page against it.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NOTEBOOK, PAGE = HERE / "paper.ipynb", HERE.parent / "paper_notebook.md"


def rendered() -> str:
    """Return the page."""
    parts: list[str] = []
    names: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        shown = run(source, names)
        if shown is not None:
            parts.append(f"```text\n{shown!r}\n```")
    return "\n\n".join(parts) + "\n"


def run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell, and return what its last line gives."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<cell>", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


if __name__ == "__main__":
    PAGE.write_text(rendered(), encoding="utf-8")
