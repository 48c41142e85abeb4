"""Every option as ``options.toml`` declares it: its help, group and values, and the commands that have it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

OTHER = "Options"
"""The group of what stands in none, such as the option for help."""
USUAL, EXAMPLES, SETS = "usual", "examples", "sets"
"""The parts of the file that are no groups of options."""


@dataclass(frozen=True, kw_only=True)
class DeclaredOption:
    """An option, as one command has it or as all do."""

    name: str
    """The keyword in Python."""
    group: str
    of: str
    help: str
    required: str = ""
    flags: str = ""
    is_: str = "text"
    many: bool = False
    metavar: str | None = None
    values: tuple[str, ...] = ()
    bare: str | None = None
    default: str | int | None = None
    silent: str | int | None = None
    app: str | None = None
    app_values: dict[str, str] = field(default_factory=dict)
    but: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def flag(self) -> str:
        """How it is typed in full."""
        return max(self.flags.split(), key=len, default=f"--{self.name.replace('_', '-')}")

    def for_command(self, command: str) -> DeclaredOption:
        """Return it as a command words it."""
        return replace(self, **_spelt(self.but.get(command, {})))


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(files("hartley.workflow.request").joinpath("options.toml").read_text("utf-8"))


@cache
def groups() -> dict[str, dict[str, DeclaredOption]]:
    """Return the options by their groups, both in the order of the help."""
    sets = _document()[SETS]
    return {
        group: {
            name: DeclaredOption(
                name=name,
                group=group,
                **_spelt(row | {"of": " ".join(sets.get(one, one) for one in row["of"].split())}),
            )
            for name, row in rows.items()
        }
        for group, rows in _document().items()
        if group not in (SETS, USUAL, EXAMPLES)
    }


def _spelt(row: dict[str, Any]) -> dict[str, Any]:
    spelt = {"is_" if key == "is" else key: value for key, value in row.items()}
    return spelt | ({"values": tuple(row["values"])} if "values" in row else {})


def declared_option(name: str) -> DeclaredOption | None:
    """Return an option by the name of its keyword; nothing where there is none.

    >>> found = declared_option("sensitive")
    >>> found.group, found.metavar, declared_option("help")
    ('Columns', 'COL', None)
    """
    return next((options[name] for options in groups().values() if name in options), None)


def flag_of(name: str) -> str:
    """Return how an option is typed, by the name of its keyword.

    >>> flag_of("missing_words"), flag_of("missing_at"), flag_of("port")
    ('--missing-word', '--missing-at', '--port')
    """
    found = declared_option(name)
    return f"--{name.replace('_', '-')}" if found is None else found.flag


def typed_options(said: Mapping[str, Any]) -> list[str]:
    """Return the words that say some options on the command line, which are given by their keywords.

    Several values are typed one by one, those by column as ``column=value``; what is ``None``, false or empty
    is not typed.

    >>> typed_options({"keep": ("age", "sex"), "weight": {"age": 2.0}, "jointly": True, "missing_at": None})
    ['--keep', 'age', '--keep', 'sex', '--weight', 'age=2', '--jointly']
    >>> typed_options({"tolerance": {"dose": 0.1234567}})
    ['--tolerance', 'dose=0.1234567']
    """
    words: list[str] = []
    for name, given in said.items():
        if given is True:
            words.append(flag_of(name))
        elif isinstance(given, Mapping):
            words += (
                word for column, one in given.items() for word in (flag_of(name), f"{column}={_typed(one)}")
            )
        elif given is not None and given is not False:
            several = given if isinstance(given, list | tuple) else [given]
            words += (word for one in several for word in (flag_of(name), _typed(one)))
    return words


def _typed(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def options_of(command: str) -> list[DeclaredOption]:
    """Return the options of a command, in the order of the help."""
    every = (option for options in groups().values() for option in options.values())
    return [option.for_command(command) for option in every if command in option.of.split()]


def group_of(name: str) -> str:
    """Return the group of an option.

    >>> group_of("sensitive"), group_of("help")
    ('Columns', 'Options')
    """
    found = declared_option(name)
    return OTHER if found is None else found.group


def usual_options(command: str) -> tuple[str, ...]:
    """Return the options that most people need of a command that has many, which its help shows."""
    return tuple(_document()[USUAL].get(command, "").split())


def examples_of(command: str) -> tuple[tuple[str, str], ...]:
    """Return the examples of a command: what to type, and what it does."""
    return tuple((call, what) for call, what in _document()[EXAMPLES].get(command, ()))
