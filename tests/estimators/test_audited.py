"""AuditedEstimator and OutlierRejector: rows left out of training."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingRegressor, StackingRegressor, VotingRegressor
from sklearn.feature_selection import RFE, RFECV
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import (
    AuditedEstimator,
    AuditReport,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)
from skholder.exceptions import HolderBayesWarning

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

AUDITOR = OutlierAuditor(HolderBayesRegressor(n_draws=400))
QUICK = HolderBayesRegressor(n_draws=400, inference="laplace")


@pytest.fixture(scope="module")
def spoiled():
    """Training rows with a fifth of the responses 6 standard deviations off; clean test rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 4))
    y = X @ [1.0, -1.0, 0.5, 2.0] + rng.normal(size=1200)
    outlier = rng.random(600) < 0.2
    return X[:600], y[:600] + 6 * y.std() * outlier, outlier, X[600:], y[600:]


@pytest.mark.parametrize("mode", ["drop", "weight"])
def test_ridge_gap_is_closed(spoiled, mode):
    X, y, outlier, X_test, y_test = spoiled

    def error(model):
        return root_mean_squared_error(y_test, model.predict(X_test))

    none, oracle = error(Ridge().fit(X, y)), error(Ridge().fit(X[~outlier], y[~outlier]))
    ours = error(AuditedEstimator(Ridge(), auditor=AUDITOR, mode=mode, random_state=0).fit(X, y))
    assert (none - ours) / (none - oracle) > 0.9


def test_drop_equals_refit_without_flagged_rows(spoiled):
    X, y, *_ = spoiled
    audited = AuditedEstimator(Ridge(), auditor=AUDITOR, random_state=0).fit(X, y)
    keep = ~audited.audit_.mask
    np.testing.assert_allclose(audited.estimator_.coef_, Ridge().fit(X[keep], y[keep]).coef_)
    assert audited.auditor_.fod_scores_.shape == (600,)


def test_weight_equals_fit_with_one_minus_fod(spoiled):
    X, y, *_ = spoiled
    audited = AuditedEstimator(Ridge(), auditor=AUDITOR, mode="weight", random_state=0).fit(X, y)
    by_hand = Ridge().fit(X, y, sample_weight=1 - audited.auditor_.fod_scores_)
    np.testing.assert_allclose(audited.estimator_.coef_, by_hand.coef_)


def test_budget_is_at_most_half_the_rows(spoiled):
    X, y, *_ = spoiled
    auditor = OutlierAuditor(
        HolderBayesRegressor(
            0.5, count="holder", n_draws=400, max_contamination=1.0, temperature=1e-6
        ),
        rule="upper",
    )
    with pytest.warns(match="vacuous"), pytest.warns(match=r"50\.0% of the rows"):
        audited = AuditedEstimator(Ridge(), auditor=auditor, random_state=0).fit(X, y)
    assert np.quantile(audited.auditor_.estimator_.outlier_count_posterior_, 0.97) > 400
    assert audited.audit_.count == 300


def test_mode_weight_needs_weights(spoiled):
    X, y, *_ = spoiled
    with pytest.raises(ValueError, match="mode='drop'"):
        AuditedEstimator(KNeighborsRegressor(), auditor=AUDITOR, mode="weight").fit(X, y)


def test_only_training_folds_are_cleaned(spoiled, monkeypatch):
    X, y, *_ = spoiled
    seen = []
    original = OutlierAuditor.fit
    monkeypatch.setattr(
        OutlierAuditor,
        "fit",
        lambda self, X, *a, **k: seen.append(len(X)) or original(self, X, *a, **k),
    )
    scores = cross_val_score(AuditedEstimator(Ridge(), auditor=AUDITOR, random_state=0), X, y, cv=3)
    assert seen == [400, 400, 400]
    # Scores still include the outliers of the test folds.
    assert scores.mean() < 0.6


def test_search_over_gamma_of_the_auditor(spoiled):
    X, y, *_ = spoiled
    model = AuditedEstimator(Ridge(), auditor=AUDITOR, random_state=0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {"auditedestimator__auditor__estimator__gamma": [0.3, 0.5]},
        scoring="neg_median_absolute_error",
        cv=2,
    ).fit(X, y)
    assert search.best_score_ > -1.2


