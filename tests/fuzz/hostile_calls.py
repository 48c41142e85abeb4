"""Hostile calls of the command line, each made from a seed and a number and from nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from fuzz import newer_options
from fuzz.damaged_files import COLUMNS, write_oddities, write_table
from fuzz.damaged_releases import write_release
from fuzz.hostile_values import (
    DELIMITERS,
    ENCODINGS,
    NUMBERS,
    ODD_FILES,
    PATHS,
    SIZES,
    WORDS,
    some_name,
)

Arguments = list[str]
CALM_NUMBERS = ("1", "2", "3", "0.5", "1.5")
DIALECTS = ("duckdb", "postgres", "sqlite", "mysql", "snowflake", "bigquery", "x")


class Mood(Random):
    """A source of calls that are hostile in their options, in their files, or in both."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        kind = self.choice(("options", "files", "files", "both"))
        self.has_odd_files = kind != "options"
        self.has_odd_options = kind != "files"

    def odd(self, chance: float) -> bool:
        """Tell whether to be odd here, in an option."""
        return self.has_odd_options and self.random() < chance


def hostile_call(seed: int, number: int, folder: Path) -> Arguments:
    """Write the files of a case into an empty folder, and return the arguments of its call."""
    source = Mood(f"{seed}/{number}")
    write_oddities(folder)
    command = source.choice(tuple(MAKERS))
    arguments = MAKERS[command](source, folder)
    if source.random() < 0.04:
        arguments += newer_options.of_studies(source, folder)
    if source.odd(0.12):
        arguments = _garbled(source, arguments)
    return arguments


def _audit(source: Mood, folder: Path) -> Arguments:
    found = ["audit", _table(source, folder), *_roles(source, 0)]
    if source.odd(0.06):
        found[1:2] = ["--counts", found[1]]
    found += _some(source, 0.06, "--person", _name)
    found += _some(source, 0.15, "--require", _requirement) + _closeness(source)
    return found + _flags(source, "--stochastic", "--disclosive") + _reading(source) + _json(source)


def _frontier(source: Mood, folder: Path) -> Arguments:
    found = ["frontier", _table(source, folder), *_roles(source), *_question(source), *_reading(source)]
    found += _some(source, 0.1, "--keep", _name) + _odd(source, 0.1, "--require", _requirement)
    found += _shape(source) + _odd(source, 0.1, "--trace", lambda _: "--json")
    return found + _json(source)


def _release(source: Mood, folder: Path) -> Arguments:
    found = ["release", _table(source, folder), _out(source), *_roles(source), *_question(source)]
    found += _target(source) + _shape(source) + _some(source, 0.1, "--require", _requirement)
    for option in ("--keep", "--harmless"):
        found += _some(source, 0.15, option, _name)
    labels = ("midpoint", "centroid", "member", "interval", "set", "x")
    found += _some(source, 0.2, "--labels", lambda s: _word(s, *labels))
    for option in ("--policy", "--certificate", "--into", "--into-database"):
        found += _odd(source, 0.04, option, _path)
    for option in ("--earlier", "--key"):
        found += _odd(source, 0.06, option, _document)
    found += _some(source, 0.08, "--person", _name)
    found += _flags(source, "--publish-sensitive", "--keep-order", "--overwrite", "--defuse-formulas")
    found += _flags(source, "--accept-exposure") + _reading(source)
    return found + _json(source)


def _apply(source: Mood, folder: Path) -> Arguments:
    write_release(source, folder)
    table = "original.csv" if source.random() < 0.6 else _table(source, folder)
    policy = _document(source) if source.odd(0.1) else "out.policy.json"
    found = ["apply", policy, table, _out(source)]
    found += _some(source, 0.5, "--unseen", lambda s: _word(s, "error", "nearest", "suppress", "x"))
    found += _some(source, 0.2, "--require", _requirement)
    flags = _flags(source, "--overwrite", "--accept-unmet", "--defuse-formulas")
    return found + flags + _json(source)


def _verify(source: Mood, folder: Path) -> Arguments:
    write_release(source, folder)
    original = "original.csv" if source.random() < 0.8 else _table(source, folder)
    released = "out.csv" if source.random() < 0.9 else _table(source, folder)
    found = ["verify", released]
    if source.random() < 0.9:
        found += ["--original", original, "--policy", "out.policy.json"]
    found += _some(source, 0.25, "--public-key", lambda s: _document(s) if s.odd(0.3) else "mine.pub")
    found += _odd(source, 0.1, "--record", _document) + _flags(source, "--no-certificate")
    found += _some(source, 0.15, "--public-values", lambda s: _document(s) if s.odd(0.3) else original)
    found += _odd(source, 0.1, "--certificate", _document) + _odd(source, 0.1, "--earlier", _policy)
    return found + _flags(source, "--require-signature", "--require-record") + _json(source)


