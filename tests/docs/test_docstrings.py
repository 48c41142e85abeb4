"""Every public name says what it is, what it takes, what it returns, and shows it in an example that runs."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any

import msgspec
import pytest

import hartley
from hartley import errors

PUBLIC = {name: getattr(hartley, name) for name in hartley.__all__}
NAMES = sorted(PUBLIC)
FUNCTIONS = [name for name in NAMES if not inspect.isclass(PUBLIC[name])]
ERRORS = [name for name in NAMES if inspect.isclass(PUBLIC[name]) and issubclass(PUBLIC[name], Exception)]
CLASSES = [name for name in NAMES if name not in FUNCTIONS and name not in ERRORS]


def sections(text: str) -> dict[str, str]:
    """Split a docstring in numpydoc form into its sections; what comes before the first is ``""``."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(text), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(section: str) -> list[str]:
    """Return the names that a section of parameters or attributes describes, each with its text."""
    entries = re.findall(
        r"^(\S[^:\n]*?)(?: : [^\n]+)?\n((?:[ ]+\S[^\n]*\n?|\n)+)", section + "\n", flags=re.M
    )
    return [name.strip(" *") for heads, text in entries if text.strip() for name in heads.split(",")]


def documented_beside(thing: type) -> list[str]:
    """Return the fields of a class that have a sentence of their own, right below them."""
    body = ast.parse(inspect.getsource(thing)).body[0].body
    return [
        field.target.id
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    ]


def taken(thing: Any) -> list[str]:
    """Return the names of the parameters of a function, or of the fields that make a value."""
    if getattr(thing, "_is_protocol", False):
        return []
    if is_dataclass(thing):
        return [field.name for field in fields(thing) if field.init]
    if inspect.isclass(thing) and issubclass(thing, msgspec.Struct):
        return list(thing.__struct_fields__)
    return [name for name in inspect.signature(inspect.unwrap(thing)).parameters if name != "self"]


@pytest.mark.parametrize("name", NAMES)
def test_the_first_line_is_a_sentence(name):
    first, *rest = inspect.cleandoc(PUBLIC[name].__doc__).splitlines()
    assert first.endswith(".")
    assert first[0].isupper()
    assert rest[:1] == [""]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_describe_every_parameter_in_order(name):
    found = sections(PUBLIC[name].__doc__)
    assert documented(found["Parameters"]) == taken(PUBLIC[name])
    assert documented(found["Returns"])


@pytest.mark.parametrize("name", CLASSES)
def test_classes_describe_every_field_in_order(name):
    found = sections(PUBLIC[name].__doc__)
    names = documented(found.get("Parameters") or found.get("Attributes", ""))
    assert (names or documented_beside(PUBLIC[name])) == taken(PUBLIC[name])


@pytest.mark.parametrize("name", ["audit", "frontier", "release", "compare", "report"])
def test_what_a_study_is_asked_describes_every_parameter_in_order(name):
    method = getattr(hartley.Study, name)
    found = sections(method.__doc__)
    assert documented(found["Parameters"]) == taken(method)
    assert documented(found["Returns"])


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_an_example(name):
    assert ">>> " in sections(PUBLIC[name].__doc__)["Examples"]


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_what_is_raised_is_a_deliberate_error(name):
    for raised in documented(sections(PUBLIC[name].__doc__).get("Raises", "")):
        assert issubclass(getattr(errors, raised), errors.HartleyError)


@pytest.mark.parametrize("name", CLASSES)
def test_methods_of_public_classes_have_a_sentence(name):
    silent = [
        method
        for method, thing in vars(PUBLIC[name]).items()
        if not method.startswith("_") and (inspect.isroutine(thing) or isinstance(thing, property))
        if not inspect.getdoc(thing)
    ]
    assert silent == []


def test_every_class_that_a_public_function_returns_is_public():
    returned = {
        word
        for name in FUNCTIONS
        for word in re.findall(r"\b[A-Z]\w+", str(inspect.signature(PUBLIC[name]).return_annotation))
    }
    assert returned - {"Int64s", "None"} <= set(PUBLIC)
