import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.estimators.limits import FURTHEST, check_columns, check_plain_columns, within_reach

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 2)), RNG.normal(size=40)


class TestColumns:
    def test_sizes_at_the_limits_pass(self):
        centre, scale = np.array([1e152, 0.0, 5.0]), np.array([1.0, 1e-152, 1e152])
        check_columns(centre, scale, np.zeros(3, dtype=bool), "abc")

    @pytest.mark.parametrize(
        ("centre", "scale", "text"),
        [
            (1e153, 1.0, "b has values of size 1.0e\\+153"),
            (-1e200, 1.0, "b has values of size 1.0e\\+200"),
            (0.0, 1e153, "b has values of size 1.0e\\+153"),
            (0.0, 1e-153, "b varies by 1.0e-153 only"),
            (np.nan, 1.0, "b has values of size"),
        ],
    )
    def test_beyond_them_a_column_is_named(self, centre, scale, text):
        with pytest.raises(ValueError, match=text):
            check_columns(
                np.array([0.0, centre]), np.array([1.0, scale]), np.zeros(2, dtype=bool), "ab"
            )

    def test_the_spread_of_a_constant_column_means_nothing(self):
        check_columns(np.zeros(1), np.zeros(1), np.ones(1, dtype=bool), "a")
        with pytest.raises(ValueError, match="values of size"):
            check_columns(np.array([1e200]), np.ones(1), np.ones(1, dtype=bool), "a")


class TestPlainColumns:
    def test_a_few_far_values_do_not_matter(self):
        values = np.r_[X, [[1e300, 0], [-1e300, 1e40]]]
        check_plain_columns(values, None, "ab")

    @pytest.mark.parametrize("size", [1e8, 1e20, 1e300])
    def test_large_columns_are_refused(self, size):
        with pytest.raises(ValueError, match=r"b has ordinary values.*standardize=True"):
            check_plain_columns(X * [1.0, size], None, "ab")

    def test_columns_far_from_zero_are_refused(self):
        check_plain_columns(1e3 + X, None, "ab")
        with pytest.raises(ValueError, match=r"a has ordinary values.*differ by"):
            check_plain_columns(1e3 + 1e-6 * X, None, "ab")

    def test_constant_columns_pass(self):
        check_plain_columns(np.full((5, 1), 3.0), None, "a")

    def test_a_far_value_among_equal_ones(self):
        values = np.zeros((9, 1))
        values[0] = 1e12
        check_plain_columns(values, None, "a")
        values[0] = -1e20
        with pytest.raises(ValueError, match=r"a has equal values.*size 1.0e\+20"):
            check_plain_columns(values, None, "a")


def test_far_values_are_brought_within_reach():
    values = np.array([-np.inf, -1e90, 3.0, 1e90, np.inf])
    np.testing.assert_array_equal(
        within_reach(values), [-FURTHEST, -FURTHEST, 3.0, FURTHEST, FURTHEST]
    )


class TestFits:
    def test_the_message_has_the_name_of_the_column(self):
        frame = pd.DataFrame({"good": X[:, 0], "mass": 1e200 * X[:, 1]})
        for model in (HolderBayesDensity(), HolderBayesDensity(covariance_type="diag")):
            with pytest.raises(ValueError, match="Column 'mass' has values of size"):
                model.fit(frame)
        with pytest.raises(ValueError, match="Column 'mass' has values of size"):
            HolderBayesRegressor().fit(frame, Y)
        with pytest.raises(ValueError, match="The response 'price' varies by"):
            HolderBayesRegressor().fit(X, pd.Series(1e-200 * Y, name="price"))

    def test_standardize_false_says_what_it_cannot_compute_with(self):
        plain = {"standardize": False}
        with pytest.raises(ValueError, match=r"Column 'x0'.*standardize=True"):
            HolderBayesRegressor(**plain).fit(X + 1e9, Y)
        with pytest.raises(ValueError, match=r"The response 'y'.*standardize=True"):
            HolderBayesRegressor(**plain).fit(X, Y + 1e9)
        with pytest.raises(ValueError, match=r"Column 'x0'.*standardize=True"):
            HolderBayesDensity(**plain).fit(X + 1e9)

    def test_weights_are_numbers_of_rows(self):
        for weight, text in ((1e300, "more than"), (1e15, "more than"), (1e-300, "less than")):
            with pytest.raises(ValueError, match=f"sample_weight sums to.*{text}"):
                HolderBayesRegressor().fit(X, Y, sample_weight=np.full(40, weight))

    def test_ordinary_bayes_cannot_trust_a_value_beyond_all_digits(self):
        spoilt = np.r_[X, [[1e50, 0.0]]]
        with pytest.raises(ValueError, match="divergence='kl' trusts every row"):
            HolderBayesDensity(divergence="kl").fit(spoilt)
        for far in ((spoilt, np.append(Y, 0.0)), (X, np.append(Y[:-1], 1e50))):
            with pytest.raises(ValueError, match="divergence='kl' trusts every row"):
                HolderBayesRegressor(divergence="kl").fit(*far)
