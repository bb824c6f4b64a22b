"""One huge value among so many rows that sums are made in single precision, and by series."""

import numpy as np
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.models.starts import robust_distances


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = X.sum(axis=1) + rng.normal(size=6000)
    y[:600] += 6.0
    return X, y


@pytest.mark.parametrize("value", [1e6, 1e12, 1e60, 1e150])
@pytest.mark.parametrize("where", ["x", "y", "density"])
def test_one_huge_value(table, where, value):
    X, y = (part.copy() for part in table)
    (y if where == "y" else X[:, 1])[-1] = value
    if where == "density":
        fitted = HolderBayesDensity(gamma=0.3, random_state=0).fit(X)
    else:
        fitted = HolderBayesRegressor(gamma=0.5, random_state=0).fit(X, y)
    assert np.all(np.isfinite(fitted.fod_scores_))
    assert fitted.fod_scores_[-1] > 0.9
    if where != "density":
        np.testing.assert_allclose(fitted.coef_, 1.0, atol=0.1)


def test_infinities_of_both_signs(table):
    X, y = (part.copy() for part in table)
    y[:2] = np.inf, -np.inf
    with pytest.raises(ValueError, match="infinity"):
        HolderBayesRegressor().fit(X, y)


OURS = [
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::skholder.exceptions.HolderBayesWarning",
]


@pytest.mark.filterwarnings(*OURS)
@pytest.mark.parametrize("inference", ["laplace", "mcmc"])
def test_an_exact_line_with_one_huge_response(inference):
    x = np.array([0.64068235, -0.01532756, 3.77130992, 0.03879366, -0.87636229, 3.05127037])
    x = np.append(x, [-0.65017733, 1.79931521, -0.84990165, 0.58395981, 0.64577919, 1.06187107])
    x = np.append(x, [-0.38376482, 1.01747051, 1.83028571, -0.28275524])
    y = np.where(x == 1.06187107, 1e300, x)
    settings = {"n_draws": 200, "inference": inference, "random_state": 0}
    model = HolderBayesRegressor(**settings).fit(x[:, None], y)
    assert np.all(np.isfinite(model.coef_))


def test_distances_leave_out_columns_without_a_spread():
    X = np.random.default_rng(1).normal(size=(40, 2)) * [1.0, 1e-170]
    found = robust_distances(X, np.ones(40), np.random.RandomState(0)).excess
    alone = robust_distances(X[:, :1], np.ones(40), np.random.RandomState(0)).excess
    np.testing.assert_allclose(found, alone)
