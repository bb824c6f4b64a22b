"""Radial laws against SciPy, a law of a user's own, and what check_radial refuses."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaincc, gammaln

from skholder import HolderBayesDensity
from skholder.models import NormalRadial, Radial, StudentTRadial, check_radial

Q = np.concatenate([[0.0], np.geomspace(1e-4, 200, 30)])


@dataclass(frozen=True)
class PowerExponential(Radial):
    """g(q) = -q^b / 2: normal at b = 1, lighter tails and a flatter top above."""

    b: float = 1.5

    def log_kernel(self, q, k):
        return -0.5 * np.maximum(q, 0.0) ** self.b

    def derivatives(self, q, k):
        q = np.maximum(q, 1e-300)
        return (
            -0.5 * self.b * q ** (self.b - 1),
            -0.5 * self.b * (self.b - 1) * q ** (self.b - 2),
        )

    def rise(self, q, drop, k):
        return self.log_kernel(q - drop, k) - self.log_kernel(q, k)

    def _log_integral(self, k, power):
        """log of the integral of exp(-power |z|^2b / 2) over R^k."""
        shape = k / (2 * self.b)
        sphere = np.log(2) + 0.5 * k * np.log(np.pi) - gammaln(k / 2)
        return sphere - np.log(2 * self.b) + gammaln(shape) - shape * np.log(power / 2)

    def log_norm(self, k):
        return self._log_integral(k, 1.0)

    def log_power(self, k, gamma):
        return self._log_integral(k, 1 + gamma) - (1 + gamma) * self.log_norm(k)

    def tail(self, q, k):
        return gammaincc(k / (2 * self.b), 0.5 * np.asarray(q) ** self.b)

    def covariance_factor(self, k):
        shape = k / (2 * self.b)
        return float(np.exp(gammaln(shape + 1 / self.b) - gammaln(shape)) * 2 ** (1 / self.b) / k)

    def sample(self, size, k, random):
        z = random.standard_normal((size, k))
        z /= np.sqrt(np.sum(z * z, axis=1, keepdims=True))
        q = (2 * random.gamma(k / (2 * self.b), size=size)) ** (1 / self.b)
        return z * np.sqrt(q)[:, None]


@pytest.mark.parametrize("k", [1, 2, 7])
def test_tail_of_the_normal_is_a_chi_square(k):
    np.testing.assert_allclose(NormalRadial().tail(Q, k), stats.chi2(k).sf(Q), rtol=1e-12)


@pytest.mark.parametrize("df", [0.7, 4.0, 50.0])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_tail_of_the_student_t_is_an_f(df, k):
    np.testing.assert_allclose(
        StudentTRadial(df).tail(Q, k), stats.f(k, df).sf(Q / k), rtol=1e-10, atol=1e-14
    )


@pytest.mark.parametrize("law", [NormalRadial(), StudentTRadial(), StudentTRadial(1.0)])
def test_the_packages_own_laws_pass_their_check(law):
    check_radial(law)


@pytest.mark.parametrize("b", [1.0, 1.5, 2.0])
def test_a_law_of_ones_own_passes(b):
    check_radial(PowerExponential(b))


def test_b_of_one_is_the_normal():
    for k in (1, 3):
        np.testing.assert_allclose(PowerExponential(1.0).log_norm(k), NormalRadial().log_norm(k))
        np.testing.assert_allclose(PowerExponential(1.0).covariance_factor(k), 1.0)


def broken(**methods):
    """PowerExponential with some methods replaced."""
    wrapped = {name: lambda self, *args, f=f: f(*args) for name, f in methods.items()}
    return type("Broken", (PowerExponential,), wrapped)()


GOOD = PowerExponential()


@pytest.mark.parametrize(
    ("methods", "condition"),
    [
        ({"log_kernel": lambda q, k: np.full_like(q, np.nan)}, "g is finite and elementwise"),
        ({"log_kernel": lambda q, k: float(np.sum(q))}, "g is finite and elementwise"),
        ({"log_kernel": lambda q, k: 1 + GOOD.log_kernel(q, k)}, r"g falls from g\(0\) = 0"),
        ({"log_kernel": lambda q, k: -GOOD.log_kernel(q, k)}, r"g falls from g\(0\) = 0"),
        (
            {"derivatives": lambda q, k: (-np.ones_like(q), GOOD.derivatives(q, k)[1])},
            "'derivatives' returns g' first",
        ),
        (
            {"derivatives": lambda q, k: (GOOD.derivatives(q, k)[0], np.ones_like(q))},
            "'derivatives' returns g'' second",
        ),
        ({"rise": lambda q, drop, k: 0.5 * drop}, r"rise\(q, drop\) = g\(q - drop\) - g\(q\)"),
        ({"log_norm": lambda k: 0.5 * k}, "log_norm is the log of its integral' in 1 dim"),
        # Right in one dimension only.
        ({"log_norm": lambda k: GOOD.log_norm(1)}, "log_norm is the log of its integral' in 3 dim"),
        ({"log_power": lambda k, gamma: 0.0}, "log_power is the log of its integral"),
        ({"tail": lambda q, k: 0.5 * GOOD.tail(q, k)}, r"tail falls from tail\(0\) = 1"),
        ({"tail": lambda q, k: 1 + np.asarray(q)}, r"tail falls from tail\(0\) = 1"),
        ({"sample": lambda size, k, random: np.zeros((k, size))}, "sample.* has shape"),
    ],
)
def test_broken_condition_is_named(methods, condition):
    law = broken(**methods)
    with pytest.raises(
        ValueError, match=f"The radial law Broken breaks the condition .*{condition}"
    ):
        check_radial(law)
    with pytest.raises(ValueError, match="The radial law Broken"):
        HolderBayesDensity(model=law, n_draws=100).fit(
            np.random.default_rng(0).normal(size=(30, 2))
        )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_a_law_of_ones_own_in_a_fit(covariance_type):
    law, rng = PowerExponential(1.5), np.random.RandomState(0)
    root = np.array([[1.0, 0.8], [0.0, 0.6]]) if covariance_type == "full" else np.diag([1.0, 3.0])
    X = [5.0, -1.0] + law.sample(600, 2, rng) @ root
    X[:60] = rng.normal([12, 8], 0.5, size=(60, 2))
    found = HolderBayesDensity(
        model=law, covariance_type=covariance_type, n_draws=400, random_state=0
    ).fit(X)
    assert abs(found.epsilon_ - 0.1) < 0.04
    covariance = law.covariance_factor(2) * root.T @ root
    width = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(found.location_, [5, -1], atol=0.15 * width.max())
    gap = (found.covariance_ - covariance) / np.outer(width, width)
    np.testing.assert_allclose(gap, 0, atol=0.2)
    assert found.audit().mask[:60].mean() > 0.9
    assert "PowerExponential" in found.record_.in_words()
    assert np.all(np.isfinite(found.audit().to_frame()["log_density"]))
    drawn = found.sample(2000, random_state=0)
    np.testing.assert_allclose(
        np.cov(drawn.T) / np.outer(width, width), covariance / np.outer(width, width), atol=0.25
    )


def test_the_rise_of_a_student_t_is_finite_however_far_the_row():
    law, q = StudentTRadial(4.0), np.array([1e24, 1e140, 3.0, 3.0])
    drop = np.array([1e24, 1e140, 3.0, 1e-9])
    expected = law.log_kernel(q - drop, 2) - law.log_kernel(q, 2)
    np.testing.assert_allclose(law.rise(q, drop, 2), expected, rtol=1e-6)
