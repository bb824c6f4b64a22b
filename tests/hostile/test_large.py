"""One huge value among so many rows that sums are made in single precision, and by series."""

import numpy as np
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor


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
