"""``hartley serve``: the app in the browser, for this machine."""

from __future__ import annotations

import contextlib
import webbrowser
from pathlib import Path

import click

from hartley.cli.manual import ManualCommand
from hartley.cli.output import console
from hartley.errors import OptionError
from hartley.web.server import Address, serve


@click.command("serve", cls=ManualCommand)
@click.argument("table", required=False, type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on; by default any that is free."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Any other than the default lets others on the network try the key.",
)
@click.option(
    "--upload-limit",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="MB",
    help="Largest file that the app takes, unpacked.",
)
@click.option("--open/--no-open", "opens", default=True, help="Open the page in the browser.")
def command(table: Path | None, port: int, host: str, upload_limit: int, opens: bool) -> int:
    """Work on TABLE in the browser: see whom it exposes, choose, and release.

    The app listens on this machine only and loads nothing from the network. Ctrl-C ends it and
    removes its copies.
    """
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 (refused, not bound)
        raise OptionError(
            f"--host {host or repr(host)} is no address that a browser can open; give this machine's own"
        )
    out = console()

    def on_ready(address: Address) -> None:
        out.print(f"hartley is at {address.url}", soft_wrap=True)
        out.print("The address holds the key: do not pass it on. Ctrl-C ends the app and removes its copies.")
        if opens:
            # By a file that only the user can read: what stands on a command line, every user can.
            webbrowser.open(address.page.as_uri())

    # Ctrl-C is how the app is meant to end.
    with contextlib.suppress(KeyboardInterrupt):
        serve(table, host=host, port=port, upload_limit=upload_limit * 1_000_000, on_ready=on_ready)
    return 0
