import numpy as np
import pytest
from scipy import stats

import skholder.rows.single
from skholder.models import (
    EllipticalModel,
    LinearModel,
    NormalNoise,
    NormalRadial,
    StudentTNoise,
    StudentTRadial,
)
from skholder.models.noise import ScipyNoise
from skholder.rows import RowBlocks, SingleRows

RNG = np.random.default_rng(0)
PRIORS = {"log_scale_prior_scale": 1.0, "min_scale": 1e-3}


def linear(noise):
    model = LinearModel(noise, 3, coef_prior_scale=2.5, **PRIORS)
    rows = np.column_stack([np.ones(3000), RNG.normal(size=(3000, 3))])
    return model, rows, np.array([0.1, -0.2, 0.3, 0.1])


def elliptical(radial, full):
    model = EllipticalModel(3, radial, full=full, location_prior_scale=2.5, **PRIORS)
    return model, RNG.normal(size=(3000, 3)), np.linspace(-0.2, 0.2, model.n_params)


CASES = {
    "normal noise": lambda: linear(NormalNoise()),
    "t noise": lambda: linear(StudentTNoise()),
    "noise without linear score": lambda: linear(ScipyNoise(stats.logistic())),
    "full normal": lambda: elliptical(NormalRadial(), True),
    "diagonal t": lambda: elliptical(StudentTRadial(), False),
}


def errors(model, blocks, origin):
    """L in single precision less L in double, around the origin and a little beyond."""
    thetas = origin + 0.1 * RNG.normal(size=(20, len(origin)))
    quick = blocks.log_mean(model, thetas, 0.5, SingleRows(model, blocks, 0.5, origin))
    return quick - blocks.log_mean(model, thetas, 0.5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_close_to_double(case, weighted):
    model, rows, origin = CASES[case]()
    weight = RNG.uniform(0, 3, len(rows)) if weighted else None
    error = np.max(np.abs(errors(model, RowBlocks(rows, weight), origin)))
    # Single precision it is: double would agree to the last bits.
    assert 1e-13 < error < 1e-7


@pytest.mark.parametrize("case", ["normal noise", "full normal"])
def test_features_too_many_to_hold(case, monkeypatch):
    monkeypatch.setattr(skholder.rows.single, "_HELD", 1)
    model, rows, origin = CASES[case]()
    assert np.max(np.abs(errors(model, RowBlocks(rows), origin))) < 1e-7


@pytest.mark.parametrize(("case", "moving"), [("normal noise", [3]), ("full normal", [0, 1, 2])])
def test_offsets_do_not_cancel(case, moving):
    # Plain single precision would keep one digit of a residual of size 1 beside 1e6.
    model, rows, origin = CASES[case]()
    theta = origin + 0.1 * RNG.normal(size=(20, len(origin)))
    expected = RowBlocks(rows).log_mean(model, theta, 0.5)
    rows[:, moving] += 1e6
    location = np.arange(len(origin)) < (1 if case == "normal noise" else 3)
    blocks = RowBlocks(rows)
    single = SingleRows(model, blocks, 0.5, origin + 1e6 * location)
    found = blocks.log_mean(model, theta + 1e6 * location, 0.5, single)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_rows_beyond_single_precision_are_summed_in_double_products():
    model, rows, origin = CASES["normal noise"]()
    rows[7, -1] = 1e200
    assert np.max(np.abs(errors(model, RowBlocks(rows), origin))) < 1e-7


def test_far_from_the_data():
    model, rows, origin = CASES["normal noise"]()
    blocks, far = RowBlocks(rows), origin + 60.0 * np.eye(4)[:1]
    quick = blocks.log_mean(model, far, 0.5, SingleRows(model, blocks, 0.5, origin))
    np.testing.assert_allclose(quick, blocks.log_mean(model, far, 0.5), rtol=1e-12)
