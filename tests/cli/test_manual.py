"""The help of every command: in groups, with examples that parse, no wider than a terminal."""

from __future__ import annotations

import shlex
from dataclasses import fields
from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from hartley import ReadOptions, Study, UtilityChoice
from hartley.cli.program import COMMANDS, program
from hartley.model.demand import DemandFields
from hartley.workflow.request.column_choices import ColumnChoices
from hartley.workflow.request.declared_options import (
    OTHER,
    examples_of,
    group_of,
    groups,
    options_of,
    usual_options,
)
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.objective import Objective
from hartley.workflow.request.time_limit import SearchLimits

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
    places = [shown.index(f"\n{group}:") for group in groups()]
    assert places == sorted(places)
    assert shown.index("\nExamples:") > places[-1]
    assert "  TABLE\n" not in shown


@pytest.mark.parametrize("name", [*ON_TABLES, "export"])
def test_the_options_that_most_people_need_are_options(name):
    assert set(usual_options(name)) <= {one.name for one in command(name).params}


def test_what_is_typed_is_a_keyword_of_the_same_name_in_python():
    asked = (Study, Objective, ColumnChoices, UtilityChoice)
    kinds = (*asked, ReadOptions, SearchLimits, Destination)
    keywords = {one.name for kind in kinds for one in fields(kind)} | {*DemandFields.__annotations__}
    # What is said in another way: exposure="accept", to_dict(), combination, write_metadata, plot, require,
    # audit(against=, regress=).
    elsewhere = {"accept_exposure", "as_json", "combine", "metadata", "plot", "each", "require"}
    elsewhere |= {"regress", "useful"}
    assert {one.name for one in options_of("release")} - keywords == elsewhere
