"""A release that stays in Spark: how long it takes, and what memory the driver needs.

python benchmarks/spark_release.py [--rows 10000000] [--columns x,y]

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


def peak_mb(process: str) -> int:
    """Return the peak memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    (found,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(found) // 1024


def main() -> int:
    """Measure, and print one line of JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--columns", default="x", help="public columns, of x and other")
    given = parser.parse_args()
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