def _export(source: Mood, folder: Path) -> Arguments:
    write_release(source, folder)
    languages = ("sql", "dbt", "python", "r", "stata", "spss", "csv", "x")
    found = ["export", _policy(source), "--to", _word(source, *languages)]
    found += _some(source, 0.4, "-o", lambda s: _path(s) if s.odd(0.3) else "recoding")
    found += _some(source, 0.4, "--unseen", lambda s: _word(s, "error", "nearest", "suppress", "x"))
    found += _some(source, 0.3, "--dialect", lambda s: _word(s, *DIALECTS))
    found += _odd(source, 0.3, "--table", lambda s: s.choice(WORDS)) + _flags(source, "--overwrite")
    return found + _json(source)


def _sql(source: Mood, folder: Path) -> Arguments:
    del folder
    found = [
        "sql",
        "audit",
        *_roles(source, 0),
        *_some(source, 0.5, "--dialect", lambda s: _word(s, *DIALECTS)),
    ]
    found += _some(source, 0.3, "--missing", lambda s: _word(s, "value", "drop", "x"))
    found += _odd(source, 0.1, "--number", _name)
    return found + _odd(source, 0.5, "--table", lambda s: s.choice(WORDS))


def _compare(source: Mood, folder: Path) -> Arguments:
    found = ["compare", _table(source, folder), *_roles(source), *_target(source, 0.5), *_utility(source)]
    found += _odd(source, 0.2, "--hierarchy", lambda s: f"{_name(s)}={_document(s)}")
    return found + _reading(source) + _json(source)


def _report(source: Mood, folder: Path) -> Arguments:
    out = _path(source) if source.odd(0.2) else "page.html"
    found = ["report", _table(source, folder), "-o", out, *_roles(source), *_question(source)]
    found += _some(source, 0.4, "--for", lambda s: _word(s, "public", "board", "curator", "x"))
    return found + _target(source, 0.6) + _flags(source, "--overwrite", "--disclosive") + _reading(source)


def _tree(source: Mood, folder: Path) -> Arguments:
    """Return a frontier, release or report by a tree."""
    public = source.sample(COLUMNS[:5], source.choice((1, 2, 2, 3)))
    roles = ["-s", "secret", *(word for name in public for word in ("-p", name))]
    command = source.choice(("frontier", "release", "release", "report"))
    found = [command, _table(source, folder), *roles, *newer_options.of_trees(source)]
    if command == "release":
        found[2:2] = [_out(source)]
        found += _target(source, 0.5) + newer_options.of_releases(source) + ["--accept-exposure"]
    elif command == "report":
        found += ["-o", "page.html", *_target(source, 0.5)]
    return found + _some(source, 0.2, "--keep", _name) + _some(source, 0.2, "--withhold", _number)


def _newer_release(source: Mood, folder: Path) -> Arguments:
    found = ["release", _table(source, folder), _out(source), *_roles(source), *_target(source)]
    return [*found, *_shape(source), *newer_options.of_releases(source), "--accept-exposure", *_json(source)]


def _newer_audit(source: Mood, folder: Path) -> Arguments:
    write_release(source, folder)
    table = "out.csv" if source.random() < 0.5 else _table(source, folder)
    found = ["audit", table, *_roles(source, 0), *newer_options.of_audits(source, folder)]
    if "--published" in found and source.random() < 0.7:
        found.remove(table)
    return found + _json(source)


def _newer_comparison(source: Mood, folder: Path) -> Arguments:
    write_release(source, folder)
    table = "original.csv" if source.random() < 0.6 else _table(source, folder)
    roles = ["-s", "secret", "-p", source.choice(("age", "town")), "-p", "score"]
    return [
        "compare",
        table,
        *roles,
        *newer_options.of_comparisons(source),
        *_target(source, 0.4),
        *_json(source),
    ]


def _other(source: Mood, folder: Path) -> Arguments:
    del folder
    if source.random() < 0.2:
        return ["key", _path(source) if source.odd(0.8) else "new", *_json(source)]
    first = source.choice(
        ("serve", "reproduce", "help", "Audit", "", "-", "--version", "--help", "-h", source.choice(WORDS))
    )
    if first == "serve":
        return [first, "--port", source.choice(("x", "-1", "99999", "1e3", "", "\x00")), "--no-browser"]
    if first == "reproduce":
        if source.random() < 0.4:
            return [first, "--data", _document(source), "--json"]
        return [first, source.choice(("--unknown", "--help", "--json=1")), source.choice(WORDS)]
    return [first, *source.choices(WORDS, k=source.randrange(3))]


