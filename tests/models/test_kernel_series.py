"""The Taylor coefficients of a kernel add up to the kernel a step further on."""

import numpy as np
import pytest

from skholder.models import (
    EllipticalModel,
    LinearModel,
    NormalNoise,
    NormalRadial,
    StudentTNoise,
    StudentTRadial,
)

PRIORS = {"log_scale_prior_scale": 1.0, "min_scale": 1e-3}
POWER = 0.4


def linear(noise):
    return LinearModel(noise, 2, coef_prior_scale=2.5, **PRIORS)


def elliptical(radial):
    return EllipticalModel(2, radial, full=True, location_prior_scale=2.5, **PRIORS)


@pytest.mark.parametrize("model", [linear(NormalNoise()), elliptical(NormalRadial())])
def test_it_is_the_kernel(model):
    theta = np.linspace(-0.1, 0.2, model.n_params)[None]
    rows = np.random.default_rng(0).normal(size=(50, model.n_modelled + 1))[:, -3:]
    rows = np.column_stack([rows, rows[:, :1]])[:, :3] if model.n_modelled == 1 else rows[:, :2]
    coef, finish = model.log_kernel_product(theta, POWER)
    product = (model.distance_features(rows) @ coef.T)[:, 0]
    series = model.kernel_series(product, POWER, 12)
    assert series.shape == (13, 50)
    for step in (-0.3, 0.1, 0.3):
        further = np.exp(finish((product + step)[:, None])[:, 0])
        np.testing.assert_allclose(step ** np.arange(13) @ series, further, atol=1e-8)


@pytest.mark.parametrize("model", [linear(StudentTNoise()), elliptical(StudentTRadial())])
def test_none_without_a_normal(model):
    assert model.kernel_series(np.zeros(1), POWER, 3) is None


def test_far_out_it_is_nothing():
    series = linear(NormalNoise()).kernel_series(np.array([1e3, -1e200]), POWER, 4)
    np.testing.assert_array_equal(series, 0.0)