def test_trees_and_missing_values(spoiled):
    X, y, *_ = spoiled
    model = AuditedEstimator(
        HistGradientBoostingRegressor(max_iter=20), auditor=AUDITOR, random_state=0
    )
    assert model.fit(X, y).predict(X).shape == (600,)
    holes = X.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"Impute and encode first"):
        model.fit(holes, y)


def test_text_columns_name_the_remedy(spoiled):
    X, y, *_ = spoiled
    frame = pd.DataFrame(X).assign(kind="a").rename(columns=str)
    with pytest.raises(ValueError, match=r"make_pipeline\(ColumnTransformer"):
        AuditedEstimator(Ridge(), auditor=AUDITOR).fit(frame, y)


def two_classes(n_bad=10):
    """Two classes 20 apart, each with rows far from its own."""
    rng = np.random.default_rng(1)
    far = np.tile([-30.0, 30.0], (n_bad, 1))
    X = np.vstack([rng.normal(0, 1, (150, 2)), rng.normal(20, 1, (90, 2)), far])
    y = np.repeat(["no", "yes", "no", "yes"], [150, 90, n_bad // 2, n_bad - n_bad // 2])
    return X, y


def test_classifier_audits_each_class():
    X, y = two_classes()
    auditor = OutlierAuditor(HolderBayesDensity(n_draws=400))
    model = AuditedEstimator(LogisticRegression(), auditor=auditor, random_state=0).fit(X, y)
    assert model.audit_.mask[:240].sum() <= 2
    assert model.audit_.mask[240:].sum() >= 8
    assert model.predict_proba(X).shape == (250, 2)
    assert list(model.classes_) == list(model.auditors_) == ["no", "yes"]
    assert model.score(X[:240], y[:240]) == 1
    np.testing.assert_array_equal(model.audit_.fod[y == "no"], model.auditors_["no"].fod_scores_)
    told = model.audit_.explain(position=241)
    assert told.flagged
    assert told.contributions[0].observed in (-30.0, 30.0)
    with pytest.raises(TypeError, match=r"one of its auditors_, of .*yes"):
        AuditReport(model)


def test_no_class_loses_more_than_its_share():
    # All bad rows in the smaller class: it gives up its share of them, not all.
    X, y = two_classes(0)
    X, y = np.vstack([X, [[-30.0, 30.0]] * 16]), np.append(y, ["yes"] * 16)
    auditor = HolderBayesDensity(n_draws=400)
    model = AuditedEstimator(LogisticRegression(), auditor=auditor, random_state=0).fit(X, y)
    wanted = sum(part.wanted_count for part in model.auditors_.values())
    lost = {label: model.audit_.mask[y == label].sum() for label in ("no", "yes")}
    for label, rows in lost.items():
        assert rows <= wanted * np.mean(y == label)
    assert lost["yes"] > 0


def test_classifier_weights_keep_class_shares():
    X, y = two_classes()
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    auditor = OutlierAuditor(HolderBayesDensity(n_draws=400))
    AuditedEstimator(Spy(), auditor=auditor, mode="weight", random_state=0).fit(X, y)
    for label in ("no", "yes"):
        assert seen[0][y == label].sum() == pytest.approx(np.sum(y == label))
    assert seen[0][240:].max() < 0.1


def test_a_small_class_is_kept_whole():
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(size=(200, 2)), rng.normal(20, 1, (8, 2))])
    y = np.repeat([0, 1], [200, 8])
    auditor = OutlierAuditor(HolderBayesDensity(n_draws=400))
    model = AuditedEstimator(LogisticRegression(), auditor=auditor, random_state=0).fit(X, y)
    assert list(model.classes_) == [0, 1]
    assert list(model.auditors_) == [0]
    assert not model.audit_.mask[200:].any()


