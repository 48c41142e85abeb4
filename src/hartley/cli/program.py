"""The program: its commands, loaded when they are called, and its exit codes.

0 done · 1 a bug · 2 the input or the call is wrong · 3 the answer is "no" · 130 interrupted
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

import hartley
from hartley.cli import streams
from hartley.errors import HartleyError, UnreachableError, require_not_removed, worded
from hartley.notes import heard_notes, written_files
from hartley.operating_system import address_space, is_closed_pipe, usable_cores

if TYPE_CHECKING:
    from hartley.model.requirement import Verdict

COMMANDS = {
    "audit": "Count the people whom a table exposes; without options, list its columns.",
    "frontier": "Show how much detail each step of protection costs.",
    "release": "Write a protected table to publish, with its policy and certificate.",
    "apply": "Recode new data by the codebook of an earlier release.",
    "export": "Write the codebook of a policy as SQL, dbt, or a script.",
    "sql": "Print statements that count for an audit where the data lives.",
    "key": "Make a key that signs certificates.",
    "verify": "Check that a released file is what its certificate says.",
    "compare": "Put hartley beside other methods at the same target.",
    "report": "Write one page: whom a table exposes, and what a release would change.",
    "serve": "Work on a table in the browser.",
    "mcp": "Let agents audit tables of a folder; no answer holds a cell.",
    "reproduce": "Run the paper's examples and its experiment again.",
}
"""Each command lives in the module ``hartley.cli.<name>`` as the function ``command``."""


INTERRUPTED = 130
ADDRESSES = 1_000_000_000
"""Bytes of address space that the libraries take, used or not."""
ADDRESSES_PER_CORE = 134_000_000
"""What each of their threads takes besides."""


class LazyCommands(click.Group):
    """A group that imports a command only when it is called, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of the work."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; for help alone, only its one line."""
        if cmd_name not in COMMANDS:
            return None
        if ctx.resilient_parsing or ctx.params.get("listing"):
            return click.Command(cmd_name, short_help=COMMANDS[cmd_name])
        _require_address_space()
        command: click.Command = import_module(f"hartley.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer an unknown command with the commands there are."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}; the commands are {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyCommands, no_args_is_help=False, invoke_without_command=True)
@click.version_option(hartley.__version__, prog_name="hartley")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Find out whom a table exposes, and publish a version that protects them.

    Start with `hartley audit TABLE`: it lists the columns and says what to type next.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


class NoRoomError(Exception):
    """There are too few addresses even for the libraries that other refusals go through."""


def _require_address_space() -> None:
    """Refuse to load libraries that would end the process without a word for want of addresses."""
    allowed = address_space()
    needed = ADDRESSES + usable_cores() * ADDRESSES_PER_CORE
    if allowed is not None and allowed < needed:
        raise NoRoomError(
            f"this process may use {allowed / 1e9:.1f} GB of address space and needs {needed / 1e9:.1f} GB; "
            "raise the limit (ulimit -v)"
        )


def as_flag(name: str, value: str | None) -> str:
    """Return an option as the command line has it.

    >>> as_flag("missing_at", None), as_flag("missing", "drop"), as_flag("missing_words", "NA")
    ('--missing-at', '--missing drop', '--missing-word NA')
    """
    from hartley.workflow.request.declared_options import flag_of

    return flag_of(name) if value is None else f"{flag_of(name)} {shlex.quote(value)}"


def run(arguments: Sequence[str] | None = None, judged: list[Verdict] | None = None) -> int:
    """Run the program and give its exit code; no traceback and no cell reaches the user.

    An audit adds what it found of each requirement to ``judged``.
    """
    streams.prepare()
    with written_files() as written:
        return _run(arguments, judged, written)


