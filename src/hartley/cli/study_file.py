"""A study as a file: what would be typed, as TOML, in the groups of the help.

    table = "clinic.csv"
    out = "released.csv"

    [columns]
    sensitive = ["age"]
    public = ["cholesterol"]

    [requirements]
    distinct-l = 5

Keys are the options of the command line without their dashes, and the arguments in small letters. A path is
meant from the folder of the file. What is typed besides replaces what the file says.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from hartley.documents import STUDY
from hartley.errors import OptionError, nearest, require_not_removed
from hartley.workflow.request.declared_options import OTHER, group_of, groups

FILES = frozenset({"FILE", "TABLE", "POLICY", "ORIGINAL"})
"""How the help of an option says that its value is a path."""
OWN = frozenset({"study", "save_study", "help", "help_all"})
"""Options that say something about the call and not about the study."""


def key_of(parameter: click.Parameter) -> str:
    """Return how a file names an option or an argument.

    >>> key_of(click.Option(["-s", "--sensitive"])), key_of(click.Argument(["table"]))
    ('sensitive', 'table')
    """
    if isinstance(parameter, click.Argument):
        return str(parameter.name)
    return max(parameter.opts, key=len).lstrip("-")


def said_by(path: str, command: click.Command) -> dict[str, Any]:
    """Read a study file: what it says for the parameters of a command, by their names.

    What only other commands have is left to them; what none has is refused with the nearest.
    """
    try:
        document = tomllib.loads(STUDY.read(path).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        where = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is not UTF-8 text"
        raise OptionError(f"{path!r} is not a study in TOML: {where}") from None
    parameters = {key_of(parameter): parameter for parameter in command.params}
    sections = {group.lower(): group for group in groups()}
    found: dict[str, Any] = {}
    for section, keys in _sections(document, sections, path):
        for key, value in keys.items():
            parameter = parameters.get(key)
            if parameter is None or parameter.name is None or parameter.name in OWN:
                if key not in (known := keys_of_all_commands()):
                    require_not_removed(key.replace("-", "_"))
                    raise OptionError(f"{path!r} has an unknown key {key!r}{_nearest(key, known)}")
                continue
            if section is None and key == "table" and isinstance(parameter, click.Option):
                continue  # the file of other commands; as an option it names a table of a statement
            if key in found:
                raise OptionError(f"{path!r} has {key!r} in two sections; say it once")
            group = group_of(parameter.name)
            if section is not None and group != OTHER and sections[section] != group:
                raise OptionError(f"{path!r} has {key!r} in [{section}]; it belongs in [{group.lower()}]")
            found[key] = value
    folder = Path(path).parent
    return {
        str(parameters[key].name): _placed(parameters[key], value, folder) for key, value in found.items()
    }


def keys_of_all_commands() -> set[str]:
    """Return every key that some command knows, and the names of sections."""
    from hartley.cli.program import COMMANDS

    commands = [import_module(f"hartley.cli.{name}").command for name in COMMANDS]
    commands += [
        one for group in commands if isinstance(group, click.Group) for one in group.commands.values()
    ]
    keys = {key_of(one) for command in commands for one in command.params if one.name not in OWN}
    return keys | {group.lower() for group in groups()}


def _sections(
    document: Mapping[str, Any], sections: Mapping[str, str], path: str
) -> Iterable[tuple[str | None, Mapping[str, Any]]]:
    """Go through the keys of a document: those above all sections, then each section's."""
    yield None, {key: value for key, value in document.items() if key not in sections}
    for key in sections:
        if key in document:
            if not isinstance(document[key], dict):
                raise OptionError(f"{path!r}: {key!r} is a section; write [{key}] and its keys below")
            yield key, document[key]


def _nearest(key: str, known: Iterable[str]) -> str:
    near = nearest(key, known)
    return f"; did you mean {near!r}?" if near else "; keys are the options of the command line"


