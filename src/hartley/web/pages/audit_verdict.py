"""The verdict that stands before all numbers of an audit: who is exposed, in red, amber or green."""

from __future__ import annotations

from typing import Any

from hartley.report.words.audit import counted, listed
from hartley.workflow import Audit, AuditResult

Json = dict[str, Any]
FEW = 5
"""Fewer candidates than this deserve a second look."""


def verdict(found: AuditResult) -> Json:
    """Return a level (``bad``, ``fair`` or ``good``), a word for it, and who is exposed."""
    audit = found.audit
    secret = listed(audit.sensitive.columns)
    seen = listed((*audit.public.columns, *(() if audit.side is None else audit.side.columns)))
    rows = f"{audit.narrowest_rows:,} of {counted(audit.rows, 'row')}"
    if audit.sensitive.values == 1:
        said = f"Every row has the same {secret}, so everybody knows it already."
        return {"level": "fair", "word": "Nothing to protect", "said": said}
    if audit.distinct_l == 1:
        said = f"In {rows}, anyone who knows {seen} can read off the exact {secret}."
        return {"level": "bad", "word": "Do not publish it like this", "said": said}
    left = f"{audit.distinct_l:,} values of {secret}"
    if audit.distinct_l < FEW or not found.holds:
        said = f"Nobody's exact {secret} can be read off, but {_narrowest(audit, rows)} only {left} possible."
        return {"level": "fair", "word": "Look again before you publish", "said": said}
    said = f"Anyone who knows {seen} still has to guess among {left} or more."
    return {"level": "good", "word": "Nobody is singled out", "said": said}


def _narrowest(audit: Audit, rows: str) -> str:
    verb = "leaves" if audit.narrowest_rows == 1 else "leave"
    return f"{rows} {verb}"
