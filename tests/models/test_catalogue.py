import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from skholder import HolderBayesDensity
from skholder.models import (
    DENSITY_NAMES,
    EllipticalModel,
    ExponentialFamily,
    GammaFamily,
    IndependentColumns,
    LaplaceFamily,
    LogNormalFamily,
    NormalRadial,
    PoissonFamily,
    StudentTRadial,
    UserModel,
    check_density,
)

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
PARTS = {
    "normal": NormalRadial,
    "student_t": StudentTRadial,
    "laplace": LaplaceFamily,
    "exponential": ExponentialFamily,
    "gamma": GammaFamily,
    "lognormal": LogNormalFamily,
    "poisson": PoissonFamily,
}


class Mine:
    parameter_names = ("location",)

    def log_density(self, theta, X):
        return -0.5 * (X - theta[:, 0]) ** 2 - 0.5 * np.log(2 * np.pi)

    def starts(self, X):
        return [[float(np.median(X))]]


def build(model, rows, covariance_type="full", **priors):
    kind = check_density(model)
    return kind.build(rows, covariance_type, None, **{**PRIORS, **priors})


def part_of(kind):
    return vars(kind).popitem()[1]


def test_every_name_is_known():
    assert set(PARTS) == DENSITY_NAMES
    for name, kind in PARTS.items():
        assert type(part_of(check_density(name))) is kind


@pytest.mark.parametrize("part", [StudentTRadial(7.0), GammaFamily(), Mine()])
def test_objects_are_taken_as_they_are(part):
    assert part_of(check_density(part)) is part


def test_object_that_is_no_model():
    with pytest.raises(ValueError, match="needs 'log_density'"):
        check_density(object())


@pytest.mark.parametrize("name", ["normal", "student_t"])
@pytest.mark.parametrize(("covariance_type", "n_params"), [("full", 9), ("diag", 6)])
def test_elliptical_models(name, covariance_type, n_params):
    model = build(name, np.zeros((4, 3)), covariance_type)
    assert isinstance(model, EllipticalModel)
    assert isinstance(model.radial, PARTS[name])
    assert model.n_params == n_params


@pytest.mark.parametrize(("name", "n_params"), [("laplace", 6), ("exponential", 3), ("gamma", 6)])
def test_columns(name, n_params):
    model = build(name, np.zeros((4, 3)))
    assert isinstance(model, IndependentColumns)
    assert isinstance(model.family, PARTS[name])
    assert model.n_params == n_params


def test_user_model():
    mine = Mine()
    model = build(mine, np.arange(4.0)[:, None])
    assert isinstance(model, UserModel)
    assert model.wrapped is mine


def test_priors_reach_the_model():
    priors = {"location_prior_scale": 1.5, "log_scale_prior_scale": 0.5, "min_scale": 0.01}
    for name in ("normal", "laplace"):
        prior = build(name, np.zeros((4, 1)), **priors).prior
        np.testing.assert_allclose(prior.scale, [1.5, 0.5])
        np.testing.assert_allclose(prior.lower, [-np.inf, np.log(0.01)])


@pytest.mark.parametrize("model", ["weibull", 3, None])
def test_estimator_names_the_parameter(model):
    with pytest.raises(InvalidParameterError, match="'model' parameter"):
        HolderBayesDensity(model=model).fit(np.arange(6.0)[:, None])


def test_degrees_of_freedom_matter():
    # A Student-t with many degrees of freedom is a normal, one with few is not.
    theta, rows = np.zeros((1, 5)), np.array([[4.0, 0.0]])

    def tail(part):
        model = build(part, np.zeros((4, 2)))
        return model.log_density(theta, rows)[0, 0]

    normal = tail(NormalRadial())
    assert abs(tail(StudentTRadial(1e7)) - normal) < 1e-4
    assert tail(StudentTRadial(2.0)) > normal + 2
