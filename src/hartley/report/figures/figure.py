"""A finished figure: how it looks, what it shows, the caption that says what to see, and how to keep it.

Inks are for light or dark paper. Nothing is told by colour alone. Each series has its own shape or dash as
well, and the inks differ in lightness, so that a black-and-white print says the same.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from hartley.errors import InputError, OptionError
from hartley.model.alphabet import label_to_json
from hartley.releases.writer.staging import write_files

if TYPE_CHECKING:
    import altair


FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The inks of a figure; each has at least 4.5:1 contrast with the paper, ``faint`` 3:1."""

    paper: str
    ink: str
    """Text and axes."""
    faint: str
    """What stays in the background: grids' company, the table as it was."""
    first: str
    """What the figure is about."""
    second: str
    """What it is compared with."""
    chosen: str
    """The point that was chosen."""
    grid: str

    def config(self) -> dict[str, Any]:
        """Return the Vega-Lite configuration."""
        text = {"labelColor": self.ink, "titleColor": self.ink, "labelFontSize": 12, "titleFontSize": 12}
        return {
            # The figure as a whole is described; a description of each mark would be most of the file.
            "aria": False,
            "background": self.paper,
            "font": FONT,
            "padding": 8,
            "view": {"stroke": None},
            "axis": {
                **text,
                "titleFontWeight": "normal",
                "titlePadding": 10,
                "gridColor": self.grid,
                "domainColor": self.ink,
                "tickColor": self.ink,
            },
            "legend": {**text, "titleFontWeight": "normal", "symbolSize": 90, "labelLimit": 320},
            "header": {**text, "titleFontWeight": "normal"},
            "title": {
                "color": self.ink,
                "subtitleColor": self.ink,
                "anchor": "start",
                "frame": "group",
                "fontSize": 14,
                "fontWeight": 600,
                "subtitleFontSize": 12,
                "offset": 12,
            },
            "text": {"color": self.ink, "fontSize": 12},
        }


LIGHT = Theme(
    paper="#ffffff",
    ink="#1d2733",
    faint="#7d8794",
    first="#15508c",
    second="#b34700",
    chosen="#8a0f4d",
    grid="#e4e8ec",
)
DARK = Theme(
    paper="#14191f",
    ink="#e6eaee",
    faint="#87919c",
    first="#7fb8f0",
    second="#f0a35e",
    chosen="#f58ec0",
    grid="#2b333c",
)


