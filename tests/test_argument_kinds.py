"""What is of the wrong kind is refused in one line, wherever it enters from Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hartley
from hartley.errors import HartleyError
from hartley.workflow.apply_policy import AppliedFileFields
from hartley.workflow.study import FrontierCallFields, ReleaseCallFields
from hartley.workflow.verify_release import DocumentFields

TABLE = pa.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
ROLES: dict[str, Any] = {"sensitive": "age", "public": "chol"}
ODD = (None, 7, "\ud800", 10**400, object(), [None], {1: 2}, {"chol": None}, {"age": object()})
LATE = ("effort", "progress", "into", "into_database")
"""What is a call of its own, or of a database that is not there."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> hartley.ReleaseResult:
    out = tmp_path_factory.mktemp("made") / "out.csv"
    return hartley.release(TABLE, out, **ROLES, require={"distinct_l": 2})


def test_a_completer_is_shown_every_keyword():
    shown = inspect.signature(hartley.frontier).parameters
    assert {*FrontierCallFields.__annotations__, "require"} <= set(shown)
    assert not [one for one in shown.values() if one.kind is one.VAR_KEYWORD]
    assert "shape=..." in str(inspect.signature(hartley.release))


def calls(made: hartley.ReleaseResult, folder: Path) -> Iterator[tuple[Callable[..., Any], str]]:
    """Return every function that takes a table or its files, with each keyword that it takes."""
    new = folder / "new.csv"
    files = {"certificate": made.certificate, "record": made.record}
    ways: list[tuple[Callable[..., Any], set[str]]] = [
        (lambda **odd: hartley.audit(TABLE, **ROLES | odd), {*FrontierCallFields.__annotations__, "require"}),
        (
            lambda **odd: hartley.frontier(TABLE, **ROLES | odd),
            {*FrontierCallFields.__annotations__, "require"},
        ),
        (
            lambda **odd: hartley.release(
                TABLE, **{"output": new, "overwrite": True, "require": {"distinct_l": 2}, **ROLES, **odd}
            ),
            {*ReleaseCallFields.__annotations__, "require", "output"},
        ),
        (
            lambda **odd: hartley.verify(
                **{"released": made.output, "original": TABLE, "policy": made.policy, **files, **odd}
            ),
            {*DocumentFields.__annotations__, "released", "policy", "earlier", "person"},
        ),
        (
            lambda **odd: hartley.apply(
                **{"policy": made.policy, "source": TABLE, "output": new, "overwrite": True, **odd}
            ),
            {*AppliedFileFields.__annotations__, "policy", "output", "unseen", "unmet", "require", "person"},
        ),
        (
            lambda **odd: hartley.export(**{"policy": made.policy, "to": "csv", **odd}),
            {"policy", "to", "output"},
        ),
        (lambda **odd: hartley.audit_counts(**odd), {"counts"}),
        (lambda **odd: hartley.ReadOptions(**odd), set(hartley.ReadOptions.__annotations__)),
    ]
    for call, names in ways:
        for name in sorted(names - {*LATE}):
            yield call, name


def test_nothing_of_the_wrong_kind_ends_in_another_exception(
    made: hartley.ReleaseResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = []
    for call, name in calls(made, tmp_path):
        for odd in ODD:
            try:
                call(**{name: odd})
            except HartleyError as error:
                if "\n" in str(error):
                    wrong.append((name, odd, str(error)))
            except Exception as error:
                wrong.append((name, odd, repr(error)))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"public": None}, "public must be a text or several texts, not None"),
        ({"sensitive": 7}, "sensitive must be a text or several texts, not int"),
        ({"public": ["chol", None]}, "public must be a text or several texts, not list"),
        ({"missing_at": 10**400}, "missing_at must be a number or None, not one that large"),
        ({"public": "\ud800"}, "public holds half a character"),
        ({"publish_sensitive": None}, "publish_sensitive must be True or False, not None"),
        ({"tolerance": {1: 2}}, "tolerance must be a mapping from names or a number, not dict"),
        ({"tolerance": [1]}, "tolerance must be a mapping from names or a number, not list"),
        ({"require": 7}, "what is required is a mapping or a text, not int"),
        ({"require": [7]}, "a requirement is a text such as 'distinct-l=5', not int"),
    ],
)
def test_the_line_says_what_is_wanted(odd: dict[str, Any], said: str) -> None:
    with pytest.raises(hartley.OptionError) as caught:
        hartley.audit(TABLE, **ROLES | odd)
    assert str(caught.value) == said


def test_names_may_come_in_any_collection() -> None:
    for public in (["chol"], ("chol",), {"chol"}, {"chol": 1}.keys(), iter(["chol"])):
        assert hartley.audit(TABLE, sensitive="age", public=public).audit.public.columns == ("chol",)
