"""Precision of the input, block sizes and threads do not matter."""

import numpy as np
import pytest
from sklearn.base import clone

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.rows import blocks

pytestmark = [
    pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
ESTIMATORS = [
    cls(gamma=gamma, inference=inference, n_draws=400, random_state=0)
    for cls in (HolderBayesRegressor, HolderBayesDensity)
    for gamma, inference in (("auto", "laplace"), (0.5, "mcmc"))
]


def _numbers(fitted):
    names = [name for name, _ in fitted.posterior_.means()]
    parts = [np.ravel(getattr(fitted, f"{name}_")) for name in names]
    return np.concatenate([*parts, [fitted.epsilon_], fitted.fod_scores_])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_single_precision_input_gives_the_answer_of_double(estimator, contaminated):
    X, y, *_ = contaminated(250)
    double = clone(estimator).fit(X, y)
    single = clone(estimator).fit(X.astype(np.float32), y.astype(np.float32))
    np.testing.assert_allclose(_numbers(single)[: -len(y)], _numbers(double)[: -len(y)], atol=1e-4)
    # A single row that changes places with its neighbour in a single draw moves FoD by 1 / 400.
    np.testing.assert_allclose(single.fod_scores_, double.fod_scores_, atol=0.0101)


@pytest.mark.parametrize("size", [64, 8192])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_size_of_blocks_does_not_matter(estimator, size, contaminated, monkeypatch):
    X, y, *_ = contaminated(1200)
    plain = clone(estimator).fit(X, y)
    monkeypatch.setattr(blocks, "_BLOCK_ROWS", size)
    np.testing.assert_allclose(_numbers(clone(estimator).fit(X, y)), _numbers(plain), atol=1e-10)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_threads_do_not_matter(estimator, contaminated, monkeypatch):
    X, y, *_ = contaminated(1200)
    monkeypatch.setattr(blocks, "_free_threads", lambda: 1)
    alone = clone(estimator).fit(X, y)
    for name in ("_THREAD_FROM", "_THREAD_DERIVATIVES_FROM"):
        monkeypatch.setattr(blocks, name, 500)
    monkeypatch.setattr(blocks, "_free_threads", lambda: 3)
    np.testing.assert_array_equal(_numbers(clone(estimator).fit(X, y)), _numbers(alone))
