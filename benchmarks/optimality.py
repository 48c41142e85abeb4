"""How optimal the optimal searches are, and how fast: the tables of docs/optimality.md.

    python benchmarks/optimality.py [--quick] [--data FILE]

``--data`` names the paper's real data (columns age and chol); without it that part is left out.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    for part in ("optimality_resolution.py", "optimality_distortion.py"):
        subprocess.run([sys.executable, str(here / part), *sys.argv[1:]], check=True)
