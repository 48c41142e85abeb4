"""Draw the layers of hartley from its imports: ``python docs/images/layers.py`` writes ``layers.svg``.

A room is a module or package right under ``hartley``. It stands one row above the highest room that it
imports. An arrow leads from a room to one that it imports, left out where others say the same by going round.
Example data and the loading of names on first use would only add arrows, and are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "src" / "hartley"
WORDS = {
    "cli": "the command line",
    "sklearn": "a transformer",
    "web": "the local app",
    "paper": "the paper, run again",
    "mcp": "a gate for agents",
    "report": "draws, computes nothing",
    "workflow": "one file per command",
    "verifier": "counts everything again",
    "releases": "from partition to files",
    "tables": "the only code that meets rows",
    "baselines": "methods of others",
    "frontiers": "points that meet a demand",
    "search": "how we merge",
    "measures": "what we measure",
    "model": "what things are",
    "argument_kinds": "what a caller gives",
    "documents": "files that are read whole",
    "hot_loops": "interpreted or compiled",
    "operating_system": "what systems do differently",
    "notes": "what was noticed in reading",
    "scratch": "folders that do not stay",
    "errors": "every deliberate exception",
}
LEFT_OUT = {"examples", "instances", "lazy"}
SHOWN = {"frontiers", "search", "workflow"}
"""Rooms of results that show themselves: when asked to, they call the report above them."""
WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 190, 44, 24, 40, 16
STYLE = """<style>
text { font: 11.5px system-ui, sans-serif; text-anchor: middle; fill: #334155; }
.name { font-size: 14px; font-weight: 600; fill: #0f172a; }
.room { fill: #f1f5f9; stroke: #334155; }
.arrow { fill: none; stroke: #64748b; stroke-width: 1.2; }
</style>"""

Graph = dict[str, set[str]]


def imported(tree: ast.AST) -> Iterator[str]:
    """Go through the modules that are imported for more than their types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        yield from imported(node)


def rooms() -> Graph:
    """Return which room imports which."""
    found: Graph = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if room.startswith("__") or room in LEFT_OUT:
            continue
        used = found.setdefault(room, set())
        for name in imported(ast.parse(path.read_text(encoding="utf-8"))):
            if name.startswith("hartley.report") and room in SHOWN:
                continue
            package, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if package == "hartley" and other != room:
                used.add(other)
    return {room: {other for other in used if other in found} for room, used in found.items()}


def reachable(graph: Graph, room: str) -> set[str]:
    """Return everything below a room."""
    below = set(graph[room])
    for other in graph[room]:
        below |= reachable(graph, other)
    return below


def direct(graph: Graph) -> Graph:
    """Leave out what can be reached by going round."""
    return {
        room: {one for one in used if not any(one in reachable(graph, other) for other in used - {one})}
        for room, used in graph.items()
    }


def rows(graph: Graph) -> list[list[str]]:
    """Return the rooms row by row, from the top; each as near as can be above what it leads to."""
    height: dict[str, int] = {}

    def place(room: str) -> int:
        if room not in height:
            height[room] = 1 + max(map(place, graph[room]), default=-1)
        return height[room]

    levels: list[list[str]] = [[] for _ in range(1 + max(map(place, graph)))]
    for room in sorted(graph):
        levels[height[room]].append(room)
    centre: dict[str, float] = {}
    for level in levels:
        level.sort(key=lambda room: (_mean([centre[other] for other in graph[room]]), room))
        for number, room in enumerate(level):
            centre[room] = number - (len(level) - 1) / 2
    return levels[::-1]


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def drawing() -> str:
    """Return the picture as SVG."""
    graph = direct(rooms())
    levels = rows(graph)
    widest = max(map(len, levels))
    width = 2 * MARGIN + widest * WIDTH + (widest - 1) * ACROSS
    height = 2 * MARGIN + len(levels) * HEIGHT + (len(levels) - 1) * DOWN
    corner = {
        room: (
            width / 2 + (number - len(level) / 2) * (WIDTH + ACROSS) + ACROSS / 2,
            MARGIN + row * (HEIGHT + DOWN),
        )
        for row, level in enumerate(levels)
        for number, room in enumerate(level)
    }
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"',
        f' width="{width}" height="{height}">',
        "<title>The layers of hartley: every arrow leads from a room to one that it imports</title>",
        STYLE,
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"',
        ' orient="auto"><path d="M0 0L8 4L0 8z" fill="#64748b"/></marker></defs>',
    ]
    for room in sorted(graph):
        x, y = corner[room][0] + WIDTH / 2, corner[room][1] + HEIGHT
        for other in sorted(graph[room]):
            to_x, to_y = corner[other][0] + WIDTH / 2, corner[other][1] - 2
            bend = (y + to_y) / 2
            curve = f"M{x:g} {y:g}C{x:g} {bend:g} {to_x:g} {bend:g} {to_x:g} {to_y:g}"
            parts.append(f'<path class="arrow" d="{curve}" marker-end="url(#tip)"/>')
    for room, (x, y) in sorted(corner.items()):
        parts += [
            f'<rect class="room" x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
            f'<text class="name" x="{x + WIDTH / 2:g}" y="{y + 18:g}">{escape(room)}</text>',
            f'<text x="{x + WIDTH / 2:g}" y="{y + 35:g}">{escape(WORDS[room])}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "layers.svg").write_text(drawing(), encoding="utf-8")