def test_breast_cancer_keeps_its_classes():
    X, y = load_breast_cancer(return_X_y=True)
    model = AuditedEstimator(LogisticRegression(), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(StandardScaler().fit_transform(X[:, :4]), y)
    wanted = sum(part.wanted_count for part in model.auditors_.values())
    lost = np.array([model.audit_.mask[y == label].sum() for label in (0, 1)])
    assert lost.sum() > 0
    assert np.all(lost <= wanted * np.bincount(y) / len(y))


def test_leaving_much_out_is_told():
    # Columns with long tails, which a normal density takes for outliers.
    X, y = np.random.default_rng(0).lognormal(sigma=1.5, size=(300, 3)), np.arange(300) % 2
    auditor = OutlierAuditor(HolderBayesDensity(n_draws=400))
    model = AuditedEstimator(LogisticRegression(), auditor=auditor, random_state=0)
    with pytest.warns(HolderBayesWarning, match=r"The audit takes 4\d\.\d% of the rows.*skewed"):
        model.fit(X, y)
    assert model.audit_.mask.mean() > 0.25


def test_labels_have_no_residuals():
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"audited class by class.*Mislabelled rows"):
        AuditedEstimator(LogisticRegression(), auditor=HolderBayesRegressor()).fit(X, y)


def test_rejector_audits_a_numeric_response(spoiled):
    X, y, outlier, *_ = spoiled
    rejector = OutlierRejector(HolderBayesRegressor(n_draws=400), random_state=0)
    kept = rejector.fit_resample(X, y)[1]
    assert outlier[rejector.sample_indices_].mean() < 0.02
    assert len(kept) == len(rejector.sample_indices_)
    by_default = OutlierRejector(random_state=0).fit(X[:200], y[:200])
    assert outlier[by_default.sample_indices_].mean() < 0.02
    labels = OutlierRejector(random_state=0).fit(X[:100, :2], outlier[:100])
    assert isinstance(labels.auditor_.estimator_, HolderBayesDensity)


def test_delegated_methods_follow_the_estimator():
    assert not hasattr(AuditedEstimator(Ridge()), "predict_proba")
    assert hasattr(AuditedEstimator(LogisticRegression()), "predict_proba")


def test_weights_reach_both_parts(spoiled):
    X, y, *_ = spoiled
    weight = np.random.default_rng(3).integers(0, 3, size=600).astype(float)
    plain = AuditedEstimator(Ridge(), auditor=AUDITOR, random_state=0)
    plain.fit(X, y, sample_weight=weight)
    repeated = AuditedEstimator(Ridge(), auditor=AUDITOR, random_state=0)
    times = weight.astype(int)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(plain.estimator_.coef_, repeated.estimator_.coef_)
    with config_context(enable_metadata_routing=True):
        inner = HolderBayesRegressor(n_draws=400).set_fit_request(sample_weight=True)
        routed = AuditedEstimator(
            Ridge().set_fit_request(sample_weight=True),
            auditor=OutlierAuditor(inner),
            random_state=0,
        ).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(routed.estimator_.coef_, plain.estimator_.coef_)


class Lines(RegressorMixin, BaseEstimator):
    """A regressor that takes no weights."""

    def fit(self, X, y):
        self.line_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.line_.predict(X)


