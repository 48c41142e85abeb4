"""A release that stays in Spark: how long it takes, and what memory the driver needs.

python benchmarks/spark_release.py [--rows 10000000] [--columns x,y]
python benchmarks/spark_release.py --tree [--rows 10000000]

With ``--tree`` nearly all rows are different in four public columns, more than the driver takes: their tree
is searched in Spark. The time of a bare count of the different rows stands beside it.

Spark runs as a master and two workers of one core each. The driver is the Python process and its Java
process; the figure is the peak of both together, each at its own. The data is made in another process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from hartley import release
from servers import running_spark

GOAL_MB = 1000
TREE_GOAL_MB = 2000


def peak_mb(process: str) -> int:
    """Return the peak memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    (found,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(found) // 1024


def measure_tree(rows: int) -> int:
    """Measure a tree of rows that are nearly all different, and print one line of JSON."""
    settings = {"spark.driver.memory": "600m", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}
    cells = [f"CAST(pmod(xxhash64(id, {place}), 500) AS INT) AS x{place}" for place in range(4)]
    with tempfile.TemporaryDirectory() as folder, running_spark(settings) as session:
        path = str(Path(folder) / "rows.parquet")
        made = session.range(rows).selectExpr(*cells, "CAST(pmod(xxhash64(id, 9), 50) AS INT) AS s")
        made.write.parquet(path)
        frame = session.read.parquet(path)
        # Fewer than there are, also where fewer rows are asked for.
        session.conf.set("spark.hartley.differentRows", min(4_000_000, rows // 2))
        start = time.monotonic()
        different = frame.groupBy(frame.columns).count().count()
        counted = time.monotonic() - start
        before, start = peak_mb("self"), time.monotonic()
        found = release(
            frame,
            Path(folder) / "released.parquet",
            sensitive="s",
            public=[f"x{place}" for place in range(4)],
            require={"distinct_l": 10, "row_k": 1000},
            shape="tree",
            publish_sensitive=True,
        )
        told = {
            "rows": rows,
            "different_rows": different,
            "seconds_of_the_bare_count": round(counted, 1),
            "seconds": round(time.monotonic() - start, 1),
            "classes": found.point.clusters,
            "driver_python_mb": peak_mb("self"),
            "of_that_before_the_release_mb": before,
            "driver_java_mb": peak_mb(str(session.sparkContext._gateway.proc.pid)),
            "verified": found.verification.holds,
        }
    print(json.dumps(told))
    return 0 if told["driver_python_mb"] + told["driver_java_mb"] < TREE_GOAL_MB else 1


def main() -> int:
    """Measure, and print one line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--columns", default="x", help="public columns, of x and other")
    parser.add_argument("--tree", action="store_true", help="rows that are all different, searched in Spark")
    given = parser.parse_args()
    if given.tree:
        return measure_tree(given.rows)
    settings = {"spark.driver.memory": "480m", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}
    with tempfile.TemporaryDirectory() as folder, running_spark(settings) as session:
        path = Path(folder) / "rows.parquet"
        making = f"import scale, pathlib; scale.make(pathlib.Path({str(path)!r}), {given.rows})"
        subprocess.run(
            [sys.executable, "-c", making], cwd=Path(__file__).parent, stdout=subprocess.DEVNULL, check=True
        )
        before = peak_mb("self")
        start = time.monotonic()
        made = release(
            session.read.parquet(str(path)),
            Path(folder) / "released.parquet",
            sensitive="s",
            public=given.columns.split(","),
            require={"distinct_l": 100, "separated_l": 20, "row_k": 1000},
            tolerance={"s": 4},
            withhold="1%",
            shape="intervals" if given.columns == "x" else "any",
            time_limit=30,
        )
        wall = time.monotonic() - start
        java = session.sparkContext._gateway.proc.pid
        python_mb, java_mb = peak_mb("self"), peak_mb(str(java))
        told = {
            "rows": made.rows,
            "columns": given.columns,
            "seconds": round(wall, 1),
            "driver_python_mb": python_mb,
            "of_that_before_the_release_mb": before,
            "driver_java_mb": java_mb,
            "verified": made.verification.holds,
            "requirements": [verdict.to_dict() for verdict in made.requirements],
        }
    print(json.dumps(told))
    return 0 if python_mb + java_mb < GOAL_MB else 1


if __name__ == "__main__":
    sys.exit(main())
