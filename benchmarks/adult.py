"""Adult, eight columns: our releases by the NCP that two implementations of Mondrian state of theirs.

    python benchmarks/adult.py adult.data [--time-limit 60]

The table is that of the UCI repository, with the rows without a cell left out (30,162 are left); it is not
shipped with hartley. Public are age, workclass, education number, marital status, occupation, race, sex and
country, at k = 10; and the same without occupation, which is sensitive, at l = 5. NCP is the mean over rows
and columns of what a label spans: of a number its part of the range, of a text its categories less one, by
all less one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

import hartley
from hartley.workflow.against.release_usefulness import release_usefulness

PUBLIC = ("age", "workclass", "education_num", "marital_status", "occupation", "race", "sex", "country")
PLACES = (0, 1, 4, 5, 6, 8, 9, 13)
"""Where these stand in the file, which has no header."""
SENSITIVE = "occupation"


def main() -> None:
    """Print a line for each release."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--time-limit", type=float, default=60.0)
    given = parser.parse_args()
    frame = pd.read_csv(given.table, header=None, skipinitialspace=True, na_values="?").dropna()
    frame = frame[list(PLACES)].set_axis(list(PUBLIC), axis=1)
    print(f"{len(frame):,} rows")
    without = tuple(name for name in PUBLIC if name != SENSITIVE)
    asked: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
        ("k = 10, eight columns", PUBLIC, {"row_k": 10}),
        (
            "l = 5, seven columns",
            without,
            {"distinct_l": 5, "sensitive": SENSITIVE, "publish_sensitive": True},
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "adult.csv"
        frame.to_csv(table, index=False)
        for name, public, wanted in asked:
            output = Path(folder) / f"{len(public)}.csv"
            start = time.process_time()
            made = hartley.release(
                table, output, public=public, labels="interval", time_limit=given.time_limit, **wanted
            )
            cpu = time.process_time() - start
            use = release_usefulness(hartley.Study(table, public=public), made.output, made.policy, ())
            print(
                f"{name:24} NCP {use.ncp:7.2%}, counts off by {use.query_error:.1%}, {cpu:.0f} s of CPU",
                flush=True,
            )


if __name__ == "__main__":
    main()
