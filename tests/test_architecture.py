"""The house rules that a look at the tree can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import hartley

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "hartley"
SOURCES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("*.cff"), *(ROOT / "docs").rglob("*.md")])
TEMPLATES = sorted((ROOT / ".github").rglob("*.*"))
FOR_USERS = [
    *SOURCES,
    *PAGES,
    *TEMPLATES,
    *(ROOT / name for name in ("pyproject.toml", "constraints.txt", "mkdocs.yml")),
]

WIDEST_FOLDER = 15
LISTS_OF_PEERS = {"cli", "measures/stochastic", "model/requirement", "baselines"}
"""Folders that may be wider: one command, measure, requirement or method of others in each file."""

SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core"}
METAPHORS = {
    "answering",
    "asked",
    "dealing",
    "desk",
    "fronts",
    "observed",
    "originals",
    "patience",
    "places",
    "printed",
    "starts",
}
NOUNS_IN_ING = {
    "clustering",
    "counting",
    "joining",
    "matching",
    "merging",
    "operating",
    "packing",
    "recoding",
    "sampling",
    "setting",
    "signing",
    "staging",
}
"""Words that end in -ing and yet name a thing: a method, a stage, a value."""


def inside(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def trees() -> tuple[tuple[str, ast.Module], ...]:
    return tuple((inside(path), ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCES)


@pytest.fixture(scope="module", autouse=True)
def trees_are_let_go() -> Iterator[None]:
    yield
    trees.cache_clear()


def docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node, clean=False) or ""


def messages(tree: ast.Module) -> set[str]:
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return texts - set(docstrings(tree))


def test_layers_are_kept():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_every_public_name_is_there_and_is_named_for_type_checkers():
    for name in hartley.__all__:
        assert getattr(hartley, name) is not None
    tree = ast.parse((ROOT / "src/hartley/__init__.pyi").read_text(encoding="utf-8"))
    # A name is public to strict checkers where it is imported under its own name.
    for_checkers = {
        alias.asname for item in tree.body if isinstance(item, ast.ImportFrom) for alias in item.names
    }
    assert for_checkers == {*hartley.__all__, "instances"}
    assert sorted(hartley.__all__) == hartley.__all__


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = hartley.no_such_name


def test_no_folder_is_too_wide_to_read():
    width = Counter(inside(path.parent) for path in SOURCES if path.stem != "__init__")
    wide = {folder: count for folder, count in width.items() if count > WIDEST_FOLDER}
    too_wide = set(wide) - LISTS_OF_PEERS
    assert not too_wide, f"move modules that belong together into a folder of their own: {sorted(too_wide)}"


def test_no_class_name_stands_for_two_concepts():
    homes = defaultdict(set)
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes[node.name].add(path)
    twice = {name: sorted(where) for name, where in homes.items() if len(where) > 1}
    assert set(twice) == set(), twice


def test_modules_and_folders_are_named_for_what_they_are():
    names = {part for path in SOURCES for part in path.relative_to(PACKAGE).with_suffix("").parts}
    words = {word for name in names for word in name.split("_")}
    assert names & (SAY_NOTHING | METAPHORS) == set()
    assert {word for word in words if word.endswith("ing")} - NOUNS_IN_ING == set()


def test_no_name_that_is_loaded_on_first_use_is_also_a_module():
    """Once the module is imported, it stands where the name should be."""
    assert {path.stem for path in PACKAGE.iterdir()} & set(hartley.__all__) == set()


def test_docstrings_say_return_where_they_once_said_give():
    given = {path for path, tree in trees() for text in docstrings(tree) if re.match(r"Gives?\b", text)}
    assert given == set()


def test_only_the_command_line_speaks_of_flags():
    speaking = {
        path
        for path, tree in trees()
        if not path.startswith("cli/")
        if any(re.search(r"(?<![\w-])--[a-z]", text) for text in messages(tree))
    }
    assert speaking == set()


ARRAY_ALIASES = {"model/arrays.py"}
"""Where names for kinds of arrays are made; the verifier, which shares nothing, has its own."""


def test_names_for_arrays_are_made_once():
    made = {
        path
        for path, tree in trees()
        if not path.startswith("verifier/")
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        if node.value is not None and ast.unparse(node.value).startswith("npt.NDArray")
    }
    assert made == ARRAY_ALIASES


def imports_at_any_time() -> dict[str, set[str]]:
    """Return the modules that each module imports, when it is loaded or later, but for types."""
    names = {
        path: path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in map(inside, SOURCES)
    }
    modules = {"hartley" if name == "__init__" else f"hartley.{name}" for name in names.values()}
    found: dict[str, set[str]] = {}
    for path, tree in trees():
        own = "hartley" if path == "__init__.py" else f"hartley.{names[path]}"
        for_types = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        found[own] = {
            f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in modules else str(node.module)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and id(node) not in for_types
            for alias in node.names
        } & modules - {own}
    return found


KNOWN_TO_THE_VERIFIER = {
    "hartley.documents",
    "hartley.errors",
    "hartley.releases.certificate",
    "hartley.releases.column_recoding",
    "hartley.releases.formats",
    "hartley.releases.policy",
    "hartley.releases.record",
    "hartley.releases.tree_document",
}
"""What the files of a release are, and nothing of how they are made."""


def test_the_verifier_knows_what_the_files_are_and_nothing_else_of_the_house():
    imported = {
        other
        for module, others in imports_at_any_time().items()
        if module.startswith("hartley.verifier")
        for other in others
    }
    assert {one for one in imported if not one.startswith("hartley.verifier")} == KNOWN_TO_THE_VERIFIER


SHOWN_ABOVE = {"hartley.report.figures", "hartley.report.notebook", "hartley.report.study_report"}
"""What a method of a result calls to be shown; pyproject.toml names the few that may."""


def test_no_module_imports_itself_by_a_way_round_not_even_later():
    imported = imports_at_any_time()
    for module, others in imported.items():
        if module == "hartley.frontiers" or module.startswith("hartley.workflow."):
            others -= SHOWN_ABOVE
    imported["hartley.releases.policy"].discard("hartley.releases.apply")

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            new = imported[waiting.pop()] - seen
            seen |= new
            waiting += new
        return seen

    behind = {module: reached(module) for module in imported}
    circles = {
        tuple(sorted({module, *(other for other in behind[module] if module in behind[other])}))
        for module in imported
        if module in behind[module]
    }
    assert circles == set()


def test_nothing_for_users_names_a_machine_or_a_registry():
    named = re.compile(r"/work/|/root/|/home/\w|\.\./shared|index-url|https?://\S*/simple")
    found = {str(path.relative_to(ROOT)): named.findall(path.read_text("utf-8")) for path in FOR_USERS}
    assert {path: said for path, said in found.items() if said} == {}


def test_the_version_is_one():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == hartley.__version__


def test_importing_hartley_is_light():
    heavy = [
        "numba",
        "numpy",
        "scipy",
        "duckdb",
        "pyarrow",
        "pandas",
        "polars",
        "altair",
        "starlette",
        "rich",
    ]
    code = f"import sys, hartley; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


MANY_BY_NATURE = {"sklearn.py: __init__"}
"""An estimator's settings are the parameters of its constructor; the other prepares arrays for a loop."""


def test_no_function_has_more_than_eight_parameters():
    """Loops aside, which take their arrays one by one, and commands, whose parameters are their options."""
    many = set()
    for path, tree in trees():
        if path.startswith("cli/") or "/loops/" in path:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            marks = {ast.unparse(one) for one in node.decorator_list}
            if marks & {"hot_loop", "hot_part"}:
                continue
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if len([one for one in given if one.arg not in ("self", "cls")]) > 8:
                many.add(f"{path}: {node.name}")
    assert many == MANY_BY_NATURE


def test_every_folder_says_which_of_its_modules_to_read_first():
    for path in PACKAGE.rglob("__init__.py"):
        modules = {one.stem for one in path.parent.glob("*.py")} - {"__init__"}
        if path.parent == PACKAGE or path.parent.name == "loops" or len(modules) < 2:
            continue
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = re.search(r"[Rr]ead ``([\w.]+)`` first|`hartley[\w.]+`", said)
        assert first, f"{inside(path)} does not say what to read first"
        assert first[1] is None or (path.parent / first[1]).exists() or first[1] in modules, inside(path)
