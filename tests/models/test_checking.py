"""What a working-model object must be and return is told before any work is done."""

import numpy as np
import pytest

from skholder import HolderBayesDensity
from skholder.models import UserModel
from skholder.models.checking import TAKEN_NAMES


class Normal:
    """The normal of one column."""

    parameter_names = ("location", "log_scale")

    def log_density(self, theta, X):
        location, log_scale = theta.T
        z = (X - location) * np.exp(-log_scale)
        return -0.5 * z * z - log_scale - 0.5 * np.log(2 * np.pi)

    def starts(self, X):
        return [[np.median(X), np.log(np.std(X))]]


class Pair(Normal):
    """Two independent standard normals, moved."""

    parameter_names = ("first", "second")

    def log_density(self, theta, X):
        z = X[:, None, :] - theta
        return -0.5 * np.sum(z * z, axis=2) - np.log(2 * np.pi)

    def starts(self, X):
        return np.median(X, axis=0)

    def sample(self, theta, random):
        return theta + random.standard_normal(theta.shape)


def varied(original=Normal, **attributes):
    return type("Varied", (original,), attributes)()


def density(change):
    """The normal with another log density, made of its values."""
    return varied(log_density=lambda self, theta, X: change(Normal.log_density(self, theta, X)))


def fit(model, **settings):
    X = np.random.default_rng(0).normal(size=(300, 2 if isinstance(model, Pair) else 1))
    settings = {"gamma": 0.5, "inference": "laplace", "n_draws": 400, "random_state": 0, **settings}
    return HolderBayesDensity(model=model, **settings).fit(X)


def test_what_is_right_passes():
    assert fit(Normal()).epsilon_ < 0.02
    assert fit(Pair()).epsilon_ < 0.02


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda values: np.full_like(values, np.nan), "is NaN or"),
        (lambda values: np.where(values < -2, np.nan, values), "is NaN or .* at rows of X"),
        (lambda values: np.where(values < -1e3, np.nan, values), "at values far from those of X"),
        (lambda values: np.full_like(values, np.inf), r"is NaN or \+inf"),
        (lambda values: np.full_like(values, -np.inf), "is -inf at every row"),
        (lambda values: None, "must return float64.*NoneType"),
        (lambda values: values.astype(np.float32), "must return float64.*float32"),
        (lambda values: values.astype(int), "must return float64.*int64"),
        (lambda values: values + 0j, "must return float64.*complex128"),
        (lambda values: values.T, r"shape \(m, T\).* here \(300, 2\); got \(2, 300\)"),
        (lambda values: values.ravel(), r"shape \(m, T\)"),
        (lambda values: values[:, :1], r"shape \(m, T\)"),
        (lambda values: values[0, 0], r"shape \(m, T\).*got \(\)"),
        (lambda values: values + np.log(3), "integrates to 3 .*subtract the log"),
        (lambda values: values - np.log(2), "integrates to 0.5 "),
    ],
)
def test_log_densities(change, problem):
    with pytest.raises(ValueError, match=rf"Varied: log_density\(theta, X\) .*{problem}"):
        fit(density(change))


@pytest.mark.parametrize("log_scale", [-12.0, 3.0, 9.0, 12.0])
def test_an_integral_is_judged_only_where_it_is_known(log_scale):
    # Too narrow for the quadrature, or far wider than the rows: a poor start is no fault.
    X = np.random.default_rng(0).normal(size=(300, 1))
    model = varied(starts=lambda self, X: [[0.0, log_scale]])
    UserModel(model, X).check_on(X)


def test_a_density_without_an_integral():
    def log_density(self, theta, X):
        return theta[:, 0] - np.exp(theta[:, 0]) * X

    grows = varied(
        log_density=log_density, parameter_names=("log_rate",), starts=lambda *_: [[0.0]]
    )
    with pytest.raises(ValueError, match="has no integral: it does not fall off far from the rows"):
        fit(grows)


def test_names_may_be_an_array():
    named = varied(parameter_names=np.array(["location", "log_scale"]))
    assert list(fit(named, n_draws=40).posterior_) == ["location", "log_scale", "alpha"]


def test_a_density_follows_its_parameters():
    fixed = varied(log_density=lambda self, theta, X: 0 * theta[:, 0] - np.abs(X) - np.log(2))
    with pytest.raises(ValueError, match="stays the same when theta moves"):
        fit(fixed)


@pytest.mark.parametrize(
    ("starts", "problem"),
    [
        (None, "array of floats, got NoneType"),
        ("middle", "array of floats, got str"),
        ([[0.0], [0.0, 1.0]], "array of floats, got list"),
        ([[0.0, 0.0, 0.0]], r"shape \(M, 2\) with M > 0, got \(1, 3\)"),
        (np.empty((0, 2)), r"shape \(M, 2\) with M > 0"),
        ([[np.nan, 0.0]], "finite"),
        ([[0.0, -np.inf]], "finite"),
        ([[np.inf, 0.0]], "finite"),
    ],
)
def test_starts(starts, problem):
    with pytest.raises(ValueError, match=rf"Varied: starts\(X\) must .*{problem}"):
        fit(varied(starts=lambda self, X: starts))


def test_a_start_below_every_bound_is_lifted_to_it():
    model = varied(starts=lambda self, X: [[0.0, -np.inf]], lower=(-np.inf, -1.0))
    assert abs(fit(model).location_) < 0.3


@pytest.mark.parametrize(
    ("sample", "problem"),
    [
        (lambda self, theta, random: theta[0], r"here \(2, 2\); got \(2,\)"),
        (lambda self, theta, random: None, "got NoneType"),
        (lambda self, theta, random: theta * np.nan, "finite"),
        (lambda self, theta, random: theta[:, :1], r"shape \(T, k\)"),
    ],
)
def test_draws(sample, problem):
    with pytest.raises(ValueError, match=rf"Varied: sample\(theta, random\) must .*{problem}"):
        fit(varied(Pair, sample=sample))


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("a", "a"), "unique"),
        (("a b", "c"), "identifiers, got 'a b'"),
        ((1, 2), "identifiers, got 1"),
        ("ab", "sequence of names"),
        ((), "sequence of names"),
        (("epsilon", "b"), "has 'epsilon', a name of every fit"),
        (("a", "record"), "has 'record', a name of every fit"),
    ],
)
def test_names(names, problem):
    with pytest.raises(ValueError, match=f"Varied: parameter_names .*{problem}"):
        fit(varied(parameter_names=names))


def test_every_attribute_of_a_fit_is_taken():
    fitted = fit(Normal(), gamma="auto")
    names = {name[:-1] for name in vars(fitted) if name.endswith("_")} | set(fitted.posterior_)
    assert {*names, "feature_names_in"} - set(Normal.parameter_names) == TAKEN_NAMES


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("prior_scale", (1.0, 2.0, 3.0), "one for each of 2 parameters"),
        ("prior_scale", -1.0, "positive"),
        ("prior_mean", (0.0, np.nan), "one for each"),
        ("prior_mean", np.inf, "finite"),
        ("prior_mean", "zero", "one for each"),
        ("lower", np.inf, "finite or -inf"),
    ],
)
def test_priors(name, value, problem):
    with pytest.raises(ValueError, match=f"Varied: {name} must .*{problem}"):
        fit(varied(**{name: value}))


def test_a_class_is_no_object():
    with pytest.raises(ValueError, match=r"pass Normal\(...\), not Normal"):
        fit(Normal)
