"""Design weights: given where bad leverage tilts the fit, and only there."""

import numpy as np
import pytest
from scipy.stats import norm

from skholder.models import LinearModel, NormalNoise
from skholder.posterior import design_weights
from skholder.rows import RowBlocks


def model(p):
    return LinearModel(
        NormalNoise(), p + 1, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )


def weights_of(X, y, weight=None, always=False, seed=0):
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rows = np.column_stack([np.ones(len(y)), X, (y - y.mean()) / y.std()])
    random = np.random.RandomState(seed)
    return design_weights(model(X.shape[1]), RowBlocks(rows, weight), always=always, random=random)


def bad_cluster(n=300, p=3, share=0.3, seed=0):
    """Good rows on a plane; the first share far out in X, together, and off the plane."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) + rng.normal(size=n)
    bad = np.arange(n) < share * n
    X[bad] = 6.0 + 0.3 * rng.normal(size=(bad.sum(), p))
    y[bad] = -10.0 + 0.3 * rng.normal(size=bad.sum())
    return X, y, bad


@pytest.mark.parametrize("share", [0.2, 0.3])
def test_a_bad_cluster_is_held_back(share):
    X, y, bad = bad_cluster(share=share)
    found = weights_of(X, y)
    assert np.all(found[bad] < 0.2)
    assert np.mean(found[~bad] == 1) > 0.97


def test_a_cluster_that_fools_no_fit_needs_no_weights():
    X, y, _ = bad_cluster(share=0.1)
    assert weights_of(X, y) is None


def test_good_leverage_is_left_alone():
    X, y, far = bad_cluster(share=0.1)
    y[far] = X[far].sum(axis=1) + np.random.default_rng(1).normal(size=far.sum())
    assert weights_of(X, y) is None
    held = weights_of(X, y, always=True)
    assert np.all(held[far] < 0.5)


@pytest.mark.parametrize("design", ["normal", "t3", "dummies"])
def test_clean_designs_are_left_alone(design):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = {
            "normal": rng.normal(size=(200, 3)),
            "t3": rng.standard_t(3, size=(200, 3)),
            "dummies": (rng.random((200, 3)) < 0.1).astype(float),
        }[design]
        y = X.sum(axis=1) + rng.normal(size=200)
        assert weights_of(X, y, seed=seed) is None


def test_outliers_in_the_response_alone_need_no_weights(contaminated):
    X, y, *_ = contaminated(300, epsilon=0.2)
    assert weights_of(X, y) is None


def test_always_is_the_formula():
    from skholder.models.starts import robust_distances

    X, y, _ = bad_cluster(share=0.1)
    held = weights_of(X, y, always=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    design = np.column_stack([np.ones(len(y)), Z])
    excess = robust_distances(design, np.ones(len(y)), np.random.RandomState(0)).excess
    np.testing.assert_allclose(held, np.minimum(1.0, excess**-2.0), rtol=1e-6)


def test_weights_are_repeats():
    X, y, _ = bad_cluster(n=120, share=0.25)
    order = np.lexsort(X.T)
    X, y = X[order], y[order]
    weight = np.random.default_rng(2).integers(1, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    rows = np.column_stack([np.ones(len(y)), X / 3, y / 5])
    one, other = (
        design_weights(model(3), RowBlocks(r, w), always=False, random=np.random.RandomState(0))
        for r, w in ((rows, weight.astype(float)), (rows[again], None))
    )
    np.testing.assert_allclose(one[again], other, rtol=1e-6)


class _Unasked(LinearModel):
    """A model that is never to be fitted."""

    def starts(self, rows, weight, random):
        raise AssertionError("a fit was tried")


def _judged(X):
    rows = RowBlocks(np.column_stack([np.ones(len(X)), X, X.sum(axis=1)]))
    unasked = _Unasked(
        NormalNoise(),
        X.shape[1] + 1,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    return design_weights(unasked, rows, always=False, random=np.random.RandomState(0))


def test_rows_that_chance_explains_are_not_looked_into():
    # Many rows: the farthest lies beyond the fixed limit, 2.5, as it should.
    many = np.random.default_rng(3).normal(size=(4000, 6))
    many[0, 0] = 4.75
    assert _judged(many) is None
    # Few rows: it lies beyond chance, but is not far.
    few = norm.ppf((np.arange(30)[:, None] + 0.5) / 30)
    few[0] = 3.55
    assert _judged(few) is None
    few[0] = 12.0
    with pytest.raises(AssertionError, match="a fit was tried"):
        _judged(few)
