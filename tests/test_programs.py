"""What the programs of benchmarks/, scripts/ and docs/ take from hartley is there; most are run by hand."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("resource", reason="what the programs measure is asked for otherwise on Windows")

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
OURS = {"hartley", *(path.stem for folder in (BENCHMARKS, ROOT / "tests") for path in folder.glob("*.py"))}
PROGRAMS = sorted(
    [
        *BENCHMARKS.glob("*.py"),
        *(path for path in (ROOT / "scripts").glob("*") if path.is_file()),
        *(ROOT / "docs").rglob("*.py"),
    ]
)
IN_A_SHELL = re.compile(r"<<'PYTHON'.*?\n(.*?)^PYTHON$", re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _programs_find_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def sources(text: str) -> Iterator[ast.Module]:
    """Give the Python of a file: all of it, or what a shell hands over; and the programs in its strings."""
    for source in IN_A_SHELL.findall(text) if text.startswith("#!/bin/sh") else [text]:
        tree = ast.parse(source)
        yield tree
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr) and "import " in (inside := written(node)):
                try:
                    yield ast.parse(inside)
                except SyntaxError:  # it is prose
                    continue


def written(string: ast.Constant | ast.JoinedStr) -> str:
    """Return a string with a 0 for whatever is not written out in it."""
    parts = string.values if isinstance(string, ast.JoinedStr) else [string]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in parts)


def faults(tree: ast.Module) -> Iterator[str]:
    """Tell which of our names a program imports, reads or calls that are not there, or not in this way."""
    known: dict[str, Any] = {}
    taken = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_ours(alias.name):
                    module = import_module(alias.name)
                    top = import_module(alias.name.partition(".")[0])
                    known[alias.asname or top.__name__] = module if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
            for alias in node.names:
                try:
                    known[alias.asname or alias.name] = imported(node.module, alias.name)
                except ImportError as error:
                    yield str(error)
        elif isinstance(node, ast.arg):
            taken.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            taken.add(node.name)
    for name in taken & known.keys():
        del known[name]  # it stands for something else, too
    for node in ast.walk(tree):
        try:
            if isinstance(node, ast.Attribute):
                found(node, known)
            elif isinstance(node, ast.Call):
                bind(found(node.func, known), node)
        except (AttributeError, TypeError) as error:
            yield f"{ast.unparse(node)}: {error}"


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


def imported(module: str, name: str) -> Any:
    """Return what ``from module import name`` gives."""
    owner = import_module(module)
    return getattr(owner, name) if hasattr(owner, name) else import_module(f"{module}.{name}")


def found(node: ast.expr, known: dict[str, Any]) -> Any:
    """Return what a dotted name stands for, where only modules and classes of ours come before its dots."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = found(node.value, known)
    return getattr(owner, node.attr) if inspect.ismodule(owner) or inspect.isclass(owner) else None


def bind(called: Any, call: ast.Call) -> None:
    """Raise a TypeError where what is called takes other arguments."""
    named = {keyword.arg: None for keyword in call.keywords if keyword.arg is not None}
    is_whole = len(named) == len(call.keywords) and not any(isinstance(one, ast.Starred) for one in call.args)
    if inspect.isroutine(called) or inspect.isclass(called):
        signature = inspect.signature(called)
        if is_whole:
            signature.bind(*call.args, **named)
        else:
            signature.bind_partial(**named)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_program_takes_is_there(path: Path) -> None:
    assert [fault for tree in sources(path.read_text(encoding="utf-8")) for fault in faults(tree)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        "from hartley.measures.overlap import linked_groups",
        "import hartley\nhartley.measures.overlap.linked_groups",
        "from hartley.search.codebooks import CodebookOptions\nCodebookOptions(bands='equal')",
        "from hartley.measures.overlap import linked_roots\nlinked_roots(3)",
        "from meter import clock",
        "run(['python', '-c', 'import hartley; hartley.no_such_name'])",
        "run(f'from hartley import no_such_name; no_such_name({3})')",
        "#!/bin/sh\npython - <<'PYTHON'\nfrom hartley import no_such_name\nPYTHON\n",
    ],
)
def test_what_is_not_there_is_told(wrong: str) -> None:
    assert [fault for tree in sources(wrong) for fault in faults(tree)]


@pytest.mark.parametrize("program", ["ablation", "ablation_demands"])
def test_a_method_that_is_switched_off_is_there(program: str) -> None:
    for method in import_module(program).METHODS:
        with method.switched_off():
            pass
