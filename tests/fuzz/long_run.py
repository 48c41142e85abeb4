"""A long run by hand: ``python tests/fuzz/long_run.py --cases 50000 [--seed 1] [--jobs 1]``.

The cases run in batches, each in a process of its own, so that dead processes and endless loops are seen.
Prints each finding, then the counts; leaves with exit code 1 where there is a finding.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

BATCH = 1000
MEMORY = 96 << 30
"""Bytes of addresses for a batch's process; more is refused, as on a small machine."""


def main() -> int:
    """Run the cases, or one batch of them where a parent asks for it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--batch", metavar="FILE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.batch:
        return run_batch(given.seed, given.first, given.cases, Path(given.batch))
    started, findings, codes, slowest = time.monotonic(), 0, Counter[str](), (0.0, -1)
    starts = range(given.first, given.first + given.cases, BATCH)
    last = given.first + given.cases
    with ThreadPoolExecutor(given.jobs) as pool:
        batches = pool.map(lambda first: watched(given.seed, first, min(BATCH, last - first)), starts)
        for number, lines in enumerate(batches):
            for line in lines:
                codes[str(line["code"])] += 1
                slowest = max(slowest, (line["seconds"], line["case"]))
                if line["finding"]:
                    findings += 1
                    print(line["finding"], flush=True)
            if number % 20 == 19:
                print(f"{sum(codes.values())} cases, {findings} findings", flush=True)
    print(
        f"{sum(codes.values())} cases of seed {given.seed} in {time.monotonic() - started:.0f} s; "
        f"exit codes {dict(sorted(codes.items()))}; slowest {slowest[0]:.1f} s (case {slowest[1]}); "
        f"{findings} findings"
    )
    return 1 if findings else 0


def watched(seed: int, first: int, count: int) -> list[dict[str, Any]]:
    """Run a batch in a process of its own; where it dies, note the case and go on after it."""
    found: list[dict[str, Any]] = []
    last = first + count
    while first < last:
        with tempfile.NamedTemporaryFile("r", suffix=".jsonl", encoding="utf-8") as file:
            command = [sys.executable, __file__, "--batch", file.name, "--seed", str(seed)]
            ended = subprocess.run(
                [*command, "--first", str(first), "--cases", str(last - first)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
            )
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        found += [line for line in lines if "code" in line]
        if not ended.returncode:
            return found
        at, arguments = first, []
        for line in lines:
            if "begins" in line:
                at, arguments = line["begins"], line["arguments"]
        words = ended.stderr.decode("utf-8", "replace").strip()[-600:]
        call = " ".join(map(ascii, arguments))[:600]
        text = f"case {at}: the process ended with {ended.returncode}\n    hartley {call}\n{words}"
        found.append({"case": at, "code": f"ended {ended.returncode}", "seconds": 0.0, "finding": text})
        first = at + 1
    return found


def run_batch(seed: int, first: int, count: int, report: Path) -> int:
    """Run cases in this process, and write down each before it begins and after it ended."""
    from fuzz.judgement import try_case
    from fuzz.program import SECONDS

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with report.open("w", encoding="utf-8") as file:

        def note(line: dict[str, Any]) -> None:
            file.write(json.dumps(line) + "\n")
            file.flush()

        for number in range(first, first + count):
            used = time.process_time()
            # The gentle limit is an exception; a loop that hears no signal is ended by this one.
            hard = int(used + 2 * SECONDS)
            resource.setrlimit(resource.RLIMIT_CPU, (hard, resource.getrlimit(resource.RLIMIT_CPU)[1]))
            outcome, finding = try_case(
                seed, number, on_call=lambda n, a: note({"begins": n, "arguments": a})
            )
            note(
                {
                    "case": number,
                    "code": outcome.code,
                    "seconds": outcome.seconds,
                    "finding": str(finding) if finding else "",
                }
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