MAKERS: dict[str, Callable[[Mood, Path], Arguments]] = {
    **{f"audit {n}": _audit for n in range(8)},
    **{f"frontier {n}": _frontier for n in range(4)},
    **{f"release {n}": _release for n in range(5)},
    **{f"apply {n}": _apply for n in range(4)},
    **{f"verify {n}": _verify for n in range(4)},
    **{f"tree {n}": _tree for n in range(4)},
    **{f"newer release {n}": _newer_release for n in range(2)},
    **{f"newer audit {n}": _newer_audit for n in range(2)},
    "newer comparison": _newer_comparison,
    "export": _export,
    "sql": _sql,
    "compare": _compare,
    "report": _report,
    "other": _other,
}


def _table(source: Mood, folder: Path) -> str:
    name = write_table(source, folder, is_whole=0.05 if source.has_odd_files else 1)
    return _document(source) if source.odd(0.07) else name


def _name(source: Mood) -> str:
    return some_name(source, COLUMNS) if source.has_odd_options else source.choice(COLUMNS[:5])


def _path(source: Mood) -> str:
    return source.choice(PATHS)


def _document(source: Mood) -> str:
    """Return something to read: a path, or what is no document and stands in the folder all the same."""
    return source.choice(PATHS if source.random() < 0.5 else ODD_FILES)


def _policy(source: Mood) -> str:
    return _document(source) if source.odd(0.3) else "out.policy.json"


def _out(source: Mood) -> str:
    endings = (".csv", ".csv", ".csv", ".parquet", ".jsonl", ".arrow", ".xlsx", ".tsv", ".csv.gz", ".txt", "")
    return (
        _path(source)
        if source.odd(0.07)
        else f"new{source.choice(endings[: None if source.has_odd_options else 8])}"
    )


def _requirement(source: Mood) -> str:
    names = ("distinct-l", "row-k", "l0", "istar", "separated-l")
    if source.odd(0.2):
        names = ("k", "", "distinct_l", "l0 ")
    about = f":{_name(source)}" if source.odd(0.2) else ""
    sign = source.choice(("", "==", ">")) if source.odd(0.2) else "="
    return f"{source.choice(names)}{about}{sign}{_number(source)}"


def _number(source: Mood) -> str:
    return source.choice(NUMBERS if source.odd(0.7) else CALM_NUMBERS)


def _word(source: Mood, *words: str) -> str:
    """Return one of some words; the last of them is none that is known, and others are no words at all."""
    if not source.odd(0.1):
        return source.choice(words[:-1])
    return source.choice(words if source.random() < 0.6 else (*WORDS, *NUMBERS))


def _some(source: Mood, chance: float, option: str, value: Callable[[Mood], str]) -> Arguments:
    return [option, value(source)] if source.random() < chance else []


def _odd(source: Mood, chance: float, option: str, value: Callable[[Mood], str]) -> Arguments:
    return [option, value(source)] if source.odd(chance) else []


def _flags(source: Mood, *flags: str) -> Arguments:
    return [flag for flag in flags if source.random() < 0.15]


def _json(source: Mood) -> Arguments:
    return ["--json"] if source.random() < 0.7 else []


def _roles(source: Mood, fewest: int = 1) -> Arguments:
    found = ["-s", source.choice(("secret", "secret", "secret", "secretnumber"))]
    found += _odd(source, 0.1, "-s", _name)
    public = source.sample(COLUMNS[:5], max(source.choice((0, 1, 1, 1, 2)), fewest))
    found += [word for name in public for word in ("-p", name)]
    found += _odd(source, 0.05, "-p", _name) + _some(source, 0.12, "--side", _name)
    return found


def _target(source: Mood, chance: float = 0.95) -> Arguments:
    options = ("--distinct-l", "--max-leakage", "--largest-cluster", "--max-distortion")
    if chance > 0.9:
        options += ("--separated-l", "--row-k")
    found = [source.choice(options), _number(source)] if source.random() < chance else []
    return found + _odd(source, 0.03, "--distinct-l", _number)


def _utility(source: Mood) -> Arguments:
    found = _some(source, 0.4, "--utility", lambda s: _word(s, "resolution", "distortion", "x"))
    if "distortion" in found or source.odd(0.1):
        found += _some(source, 0.5, "--codeword", lambda s: _word(s, "midpoint", "centroid", "member", "x"))
        found += _some(source, 0.3, "--combine", lambda s: _word(s, "max", "sum", "x"))
    found += _odd(source, 0.1, "--scale", lambda s: f"{_name(s)}={_number(s)}")
    return found + _some(source, 0.1, "--missing-at", _number)