P = ParamSpec("P")
R = TypeVar("R")
Row = dict[str, Any]
PACKAGES = ("altair", "vl_convert")
OPENED = (
    'vegaEmbed("#figure", JSON.parse(document.getElementById("spec").textContent),'
    '{actions: false, renderer: "svg"});'
)
"""What an interactive page does when it is opened."""
LETTER = 8.0
"""How wide a letter of a title is, about."""
DESCRIBED = re.compile(r' (?:role|aria-roledescription|aria-label|aria-hidden)="[^"]*"')
FORMATS = ("svg", "png", "pdf", "html")
NOT_IN_PICTURES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML has no room for; the program that draws dies of them."""


def drawable(content: Any) -> Any:
    """Return a specification with a mark in place of each character that no picture can hold."""
    if isinstance(content, str):
        return NOT_IN_PICTURES.sub("\ufffd", content)
    if isinstance(content, Mapping):
        return {drawable(name): drawable(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [drawable(value) for value in content]
    return content


def needs_packages(function: Callable[P, R]) -> Callable[P, R]:
    """Say in one line what to install where a package that draws is not there."""

    @wraps(function)
    def draws(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ModuleNotFoundError as error:
            if error.name not in PACKAGES:
                raise
            raise InputError(
                f"figures need the package {error.name}; install it with: pip install 'hartley[figures]'"
            ) from None

    return draws


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure as a Vega-Lite specification with its title and caption.

    It shows itself in a notebook. :meth:`save` writes SVG, PNG, PDF, or a web page that holds
    everything it needs and opens without a network. No browser is needed for any of them.
    """

    title: str
    caption: str
    """What to see, in a sentence or two."""
    spec: Mapping[str, Any] = field(repr=False)

    @property
    def data(self) -> Mapping[str, Sequence[Row]]:
        """The rows that are drawn, by the name of their series."""
        series: Mapping[str, Sequence[Row]] = self.spec["datasets"]
        return series

    @needs_packages
    def svg(self) -> str:
        """Draw it as SVG, with title and caption for readers who cannot see it."""
        import vl_convert

        drawn: str = vl_convert.vegalite_to_svg(drawable(self.spec), vl_version=self._version)
        # Ids are made the figure's own: several figures may stand in one page.
        mark = "f" + sha256(json.dumps(self.spec, sort_keys=True).encode()).hexdigest()[:8]
        drawn = re.sub(r'\bid="([^"]+)"', rf'id="{mark}-\1"', drawn)
        drawn = re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}-\1)", drawn)
        # The picture is described as a whole; its parts would need words of their own.
        drawn = re.sub(r"<[^>]*>", lambda tag: DESCRIBED.sub("", tag[0]), drawn)
        label = html.escape(drawable(f"{self.title}. {self.caption}"), quote=True)
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)

    @needs_packages
    def png(self, scale: float = 2) -> bytes:
        """Draw it as PNG."""
        import vl_convert

        drawn: bytes = vl_convert.vegalite_to_png(drawable(self.spec), scale=scale, vl_version=self._version)
        return drawn

    @needs_packages
    def pdf(self) -> bytes:
        """Draw it as PDF."""
        import vl_convert

        drawn: bytes = vl_convert.vegalite_to_pdf(drawable(self.spec), vl_version=self._version)
        return drawn

    @needs_packages
    def html(self) -> str:
        """Return an interactive page that holds its scripts and loads nothing."""
        import vl_convert

        program = vl_convert.javascript_bundle(OPENED, vl_version=self._version)
        # A cell may hold '</script>'; as \u003c it is the same JSON and closes nothing.
        spec = json.dumps(self.spec).replace("<", "\\u003c")
        title, caption = html.escape(self.title), html.escape(self.caption)
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n"
            "<style>body{font:16px/1.5 system-ui,sans-serif;margin:1.5rem;color:#1d2733}"
            "figcaption{max-width:44rem}</style>\n"
            f'</head>\n<body>\n<figure>\n<div id="figure"></div>\n<figcaption>{caption}</figcaption>\n'
            "</figure>\n"
            f'<script type="application/json" id="spec">{spec}</script>\n'
            f'<script type="module">{program}</script>\n</body>\n</html>\n'
        )

    def save(self, path: str | Path) -> Path:
        """Write it in the format that the name ends in: ``.svg``, ``.png``, ``.pdf`` or ``.html``.

        Only its owner can read the file: a figure shows what was counted on the original.
        """
        target = Path(path)
        kind = target.suffix.lower().removeprefix(".")
        if kind not in FORMATS:
            raise OptionError(
                f"cannot draw a figure as {target.suffix!r}; end the name in .svg, .png, .pdf or .html"
            )
        drawn: str | bytes = getattr(self, kind)()
        content = drawn.encode() if isinstance(drawn, str) else drawn
        write_files({target: content}, overwrite=True, is_private=True)
        return target

    def _repr_html_(self) -> str:
        return f"<figure>{self.svg()}<figcaption>{html.escape(self.caption)}</figcaption></figure>"

    @property
    def _version(self) -> str:
        found = re.search(r"/v(\d+\.\d+)[.\d]*\.json$", self.spec["$schema"])
        return found.group(1) if found else ""


def finished(
    chart: altair.TopLevelMixin,
    *,
    title: str,
    caption: str,
    data: Mapping[str, Sequence[Row]],
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """Return a chart with its data, title and look, and check it against the Vega-Lite schema.

    Where a width is given, the title is broken into lines that fit it.
    """
    spec: dict[str, Any] = chart.to_dict()
    spec["datasets"] = {name: list(rows) for name, rows in data.items()}
    lines = [title] if width is None else wrap(title, max(20, int(width / LETTER)))
    spec["title"] = {"text": title if len(lines) == 1 else lines}
    spec["config"] = theme.config()
    return Figure(title=title, caption=caption, spec=spec)


def series(name: str) -> altair.NamedData:
    """Name the rows that a layer draws."""
    import altair

    return altair.NamedData(name=name)


LONGEST = 24


def shown_label(label: Any) -> str:
    """Write a value: a missing one as a word, a long one cut, several cells with a comma.

    >>> shown_label(214), shown_label(None), shown_label(("m", None))
    ('214', 'missing', 'm, missing')
    >>> shown_label("a very long name of a very small village")
    'a very long name of a v…'
    """
    if isinstance(label, tuple):
        text = ", ".join(shown_label(cell) for cell in label)
    elif isinstance(label, float):
        text = f"{label:g}"
    else:
        text = "missing" if label is None else str(label_to_json(label))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
