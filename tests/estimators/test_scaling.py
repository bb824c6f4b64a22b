import numpy as np
import pytest

from skholder.estimators.scaling import Scaling


def make(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) * [1.0, 50.0, 1e-4] + [0.0, 7.0, 1e3]


def test_mean_zero_and_population_sd_one():
    values = make()
    scaling = Scaling.of(values)
    scaled = scaling.apply(values)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(scaled.std(axis=0), 1, rtol=1e-9)
    np.testing.assert_allclose(scaling.centre, values.mean(axis=0), rtol=1e-12, atol=1e-14)
    assert not scaling.constant.any()


def test_without_centring_the_mean_square_is_one():
    values = make()
    scaling = Scaling.of(values, centre=False)
    np.testing.assert_array_equal(scaling.centre, 0)
    np.testing.assert_allclose(np.mean(scaling.apply(values) ** 2, axis=0), 1, rtol=1e-12)


def test_weights_are_repeats():
    values, repeats = make(30), np.arange(30) % 3 + 1
    weighted = Scaling.of(values, repeats.astype(float))
    written = Scaling.of(np.repeat(values, repeats, axis=0))
    np.testing.assert_allclose(weighted.centre, written.centre, rtol=1e-12)
    np.testing.assert_allclose(weighted.scale, written.scale, rtol=1e-8)


@pytest.mark.parametrize("size", [1e-150, 1e-300, 1e150, 1e300])
def test_numbers_of_any_size(size):
    values = make()[:, :1]
    scaling = Scaling.of(size * values)
    np.testing.assert_allclose(scaling.scale, size * values.std(), rtol=1e-12)
    np.testing.assert_allclose(scaling.apply(size * values), Scaling.of(values).apply(values))


@pytest.mark.parametrize("value", [0.0, 3.7, 1e150, 0.1])
def test_constant_column(value):
    scaling = Scaling.of(np.full((30, 1), value))
    assert scaling.constant.all()
    assert scaling.scale[0] == pytest.approx(max(1.0, 1e-13 * value), rel=1e-3)
    np.testing.assert_allclose(scaling.apply(np.full((1, 1), value)), 0, atol=1e-12 * value)


def test_powers_of_two_change_no_bit():
    values = make()
    np.testing.assert_array_equal(
        Scaling.of(values * 2.0**40).apply(values * 2.0**40), Scaling.of(values).apply(values)
    )


def test_identity():
    scaling = Scaling.identity(3)
    np.testing.assert_array_equal(scaling.apply(make()), make())


class TestGrossOutliers:
    def spoiled(self, value=1e9):
        values = make(201)[:, :1]
        values[0] = value
        return values

    def test_quartiles_take_over(self):
        values = self.spoiled()
        scaling = Scaling.of(values)
        low, middle, high = np.quantile(values[:, 0], [0.25, 0.5, 0.75])
        np.testing.assert_allclose(scaling.centre[0], middle)
        np.testing.assert_allclose(scaling.scale[0], (high - low) / 1.349, rtol=1e-3)

    def test_moderate_outliers_keep_the_sd(self):
        values = self.spoiled(20.0)
        np.testing.assert_allclose(Scaling.of(values).scale[0], values.std())

    @pytest.mark.parametrize("centre", [True, False])
    def test_weights_are_repeats(self, centre):
        values, repeats = self.spoiled(), np.arange(201) % 3 + 1
        weighted = Scaling.of(values, repeats.astype(float), centre)
        written = Scaling.of(
            np.repeat(values, repeats, axis=0), np.ones(int(repeats.sum())), centre
        )
        np.testing.assert_allclose(weighted.centre, written.centre)
        np.testing.assert_allclose(weighted.scale, written.scale)

    def test_rare_values_of_a_dummy_column(self):
        # The quartiles are equal: only the standard deviation can tell the scale.
        values = np.zeros((500, 1))
        values[0] = 1.0
        np.testing.assert_allclose(Scaling.of(values).scale[0], values.std())

    def test_without_centring(self):
        values = self.spoiled() + 100.0
        scaling = Scaling.of(values, centre=False)
        assert scaling.centre[0] == 0
        np.testing.assert_allclose(scaling.scale[0], 100.0, rtol=0.05)


@pytest.mark.parametrize("value", [3.0, -3e30, 3e100])
def test_equal_values_are_nothing_but_their_centre(value):
    weight = np.ones(21)
    weight[5] = 1000.0
    values = np.full((21, 1), value)
    scaling = Scaling.of(values, weight)
    assert scaling.constant.all()
    np.testing.assert_array_equal(scaling.apply(values), 0.0)
    # Nor are values that differ by rounding far apart.
    values[::2] = np.nextafter(value, np.inf)
    assert np.max(np.abs(Scaling.of(values, weight).apply(values))) < 1
