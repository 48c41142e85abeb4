"""``hartley key``: make a key to sign certificates with."""

from __future__ import annotations

import click

from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, print_json
from hartley.workflow.make_key import make_key


@click.command("key", cls=ManualCommand)
@click.argument("file")
@declared("key")
def command(file: str, as_json: bool) -> int:
    """Make a signing key: FILE, which only you can read, and FILE.pub for everyone.

    Sign with `hartley release ... --key FILE`. Anyone who has FILE.pub can check that a certificate is
    yours, with `hartley verify RELEASED --public-key FILE.pub`. Existing files are never overwritten.
    """
    made = make_key(file)
    if as_json:
        print_json(made.to_dict())
        return 0
    out = console()
    out.print(f"Keep {made.key} to yourself: it signs in your name.", markup=False, soft_wrap=True)
    out.print(
        f"Give {made.public_key} to anyone who wants to check your certificates.",
        markup=False,
        soft_wrap=True,
    )
    out.print(f"Its fingerprint:\n  {made.fingerprint}", markup=False, soft_wrap=True)
    return 0
