"""Draw how frontiers grow with their limit: ``python docs/images/anytime.py`` writes ``anytime.svg``.

The figures are read from the table in docs/optimality.md that ``benchmarks/anytime.py`` printed.
"""

from __future__ import annotations

from html import escape
from math import log10
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "optimality.md"
HEAD = "| table | limit, s | levels | proven |"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
WIDTH, HEIGHT, TOP = 300, 190, 34
LEFTS = (56, 436)


def rows() -> dict[str, list[tuple[float, float, float]]]:
    """Return, for every table, the limit, the share of levels proven, and the gap."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith(HEAD)) + 2
    found: dict[str, list[tuple[float, float, float]]] = {}
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        name, limit, levels, proven, _, gap, *_ = (cell.strip() for cell in line.strip("|").split("|"))
        found.setdefault(name, []).append((float(limit), 100 * int(proven) / int(levels), float(gap)))
    return found


def panel(left: int, title: str, series: list[list[tuple[float, float]]], most: float) -> list[str]:
    """Draw one panel: lines over the logarithm of the limit."""
    limits = [limit for limit, _ in series[0]]
    first, last = log10(limits[0]), log10(limits[-1])

    def across(limit: float) -> float:
        return left + 12 + (WIDTH - 24) * (log10(limit) - first) / (last - first)

    def down(value: float) -> float:
        return TOP + HEIGHT * (1 - value / most)

    drawn = [f'<text x="{left}" y="{TOP - 14}" class="title">{escape(title)}</text>']
    for share in range(5):
        value = most * share / 4
        drawn.append(f'<path d="M{left} {down(value):.1f}h{WIDTH}" class="grid"/>')
        drawn.append(f'<text x="{left - 6}" y="{down(value) + 4:.1f}" class="end">{value:.3g}</text>')
    drawn += [
        f'<text x="{across(limit):.1f}" y="{TOP + HEIGHT + 18}" class="middle">{limit:g} s</text>'
        for limit in limits
    ]
    for colour, points in zip(COLOURS, series, strict=False):
        places = [(across(limit), down(value)) for limit, value in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        drawn.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
    return drawn


def picture() -> str:
    """Return the figure as SVG."""
    found = rows()
    shares = [[(limit, share) for limit, share, _ in points] for points in found.values()]
    gaps = [[(limit, gap) for limit, _, gap in points] for points in found.values()]
    most = max(max(gap for _, gap in points) for points in gaps) or 1.0
    key = TOP + HEIGHT + 48
    height = key + 20 * len(found)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" '
        'font-size="13" role="img" aria-label="Levels proven and gap after 1, 3, 10 and 30 seconds">',
        "<style>.title{font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}"
        "text{fill:#333}.grid{stroke:#ccc;fill:none}</style>",
        f'<rect width="760" height="{height}" fill="#fff"/>',
        *panel(LEFTS[0], "Levels proven, %", shares, 100.0),
        *panel(LEFTS[1], "Leakage above its bound, bits (mean)", gaps, most),
    ]
    for place, (colour, name) in enumerate(zip(COLOURS, found, strict=False)):
        y = key + 20 * place
        drawn.append(f'<path d="M{LEFTS[0]} {y}h26" stroke="{colour}" stroke-width="2"/>')
        drawn.append(f'<text x="{LEFTS[0] + 34}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*drawn, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "anytime.svg").write_text(picture(), encoding="utf-8")
