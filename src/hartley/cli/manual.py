"""A command whose help is in groups and ends in examples, and that takes no option twice."""

from __future__ import annotations

import click

GROUPS: dict[str, tuple[str, ...]] = {
    "Columns": ("sensitive", "public", "side", "keep", "harmless", "publish_sensitive", "person", "earlier"),
    "Requirements": (
        "distinct_l",
        "separated_l",
        "row_k",
        "max_leakage",
        "require",
        "each",
        "tolerance",
        "groups",
        "accept_exposure",
        "accept_unmet",
    ),
    "Utility": (
        "utility",
        "max_distortion",
        "largest_cluster",
        "codeword",
        "combine",
        "scales",
        "weights",
        "weight",
        "objective",
        "lose_at_most",
        "utility_weight",
        "leakage",
        "stochastic",
        "search",
        "time_limit",
        "seed",
    ),
    "Shape": (
        "shape",
        "transparent",
        "transparent_knows",
        "borders",
        "offset",
        "equal_width",
        "open_ends",
        "bands",
        "order",
        "orders",
        "hierarchy",
        "hierarchies",
        "neighbours",
        "dissimilarity",
        "prefix",
        "withhold",
        "withheld_label",
        "unseen",
    ),
    "Output": (
        "output",
        "original",
        "labels",
        "policy",
        "certificate",
        "no_certificate",
        "record",
        "key",
        "public_key",
        "require_signature",
        "require_record",
        "to",
        "dialect",
        "into",
        "into_database",
        "keep_order",
        "overwrite",
        "defuse_formulas",
        "plot",
        "trace",
        "audience",
        "disclosive",
        "as_json",
    ),
    "Reading": (
        "delimiter",
        "decimal",
        "missing_words",
        "encoding",
        "text",
        "number",
        "missing",
        "missing_at",
        "sheet",
        "query",
        "memory_limit",
        "counts",
        "table",
        "data",
        "download",
    ),
}
"""The groups in the order of the help, and the options of each in theirs."""

OTHER = "Options"
"""The group of what stands in none, such as ``--help``."""


def group_of(name: str) -> str:
    """Return the group of an option.

    >>> group_of("sensitive"), group_of("help")
    ('Columns', 'Options')
    """
    return next((group for group, names in GROUPS.items() if name in names), OTHER)


def place_in_group(name: str) -> int:
    """Return the place of an option in its group."""
    names = GROUPS.get(group_of(name), ())
    return names.index(name) if name in names else len(names)


EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "audit": (
        ("hartley audit clinic.csv", "List the columns, and say which look like names."),
        (
            "hartley audit clinic.csv -s age -p cholesterol --require distinct-l=5",
            "Count whose age can be read off; exit code 3 if fewer than 5 ages remain.",
        ),
    ),
    "frontier": (
        ("hartley frontier clinic.csv -s age -p cholesterol", "Show what each step of protection costs."),
        (
            "hartley frontier clinic.csv -s age -p cholesterol --shape intervals \\\n"
            "      --borders 10 --plot frontier.svg",
            "The same for bands that begin at multiples of 10, as a picture.",
        ),
    ),
    "release": (
        (
            "hartley release clinic.csv released.csv -s age -p cholesterol --distinct-l 5",
            "Keep at least 5 ages possible for everyone, and lose as little as possible.",
        ),
        (
            "hartley release clinic.csv released.csv -s age -p cholesterol \\\n"
            "      --row-k 10 --withhold 2% --key curator.key",
            "Groups of 10 people; withhold up to 2 % of the rows; sign the certificate.",
        ),
    ),
    "apply": (
        (
            "hartley apply released.policy.json clinic-2025.csv released-2025.csv",
            "Recode next year's table by the same codebook, and measure it again.",
        ),
        (
            "hartley apply released.policy.json clinic-2025.csv released-2025.csv \\\n"
            "      --unseen nearest --require distinct-l=5",
            "Recode new values like the nearest known one; write nothing unless 5 remain.",
        ),
    ),
    "key": (
        ("hartley key curator.key", "Make curator.key (secret) and curator.key.pub (for everyone)."),
        ("hartley key curator.key --json", "The same, with the fingerprint as JSON."),
    ),
    "verify": (
        (
            "hartley verify released.csv --public-key curator.key.pub",
            "Check that this is the file that was certified, and by whom.",
        ),
        (
            "hartley verify released.csv --original clinic.csv \\\n      --policy released.policy.json",
            "Count everything again from the files, with the secrets of the curator.",
        ),
    ),
    "compare": (
        (
            "hartley compare clinic.csv -s age -p cholesterol --distinct-l 5",
            "Which method loses least when 5 ages must remain possible?",
        ),
        (
            "hartley compare clinic.csv -s age -p cholesterol --plot compare.svg",
            "The same at a balanced point, as a picture.",
        ),
    ),
    "report": (
        (
            "hartley report clinic.csv -s age -p cholesterol -o report.html",
            "One page to show to a board; it contains no data from the table.",
        ),
        (
            "hartley report clinic.csv -s age -p cholesterol --distinct-l 5 \\\n"
            "      -o curator.html --disclosive",
            "The same for the curator, with cells and codebook.",
        ),
    ),
    "serve": (
        ("hartley serve clinic.csv", "Open the app with this table."),
        ("hartley serve --port 8080 --no-open", "Start the app without a table or a browser."),
    ),
    "reproduce": (
        ("hartley reproduce", "Run the paper's worked examples again."),
        (
            "hartley reproduce --data processed.hungarian.data -o figures",
            "Run its experiment as well, and draw the figures.",
        ),
    ),
    "sql": (
        (
            "hartley sql audit -s age -p cholesterol --table patients > audit.sql",
            "A statement that counts in the database; run it there.",
        ),
        (
            "hartley sql audit -s age -p cholesterol --dialect postgres",
            "The same for PostgreSQL. `hartley audit --counts FILE` takes the result.",
        ),
    ),
    "export": (
        (
            "hartley export released.policy.json --to sql -o recode.sql",
            "The same recoding as a statement for a database.",
        ),
        ("hartley export released.policy.json --to r -o recode.R", "The same recoding as a script for R."),
    ),
}


def examples_of(command: str) -> tuple[tuple[str, str], ...]:
    """Return the examples of a command: what to type, and what it does."""
    return EXAMPLES.get(command, ())


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
