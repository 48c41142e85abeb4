"""``hartley verify``: whether what a certificate claims is true."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from hartley.cli import options
from hartley.cli.output import console, grid, heading, print_json
from hartley.cli.progress import announce_and_work
from hartley.workflow.publication.release_paths import default_names
from hartley.workflow.verify_release import Verification, verify


@click.command("verify")
@click.argument("released")
@click.option("--original", required=True, metavar="TABLE", help="The table that was released.")
@click.option("--policy", required=True, metavar="FILE", help="The policy of the release.")
@click.option("--certificate", metavar="FILE", help="The certificate; by default the one beside RELEASED.")
@click.option(
    "--earlier", multiple=True, metavar="POLICY", help="Policy of an earlier release, as in the release."
)
@options.json_output
def command(
    released: str,
    original: str,
    policy: str,
    certificate: str | None,
    earlier: tuple[str, ...],
    as_json: bool,
) -> int:
    """Count everything again from the files, and say whether the certificate of RELEASED is true."""
    if certificate is None:
        beside = default_names(Path(released))["certificate"]
        certificate = str(beside) if beside.exists() else None
    with announce_and_work(original, released) as progress:
        result = verify(
            released,
            original=original,
            policy=policy,
            certificate=certificate,
            earlier=earlier,
            progress=progress,
        )
    if as_json:
        print_json({**result.to_dict(), "certificate": certificate})
    else:
        show(console(), released, result, has_certificate=certificate is not None)
    return 0 if result.holds else 3


def show(out: Console, name: str, result: Verification, *, has_certificate: bool) -> None:
    """Print what was checked."""
    verdict = "holds" if result.holds else "DOES NOT HOLD"
    what = "what the certificate claims" if has_certificate else "the codebook (there is no certificate)"
    heading(out, f"{name}: {what} {verdict}")
    out.print(
        grid(
            ["checked", "", "found"],
            [[check.name, "holds" if check.holds else "NO", check.reason] for check in result.checks],
        )
    )
    for what in result.not_checked:
        out.print(f"Not checked: {what}.", markup=False)
