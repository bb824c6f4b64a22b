"""Explanations of the rows of a fit."""

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.audit import Audit
from skholder.audit.explanation import Contribution, Explanation, Residual, column_reason

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

QUICK = {"n_draws": 400, "random_state": 0}
N = 150


@pytest.fixture(scope="module")
def table(contaminated):
    """A frame of two covariates and a response, in units far from the computing scale."""
    X, y, *_ = contaminated(N, 2, 0.12)
    frame = pd.DataFrame(X * [10.0, 0.2] + [50.0, -3.0], columns=["age", "dose"])
    frame["pressure"] = 5 * y + 100
    frame.index = [f"p{i}" for i in range(N)]
    return frame


@pytest.fixture(scope="module")
def regression(table):
    return HolderBayesRegressor(**QUICK).fit(table[["age", "dose"]], table["pressure"])


@pytest.fixture(scope="module")
def density(table):
    return HolderBayesDensity(**QUICK).fit(table)


class TestRegression:
    def test_numbers_are_those_of_the_estimator(self, regression, table):
        X, y = table[["age", "dose"]], table["pressure"]
        mean, sd = regression.predict(X, return_std=True)
        ends = regression.predict_interval(X)
        audit = regression.audit()
        design = np.column_stack([np.ones(N), X])
        hat = np.diag(design @ np.linalg.pinv(design))
        for position in (0, 7, 149):
            found = audit.explain(position=position).residual
            assert found.target == "pressure"
            assert found.observed == y.iloc[position]
            assert found.fitted == pytest.approx(mean[position])
            assert found.sd == pytest.approx(sd[position])
            assert found.residual == pytest.approx(y.iloc[position] - mean[position])
            assert found.standardised == pytest.approx(found.residual / sd[position])
            assert found.leverage == pytest.approx(hat[position])
            assert found.mean_leverage == pytest.approx(3 / N)
            np.testing.assert_allclose(found.interval, ends[position], atol=0.03 * sd[position])

    def test_words(self, regression):
        row = regression.audit().explain("p0")
        assert row.flagged
        z = row.residual.standardised
        assert row.reason == f"pressure is {z:.1f} sd above its prediction"
        assert str(row).startswith("Row p0 is flagged (FoD ")
        assert f"{z:.1f} sd above its prediction of" in str(row)
        assert "95% predictive interval" in str(row)
        assert "times the average" in str(row)

    def test_a_row_that_is_not_flagged(self, regression):
        audit = regression.audit()
        row = audit.explain(position=int(audit.order[-1]))
        assert not row.flagged
        assert " is not flagged (FoD 0.0" in str(row)

    def test_weights_are_copies(self, contaminated):
        X, y, *_ = contaminated(60, 1, 0.1)
        weight = np.arange(60) % 3 + 1
        copies = np.repeat(np.arange(60), weight)
        options = {**QUICK, "inference": "laplace"}
        weighted = HolderBayesRegressor(**options).fit(X, y, sample_weight=weight).audit()
        repeated = HolderBayesRegressor(**options).fit(X[copies], y[copies]).audit()
        for name in ("fitted", "sd", "leverage"):
            np.testing.assert_allclose(
                getattr(weighted.evidence, name)[copies],
                getattr(repeated.evidence, name),
                rtol=1e-9,
            )
        assert weighted.evidence.mean_leverage == pytest.approx(repeated.evidence.mean_leverage)

    def test_noise_without_a_variance(self, contaminated):
        from skholder.models import StudentTNoise

        X, y, *_ = contaminated(80, 1, 0.1)
        options = {**QUICK, "inference": "laplace"}
        audit = HolderBayesRegressor(noise=StudentTNoise(2.0), **options).fit(X, y).audit()
        row = audit.explain(0).residual
        assert np.isfinite(row.sd)
        assert row.interval[0] < row.fitted < row.interval[1]


