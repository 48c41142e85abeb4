"""NIST's national2019 excerpt: our releases beside Mondrian, by the figures of SDNist.

    python benchmarks/nist.py national2019.csv [--time-limit 60]

The table is NIST's (Diverse Community Data Excerpts); it is not shipped with hartley. A release recodes
eight public columns, keeps
the income decile beside them, and holds l = 3 and k = 6 for it. Every label that stands for several values
is replaced by one of them, drawn with
the original's frequencies; then, as SDNist counts:

* score: 1,000 times the mean overlap of all histograms of three columns, ages in steps of five;
* full matches: people whose row, unique in the original by these columns, stands in the filled release, as a
share of all
  people and of the unique ones.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import hartley
from hartley.tables import ReadOptions, open_table
from hartley.workflow.against.file_usefulness import drawn_values
from hartley.workflow.against.held_files import LabelsTold, read_files

PUBLIC = ("AGEP", "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU")
SENSITIVE = "PINCP_DECILE"
SEED = 1


def filled(released: Path, original: Path, options: ReadOptions) -> tuple[pd.DataFrame, pd.DataFrame, float]:
    """Return the original and the filled release as text, and the mean relative width of labels (NCP)."""
    one, other = open_table(released, options), open_table(original, options)
    try:
        held = read_files(
            one,
            other,
            PUBLIC,
            (SENSITIVE,),
            study=hartley.Study(original, options=options),
            groups={},
            told=LabelsTold.beside(released),
            formulas=(),
        )
    finally:
        one.close()
        other.close()
    source = np.random.default_rng(SEED)
    before, after, widths = {}, {}, []
    for name in (*PUBLIC, SENSITIVE):
        ours, theirs, fit = held.original[name], held.released[name], held.fits[name].fit
        cells = np.array([str(cell) for cell in ours.values.cells])
        before[name] = cells[ours.codes]
        after[name] = cells[drawn_values(ours, theirs, fit, source)]
        if name in PUBLIC:
            counts, _ = fit.values_of_labels()
            if ours.values.kind == "number":
                owner = np.repeat(np.arange(fit.values), np.diff(fit.indptr))
                low, high = np.full(fit.labels, np.inf), np.full(fit.labels, -np.inf)
                np.fmin.at(low, fit.indices, ours.values.positions[owner])
                np.fmax.at(high, fit.indices, ours.values.positions[owner])
                width = (high - low) / np.ptp(ours.values.positions)
            else:
                width = (counts - 1) / max(fit.values - 1, 1)
            widths.append(float(width[theirs.codes].mean()))
    return pd.DataFrame(before), pd.DataFrame(after), float(np.mean(widths))


def score(before: pd.DataFrame, after: pd.DataFrame) -> tuple[float, float]:
    """Return the mean and the worst 3-marginal score."""
    frames = []
    for frame in (before, after):
        binned = frame.copy()
        binned["AGEP"] = (binned["AGEP"].astype(float) // 5).astype(int)
        frames.append(binned)
    found = []
    for names in combinations(before.columns, 3):
        one, other = (frame.groupby(list(names)).size() / len(frame) for frame in frames)
        found.append(1000 * (1 - one.sub(other, fill_value=0).abs().sum() / 2))
    return float(np.mean(found)), min(found)


def full_matches(before: pd.DataFrame, after: pd.DataFrame) -> tuple[int, int]:
    """Return how many people have a unique row, and how many of these rows stand in the filled release."""
    rows = before.astype(str).agg("|".join, axis=1)
    counts = rows.value_counts()
    unique = set(counts[counts == 1].index)
    return len(unique), len(unique & set(after.astype(str).agg("|".join, axis=1)))


def mondrian(frame: pd.DataFrame, least: int, rows: int) -> pd.DataFrame:
    """Recode by Mondrian: cut at the median of the widest column as long as both parts keep l and k."""
    codes = {
        name: np.unique(frame[name].astype(float) if name == "AGEP" else frame[name], return_inverse=True)
        for name in PUBLIC
    }
    secret = np.unique(frame[SENSITIVE], return_inverse=True)[1]
    out = {name: frame[name].astype(str).to_numpy(dtype=object) for name in PUBLIC}
    waiting = [np.arange(len(frame))]
    while waiting:
        part = waiting.pop()
        spans = {name: np.ptp(codes[name][1][part]) / max(len(codes[name][0]) - 1, 1) for name in PUBLIC}
        for name in sorted(PUBLIC, key=lambda one: -spans[one]):
            cells = codes[name][1][part]
            is_low = cells <= np.sort(cells)[(len(cells) - 1) // 2]
            halves = part[is_low], part[~is_low]
            if all(len(half) >= rows and len(np.unique(secret[half])) >= least for half in halves):
                waiting += halves
                break
        else:
            for name in PUBLIC:
                held = np.unique(codes[name][1][part])
                if len(held) == 1:
                    continue
                values = codes[name][0][held]
                label = (
                    f"[{values[0]:g}, {values[-1]:g}]" if name == "AGEP" else "{" + ", ".join(values) + "}"
                )
                out[name][part] = label
    return pd.DataFrame({**out, SENSITIVE: frame[SENSITIVE]})


def main() -> None:
    """Print a line for each release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--distinct-l", type=int, default=3)
    parser.add_argument("--row-k", type=int, default=6)
    parser.add_argument("--only", choices=("any", "tree", "mondrian"), help="one release alone")
    given = parser.parse_args()
    categories = tuple(name for name in (*PUBLIC, SENSITIVE) if name != "AGEP")
    options = ReadOptions(text=categories)
    print(f"{'release':28} {'NCP':>7} {'score':>6} {'worst':>6} {'full matches':>22} {'cpu s':>7}")
    with tempfile.TemporaryDirectory() as folder:
        original = Path(folder) / "original.csv"
        frame = pd.read_csv(given.table, dtype=str, keep_default_na=False)[[*PUBLIC, SENSITIVE]]
        frame.to_csv(original, index=False)
        for name, shape in (("hartley, any", "any"), ("hartley, tree", "tree"), ("Mondrian", None)):
            if given.only not in (None, shape or "mondrian"):
                continue
            output = Path(folder) / f"{shape}.csv"
            start = time.process_time()
            if shape is None:
                mondrian(frame, given.distinct_l, given.row_k).to_csv(output, index=False)
            else:
                hartley.release(
                    original,
                    output,
                    sensitive=SENSITIVE,
                    public=PUBLIC,
                    publish_sensitive=True,
                    keep_order=True,
                    labels="interval",
                    shape=shape,
                    require={"distinct_l": given.distinct_l, "row_k": given.row_k},
                    time_limit=given.time_limit,
                    options=options,
                )
            cpu = time.process_time() - start
            before, after, ncp = filled(output, original, options)
            mean, worst = score(before, after)
            unique, matched = full_matches(before, after)
            share = f"{matched / len(before):.2%} ({matched / unique:.2%} of {unique:,})"
            print(f"{name:28} {ncp:7.4f} {mean:6.0f} {worst:6.0f} {share:>22} {cpu:7.1f}", flush=True)


if __name__ == "__main__":
    main()
