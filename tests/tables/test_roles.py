"""Which columns play which part, and how a table is to be read."""

from __future__ import annotations

import pytest

from hartley.errors import OptionError
from hartley.tables import ReadOptions, Roles


def test_a_column_may_stand_in_two_roles() -> None:
    roles = Roles(sensitive=("age",), public=("age", "chol"), side=("sex",))
    assert roles.columns == ("age", "chol", "sex")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sensitive": (), "public": ("x",)}, "no sensitive column is named; name at least one"),
        ({"sensitive": ("s",), "public": ()}, "no public column is named; name at least one"),
        ({"sensitive": ("s",), "public": ("x", "x")}, "column 'x' is named twice as public; name it once"),
        (
            {"sensitive": "s", "public": ("x",)},
            "the sensitive columns must be a tuple of names, not the text 's'",
        ),
    ],
)
def test_roles_that_make_no_sense_are_refused(given: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(OptionError) as refused:
        Roles(**given)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": ("a",), "number": ("a",)}, "column 'a' cannot be both text and number"),
        ({"text": "a"}, "text must be a tuple of column names, not the text 'a'"),
        ({"delimiter": "||"}, "the delimiter must be one ASCII character, not '||'"),
        ({"delimiter": '"'}, "the delimiter must be one ASCII character, not '\"'"),
    ],
)
def test_options_that_make_no_sense_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as refused:
        ReadOptions(**given)  # type: ignore[arg-type]
    assert str(refused.value) == message
