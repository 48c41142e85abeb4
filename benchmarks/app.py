"""How quickly the app answers: first page, the example's frontier, and any page while a long search runs.

    python benchmarks/app.py [ROWS]

Starts ``hartley serve`` as a user would and speaks to it over HTTP. ROWS (a million by default) is
the size of the table that is searched while the page is asked again and again.
"""

from __future__ import annotations

import http.client
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlsplit

import numpy as np


class Client:
    """A browser without a screen."""

    def __init__(self, url: str) -> None:
        self.place = urlsplit(url)
        self.secret = ""
        entered, _ = self.ask("/api/enter", {"token": self.place.fragment.removeprefix("key=")})
        self.secret = entered["secret"]

    def ask(self, path: str, content: dict[str, Any] | None = None) -> tuple[dict[str, Any], float]:
        """Ask for something; give the answer and how long it took."""
        began = perf_counter()
        connection = http.client.HTTPConnection(self.place.netloc, timeout=600)
        headers = {"Hartley-Session": self.secret, "Content-Type": "application/json"}
        if content is None:
            connection.request("GET", path, headers=headers)
        else:
            headers["Origin"] = f"http://{self.place.netloc}"
            connection.request("POST", path, json.dumps(content), headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        found = json.loads(body) if path.startswith("/api") else {}
        return found, perf_counter() - began

    def search(self, which: str, **roles: list[str]) -> tuple[dict[str, Any], list[float]]:
        """Search to the end, asking for the page and the progress all the time."""
        opened, _ = self.ask("/api/open", {"which": which})
        self.ask("/api/audit", {"revision": opened["revision"], **roles})
        found, _ = self.ask("/api/search", {"revision": opened["revision"], **roles, "time_limit": 20})
        waits = []
        while found["state"] == "running":
            waits.append(self.ask("/")[1])
            found, wait = self.ask("/api/search")
            waits.append(wait)
            sleep(0.02)
        return found, waits


def main() -> None:
    """Measure, and print one line for each figure."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "large.csv"
        source = np.random.default_rng(0)
        columns = np.column_stack([source.integers(0, 5_000, rows), source.integers(0, 2_000, rows)])
        np.savetxt(table, columns, fmt="%d", delimiter=",", header="place,illness", comments="")
        for attempt in ("cold", "warm"):
            began = perf_counter()
            server = subprocess.Popen(
                [sys.executable, "-m", "hartley", "serve", "--no-open", str(table)],
                stdout=subprocess.PIPE,
                text=True,
            )
            try:
                said = server.stdout.readline() if server.stdout else ""
                client = Client(said[said.index("http://") :].split()[0])
                client.ask("/")
                print(f"{attempt}: first page after {perf_counter() - began:.2f} s")
                began = perf_counter()
                found, _ = client.search("example", sensitive=["age"], public=["cholesterol"])
                points = len(found["frontier"]["points"])
                took = perf_counter() - began
                print(f"{attempt}: example from open to frontier of {points} points: {took:.2f} s")
                if attempt == "warm":
                    began = perf_counter()
                    found, waits = client.search("given", sensitive=["illness"], public=["place"])
                    print(
                        f"{rows:,} rows: search {found['state']} after {perf_counter() - began:.1f} s, "
                        f"{len(waits)} answers meanwhile: median {1e3 * np.median(waits):.0f} ms, "
                        f"99 % within {1e3 * np.quantile(waits, 0.99):.0f} ms, "
                        f"longest {1e3 * max(waits):.0f} ms"
                    )
            finally:
                server.send_signal(2)
                server.wait(20)
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                print(f"{attempt}: the server held at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
