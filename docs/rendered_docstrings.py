"""How docstrings stand on the reference page: formulas as MathML, doctests and roles as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object
from latex2mathml.converter import convert

ROLE = re.compile(r":(?:class|meth|func|attr|mod|data|exc):`~?([^`]+)`")
FORMULA = re.compile(r":math:`([^`]+)`", re.DOTALL)
DISPLAYED = re.compile(r"^( *)\.\. math::[ \n]+((?:.+\n?)+)", re.MULTILINE)


class RenderedDocstrings(Extension):
    """Turns the docstrings, which are written for Sphinx and the prompt, into Markdown."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = rendered(obj.docstring.value)


def rendered(text: str) -> str:
    """Return a docstring as Markdown.

    >>> rendered("As of :class:`Target`.")
    'As of `Target`.'
    """
    text = DISPLAYED.sub(lambda found: _formula(found[2], "block") + "\n", text)
    text = FORMULA.sub(lambda found: _formula(found[1], "inline"), text)
    return _fenced(ROLE.sub(r"`\1`", text))


def _formula(tex: str, display: str) -> str:
    return convert(" ".join(tex.split()), display=display).replace("\n", " ")


def _fenced(text: str) -> str:
    """Put a fence around doctests; those of a section of examples have one already."""
    lines, found, in_code = text.split("\n"), [], False
    for number, line in enumerate(lines):
        if line.strip() == "Examples" and lines[number + 1 : number + 2] == ["--------"]:
            return "\n".join([*found, *(["```", ""] if in_code else []), *lines[number:]])
        if line.startswith(">>> ") and not in_code:
            found += ["", "```pycon"]
            in_code = True
        if in_code and not line.strip():
            found.append("```")
            in_code = False
        found.append(line)
    return "\n".join([*found, "```"] if in_code else found)
