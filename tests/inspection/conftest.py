"""Small fits that the display tests share; figures go to no screen and are closed."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.datasets import make_contaminated_blobs, make_contaminated_regression

COLUMNS = ["bmi (kg/m2)", "age", "cost $x_$"]


def quietly(estimator, *args, **kwargs):
    """Fit without the warning that a few hundred draws are few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(*args, **kwargs)


@pytest.fixture(autouse=True)
def no_screen():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="session")
def table():
    """A table of 120 labelled rows, its response and its outliers."""
    X, y, outliers = make_contaminated_regression(120, 3, shift=9.0, random_state=0)
    index = [f"row-{i}" for i in range(len(y))]
    return SimpleNamespace(
        X=pd.DataFrame(X, columns=COLUMNS, index=index),
        y=pd.Series(y, name="yield (t)", index=index),
        outliers=outliers,
    )


@pytest.fixture(scope="session")
def regressor(table):
    return quietly(HolderBayesRegressor(n_draws=400, random_state=0), table.X, table.y)


@pytest.fixture(scope="session")
def blobs():
    """150 rows of two columns without names, and their outliers."""
    return make_contaminated_blobs(150, contamination=0.15, random_state=0)


@pytest.fixture(scope="session")
def density(blobs):
    return quietly(HolderBayesDensity(n_draws=400, random_state=0), blobs[0])


@pytest.fixture(scope="session")
def auditor(blobs):
    return quietly(OutlierAuditor(HolderBayesDensity(n_draws=400, random_state=0)), blobs[0])


@pytest.fixture(scope="session")
def ordinary(table):
    """Ordinary Bayes, which has no epsilon."""
    model = HolderBayesRegressor(divergence="kl", n_draws=400, random_state=0)
    return quietly(model, table.X, table.y)


@pytest.fixture(scope="session")
def wide():
    """Six columns without names, of which the second and fifth tell the first 15 rows apart."""
    X = np.random.default_rng(0).normal(size=(150, 6))
    X[:15, [1, 4]] += 7.0
    model = HolderBayesDensity(
        covariance_type="diag", inference="laplace", n_draws=200, random_state=0
    )
    return model.fit(X), X
