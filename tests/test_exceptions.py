"""Where a warning points, and how often a search repeats it."""

import runpy
import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.exceptions import ConvergenceWarning, HolderBayesWarning, warn_caller

SCRIPT = """
import numpy as np, pandas as pd
from skholder import AuditedEstimator, HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["height", "width"])
y = X["height"] + rng.normal(size=40)
{line}  # line 7
"""


def caught(line, tmp_path):
    """The warnings of a user's script whose seventh line is ``line``, and its path."""
    script = tmp_path / "analysis.py"
    script.write_text(SCRIPT.format(line=line))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        runpy.run_path(str(script))
    return found, str(script)


@pytest.mark.parametrize(
    "line",
    [
        "HolderBayesRegressor(n_draws=80, random_state=0).fit(X, y)",
        "HolderBayesDensity(n_draws=80, random_state=0).fit_predict(X)",
        "OutlierAuditor(HolderBayesDensity(n_draws=80), random_state=0).fit_transform(X)",
        "(lambda model: model.fit(X, y))(HolderBayesRegressor(n_draws=80, random_state=0))",
    ],
)
def test_a_warning_points_at_the_users_line(line, tmp_path):
    found, script = caught(line, tmp_path)
    assert found
    assert {(w.filename, w.lineno) for w in found} == {(script, 7)}


def test_a_warning_names_the_users_column(tmp_path):
    line = "X['width'] = X['width'] > 2; HolderBayesDensity(n_draws=80, random_state=0).fit(X)"
    found, _ = caught(line, tmp_path)
    text = " ".join(str(w.message) for w in found)
    assert "width" in text
    assert "[0]" not in text


def test_a_fit_warns_once_of_each_kind(tmp_path):
    found, _ = caught("HolderBayesRegressor(n_draws=80, random_state=0).fit(X, y)", tmp_path)
    kinds = [w.category for w in found]
    assert len(kinds) == len(set(kinds))


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, X[:, 0] + rng.normal(size=60)


def messages(action, filter="default"):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(filter)
        action()
    return [w for w in found if issubclass(w.category, HolderBayesWarning | ConvergenceWarning)]


@pytest.mark.parametrize("filter", ["default", "always"])
def test_a_search_warns_once_of_each_kind_and_once_for_its_refit(table, filter):
    X, y = table
    model = make_pipeline(StandardScaler(), HolderBayesRegressor(n_draws=80, random_state=0))
    grid = {"holderbayesregressor__gamma": [0.2, 0.5, 1.0]}
    found = messages(lambda: GridSearchCV(model, grid, cv=3).fit(X, y), filter)
    during = [w.category for w in found if "Said once for all fits" in str(w.message)]
    after = [w.category for w in found if "Said once for all fits" not in str(w.message)]
    assert ConvergenceWarning in during
    assert len(during) == len(set(during))
    assert len(after) == len(set(after))
    assert {w.filename for w in found} == {__file__}


def test_the_next_search_warns_again(table):
    X, _ = table
    model = OutlierAuditor(HolderBayesDensity(n_draws=80), random_state=0)

    def score(estimator, X):
        return 0.0

    for _ in range(2):
        found = messages(lambda: cross_val_score(model, X, cv=3, scoring=score), "always")
        assert [w.category for w in found].count(ConvergenceWarning) == 1


def test_warnings_that_are_errors_stop_every_fit(table):
    X, y = table
    model = HolderBayesRegressor(n_draws=80, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="All the 3 fits failed"):
            cross_val_score(model, X, y, cv=3)


def test_outside_of_any_fit_it_is_a_plain_warning():
    with pytest.warns(HolderBayesWarning, match="^mind the gap$") as found:
        warn_caller("mind the gap", HolderBayesWarning)
    assert found[0].filename == __file__
