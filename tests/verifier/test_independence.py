"""The verifier knows the documents of a release and nothing of how they were made."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import get_args

import hartley.verifier
from hartley.model import Kind as ModelKind
from hartley.releases.cell_text import Kind

FOLDER = Path(hartley.verifier.__file__).parent
ALLOWED = {
    "hartley.documents",
    "hartley.errors",
    "hartley.releases.certificate",
    "hartley.releases.formats",
    "hartley.releases.column_recoding",
    "hartley.releases.policy",
    "hartley.releases.record",
    "hartley.releases.tree_document",
}


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name for name in names if name.split(".")[0] == "hartley"}


def test_every_module_imports_documents_errors_and_its_own_kind_only() -> None:
    for path in FOLDER.rglob("*.py"):
        others = {name for name in imported(path) if not name.startswith("hartley.verifier")}
        assert others <= ALLOWED, path.name


def test_loading_the_verifier_loads_no_search_measure_or_writer() -> None:
    code = (
        "import sys, hartley.verifier.verification; "
        "print(sorted({'.'.join(name.split('.')[:2]) for name in sys.modules if 'hartley.' in name}))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    known = ["hartley.documents", "hartley.errors", "hartley.releases", "hartley.verifier"]
    assert ast.literal_eval(done.stdout) == known


def test_the_kinds_of_a_policy_are_those_of_the_model() -> None:
    assert get_args(Kind) == get_args(ModelKind)