def _closeness(source: Mood) -> Arguments:
    found = _some(source, 0.1, "--tolerance", lambda s: f"secretnumber={_number(s)}")
    found += _odd(source, 0.1, "--tolerance", lambda s: f"{_name(s)}={_number(s)}")
    found += _odd(
        source, 0.1, "--groups", lambda s: f"{_name(s)}={_document(s) if s.odd(0.6) else 'groups.csv'}"
    )
    return found + _flags(source, "--each")[: source.has_odd_options]


def _shape(source: Mood) -> Arguments:
    found = _closeness(source)
    found += _some(source, 0.15, "--shape", lambda s: _word(s, "any", "intervals", "columns", "columns", "x"))
    borders = ("5", "10", "0.5", "week", "month", "quarter", "year", "auto")
    found += _some(source, 0.1, "--borders", lambda s: _number(s) if s.odd(0.4) else s.choice(borders))
    shares = ("1", "2", "10%", "100%", "-1%", "1e9%", "%", "nan%", "0.5")
    found += _some(source, 0.08, "--withhold", lambda s: _number(s) if s.odd(0.5) else s.choice(shares))
    found += _some(source, 0.04, "--withheld-label", lambda s: s.choice(WORDS) if s.odd(0.5) else "withheld")
    if "columns" in found or source.odd(0.05):
        found += _trees(source)
    return found


def _trees(source: Mood) -> Arguments:
    """Return what only codebooks of columns take."""
    found = _some(source, 0.2, "--objective", lambda s: _word(s, "mean", "worst", "x"))
    for option in ("--order", "--hierarchy"):
        found += _some(
            source, 0.15, option, lambda s: f"{_name(s)}={_document(s) if s.odd(0.4) else 'tree.csv'}"
        )
    found += _some(source, 0.1, "--weight", lambda s: f"{_name(s)}={_number(s)}")
    return found + _some(source, 0.1, "--prefix", _name)


def _question(source: Mood) -> Arguments:
    found = _some(source, 0.4, "--leakage", lambda s: _word(s, "l0", "istar", "joint", "x"))
    found += _some(source, 0.7, "--search", lambda s: _word(s, "optimal", "greedy", "greedy", "x"))
    found += _odd(source, 0.1, "--utility-weight", _number) + _some(source, 0.1, "--time-limit", _number)
    found += _some(source, 0.05, "--seed", _number) + _odd(source, 0.04, "--earlier", _document)
    return found + _utility(source)


def _reading(source: Mood) -> Arguments:
    found = _some(source, 0.2, "--missing", lambda s: _word(s, "value", "drop", "x"))
    found += _some(source, 0.04, "--decimal", lambda s: _word(s, ".", ",", "x"))
    found += _some(source, 0.05, "--missing-word", lambda s: s.choice(WORDS) if s.odd(0.5) else "NA")
    found += _odd(source, 0.08, "--text", _name) + _odd(source, 0.08, "--number", _name)
    found += _odd(source, 0.08, "--encoding", lambda s: s.choice(ENCODINGS))
    found += _odd(source, 0.08, "--delimiter", lambda s: s.choice(DELIMITERS))
    found += _odd(source, 0.06, "--memory-limit", lambda s: s.choice(SIZES))
    found += _odd(source, 0.04, "--sheet", lambda s: s.choice(("Sheet", "second", *WORDS)))
    queries = (
        "t",
        "SELECT * FROM t",
        "SELECT",
        "SELECT 1",
        "DROP TABLE t",
        "SELECT * FROM absent",
        ";",
        *WORDS[:20],
    )
    return found + _odd(source, 0.04, "--query", lambda s: s.choice(queries))


def _garbled(source: Mood, arguments: Arguments) -> Arguments:
    """Drop, double, swap or replace a word of a call."""
    found, at = list(arguments), source.randrange(len(arguments))
    how = source.randrange(5)
    if how == 0:
        del found[at]
    elif how == 1:
        found.insert(at, found[at])
    elif how == 2:
        found[at] = source.choice(WORDS)
    elif how == 3:
        other = source.randrange(len(found))
        found[at], found[other] = found[other], found[at]
    else:
        found.insert(at, source.choice(("--help", "--unknown", "-", "--", "--json", *WORDS[:8])))
    return found if found[:1] != ["serve"] or "--port" in found else ["serve", "--port", "x"]
