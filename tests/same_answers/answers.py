"""Run command lines in this process, and keep of their answers what must stay."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import signal
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from hartley.cli import main
from same_answers.calls import GROUPS
from same_answers.tables import write_tables

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "answers.json"

CHANGING: Final = frozenset(
    ("checksum", "cpu_seconds", "hartley", "input_commitment", "key", "policy_commitment", "seal", "sha256")
)
"""Keys whose values are a clock's, a version's or a random source's."""

NEARLY = 2e-9
"""Differences below it are the order of a sum, or the gap of an iteration."""
NEARLY_NOISE = 1e-6
"""Noise is found in hundreds of rounds that end where the objective is flat: processors that add in another
order end some rounds apart, so their number is not compared."""


def run_group(group: str, folder: Path) -> dict[str, Any]:
    """Return the answers of one group's calls, each under its command line."""
    write_tables(folder)
    with contextlib.chdir(folder):
        return {line: answer(line) for line in GROUPS[group]}


def answer(line: str) -> dict[str, Any]:
    """Run one command line here, and return what must stay of its answer."""
    arguments = line.split()
    has_json = arguments[0] != "report"
    code, printed, complaint = call([*arguments, "--json"] if has_json else arguments)
    found: dict[str, Any] = {"exit": code}
    if code == 1:
        raise AssertionError(f"{line}: {complaint}")
    if code in (0, 3) and has_json and printed:
        found["json"] = lasting(json.loads(printed))
    if code == 0:
        found |= dict(_written(arguments))
    return found


def call(arguments: list[str]) -> tuple[int, str, str]:
    """Call the program as a shell would, and return its exit code, output and complaint."""
    printed, complaint = io.StringIO(), io.StringIO()
    before = sys.argv
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handlers = [(number, signal.getsignal(number)) for number in numbers]
    sys.argv = ["hartley", *arguments]
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complaint):
            main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        sys.argv = before
        for number, handler in handlers:
            signal.signal(number, handler)
    return code, printed.getvalue(), complaint.getvalue()


def lasting(document: Any) -> Any:
    """Return a JSON document without what changes from run to run."""
    if isinstance(document, dict):
        return {key: lasting(value) for key, value in document.items() if key not in CHANGING}
    return [lasting(item) for item in document] if isinstance(document, list) else document


def _written(arguments: list[str]) -> Iterator[tuple[str, Any]]:
    """Return what a call wrote: the released rows in any order, the policy, a report's text."""
    command = arguments[0]
    if command in ("release", "apply"):
        out = Path(arguments[2 if command == "release" else 3])
        if out.suffix in (".csv", ".jsonl"):
            lines = sorted(out.read_text(encoding="utf-8").splitlines())
            yield "rows", sha256("\n".join(lines).encode()).hexdigest()[:16]
    if command == "release":
        default = Path(arguments[2]).with_suffix(".policy.json").name
        policy = arguments[arguments.index("--policy") + 1] if "--policy" in arguments else default
        yield "policy", lasting(json.loads(Path(policy).read_text(encoding="utf-8")))
    if command == "report":
        yield "text", page_text(Path(arguments[arguments.index("-o") + 1]).read_text(encoding="utf-8"))


def page_text(page: str) -> list[str]:
    """Return the words of a page, without style, drawings' shapes and the versions of the packages."""
    page = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    page = re.sub(
        r"<dt>(hartley|Python|numpy|scipy|duckdb|pyarrow|numba|system)</dt>\s*<dd>.*?</dd>", " ", page
    )
    page = re.sub(r"</?(b|code|em|small|span|strong|tspan|a)\b[^>]*>", "", page)
    texts = (" ".join(text.split()) for text in re.sub(r"<[^>]*>", "\n", page).split("\n"))
    return [text for text in texts if text]


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Name where an old answer is not found again in a new one; keys may have been added."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{place}/{key}: is gone"
            else:
                yield from differences(value, new[key], f"{place}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{place}: {len(old)} items, now {len(new)}"
        for number, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from differences(one, other, f"{place}/{number}")
    elif not place.endswith("/noise/rounds") and not _agree(
        old, new, NEARLY_NOISE if "/noise/" in place else NEARLY
    ):
        yield f"{place}: {old!r}, now {new!r}"


def _agree(old: Any, new: Any, nearly: float) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return old == new or math.isclose(old, new, rel_tol=nearly, abs_tol=nearly)
    return type(old) is type(new) and bool(old == new)


def read_golden() -> dict[str, dict[str, Any]]:
    """Return the recorded answers of all groups."""
    with GOLDEN.open(encoding="utf-8") as file:
        return dict(json.load(file))


def write_golden(groups: dict[str, dict[str, Any]]) -> None:
    """Write the answers, one call per line."""
    parts = []
    for group, answers in groups.items():
        lines = [
            f"  {json.dumps(line)}: {json.dumps(found, ensure_ascii=False, separators=(',', ':'))}"
            for line, found in answers.items()
        ]
        parts.append(f" {json.dumps(group)}: {{\n" + ",\n".join(lines) + "\n }")
    beside = GOLDEN.with_suffix(".new")
    beside.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    os.replace(beside, GOLDEN)
