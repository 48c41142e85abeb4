"""A folder in which somebody has left modules of well-known names, each of which says where it is run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hartley.examples import CLINIC_COLUMNS, clinic

NAMES = """
abc argparse asyncio base64 bz2 collections contextlib csv ctypes dataclasses datetime decimal email
enum functools gzip hashlib html http inspect io json logging multiprocessing pathlib pickle queue
random re secrets selectors shutil signal socket ssl string struct subprocess tempfile threading
typing urllib uuid zlib sitecustomize usercustomize click rich numpy scipy numba llvmlite duckdb
pyarrow msgspec jinja2 starlette uvicorn altair vl_convert cryptography narwhals anyio h11 yaml
pandas polars hartley
""".split()  # noqa: SIM905 (a list to read)
"""Of the standard library, of what hartley needs, and what Python itself looks for when it starts."""


def plant(folder: Path, names: Sequence[str] = NAMES) -> Path:
    """Make a folder with a table ``t.csv`` and the modules."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text(f"open({str(_mark(folder))!r}, 'a').write(__name__ + ' ')\n")
    # What the compiler would take for its settings: from where compiled code is loaded, for one.
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {folder.with_name('kept')}\n")
    lines = [CLINIC_COLUMNS, *clinic()]
    (folder / "t.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    return folder


def ran(folder: Path) -> list[str]:
    """Return the names of the modules that were run."""
    return _mark(folder).read_text().split() if _mark(folder).exists() else []


def _mark(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.ran")


def script(name: str) -> str:
    """Return a script of the package, which does not look for modules in the folder it is called in."""
    found = shutil.which(name, path=os.path.dirname(sys.executable))
    if found is None:
        pytest.skip("the scripts of the package are not beside this interpreter")
    return found
