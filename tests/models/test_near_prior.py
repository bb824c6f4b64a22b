"""The expansion of a costly prior is the prior, near its origin and beyond."""

import numpy as np
import pytest

from skholder.models import EllipticalModel, NormalRadial
from skholder.models.near_prior import NearPrior, near_prior

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-2}


@pytest.fixture
def model():
    return EllipticalModel(4, NormalRadial(), full=True, **PRIORS)


def setting(model, spread=0.008):
    """An origin, a factor, and draws as wide as the factor says."""
    rng = np.random.default_rng(0)
    origin = 0.3 * rng.normal(size=model.n_params)
    factor = spread * np.linalg.cholesky(np.eye(model.n_params) + 0.3)
    return origin, factor, origin + rng.normal(size=(300, model.n_params)) @ factor.T


def test_near_the_origin(model):
    origin, factor, theta = setting(model)
    near = near_prior(model.prior, origin, factor, theta)
    assert isinstance(near, NearPrior)
    exact, found = model.prior.log_prob(theta), near.log_prob(theta)
    np.testing.assert_allclose(found, exact, rtol=0, atol=2e-4)
    # It is the expansion that is compared.
    assert np.any(found != exact)


def test_further_out_it_is_the_prior(model):
    origin, factor, theta = setting(model)
    near = near_prior(model.prior, origin, factor, theta)
    far = np.concatenate([origin + 200 * (theta[:20] - origin), theta[:5]])
    far[0, model.k] = -10.0
    exact = model.prior.log_prob(far)
    assert exact[0] == -np.inf
    np.testing.assert_array_equal(near.log_prob(far)[:20], exact[:20])
    np.testing.assert_array_equal(near.lower, model.prior.lower)


def test_draws_and_derivatives_are_those_of_the_prior(model):
    origin, factor, theta = setting(model)
    near = near_prior(model.prior, origin, factor, theta)
    ours, its = (p.sample(5, np.random.RandomState(0)) for p in (near, model.prior))
    np.testing.assert_array_equal(ours, its)
    for one, other in zip(near.derivatives(origin), model.prior.derivatives(origin), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_wide_posterior_keeps_the_prior(model):
    assert near_prior(model.prior, *setting(model, spread=1.0)) is model.prior


def test_a_cheap_prior_is_kept():
    model = EllipticalModel(1, NormalRadial(), full=True, **PRIORS)
    assert near_prior(model.prior, *setting(model)) is model.prior
