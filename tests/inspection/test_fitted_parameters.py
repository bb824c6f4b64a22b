"""Parameters of fits under the names of the user's columns."""

import numpy as np
import pytest

from skholder import HolderBayesDensity
from skholder.exceptions import IdentifiabilityWarning
from skholder.inspection._fitted import choose_parameters


def names(estimator, wanted=None, **kwargs):
    return [parameter.name for parameter in choose_parameters(estimator, wanted, **kwargs)]


def values(estimator, name):
    (parameter,) = choose_parameters(estimator, [name])
    return parameter.of(estimator.posterior_[parameter.key])


def test_spellings_of_a_parameter(regressor):
    labels = ["BMI", "Age", "Cost"]
    spellings = ["coef[Age]", "coef[age]", "coef[1]"]
    assert names(regressor, spellings, feature_names=labels) == ["coef[Age]"]
    assert names(regressor, ["coef"], feature_names=labels) == [
        "coef[BMI]",
        "coef[Age]",
        "coef[Cost]",
    ]


def test_covariances(density):
    assert names(density, ["covariance"]) == [
        "covariance[x0, x0]",
        "covariance[x0, x1]",
        "covariance[x1, x1]",
    ]
    np.testing.assert_array_equal(
        values(density, "covariance[x0, x1]"), density.posterior_["covariance"][:, 0, 1]
    )
    assert "covariance[x0, x0]" not in names(density)


def test_epsilon(density):
    np.testing.assert_array_equal(values(density, "epsilon"), density.epsilon_posterior_)
    with pytest.raises(ValueError, match="no parameter 'alpha'"):
        choose_parameters(density, ["alpha"])


def test_columns_without_spread_keep_their_names_to_themselves():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.laplace(size=80), np.ones(80), 5 + rng.laplace(size=80)])
    model = HolderBayesDensity(model="laplace", inference="laplace", n_draws=100, random_state=0)
    with pytest.warns(IdentifiabilityWarning):
        model.fit(X)
    chosen = choose_parameters(model, ["location"])
    assert [(p.name, p.column) for p in chosen] == [("location[x0]", 0), ("location[x2]", 2)]
    assert values(model, "location[x2]").mean() == pytest.approx(5, abs=0.5)


def test_many_parameters_leave_room_for_epsilon(wide):
    model, _ = wide
    assert names(model) == ["location[x0]", "location[x1]", "location[x2]", "epsilon"]
    X = np.random.default_rng(0).gamma(3.0, size=(80, 4))
    gamma = HolderBayesDensity(model="gamma", inference="laplace", n_draws=100, random_state=0)
    shown = names(gamma.fit(X))
    assert len(shown) == 6
    assert shown[-1] == "epsilon"


def test_parameters_of_a_users_model():
    from scipy.stats import norm

    class Normal:
        parameter_names = ("centre", "log_width")

        def log_density(self, theta, X):
            return norm.logpdf(X, theta[:, 0], np.exp(theta[:, 1]))

        def starts(self, X):
            return [[0.0, 0.0]]

    X = np.random.default_rng(0).normal(size=(60, 1))
    model = HolderBayesDensity(model=Normal(), inference="laplace", n_draws=100, random_state=0)
    assert names(model.fit(X)) == ["centre", "log_width", "epsilon"]
    np.testing.assert_array_equal(values(model, "centre"), model.posterior_["centre"])
