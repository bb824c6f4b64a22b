import pickle

import numpy as np
import pytest

from skholder.models import EllipticalModel, NamedDraws, NormalRadial, StudentTRadial


def model(radial, full=True, k=3):
    return EllipticalModel(
        k,
        radial,
        full=full,
        location_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )


@pytest.fixture
def parts():
    """A model, draws of its theta and a map (3 -> 4 columns) back to the user's units."""
    rng = np.random.default_rng(0)
    made = model(StudentTRadial(5.0))
    # More draws than one slice of the running mean.
    theta = rng.uniform(-1, 1, size=(1203, made.n_params))
    return made, theta, rng.normal(size=4), rng.normal(size=(3, 4))


def test_location_and_covariance_in_the_users_units(parts):
    made, theta, centre, backward = parts
    draws = NamedDraws.elliptical(*parts)
    np.testing.assert_allclose(draws["location"], centre + theta[:, :3] @ backward)
    covariance = draws["covariance"]
    assert covariance.shape == (1203, 4, 4)
    for s in (0, 700, 1202):
        factor = made.factor(theta[s : s + 1])[0]
        scatter = np.linalg.inv(factor @ factor.T)
        # A Student-t with 5 degrees of freedom has 5 / 3 of its scatter as covariance.
        expected = 5 / 3 * backward.T @ scatter @ backward
        np.testing.assert_allclose(covariance[s], expected, rtol=1e-9, atol=1e-12)


def test_means_are_means_of_draws(parts):
    draws = NamedDraws.elliptical(*parts).with_alpha(np.linspace(0.5, 1, 1203))
    means = dict(draws.means())
    assert set(means) == {"location", "covariance"}
    np.testing.assert_allclose(means["location"], draws["location"].mean(axis=0))
    np.testing.assert_allclose(means["covariance"], draws["covariance"].mean(axis=0), rtol=1e-9)


def test_mean_of_few_draws(parts):
    made, theta, centre, backward = parts
    draws = NamedDraws.elliptical(made, theta[:7], centre, backward)
    expected = draws["covariance"].mean(axis=0)
    np.testing.assert_allclose(dict(draws.means())["covariance"], expected, rtol=1e-9)


def test_is_a_read_only_mapping(parts):
    draws = NamedDraws.elliptical(*parts)
    assert list(draws) == ["location", "covariance"]
    assert len(draws) == 2
    assert "alpha" not in draws
    full = draws.with_alpha(np.ones(1203))
    assert list(full) == ["location", "covariance", "alpha"]
    assert [name for name, _ in full.items()] == list(full)
    assert repr(full) == "NamedDraws(location, covariance, alpha)"
    with pytest.raises(KeyError):
        draws["scale"]
    with pytest.raises(TypeError):
        draws["location"] = 0


def test_plain_arrays():
    draws = NamedDraws({"rate": np.arange(6.0).reshape(3, 2)})
    assert list(draws) == ["rate"]
    assert len(draws) == 1
    np.testing.assert_array_equal(dict(draws.means())["rate"], [2, 3])
    with pytest.raises(KeyError):
        draws["covariance"]


def test_diagonal_covariance():
    made = model(NormalRadial(), full=False)
    theta = np.random.default_rng(1).uniform(-1, 1, size=(10, 6))
    draws = NamedDraws.elliptical(made, theta, np.zeros(3), np.diag([1.0, 2.0, 10.0]))
    expected = np.exp(2 * theta[:, 3:]) * [1, 4, 100]
    np.testing.assert_allclose(np.diagonal(draws["covariance"], axis1=1, axis2=2), expected)
    assert np.count_nonzero(draws["covariance"][0]) == 3


def test_covariances_are_not_held(parts):
    # 1203 matrices of 4 x 4 would be larger than theta itself.
    draws = NamedDraws.elliptical(*parts)
    size = len(pickle.dumps(draws))
    assert size < 8 * (1203 * (parts[1].shape[1] + 4)) + 5000
    again = pickle.loads(pickle.dumps(draws))
    np.testing.assert_array_equal(again["covariance"], draws["covariance"])
