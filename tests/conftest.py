"""Shared data makers, numerical derivatives and the Hypothesis profile."""

import os

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

settings.register_profile(
    "skholder", deadline=None, derandomize=True, max_examples=20, database=None
)
settings.load_profile("skholder")

# OpenMP is loaded later, with scikit-learn. Where tests run side by side, threads of boosted trees
# wait for each other at every step: a fit of one second took twenty.
os.environ["OMP_NUM_THREADS"] = "1"


def _contaminated(n, p=2, epsilon=0.15, *, shift=8.0, leverage=0.0, seed=0):
    """X, y, outlier labels and true coefficients; the first rows are the outliers.

    ``leverage`` moves the outliers' first covariate that far and gives them another line.
    """
    rng = np.random.default_rng(seed)
    coef = np.linspace(1.0, -2.0, p) if p > 1 else np.ones(p)
    X = rng.normal(size=(n, p))
    y = 0.5 + X @ coef + rng.normal(size=n)
    outlier = np.arange(n) < round(epsilon * n)
    if leverage:
        X[outlier, 0] = leverage + 0.3 * rng.normal(size=outlier.sum())
        y[outlier] = rng.normal(size=outlier.sum()) - shift
    else:
        y[outlier] += shift
    return X, y, outlier, coef


def _gradient(function, x, step=1e-5):
    """Central differences of a function of a vector, one column for each coordinate."""
    x = np.asarray(x, float)
    columns = []
    for j in range(len(x)):
        e = np.zeros(len(x))
        e[j] = step
        columns.append((np.asarray(function(x + e)) - np.asarray(function(x - e))) / (2 * step))
    return np.stack(columns, axis=-1)


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread():
    # The products here are tiny: on a busy machine BLAS threads only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="session")
def contaminated():
    return _contaminated


@pytest.fixture(scope="session")
def gradient():
    return _gradient
