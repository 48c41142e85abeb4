"""The help of every command: in groups, with examples that parse, no wider than a terminal."""

from __future__ import annotations

import shlex
from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from hartley.cli.manual import examples_of
from hartley.cli.option_groups import GROUPS, OTHER, USUAL, group_of
from hartley.cli.program import COMMANDS, program

ON_TABLES = ("audit", "frontier", "release", "apply", "verify", "compare", "report")


def command(name: str) -> click.Command:
    found: click.Command = import_module(f"hartley.cli.{name}").command
    return found


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_fits_eighty_columns(name):
    shown = CliRunner().invoke(program, ["--help"] if name is None else [name, "--help-all"]).output
    assert shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_two_examples_that_parse(name):
    examples = examples_of(name)
    assert len(examples) == 2
    for call, what in examples:
        said, called, *given = shlex.split(call.replace("\\\n", " ").partition(" > ")[0])
        assert (said, called) == ("hartley", name)
        assert what.endswith((".", "?"))
        assert command(name).make_context(name, list(given), resilient_parsing=False)


@pytest.mark.parametrize("name", ON_TABLES)
def test_every_option_on_tables_stands_in_a_group(name):
    options = [one.name for one in command(name).params if isinstance(one, click.Option)]
    assert [one for one in options if group_of(one) == OTHER] == ["study", "save_study", "help_all"]


def test_the_groups_come_in_the_order_of_the_work():
    shown = CliRunner().invoke(program, ["release", "--help-all"]).output
    places = [shown.index(f"\n{group}:") for group in GROUPS]
    assert places == sorted(places)
    assert shown.index("\nExamples:") > places[-1]
    assert "  TABLE\n" not in shown


@pytest.mark.parametrize("name", USUAL)
def test_the_options_that_most_people_need_are_options(name):
    assert set(USUAL[name]) <= {one.name for one in command(name).params}