def arguments_for(command: click.Command, said: Mapping[str, Any], typed: frozenset[str]) -> list[str]:
    """Return what would have to be typed for what a file says and nobody has typed."""
    words: list[str] = []
    for parameter in command.params:
        name = str(parameter.name)
        if isinstance(parameter, click.Option) and name in said and name not in typed:
            words += _typed_option(parameter, said[name])
    return words


def _typed_option(option: click.Option, value: Any) -> list[str]:
    flag, key = max(option.opts, key=len), key_of(option)
    if isinstance(value, bool):
        may_be_bare = option.is_flag or getattr(option, "_flag_needs_value", False)
        if not may_be_bare:
            raise OptionError(f"{key!r} in a study needs a value, not {str(value).lower()}")
        return [flag] if value else option.secondary_opts
    if option.is_flag:
        raise OptionError(f"{key!r} in a study is true or false, not {value!r}")
    if isinstance(value, dict):
        value = [f"{column}={_word(one, key)}" for column, one in value.items()]
    if isinstance(value, list):
        if not option.multiple:
            raise OptionError(f"{key!r} in a study needs one value, not a list")
        return [f"{flag}={_word(one, key)}" for one in value]
    return [f"{flag}={_word(value, key)}"]


def _word(value: Any, key: str) -> str:
    if isinstance(value, bool | list | dict):
        raise OptionError(f"{key!r} in a study needs text or a number")
    return str(value)


def positional_for(command: click.Command, said: Mapping[str, Any], typed: int) -> list[str]:
    """Return the arguments that were left out and that a file has, in their order."""
    missing = [one for one in command.params if isinstance(one, click.Argument)][typed:]
    words: list[str] = []
    for argument in missing:
        if argument.name not in said:
            break
        words.append(_word(said[argument.name], str(argument.name)))
    return words


def _placed(parameter: click.Parameter, value: Any, folder: Path) -> Any:
    """Return a value with its paths as seen from where we are, which the file means from its folder."""
    return _each_path(parameter, value, lambda path: os.path.normpath(os.path.join(folder, path)))


def _each_path(parameter: click.Parameter, value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of an option or argument with each path in it changed; arguments are paths."""
    metavar = parameter.metavar or ""
    is_path = (
        isinstance(parameter, click.Argument) or isinstance(parameter.type, click.Path) or metavar in FILES
    )

    def changed(path: Any) -> Any:
        is_file = isinstance(path, str | Path) and "://" not in str(path) and str(path) not in ("-", "auto")
        return change(str(path)) if is_file and not os.path.isabs(path) else path

    def of_pair(pair: Any) -> Any:
        column, sign, path = pair.partition("=") if isinstance(pair, str) else ("", "", "")
        return f"{column}={changed(path)}" if sign else pair

    if is_path:
        return [changed(one) for one in value] if isinstance(value, list | tuple) else changed(value)
    if metavar.startswith("COL=FILE") and isinstance(value, dict):
        return {column: changed(path) for column, path in value.items()}
    if metavar.startswith("COL=FILE"):
        return [of_pair(one) for one in value] if isinstance(value, list | tuple) else of_pair(value)
    return value


def save(ctx: click.Context, path: str) -> None:
    """Write the file that says what was typed, paths as seen from its folder, without passwords."""
    folder = Path(path).absolute().parent
    sections: dict[str, list[str]] = {}
    for parameter in ctx.command.params:
        name = str(parameter.name)
        is_said = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not is_said or name not in ctx.params or name in OWN:
            continue
        value = _each_path(
            parameter, ctx.params[name], lambda file: Path(os.path.relpath(file, folder)).as_posix()
        )
        group = OTHER if isinstance(parameter, click.Argument) else group_of(name)
        sections.setdefault(group, []).append(f"{key_of(parameter)} = {_toml(value)}")
    parts = ["\n".join(sections.get(OTHER, []))]
    parts += ["\n".join([f"[{group.lower()}]", *sections[group]]) for group in groups() if group in sections]
    text = "\n\n".join(part for part in parts if part) + "\n"
    with open(path, "x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _toml(value: Any) -> str:
    from hartley.tables.locations import without_passwords

    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(without_passwords(str(value)), ensure_ascii=False).replace("\x7f", "\\u007f")