class TestDensity:
    def test_the_log_density_rises_by_the_contribution(self, density, table):
        # For the normal it is exact: move the column, and score the row again.
        audit = density.audit()
        ends = {name: [*table[name]] for name in table}
        for position in (0, 3, 99):
            row = audit.explain(position=position)
            for part in row.contributions:
                moved = table.iloc[[position]].copy()
                moved[part.column] = part.expected
                rise = density.audit_scores(moved)[0][0] - row.log_density
                if min(abs(part.expected - end) for end in ends[part.column]) < 1e-9:
                    # The most likely value is none that the column can take.
                    assert part.nats > rise
                    continue
                assert part.nats == pytest.approx(rise, rel=1e-6, abs=1e-6)
                for step in (-1e-3, 1e-3):
                    beside = moved.copy()
                    beside[part.column] += step * abs(part.observed - part.expected)
                    assert density.audit_scores(beside)[0][0] < row.log_density + rise

    def test_worst_first_and_named(self, density):
        row = density.audit().explain("p0")
        nats = [part.nats for part in row.contributions]
        assert nats == sorted(nats, reverse=True)
        assert {part.column for part in row.contributions} == {"age", "dose", "pressure"}
        assert row.contributions[0].column == "pressure"
        assert row.contributions[0].direction == "above"
        assert row.residual is None

    def test_words(self, density):
        row = density.audit().explain("p0")
        first = row.contributions[0]
        far = f"{np.sqrt(2 * first.nats):.1f} sd above the expected "
        assert row.reason.startswith(f"pressure is {first.observed:.1f}, {far}")
        assert str(row).startswith("Row p0 is flagged (FoD ")
        assert "above the expected" in str(row)
        assert far in str(row)
        assert "nats" not in str(row)

    def test_a_model_of_the_users_own(self, table):
        class Spread:
            parameter_names = ("location", "log_scale")
            lower = (-np.inf, -4.0)

            def log_density(self, theta, X):
                location, log_scale = theta.T
                return -np.abs(X - location) * np.exp(-log_scale) - log_scale - np.log(2)

            def starts(self, X):
                return [[np.median(X), 0.0]]

        model = HolderBayesDensity(model=Spread(), **QUICK, inference="laplace")
        audit = model.fit(table[["pressure"]]).audit()
        row = audit.explain("p0")
        assert row.contributions == ()
        assert str(row).endswith("the model does not split into columns.")
        assert set(audit.to_frame()["reason"]) == {"the model does not split into columns"}

    @pytest.mark.parametrize("model", ["student_t", "laplace", "gamma"])
    def test_other_models(self, table, model):
        fitted = HolderBayesDensity(model=model, inference="laplace", **QUICK)
        audit = fitted.fit(np.abs(table[["age", "pressure"]]) + 1).audit()
        row = audit.explain("p0")
        assert row.contributions[0].column == "pressure"
        assert row.contributions[0].direction == "above"
        assert row.contributions[0].nats > 2
        assert 60 < row.contributions[0].expected < 140


class TestFrame:
    @pytest.mark.parametrize("which", ["regression", "density"])
    def test_reasons_agree_with_explanations(self, request, which):
        audit = request.getfixturevalue(which).audit()
        frame = audit.to_frame()
        scores = ["flagged", "fod", "log_density", "row", "tail_probability", "expected_by_chance"]
        assert list(frame.columns) == [*scores, "reason"]
        for label in frame.index[[0, 1, 60, -1]]:
            assert frame.loc[label, "reason"] == audit.explain(label).reason

    def test_auditor(self, regression, table):
        auditor = OutlierAuditor(HolderBayesRegressor(**QUICK))
        audit = auditor.fit(table[["age", "dose"]], table["pressure"]).audit_
        assert audit.explain("p0").reason == regression.audit().explain("p0").reason
        assert "reason" in audit.to_frame()

    def test_pickle(self, density):
        again = pickle.loads(pickle.dumps(density))
        assert str(again.audit().explain("p5")) == str(density.audit().explain("p5"))


def bare(index=None, n=5):
    fod, log_density = np.linspace(0, 1, n), -np.arange(float(n))
    return Audit.from_posterior(np.array([2]), fod, log_density, index=index)


