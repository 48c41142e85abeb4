"""The transformer keeps scikit-learn's rules and the target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed (hartley[sklearn])")

from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from hartley.sklearn import Recoder

X = np.array([[1.0], [2.0], [3.0], [4.0], [7.0], [8.0]])
Y = np.array(["p", "q", "p", "q", "p", "q"])


# Checks that transform other rows than were fitted need an answer for values never seen.
@parametrize_with_checks([Recoder(target="largest_cluster", amount=3, search="greedy", unseen="nearest")])
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_target_holds_after_the_transformation() -> None:
    recoder = Recoder(target="distinct_l", amount=2).fit(X, Y)
    released = recoder.transform(X)
    for label in np.unique(released):
        assert len(set(Y[released[:, 0] == label])) >= 2
    assert recoder.audit_.distinct_l == 2
    assert recoder.point_.distinct_l == 2


def test_names_and_frames() -> None:
    import pandas as pd

    frame = pd.DataFrame({"age": [1, 2, 3, 4], "sex": ["f", "m", "f", "m"]})
    recoder = Recoder(target="largest_cluster", amount=2, labels="set").set_output(transform="pandas")
    found = recoder.fit_transform(frame, ["p", "q", "p", "q"])
    assert list(found.columns) == list(recoder.get_feature_names_out()) == ["age", "sex"]
    assert isinstance(found, pd.DataFrame)


def test_it_works_in_a_pipeline_and_can_be_cloned() -> None:
    model = make_pipeline(Recoder(target="distinct_l", amount=2), LinearRegression())
    again = clone(model).set_params(recoder__amount=1)
    assert again.get_params()["recoder__amount"] == 1
    model.fit(X, np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]))
    assert model.predict(X).shape == (6,)


def test_unseen_values() -> None:
    new = np.array([[1.5]])
    with pytest.raises(ValueError, match="never seen"):
        Recoder(unseen="error").fit(X, Y).transform(new)
    assert np.isnan(Recoder(unseen="suppress").fit(X, Y).transform(new)[0, 0])
    nearest = Recoder().fit(X, Y)
    assert nearest.transform(new)[0, 0] == nearest.transform(np.array([[1.0]]))[0, 0]


def test_what_cannot_be_reached_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="distinct-l=3"):
        Recoder(amount=3).fit(X, Y)
    with pytest.raises(ValueError, match="unknown target"):
        Recoder(target="secrecy").fit(X, Y)
    with pytest.raises(ValueError, match="unknown search"):
        Recoder(search="best").fit(X, Y)
    with pytest.raises(ValueError, match="y is None"):
        Recoder().fit(X, None)


def test_the_policy_can_be_kept_as_a_file() -> None:
    from hartley.releases.policy import Policy

    recoder = Recoder().fit(X, Y)
    assert Policy.read_json(recoder.policy_.to_json()) == recoder.policy_


def _people(rows: int = 60) -> Any:
    import pandas as pd

    source = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": source.integers(30, 60, rows),
            "pulse": source.integers(60, 100, rows),
            "town": source.choice(["Ulm", "Bern", "Wien"], rows),
            "ill": source.choice(["a", "b", "c", "d"], rows),
        }
    )


def test_a_sensitive_column_of_the_frame_is_protected_and_left_out() -> None:
    people = _people()
    recoder = Recoder(sensitive="ill", require={"distinct_l": 3, "row_k": 4}).fit(people[["pulse", "ill"]])
    assert recoder.audit_.distinct_l >= 3
    assert recoder.audit_.row_k >= 4
    assert recoder.get_feature_names_out().tolist() == ["pulse"]
    shown = recoder.set_output(transform="pandas").transform(people[["pulse", "ill"]])
    assert shown.columns.tolist() == ["pulse"]
    assert shown.assign(ill=people["ill"]).groupby("pulse")["ill"].nunique().min() >= 3


def test_what_is_sensitive_may_be_handed_over_beside_the_target() -> None:
    people = _people()
    by_hand = Recoder(amount=3).fit(people[["pulse"]], sensitive=people["ill"])
    assert (
        by_hand.policy_.clusters == Recoder(amount=3).fit(people[["pulse"]], people["ill"]).policy_.clusters
    )


def test_several_columns_with_text_go_through_cross_validation() -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    people = _people()
    pipeline = make_pipeline(Recoder(sensitive="ill", time_limit=2), DummyClassifier())
    scores = cross_val_score(pipeline, people[["pulse", "town", "ill"]], people["age"] > 45, cv=3)
    assert np.isfinite(scores).all()


def test_a_column_that_is_not_there_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="did you mean 'ill'"):
        Recoder(sensitive="il").fit(_people()[["pulse", "ill"]])


def test_too_few_rows_are_said_in_the_words_that_scikit_learn_asks_for() -> None:
    with pytest.raises(ValueError, match=r"no release can meet distinct-l=2 .* \(n_samples = 1\)$"):
        Recoder().fit(X[:1], Y[:1])


def test_what_is_sensitive_has_a_value_for_each_row() -> None:
    with pytest.raises(ValueError, match=r"a value for each of the 6 rows of X, and has \(2,\)"):
        Recoder().fit(X, sensitive=["p", "q"])


def test_policy_and_audit_name_the_columns_of_the_frame() -> None:
    people = _people().rename(columns={"town": "y0"})
    recoder = Recoder(sensitive="ill").fit(people[["ill", "pulse", "y0"]])
    assert recoder.policy_.public_names == ("pulse", "y0")
    assert recoder.policy_.sensitive_names == ("ill",)
    assert recoder.audit_.sensitive.columns == ("ill",)
    beside = Recoder().fit(people[["pulse", "y0"]], people["ill"])
    assert (beside.policy_.public_names, beside.policy_.sensitive_names) == (("pulse", "y0"), ("_y0",))
    assert Recoder().fit(X, Y).policy_.public_names == ("x0",)


def test_dates_stand_beside_numbers() -> None:
    import pandas as pd

    people = _people()[["pulse", "ill"]].assign(seen=pd.date_range("2024-01-01", periods=60))
    recoder = Recoder(sensitive="ill", require={"distinct_l": 3}, search="greedy").fit(people)
    assert recoder.get_feature_names_out().tolist() == ["pulse", "seen"]
    assert recoder.transform(people).shape == (60, 2)
    assert recoder.audit_.distinct_l >= 3
