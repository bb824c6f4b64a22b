"""The record of a fit, and how fits, audits and records are shown."""

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning"),
]
N = 1500
NAMES = ["size", "<i>weight</i>", "age"]


def quick(kind, **kwargs):
    return kind(**{"n_draws": 400, "random_state": 0, "inference": "laplace", **kwargs})


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = X @ [1.0, -1.0, 2.0] + rng.normal(size=N)
    y[:60] += 9
    X[-60:] += 7
    return pd.DataFrame(X, columns=NAMES, index=np.arange(N) + 10), pd.Series(y, name="<u>price")


@pytest.fixture(scope="module")
def regression(table):
    return quick(HolderBayesRegressor).fit(*table)


@pytest.fixture(scope="module")
def density(table):
    return quick(HolderBayesDensity).fit(table[0])


@pytest.fixture(scope="module")
def polars(table):
    return pl.DataFrame(dict(zip("abc", table[0].to_numpy().T, strict=True)))


class TestRecord:
    def test_fields_of_a_regression(self, table, regression):
        fit = regression.record_
        assert fit.columns == tuple(NAMES)
        assert fit.target == "<u>price"
        assert fit.library == "pandas"
        assert fit.index.equals(table[0].index)
        assert fit.n_chains == 1
        assert fit.theta is fit.draws.theta
        assert fit.model is fit.draws.model
        assert fit.threshold.shape == (400,)
        assert fit.in_words() == "linear regression of <u>price on 3 columns with normal noise"

    def test_fields_of_a_density(self, density):
        fit = density.record_
        assert fit.target is None
        assert fit.in_words() == "normal density of 3 columns with a full covariance"

    def test_weights(self, table):
        X, y = table[0].iloc[:50], table[1].iloc[:50]
        plain = quick(HolderBayesRegressor).fit(X, y).record_
        assert plain.weight is None
        np.testing.assert_array_equal(plain.row_weight, np.ones(50))
        assert plain.total_weight == 50
        weight = np.arange(50.0)
        weighted = quick(HolderBayesRegressor).fit(X, y, weight).record_
        np.testing.assert_array_equal(weighted.row_weight, weight)
        assert weighted.total_weight == weight.sum()

    def test_is_frozen(self, density):
        with pytest.raises(FrozenInstanceError):
            density.record_.target = "y"


class TestReprs:
    @pytest.mark.parametrize("which", ["regression", "density"])
    def test_everything_a_fit_leaves_is_short(self, request, table, which):
        fitted = request.getfixturevalue(which)
        for name, value in vars(fitted).items():
            if not isinstance(value, np.ndarray):
                assert len(repr(value)) < 600, name
        for name, value in vars(fitted.record_).items():
            if not isinstance(value, np.ndarray | pd.Index):
                assert len(repr(value)) < 1000, name
        assert len(repr(fitted.audit())) < 100

    @pytest.mark.parametrize("which", ["regression", "density"])
    def test_html_is_short_and_escaped(self, request, which):
        fitted = request.getfixturevalue(which)
        for shown in (fitted.audit(), fitted.diagnostics_):
            html = shown._repr_html_()
            assert len(html) < 4000
            assert "<i>" not in html
            assert "<u>" not in html

    def test_html_of_an_audit_has_the_words_of_the_frame(self, regression):
        html = regression.audit()._repr_html_()
        assert "rows flagged" in html
        assert "&lt;u&gt;price is" in html

    def test_html_of_fitted_estimators(self, table, regression, density):
        X, y = table
        auditor = OutlierAuditor(quick(HolderBayesDensity)).fit(X)
        cleaned = AuditedEstimator(Ridge(), auditor=OutlierAuditor(quick(HolderBayesRegressor)))
        for fitted in (regression, density, auditor, cleaned.fit(X, y)):
            html = fitted._repr_html_()
            # scikit-learn's own page, most of it style; none of our arrays in full.
            assert len(html) < 90_000
            assert "<i>weight" not in html
            assert " object at 0x" not in html