class TestLookup:
    def test_label_of_the_index(self):
        index = pd.Index([30, 10, 20, 50, 40])
        row = bare(index).explain(10)
        assert (row.row, row.label) == (1, 10)

    def test_position_whatever_the_index(self):
        row = bare(pd.Index(list("abcde"))).explain(position=3)
        assert (row.row, row.label, row.flagged) == (3, "d", True)

    def test_position_without_an_index(self):
        row = bare().explain(np.int64(4))
        assert (row.row, row.label) == (4, 4)
        assert row.fod == 1.0
        assert type(row.row) is int

    @pytest.mark.parametrize("label", ["z", 3, ["a"]])
    def test_unknown_label(self, label):
        with pytest.raises(KeyError, match=r"No row is labelled .*position="):
            bare(pd.Index(list("abcde"))).explain(label)

    def test_label_of_several_rows(self):
        audit = bare(pd.Index(list("abcba")))
        with pytest.raises(KeyError, match=r"2 rows are labelled 'b'.*position=1"):
            audit.explain("b")
        assert audit.explain("c").row == 2
        assert audit.explain(position=3).label == "b"

    def test_tuples_and_dates(self):
        pairs = pd.MultiIndex.from_product([["x", "y"], [1, 2]])
        assert bare(pairs, 4).explain(("y", 1)).row == 2
        days = pd.date_range("2024-01-01", periods=5)
        row = bare(days).explain(pd.Timestamp("2024-01-03"))
        assert row.row == 2
        assert row.to_dict()["label"] == "2024-01-03 00:00:00"

    def test_part_of_a_label(self):
        pairs = pd.MultiIndex.from_tuples([("x", 1), ("y", 1), ("y", 2)])
        for index in (pairs, pairs[[1, 0, 2]]):
            assert bare(index, 3).explain("x").label == ("x", 1)
        with pytest.raises(KeyError, match="2 rows are labelled 'y'"):
            bare(pairs, 3).explain("y")

    def test_part_of_a_time(self):
        noons = pd.to_datetime(["2020-01-01 12:00", "2020-01-02 12:00", "2020-02-03 12:00"])
        audit = bare(noons, 3)
        assert audit.explain("2020-01-02").row == 1
        assert audit.explain("2020-02").row == 2
        with pytest.raises(KeyError, match="2 rows are labelled '2020-01'"):
            audit.explain("2020-01")
        # Between the first and the last, but of no row.
        with pytest.raises(KeyError, match="No row is labelled '2020-01-20'"):
            audit.explain("2020-01-20")

    @pytest.mark.parametrize("position", [-1, 5, 2.0, "a", None])
    def test_no_such_position(self, position):
        error = TypeError if position is None else IndexError
        with pytest.raises(error, match=r"0 to 4|one of the two"):
            bare().explain(position)

    def test_one_of_the_two(self):
        with pytest.raises(TypeError, match="one of the two"):
            bare().explain(1, position=1)


class TestRecords:
    def test_frozen(self):
        row = bare().explain(0)
        with pytest.raises(FrozenInstanceError):
            row.fod = 0.5

    def test_audit_without_evidence(self):
        row = bare().explain(0)
        assert row.residual is None
        assert row.contributions == ()
        assert isinstance(row, Explanation)

    @pytest.mark.parametrize("which", ["regression", "density"])
    def test_dict_is_plain(self, request, which):
        row = request.getfixturevalue(which).audit().explain("p2").to_dict()
        assert json.loads(json.dumps(row)) == row
        assert row["explanation"].startswith("Row p2 ")

    def test_residual_in_words(self):
        row = Residual("y", 431.0, 152.34, 38.7, (76.4, 228.2), 0.0312, 0.026)
        assert str(row) == (
            "y is 431, 7.2 sd above its prediction of 152 (95% predictive interval 76 to 228); "
            "leverage 0.031, 1.2 times the average"
        )

    def test_contribution_in_words(self):
        row = Contribution("bmi", 61.0, 26.41, 12.13)
        assert str(row) == "bmi is 61, 4.9 sd above the expected 26"
        assert str(Contribution("bmi", 61.0, 26.41, 1e9)).startswith("bmi is 61, more than 1000 sd")
        at = Contribution("bmi", 1.0, 1.0, 0.7)
        assert at.direction == "at"
        assert not at.tells
        assert str(at) == "bmi is 1, as expected"

    def test_a_column_with_few_values_in_words(self):
        row = Contribution("smoker", 1.0, 0.0, 8.0, 0.015)
        assert str(row) == "smoker is 1 (so in 1.5% of the rows), expected 0"
        assert row.to_dict()["share"] == 0.015

    def test_columns_that_cost_little_beside_the_worst_are_no_reasons(self):
        parts = [Contribution("a", 9.0, 1.0, 30.0), Contribution("b", 2.0, 1.0, 2.0)]
        assert column_reason(parts) == "a is 9, 7.7 sd above the expected 1"
        assert column_reason(parts[1:]) == "b is 2, 2.0 sd above the expected 1"
        assert column_reason([]) == "no column stands out by itself"


class TestChance:
    """What chance alone would do, in the order that does not alarm."""

    def sentence(self, tail, flagged):
        reason = "y is 2.8 sd above its prediction"
        return str(Explanation(3, 3, flagged, 0.5, -4.0, reason, tail_probability=tail, n_rows=400))

    def test_a_row_of_a_clean_table(self):
        assert self.sentence(0.005, flagged=False) == (
            "Row 3 is not flagged (FoD 0.50): nothing unusual, about 2 such rows are expected "
            "among 400 clean ones; y is 2.8 sd above its prediction."
        )

    def test_a_flag_that_chance_explains(self):
        assert self.sentence(0.005, flagged=True) == (
            "Row 3 is flagged (FoD 0.50): y is 2.8 sd above its prediction; yet about 2 such rows "
            "are expected among 400 clean ones."
        )

    @pytest.mark.parametrize("flagged", [True, False])
    def test_a_row_that_it_does_not(self, flagged):
        assert self.sentence(1e-5, flagged).endswith(
            "y is 2.8 sd above its prediction; among 400 clean rows the chance of such a row is "
            "about 1 in 250."
        )
