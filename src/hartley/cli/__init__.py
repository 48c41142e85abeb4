"""The command line: parses, calls the workflow, prints."""

from __future__ import annotations


def main() -> None:
    """Run the command line and leave with its exit code."""
    from hartley.cli.program import run

    raise SystemExit(run())
