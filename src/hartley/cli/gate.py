"""``hartley-gate``: `hartley audit` for each of several files, as a pre-commit hook calls it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

USAGE = (
    "hartley-gate: the options of `hartley audit` come first, then the files, such as "
    "hartley-gate --sensitive=age --public=chol --require=distinct-l=5 table.csv"
)


def gate(arguments: Sequence[str]) -> int:
    """Audit every file with the same options; return the worst exit code.

    A hook's options are one argument each, as in ``--require=distinct-l=5``: the files come after them.
    """
    from hartley.cli.program import run

    given = [one for one in arguments if one.startswith("-")]
    files = [one for one in arguments if not one.startswith("-")]
    if not any(one.startswith(("--require=", "--require")) for one in given):
        print(USAGE, file=sys.stderr)
        return 2
    codes = []
    for file in files:
        codes.append(run(["audit", file, *given]))
        if codes[-1]:
            print(f"hartley-gate: {file} does not pass", file=sys.stderr)
    return max(codes, default=0)


def main() -> None:
    """Run the gate and leave with its exit code."""
    raise SystemExit(gate(sys.argv[1:]))
