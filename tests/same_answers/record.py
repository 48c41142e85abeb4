"""Record the answers of the command line anew: ``python tests/same_answers/record.py [group ...]``.

Without a group, all are recorded. What changes is printed; look at it before you commit it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from same_answers.answers import GOLDEN, differences, read_golden, run_group, write_golden
from same_answers.calls import GROUPS


def record(names: list[str]) -> int:
    """Record these groups, or all, and print what has changed."""
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        print(f"no group {unknown[0]!r}; the groups are {', '.join(map(repr, GROUPS))}")
        return 2
    old = read_golden() if GOLDEN.exists() else {}
    new = {name: answers for name, answers in old.items() if name in GROUPS}
    for name in names or list(GROUPS):
        with tempfile.TemporaryDirectory() as folder:
            new[name] = run_group(name, Path(folder))
        for line, found in old.get(name, {}).items():
            for difference in differences(found, new[name].get(line, {})):
                print(f"{line}\n    {difference}")
    write_golden({name: new[name] for name in GROUPS if name in new})
    print(f"{sum(map(len, new.values()))} calls in {len(new)} groups: {GOLDEN}")
    return 0


if __name__ == "__main__":
    raise SystemExit(record(sys.argv[1:]))