def _run(arguments: Sequence[str] | None, judged: list[Verdict] | None, written: Sequence[Path]) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        for argument in given:
            if (wrong := _in_no_name(argument)) is not None:
                raise click.UsageError(f"an argument holds {wrong}, which stands in no name and no path")
        # A refusal is one line: how the table was read is said where there is an answer.
        notes: list[str] = []
        try:
            with heard_notes(notes.append):
                result = program.main(args=given, prog_name="hartley", standalone_mode=False, obj=judged)
        except UnreachableError:
            _say_notes(notes)
            raise
        streams.write("")
        _say_notes(notes)
        return result if isinstance(result, int) else 0
    except NoRoomError as error:
        click.echo(f"hartley: {error}", err=True)
        return 2
    except UnreachableError as error:
        return _say(error.said(as_flag), 3)
    except HartleyError as error:
        return _say(error.said(as_flag) + _but(written), 2)
    except click.NoSuchOption as error:
        try:
            require_not_removed(error.option_name.lstrip("-").replace("-", "_"))
        except HartleyError as removed:
            return _say(removed.said(as_flag), 2)
        return _say(_one_line(error), 2)
    except click.ClickException as error:
        return _say(_one_line(error), 2)
    except (KeyboardInterrupt, click.Abort):
        return _say_interrupted(written)
    except (BrokenPipeError, SystemExit):
        # Nobody read our help to its end, as in `hartley --help | head`; click then leaves the program.
        streams.to_nowhere()
        return 0
    except MemoryError:
        return _say("not enough memory for this table" + _but(written), 2)
    except OSError as error:
        if is_closed_pipe(error):
            streams.to_nowhere()
            return 0
        if error.errno not in streams.NOT_WRITABLE:
            return _say_bug(error, written) if error.filename is None else _say(_refused_path(error), 2)
        streams.to_nowhere()
        return _say(f"cannot write the output: {os.strerror(error.errno).lower()}{_but(written)}", 2)
    except Exception as error:
        return _say_bug(error, written)


def _in_no_name(argument: str) -> str | None:
    if "\x00" in argument:
        return "a NUL character"
    try:
        argument.encode("utf-8", "surrogateescape")  # as paths are, whose bytes are no text
    except UnicodeEncodeError:
        return "half a character"
    return None


def _say_interrupted(written: Sequence[Path]) -> int:
    return _say(f"interrupted{_but(written) or '; nothing was written'}", INTERRUPTED)


def _but(written: Sequence[Path]) -> str:
    """Return the end of a refusal that names the files that were complete before the call failed."""
    return f"; but {', '.join(file.name for file in written)} had been written, and stay" if written else ""


def _say(message: str, code: int) -> int:
    from hartley.tables.locations import without_passwords

    try:
        click.echo(f"hartley: {_visible(without_passwords(message))}", err=True)
    except (OSError, ValueError):
        # Nobody reads it, or its disk is full; what the program answers is its exit code.
        streams.to_nowhere(sys.stderr)
    return code


def _visible(message: str) -> str:
    """Return a message in one line: what names and paths hold that cannot be printed is written out."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in message
    )


def _say_notes(messages: Sequence[str]) -> None:
    for message in messages:
        _say(f"note: {worded(message, as_flag)}", 0)


def _refused_path(error: OSError) -> str:
    """Word what the system says of a path, such as one that is too long."""
    reason = (error.strerror or "input or output error").lower()
    return f"{os.fsdecode(error.filename)!r} cannot be read or written: {reason}"


def _one_line(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split())
    for theirs, ours in (("is not a valid float", "is not a number"), ("a valid integer", "a whole number")):
        message = message.replace(theirs, ours)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "hartley"
    return (
        f"{message.rstrip('.')}; see '{command} --help'" if isinstance(error, click.UsageError) else message
    )


def _say_bug(error: Exception, written: Sequence[Path]) -> int:
    if isinstance(error, (RuntimeError, OSError)) and "interrupted" in str(error).lower():
        return _say_interrupted(written)  # Ctrl-C, as the engine or Arrow words it
    # The message of a foreign exception may hold a cell; the place in the code never does.
    if os.environ.get("HARTLEY_TRACEBACK"):
        traceback.print_exception(error)
        return 1
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(where.filename)}:{where.lineno}"
    return _say(
        f"internal error ({type(error).__name__} at {place}); this is a bug. "
        "HARTLEY_TRACEBACK=1 shows the details, which may hold cells of the table",
        1,
    )
