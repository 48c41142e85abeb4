"""A command whose help is in groups and ends in examples, and that takes no option twice."""

from __future__ import annotations

import click

from hartley.cli.manual.examples import examples_of
from hartley.cli.manual.groups import GROUPS, OTHER, group_of, place_in_group


class ManualCommand(click.Command):
    """A command with its options in groups, and calls to copy below them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that is given twice and holds one value: the last would silently win."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in given:
            is_single = isinstance(parameter, click.Option) and not (parameter.multiple or parameter.is_flag)
            if is_single and given.count(parameter) > 1:
                raise click.UsageError(f"{parameter.opts[-1]} is given twice; say it once", ctx)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group, in the order of the work."""
        records: dict[str, list[tuple[int, tuple[str, str]]]] = {}
        for parameter in self.get_params(ctx):
            record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if record is not None:
                name = parameter.name or ""
                records.setdefault(group_of(name), []).append((place_in_group(name), record))
        for group in (*GROUPS, OTHER):
            if group in records:
                with formatter.section(group):
                    # Names of options longer than this stand on a line of their own.
                    ordered = sorted(records[group], key=lambda entry: entry[0])
                    formatter.write_dl([record for _, record in ordered], col_max=24)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are to be typed."""
        _write_examples(ctx, formatter)


class ManualGroup(click.Group):
    """A command of several, with calls to copy."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are to be typed."""
        _write_examples(ctx, formatter)


def _write_examples(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    # Only the first word after the program's: `hartley sql audit` has the examples of `hartley sql`.
    examples = examples_of(ctx.command_path.split()[1])
    if not examples:
        return
    with formatter.section("Examples"):
        for number, (call, what) in enumerate(examples):
            formatter.write("\n" * bool(number) + f"  {call}\n    {what}\n")