@pytest.mark.parametrize(
    "estimator",
    [
        Lines(),
        make_pipeline(StandardScaler(), LinearRegression()),
        GridSearchCV(Lines(), {}, cv=2),
        VotingRegressor([("one", LinearRegression()), ("two", Lines())]),
        StackingRegressor([("one", Ridge())], final_estimator=KNeighborsRegressor(), cv=2),
        RFECV(Ridge(), cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_weights_are_for_the_audit_alone_where_the_estimator_takes_none(spoiled, estimator):
    X, y, *_ = spoiled
    weight = np.where(np.arange(600) % 3, 1.0, 2.0)
    model = AuditedEstimator(estimator, auditor=QUICK, random_state=0)
    model.fit(X, y, sample_weight=weight)
    assert model.auditor_.estimator_.record_.total_weight == weight.sum()
    kept = ~model.audit_.mask
    by_hand = clone(estimator).fit(X[kept], y[kept])
    np.testing.assert_allclose(model.predict(X), by_hand.predict(X))
    with pytest.raises(ValueError, match="mode='drop'"):
        AuditedEstimator(estimator, auditor=QUICK, mode="weight").fit(X, y)


class HandsOn(Ridge):
    """A subclass whose fit names none of what it hands on."""

    def fit(self, X, y, **params):
        return super().fit(X, y, **params)


@pytest.mark.parametrize(
    "estimator",
    [
        GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2),
        TransformedTargetRegressor(Ridge()),
        VotingRegressor([("one", Ridge())]),
        RFE(Ridge(), n_features_to_select=1.0),
        HandsOn(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_weights_reach_what_is_wrapped(spoiled, estimator):
    X, y, *_ = spoiled
    weight = np.random.default_rng(3).integers(1, 4, size=600).astype(float)
    for mode in ("drop", "weight"):
        plain, wrapped = (
            AuditedEstimator(part, auditor=QUICK, mode=mode, random_state=0)
            .fit(X, y, sample_weight=weight)
            .predict(X)
            for part in (Ridge(), estimator)
        )
        np.testing.assert_allclose(wrapped, plain)


def test_weights_reach_the_default_of_a_transformed_target(spoiled):
    X, y, *_ = spoiled
    weight = np.random.default_rng(3).integers(1, 4, size=600).astype(float)
    wrapped, plain = (
        AuditedEstimator(part, auditor=QUICK, random_state=0)
        .fit(X, y, sample_weight=weight)
        .predict(X)
        for part in (TransformedTargetRegressor(), LinearRegression())
    )
    np.testing.assert_allclose(wrapped, plain)


def test_weights_reach_a_pipeline_that_asks_for_them(spoiled):
    X, y, *_ = spoiled
    with config_context(enable_metadata_routing=True):
        asking = Ridge().set_fit_request(sample_weight=True)
        chosen = {"auditor": QUICK, "mode": "weight", "random_state": 0}
        routed = AuditedEstimator(make_pipeline(asking), **chosen).fit(X, y)
        silent = AuditedEstimator(make_pipeline(Ridge()), **chosen)
        with pytest.raises(ValueError, match="mode='drop'"):
            silent.fit(X, y)
    plain = AuditedEstimator(Ridge(), **chosen).fit(X, y)
    np.testing.assert_allclose(routed.predict(X), plain.predict(X))


def test_what_cannot_be_is_refused_before_the_audit(spoiled, monkeypatch):
    X, y, *_ = spoiled
    for inner in (HolderBayesRegressor, HolderBayesDensity):
        monkeypatch.setattr(inner, "fit", lambda *args, **params: pytest.fail("fitted"))
    with pytest.raises(ValueError, match="mode='drop'"):
        AuditedEstimator(Lines(), auditor=QUICK, mode="weight").fit(X, y)
    for divergence in ("gamma", "kl"):
        for inner in (HolderBayesRegressor, HolderBayesDensity):
            auditor = inner(divergence=divergence)
            for model in (
                OutlierAuditor(auditor, contamination=0.1),
                AuditedEstimator(Ridge(), auditor=auditor),
                OutlierRejector(auditor),
            ):
                with pytest.raises(ValueError, match=r"needs the posterior of epsilon.*'dpd'"):
                    model.fit(X, y)


def test_rejector_forgets_the_names_of_an_earlier_frame(spoiled):
    X, y, *_ = spoiled
    rejector = OutlierRejector(QUICK, random_state=0)
    rejector.fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert list(rejector.feature_names_in_) == list("abcd")
    assert not hasattr(rejector.fit(X, y), "feature_names_in_")


def test_rejector_keeps_frames():
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(180, 2)), rng.normal(9, 1, (20, 2))])
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(200) + 7)
    target = pd.Series(np.arange(200), index=frame.index)
    rejector = OutlierRejector(OutlierAuditor(HolderBayesDensity(n_draws=400)), random_state=0)
    kept, kept_target = rejector.fit_resample(frame, target)
    assert isinstance(kept, pd.DataFrame)
    assert len(kept) == 200 - rejector.audit_.count
    assert kept.index.max() <= 186
    np.testing.assert_array_equal(kept.index, frame.index[rejector.sample_indices_])
    np.testing.assert_array_equal(kept_target, rejector.sample_indices_)


def test_rejector_in_imbalanced_learn_pipeline():
    pipeline = pytest.importorskip("imblearn.pipeline")
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(-2, 1, (90, 2)), rng.normal(2, 1, (90, 2)), [[40.0, 40.0]] * 12])
    y = np.repeat([0, 1, 0], [90, 90, 12])
    auditor = OutlierAuditor(HolderBayesDensity(n_draws=400))
    model = pipeline.make_pipeline(OutlierRejector(auditor, random_state=0), LogisticRegression())
    assert model.fit(X, y).score(X[:180], y[:180]) > 0.95
