"""``hartley-gate``: `hartley audit` for each of several files, as hooks and pipelines call it.

It passes only files that were audited and held to a requirement.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hartley.model.requirement import Verdict

USAGE = (
    "the options of `hartley audit` come first, then --, then the files, such as "
    "hartley-gate --sensitive=age --public=chol --require=distinct-l=5 -- table.csv"
)


def gate(arguments: Sequence[str]) -> int:
    """Audit every file with the same options; return the worst exit code.

    Without ``--`` the files begin at the first argument that is no option, and each option is one argument,
    as in ``--require=distinct-l=5``. A file whose name looks like an option would be taken for one, and is
    refused there.
    """
    from hartley.cli.program import run

    given = list(arguments)
    if "--" not in given:
        files_from = next((at for at, one in enumerate(given) if not one.startswith("-")), len(given))
        for one in given[:files_from]:
            if os.path.lexists(one):
                return _say(f"{one!r} is a file, and looks like an option; put -- before the files")
        given.insert(files_from, "--")
    split = given.index("--")
    options, files = given[:split], given[split + 1 :]
    if not files:
        return _say(f"no file was audited; {USAGE}")
    codes = []
    for file in files:
        judged: list[Verdict] = []
        codes.append(run(["audit", *options, "--", file], judged))
        failed = [one for one in judged if not one.holds]
        if failed:
            reasons = (f"{one.requirement.text} is required, {one.found:.6g} was found" for one in failed)
            _say(f"{file} does not pass: {'; '.join(reasons)}")
        elif codes[-1]:
            _say(f"{file} does not pass")
        elif not judged:
            codes[-1] = _say(f"{file} was held to no requirement; {USAGE}")
    return max(codes)


def _say(message: str) -> int:
    """Say something on stderr in one line; return the exit code of a wrong call."""
    from hartley.report.words.audit import visible

    print(f"hartley-gate: {visible(message)}", file=sys.stderr)
    return 2


def main() -> None:
    """Run the gate and leave with its exit code."""
    raise SystemExit(gate(sys.argv[1:]))
