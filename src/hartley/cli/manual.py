"""A command: its help in groups with examples, no option twice, and studies read from files and saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hartley.errors import OptionError
from hartley.workflow.request.declared_options import OTHER, examples_of, group_of, groups, usual_options

SAVED, ALL = "hartley.study", "hartley.help"
"""Under these names a call remembers where to save its study, and that the whole help was asked for."""
MOST_LINES = 40
"""Lines of the help that are shown unless ``--help-all`` asks for every option."""


class ManualCommand(click.Command):
    """A command with its options in groups and calls to copy below them, which a file may speak for."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.params += [
            click.Option(
                ["--study"], metavar="FILE", expose_value=False, help="Take what is not typed from this file."
            ),
            click.Option(
                ["--save-study"],
                metavar="FILE",
                expose_value=False,
                help="Write what was typed into this file.",
            ),
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show every option and exit.",
            ),
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that is given twice and holds one value: the last would silently win."""
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in given:
            is_single = isinstance(parameter, click.Option) and not (parameter.multiple or parameter.is_flag)
            if is_single and given.count(parameter) > 1:
                raise click.UsageError(f"{parameter.opts[-1]} is given twice; say it once", ctx)
        if isinstance(values.get("study"), str):
            args = self._with_study(values, given, args)
        saved = values.get("save_study")
        if isinstance(saved, str):
            if Path(saved).exists() or not Path(saved).absolute().parent.is_dir():
                why = "exists" if Path(saved).exists() else "has no folder"
                raise OptionError(f"{saved!r} {why}; give --save-study another name")
            if Path(saved).suffix.lower() != ".toml":
                raise OptionError(f"{saved!r} is no name for a study; end it in .toml")
            if any(saved == value for name, value in values.items() if name != "save_study"):
                raise OptionError(f"{saved!r} is named twice; give --save-study another name")
            ctx.meta[SAVED] = saved
        return super().parse_args(ctx, args)

    def _with_study(self, values: dict[str, Any], given: list[click.Parameter], args: list[str]) -> list[str]:
        """Return what was typed with what a file says besides."""
        from hartley.cli import study_file

        said = study_file.said_by(values["study"], self)
        options = frozenset(str(one.name) for one in given if isinstance(one, click.Option))
        typed = sum(
            isinstance(values.get(str(one.name)), str)
            for one in self.params
            if isinstance(one, click.Argument)
        )
        positional = study_file.positional_for(self, said, typed)
        return [*study_file.arguments_for(self, said, options), *args, *positional]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and write what was typed into a file where that is asked for."""
        result = super().invoke(ctx)
        path = ctx.meta.get(SAVED)
        if path is not None:
            from hartley.cli import study_file

            study_file.save(ctx, path)
        return result

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole manual where it is short or asked for, and else the part that most people need."""
        more = f"\nMore: {ctx.command_path} --help-all\n"
        whole = click.HelpFormatter(width=formatter.width, max_width=formatter.width)
        super().format_help(ctx, whole)
        if ctx.meta.get(ALL):
            formatter.write(whole.getvalue())
            return
        if (whole.getvalue() + more).count("\n") <= MOST_LINES:
            formatter.write(whole.getvalue() + more)
            return
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        usual = usual_options(str(self.name))
        options = {str(one.name): one for one in self.params if isinstance(one, click.Option)}
        with formatter.section("Options"):
            records = [options[name].get_help_record(ctx) for name in usual if name in options]
            formatter.write_dl([_in_one_sentence(record) for record in records if record], col_max=24)
        _write_examples(ctx, formatter, 1)
        formatter.write(more)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group, in the order of the work."""
        records: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if record is not None:
                records.setdefault(group_of(parameter.name or ""), []).append(record)
        for group in (*groups(), OTHER):
            if group in records:
                with formatter.section(group):
                    # Names of options longer than this stand on a line of their own.
                    formatter.write_dl(records[group], col_max=24)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are to be typed."""
        _write_examples(ctx, formatter)


class ManualGroup(click.Group):
    """A command of several, with calls to copy."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are to be typed, and where the whole manual of each is."""
        _write_examples(ctx, formatter)
        for name in self.list_commands(ctx):
            formatter.write(f"\nMore: {ctx.command_path} {name} --help-all\n")


def _show_all(ctx: click.Context, parameter: click.Parameter, is_asked: bool) -> None:
    """Print every option and leave, as ``--help`` does with the usual ones."""
    del parameter
    if is_asked and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _in_one_sentence(record: tuple[str, str]) -> tuple[str, str]:
    """Return the entry of an option with the first sentence or clause of its help."""
    name, text = record
    text, _, default = text.partition("  [")
    for end in (". ", "; ", ": "):
        text = text.partition(end)[0]
    return name, text.rstrip(".") + "." + (f"  [{default}" if default and default != "required]" else "")


def _write_examples(ctx: click.Context, formatter: click.HelpFormatter, most: int = 2) -> None:
    # Only the first word after the program's: `hartley sql audit` has the examples of `hartley sql`.
    examples = examples_of(ctx.command_path.split()[1])[:most]
    if not examples:
        return
    with formatter.section("Examples" if most > 1 else "Example"):
        for number, (call, what) in enumerate(examples):
            formatter.write("\n" * bool(number) + f"  {call}\n    {what}\n")
