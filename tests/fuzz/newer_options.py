"""Options of one command or of few: trees, files held against others, metadata, persons, study files."""

from __future__ import annotations

from pathlib import Path
from random import Random

from fuzz.damaged_files import COLUMNS, MARK
from fuzz.hostile_values import NUMBERS, WORDS

Arguments = list[str]
EXPRESSIONS = (
    "age<24",
    "age >= 22",
    "town=Eutin",
    "known==m",
    "age<",
    "<3",
    "secret=x",
    "age<nan",
    "x<1",
    "",
)
FORMULAS = (
    "secretnumber ~ age",
    "score ~ age + town",
    "age ~ age",
    "~",
    "age ~",
    "absent ~ age",
    "secret ~ age",
    "",
)
COUNTS = (
    "town,known,n\nPlön,m,3\nPlön,f,1\nPlön,total,4\n",
    "town,n\nPlön,3\nEutin,\ntotal,9\n",
    "town,n\nPlön,-1\n",
    "n\n3\n",
    "town,n\nPlön,1e400\n",
    "town,town\na,1\n",
    "",
)
STUDY_LINES = (
    *(
        'sensitive = ["secret"]',
        'public = ["age"]',
        'public = "town"',
        "public = 3",
        'side = [["known"]]',
        "[columns]",
    ),
    *("[requirements]", "distinct-l = 2", 'distinct-l = "2"', "distinct-l = nan", "row-k = -1", "row_k = 3"),
    *(
        'require = ["row-k=2"]',
        "require = {}",
        "[utility]",
        "[shape]",
        'shape = "tree"',
        'shape = "x"',
        "withhold = 0.5",
    ),
    *(
        'table = "t.csv"',
        'table = ""',
        "table = []",
        'out = "elsewhere.csv"',
        'out = "folder"',
        'output = "x.html"',
    ),
    *(
        "seed = 9223372036854775808",
        "json = true",
        'json = "yes"',
        "json = 1",
        "help = true",
        'study = "mine.toml"',
    ),
    *(
        "equal-width = true",
        "target = 1",
        f'key = "{MARK}1"',
        'against = "original.csv"',
        "take = 2",
        'labels = "bounds"',
    ),
    *(
        "=",
        "[",
        "age",
        "a.b.c = 1",
        "tolerance = 1979-05-27",
        'tolerance = ["secret=1"]',
        "\ufeff",
        "[[columns]]",
    ),
)


def _write(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content, encoding="utf-8", errors="surrogatepass")
    return name


def _chosen(source: Random, chance: float, option: str, values: tuple[str, ...]) -> Arguments:
    return [option, source.choice(values)] if source.random() < chance else []


def column(source: Random) -> str:
    """Return one of the columns, or now and then none."""
    return source.choice(COLUMNS if source.random() < 0.9 else WORDS[:40])


def of_trees(source: Random) -> Arguments:
    """Return what trees and readers who know the program bring with them."""
    found = _chosen(source, 0.7, "--shape", ("tree", "tree", "columns", "any"))
    if source.random() < 0.6:
        found += ["--transparent", source.choice(("strict", "retry", "retry", "x"))]
    found += _chosen(source, 0.2, "--transparent-knows", ("0", "1", "2", *NUMBERS))
    found += _chosen(source, 0.3, "--keep-together", EXPRESSIONS)
    found += _chosen(
        source, 0.2, "--reference", ("t.csv", "tree.csv", "original.csv", "groups.csv", "pipe.csv")
    )
    rules = ("guess-at-most=80%", "entropy-l=1.5", "recursive-cl=3,2", "t-closeness=0.5", "beta-likeness=2")
    found += _chosen(
        source, 0.4, "--require", (*rules, "weight-k:age=30", "distinct-l:secret=2", "t-closeness=x")
    )
    return found + _chosen(
        source, 0.2, "--borders", ("age=21,23,25", "age=", "age=3,2", "score=each", "town=1")
    )


def of_releases(source: Random) -> Arguments:
    """Return what only a release takes."""
    labels = ("range", "bounds", "bounds", "set", "interval")
    found = _chosen(source, 0.4, "--labels", labels)
    found += _chosen(source, 0.3, "--metadata", ("croissant", "dcat", "ddi", "x"))
    found += _chosen(source, 0.2, "--regress", FORMULAS)
    found += _chosen(source, 0.2, "--like-input", ("yes", "no", "bom", "x"))
    found += _chosen(source, 0.15, "--dates", ("dd.mm.yyyy", "visited=mm/dd/yyyy", "age=dd/mm/yyyy", "x"))
    found += _chosen(source, 0.15, "--person", COLUMNS) + _chosen(source, 0.1, "--accept-identifier", COLUMNS)
    found += _chosen(source, 0.05, "--plot", ("p.svg", "p.png", "p.xyz", "absent/p.svg"))
    return found + [flag for flag in ("--jointly", "--useful") if source.random() < 0.15]


def of_audits(source: Random, folder: Path) -> Arguments:
    """Return what only an audit takes: the original of a release, published counts, rules on shares."""
    found = _chosen(source, 0.4, "--against", ("original.csv", "t.csv", "tree.csv", "zero.csv", "absent.csv"))
    if source.random() < 0.3:
        found += ["--published", _write(folder, "counts.csv", source.choice(COUNTS))]
        found += _chosen(source, 0.5, "--rounded", ("5", "random:3", "0", "random:", "x", *NUMBERS))
        found += _chosen(source, 0.3, "--threshold", ("3", *NUMBERS))
    found += _chosen(source, 0.2, "--overlap", ("2", "0", *NUMBERS)) + _chosen(
        source, 0.3, "--regress", FORMULAS
    )
    rules = ("guess-at-most=80%", "disclosed-at-most=0", "entropy-l=2", "t-closeness=0.2", "weight-k:age=3")
    return found + _chosen(source, 0.3, "--require", (*rules, "guess-at-most=x", "recursive-cl=3"))


def of_comparisons(source: Random) -> Arguments:
    """Return what only a comparison takes: released files, candidates and the one to take."""
    found = _chosen(
        source, 0.4, "--release", ("out.csv", "original.csv", "tree.csv", "null.csv", "absent.csv")
    )
    if source.random() < 0.5:
        found += ["--candidates"]
    found += _chosen(source, 0.4, "--take", ("1", "2", "99", *NUMBERS))
    found += _chosen(source, 0.4, "-o", ("taken.csv", "taken.xlsx", "absent/x.csv", "folder", "taken"))
    return found + _chosen(source, 0.2, "--regress", FORMULAS)


def of_studies(source: Random, folder: Path) -> Arguments:
    """Return a study file to read or to write, hostile or not."""
    if source.random() < 0.4:
        return ["--save-study", source.choice(("new.toml", "folder", "absent/new.toml", "t.csv", "pipe"))]
    lines = source.sample(STUDY_LINES, source.randrange(6))
    return ["--study", _write(folder, "mine.toml", "\n".join(lines))]