class TestFrames:
    def test_polars_in_polars_out(self, polars, table):
        y = pl.Series("price", table[1].to_numpy())
        for fitted in (
            quick(HolderBayesRegressor).fit(polars, y),
            quick(HolderBayesDensity).fit(polars),
        ):
            frame = fitted.audit().to_frame()
            assert isinstance(frame, pl.DataFrame)
            assert frame["row"].to_list() == list(fitted.audit().order)
            assert frame["flagged"].sum() == fitted.audit().count
            assert frame["reason"].dtype == pl.String

    def test_auditor(self, polars):
        auditor = OutlierAuditor(quick(HolderBayesDensity)).fit(polars)
        assert isinstance(auditor.audit_.to_frame(), pl.DataFrame)
        np.testing.assert_array_equal(auditor.feature_names_in_, ["a", "b", "c"])
        assert set(auditor.predict(polars)) == {-1, 1}
        out = auditor.set_output(transform="polars").transform(polars)
        assert out.columns == ["a", "b", "c", "fod", "log_density"]

    def test_cleaning(self, polars, table):
        y = pl.Series("price", table[1].to_numpy())
        auditor = OutlierAuditor(quick(HolderBayesRegressor))
        cleaned = AuditedEstimator(Ridge(), auditor=auditor).fit(polars, y)
        assert isinstance(cleaned.audit_.to_frame(), pl.DataFrame)
        assert "price is" in cleaned.audit_.to_frame()["reason"][0]
        X_kept, y_kept = OutlierRejector(auditor).fit_resample(polars, y)
        assert isinstance(X_kept, pl.DataFrame)
        assert isinstance(y_kept, pl.Series)
        assert len(X_kept) == len(y_kept) == N - cleaned.audit_.count

    def test_cleaning_keeps_the_name_of_a_pandas_response(self, table):
        auditor = OutlierAuditor(quick(HolderBayesRegressor))
        cleaned = AuditedEstimator(Ridge(), auditor=auditor).fit(*table)
        assert cleaned.auditor_.estimator_.record_.target == "<u>price"


def test_rows_without_weight_do_not_lead_an_audit(table):
    X, y = table[0].iloc[:200], table[1].iloc[:200].copy()
    y.iloc[7] += 1000
    weight = np.ones(200)
    weight[7] = 0
    fitted = quick(HolderBayesRegressor).fit(X, y, weight)
    audits = fitted.audit(), fitted.audit(rank="log_density")
    auditor = OutlierAuditor(quick(HolderBayesRegressor)).fit(X, y, sample_weight=weight)
    for audit in (*audits, auditor.audit_):
        frame = audit.to_frame()
        assert frame.index[-1] == 17
        assert frame["reason"].iloc[-1].startswith("not audited, its weight is 0")
        assert not frame["flagged"].iloc[-1]
        assert frame["weight"].iloc[-1] == 0
        assert not frame["reason"].iloc[0].startswith("not audited")


class TestArviz:
    def test_regression(self, table):
        pytest.importorskip("arviz")
        fitted = quick(HolderBayesRegressor, inference="mcmc").fit(*table)
        posterior = fitted.to_arviz()["posterior"]
        assert posterior["coef"].dims == ("chain", "draw", "column")
        assert list(posterior["column"].to_numpy()) == NAMES
        age = posterior["coef"].sel(column="age").to_numpy()
        np.testing.assert_array_equal(age.ravel(), fitted.posterior_["coef"][:, 2])
        np.testing.assert_array_equal(
            posterior["epsilon"].to_numpy(), 1 - posterior["alpha"].to_numpy()
        )
        np.testing.assert_array_equal(
            posterior["epsilon"].to_numpy().ravel(), fitted.epsilon_posterior_
        )
        assert posterior["epsilon"].shape == (4, 100)

    def test_density(self, density):
        pytest.importorskip("arviz")
        posterior = density.to_arviz()["posterior"]
        assert posterior["location"].dims == ("chain", "draw", "column")
        assert posterior["covariance"].dims == ("chain", "draw", "column", "other_column")
        pair = posterior["covariance"].sel(column="size", other_column="age").to_numpy()
        np.testing.assert_array_equal(pair.ravel(), density.posterior_["covariance"][:, 0, 2])

    @pytest.mark.parametrize("model", ["laplace", "gamma", "normal"])
    def test_columns_that_the_model_leaves_out(self, table, model):
        pytest.importorskip("arviz")
        X = np.abs(table[0]) + 0.1
        X["age"] = 1.0
        fitted = quick(HolderBayesDensity, model=model).fit(X[["age", "size", NAMES[1]]])
        posterior = fitted.to_arviz()["posterior"]
        if model == "normal":
            # A location has all columns: those without spread are where they are.
            assert list(posterior["column"].to_numpy()) == ["age", *NAMES[:2]]
            return
        name = next(name for name in posterior.data_vars if posterior[name].ndim == 3)
        assert posterior[name].dims == ("chain", "draw", "kept_column")
        assert list(posterior["kept_column"].to_numpy()) == NAMES[:2]

    def test_without_epsilon(self, table):
        pytest.importorskip("arviz")
        posterior = quick(HolderBayesRegressor, divergence="kl").fit(*table).to_arviz()["posterior"]
        assert not {"alpha", "epsilon"} & set(posterior.data_vars)
