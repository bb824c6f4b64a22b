"""OutlierAuditor: a detector and a transformer around a Hölder-Bayes fit."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N_OUTLIERS = 30


@pytest.fixture(scope="module")
def rows():
    """300 rows of three columns, the last 30 of them far away."""
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(270, 3)), rng.normal(7.0, 1.0, size=(N_OUTLIERS, 3))])


@pytest.fixture(scope="module")
def response(rows):
    rng = np.random.default_rng(1)
    y = rows @ [1.0, -1.0, 2.0] + rng.normal(size=300)
    y[:40] += 9.0
    return y


def quick(**params):
    return OutlierAuditor(HolderBayesDensity(n_draws=400), random_state=0, **params)


@pytest.fixture(scope="module")
def fitted(rows):
    return quick().fit(rows)


def test_flags_the_outliers(fitted, rows):
    labels = fitted.predict(rows)
    assert np.mean(labels[270:] == -1) > 0.9
    assert np.mean(labels[:270] == -1) < 0.05


def test_predict_is_negative_decision(fitted, rows):
    decision = fitted.decision_function(rows)
    np.testing.assert_array_equal(fitted.predict(rows) == -1, decision < 0)
    np.testing.assert_allclose(decision, fitted.score_samples(rows) - fitted.offset_)


def test_training_scores_are_those_of_the_estimator(fitted, rows):
    np.testing.assert_allclose(fitted.score_samples(rows), fitted.estimator_.log_density_)
    np.testing.assert_allclose(fitted.transform(rows)[:, -2], fitted.fod_scores_)
    assert fitted.epsilon_posterior_.shape == (400,)


def test_rule_takes_effect_without_refitting(fitted, rows):
    counts = []
    for rule in ("lower", "median", "upper"):
        changed = joblib.hash(fitted.estimator_)
        fitted.set_params(rule=rule)
        counts.append(np.sum(fitted.predict(rows) == -1))
        assert fitted.audit_.count == counts[-1]
        assert joblib.hash(fitted.estimator_) == changed
    fitted.set_params(rule="mean")
    assert counts[0] <= counts[1] <= counts[2]
    fitted.set_params(contamination=0.3)
    assert np.sum(fitted.predict(rows) == -1) > counts[2]
    fitted.set_params(contamination="auto")


def test_contamination_overrides_the_rule(fitted, rows):
    fitted.set_params(contamination=0.2)
    assert np.sum(fitted.predict(rows) == -1) == 60
    for level in (np.nan, None, "high", 1.0):
        fitted.set_params(contamination="auto", level=level)
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
            fitted.predict(rows)
    fitted.set_params(contamination=None, level=0.95)
    with pytest.raises(ValueError, match=r"contamination must be 'auto' or .* got None"):
        fitted.predict(rows)
    fitted.set_params(contamination="auto")


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("append", ["a", "b", "c", "fod", "log_density"]),
        ("scores", ["fod", "log_density"]),
        ("passthrough", ["a", "b", "c"]),
    ],
)
def test_outputs_and_their_names(rows, output, names):
    frame = pd.DataFrame(rows, columns=list("abc"), index=np.arange(300) + 1000)
    auditor = quick(output=output).fit(frame)
    assert list(auditor.get_feature_names_out()) == names
    out = auditor.set_output(transform="pandas").transform(frame)
    assert list(out.columns) == names
    assert list(out.index) == list(frame.index)
    out = auditor.set_output(transform="polars").transform(pl.DataFrame(rows, schema=list("abc")))
    assert out.columns == names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_score_columns_beside_columns_of_their_name(rows, library):
    frame = pd.DataFrame(rows, columns=["fod", "log_density_2", "c"])
    frame = frame if library == "pandas" else pl.from_pandas(frame)
    auditor = quick().set_output(transform=library).fit(frame)
    out = auditor.transform(frame)
    assert list(out.columns) == ["fod", "log_density_2", "c", "fod_3", "log_density_3"]
    np.testing.assert_array_equal(np.asarray(out["fod"]), rows[:, 0])
    np.testing.assert_array_equal(np.asarray(out["fod_3"]), auditor.fod_scores_)


def test_around_a_regressor_needs_y(rows, response):
    auditor = OutlierAuditor(HolderBayesRegressor(n_draws=400), random_state=0)
    with pytest.raises(ValueError, match="requires y"):
        auditor.fit(rows)
    labels = auditor.fit_predict(rows, response)
    assert np.all(labels[:40] == -1)
    np.testing.assert_array_equal(auditor.transform(rows), rows)
    with pytest.raises(ValueError, match=r"predict\(X, y\)"):
        auditor.predict(rows)
    np.testing.assert_array_equal(auditor.predict(rows, response), labels)


def test_unfitted_says_so(rows):
    with pytest.raises(NotFittedError):
        OutlierAuditor().predict(rows)


def test_own_random_state_of_the_estimator_wins(rows):
    own = HolderBayesDensity(n_draws=400, random_state=5)
    first = OutlierAuditor(own, random_state=0).fit(rows)
    second = OutlierAuditor(own, random_state=1).fit(rows)
    np.testing.assert_array_equal(first.epsilon_posterior_, second.epsilon_posterior_)


def test_weights_are_routed_when_requested(rows):
    weight = np.where(np.arange(300) < 270, 1.0, 0.0)
    plain = quick().fit(rows, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        inner = HolderBayesDensity(n_draws=400).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler(), OutlierAuditor(inner, random_state=0))
        pipeline[0].set_fit_request(sample_weight=False)
        pipeline.fit(rows, sample_weight=weight)
        routed = OutlierAuditor(inner, random_state=0).fit(rows, sample_weight=weight)
        refused = OutlierAuditor(HolderBayesDensity(n_draws=400))
        with pytest.raises(Exception, match="sample_weight"):
            refused.fit(rows, sample_weight=weight)
    np.testing.assert_array_equal(routed.epsilon_posterior_, plain.epsilon_posterior_)
    # Without the outliers' weight there is next to nothing left to find.
    assert np.mean(pipeline[-1].epsilon_posterior_) < 0.06


DETECTORS = [
    IsolationForest(random_state=0),
    OutlierAuditor(HolderBayesDensity(n_draws=400), random_state=0),
]


@pytest.mark.parametrize("detector", DETECTORS, ids=lambda d: type(d).__name__)
class TestDropInForIsolationForest:
    """Five programs in which only the detector's class name and arguments change."""

    def test_pipeline_with_scaler(self, detector, rows):
        pipeline = Pipeline([("scale", StandardScaler()), ("detect", clone(detector))])
        labels = pipeline.fit(rows).predict(rows)
        assert set(labels) == {-1, 1}
        assert np.mean(labels[270:] == -1) > 0.9
        keep = labels == 1
        y = rows @ [1.0, 2.0, 3.0]
        model = make_pipeline(StandardScaler(), Ridge()).fit(rows[keep], y[keep])
        assert model.score(rows, y) > 0.95

    def test_column_transformer_on_a_frame(self, detector, rows):
        frame = pd.DataFrame(rows, columns=list("abc")).assign(kind="x")
        columns = ColumnTransformer([("num", StandardScaler(), ["a", "b", "c"])])
        pipeline = make_pipeline(columns, clone(detector))
        assert np.mean(pipeline.fit(frame).decision_function(frame)[270:] < 0) > 0.9

    def test_feature_union_of_scores(self, detector, rows):
        class Scores(type(detector)):
            def transform(self, X):
                return self.score_samples(X)[:, None]

        scored = Scores(**detector.get_params(deep=False))
        union = FeatureUnion([("scores", scored), ("raw", StandardScaler())])
        out = union.fit(rows).transform(rows)
        assert out.shape == (300, 4)
        assert out[270:, 0].max() < np.median(out[:270, 0])

    def test_grid_search(self, detector, rows):
        name = "estimator__gamma" if isinstance(detector, OutlierAuditor) else "n_estimators"
        values = [0.2, 0.5] if isinstance(detector, OutlierAuditor) else [20, 50]
        truth = np.where(np.arange(300) < 270, 1, -1)

        def agreement(pipeline, X, y):
            return np.mean(pipeline.predict(X) == y)

        pipeline = Pipeline([("scale", StandardScaler()), ("audit", clone(detector))])
        order = np.random.default_rng(2).permutation(300)
        search = GridSearchCV(pipeline, {f"audit__{name}": values}, scoring=agreement, cv=2)
        search.fit(rows[order], truth[order])
        assert search.best_score_ > 0.8

    def test_dump_and_load(self, detector, rows, tmp_path):
        fitted = clone(detector).fit(rows)
        joblib.dump(fitted, tmp_path / "model.joblib")
        loaded = joblib.load(tmp_path / "model.joblib")
        np.testing.assert_array_equal(loaded.score_samples(rows), fitted.score_samples(rows))
