"""The point that the page begins with says why, and claims nothing that a stopped search does not know."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

import hartley
from hartley.web.page_json import Suggestion
from hartley.web.request import Asked

TABLE = pa.table({"age": [i % 23 for i in range(200)], "dose": [(i * 7) % 61 for i in range(200)]})
ASKED = Asked.of({"sensitive": ["age"], "public": ["dose"]})


def test_a_search_that_was_stopped_does_not_say_that_more_costs_no_more():
    found = hartley.frontier(TABLE, sensitive="age", public="dose").frontier
    assert "because five is what curators usually ask for" in Suggestion.of(found, ASKED).because
    stopped = replace(found, complete=False, points=(found.points[0], found.points[-1]))
    suggested = Suggestion.of(stopped, ASKED)
    assert suggested.place == 1
    assert suggested.because.startswith("23 candidates, because no point with 5 has been found so far.")


def test_where_no_point_has_half_the_next_one_is_not_called_half():
    found = hartley.frontier(TABLE, sensitive="age", public="dose").frontier
    points = [replace(found.points[0], distinct_l=n) for n in (1, 2, 3, 5, 7)]
    suggested = Suggestion.of(replace(found, points=tuple(points)), ASKED)
    assert suggested.because.startswith("5 candidates, because 4 is about half of what can be reached")
    assert suggested.because.endswith("most of the detail, and 5 cost no more here.")
