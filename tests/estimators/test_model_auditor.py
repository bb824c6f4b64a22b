"""ModelAuditor: any regressor, audited by its out-of-fold residuals."""

import pickle
import re

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import average_precision_score, root_mean_squared_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RepeatedKFold, ShuffleSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from skholder import (
    AuditedEstimator,
    AuditReport,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierRejector,
    inspection,
)
from skholder.estimators.residual_noise import residual_noise
from skholder.estimators.residual_posterior import ResidualTable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NEAR = KNeighborsRegressor(10)


def auditor(estimator, **kwargs):
    return ModelAuditor(estimator, **{"n_draws": 400, "random_state": 0, **kwargs})


def curved(n=600, seed=0):
    """A surface that no plane describes, every twentieth response spoiled; in sorted order."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    X = X[np.argsort(X[:, 0])]
    clean = 3 * np.cos(1.5 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)
    bad = np.arange(n) % 20 == 0
    return X, clean + 4 * bad, clean, bad


@pytest.fixture(scope="module")
def table():
    return curved()


@pytest.fixture(scope="module")
def fitted(table):
    X, y, *_ = table
    return auditor(NEAR).fit(X, y)


def test_neighbours_see_what_a_plane_does_not(fitted, table):
    X, y, _, bad = table
    plane = HolderBayesRegressor(n_draws=400, random_state=0).fit(X, y)
    assert average_precision_score(bad, fitted.fod_scores_) > 0.9
    assert average_precision_score(bad, plane.fod_scores_) < 0.8
    low, high = fitted.epsilon_interval_
    assert low < 0.07
    assert high > 0.04
    assert fitted.audit_.mask[bad].mean() > 0.9
    assert fitted.clean_probability_ < 0.01


def test_residuals_are_of_rows_not_seen(table):
    X, y, *_ = table
    folds = KFold(4, shuffle=True, random_state=3)
    found = auditor(Ridge(), cv=folds).fit(X, y)
    for train, test in folds.split(X):
        by_hand = y[test] - Ridge().fit(X[train], y[train]).predict(X[test])
        np.testing.assert_allclose(found.residuals_[test], by_hand)


def test_integer_folds_are_shuffled(table):
    # Out-of-fold neighbours of a sorted table would have to be extrapolated otherwise.
    X, y, *_ = table
    shuffled = auditor(NEAR).fit(X, y)
    blocks = auditor(NEAR, cv=KFold(5)).fit(X, y)
    assert np.median(np.abs(shuffled.residuals_)) < 0.6 * np.median(np.abs(blocks.residuals_))


def test_rows_predicted_more_than_once_get_the_mean(table):
    X, y, *_ = table
    folds = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    found = auditor(Ridge(), cv=folds).fit(X, y)
    expected = np.zeros(len(y))
    for train, test in folds.split(X):
        expected[test] += Ridge().fit(X[train], y[train]).predict(X[test]) / 2
    np.testing.assert_allclose(found.residuals_, y - expected)


def test_refit_leaves_flagged_rows_out(table):
    X, y, clean, _ = table
    found = auditor(DecisionTreeRegressor(min_samples_leaf=5, random_state=0)).fit(X, y)
    kept = ~found.audit_.mask
    again = clone(found.estimator).fit(X[kept], y[kept])
    np.testing.assert_array_equal(found.predict(X), again.predict(X))
    every = auditor(found.estimator, refit=False).fit(X, y)
    np.testing.assert_array_equal(every.predict(X), clone(found.estimator).fit(X, y).predict(X))
    errors = [root_mean_squared_error(clean, model.predict(X)) for model in (found, every)]
    assert errors[0] < 0.9 * errors[1]


def test_new_rows(fitted, table):
    new, _, clean, _ = curved(seed=5)
    assert fitted.fod(new, clean).mean() < 0.1
    assert fitted.fod(new, clean + 6).mean() > 0.95
    assert fitted.tail_probability(new, clean + 6).max() < 0.01
    assert 0.3 < fitted.tail_probability(new, clean).mean() < 0.7


def test_words_are_about_the_response(table):
    X, y, *_ = table
    frame = pd.DataFrame(X, columns=["rooms", "age"], index=[f"house {i}" for i in range(len(y))])
    found = auditor(NEAR).fit(frame, pd.Series(y, name="price", index=frame.index))
    told = found.audit_.explain("house 40")
    assert re.fullmatch(
        r"price is [\d.]+ sd above what the model predicts without having seen it", told.reason
    )
    assert told.residual.observed == y[40]
    assert told.residual.fitted == pytest.approx(
        y[40] - found.residuals_[40] + found.residual_posterior_.intercept_
    )
    assert "95% predictive interval" in str(told)
    assert found.audit_.to_frame().index[0].startswith("house ")
    assert list(found.feature_names_in_) == ["rooms", "age"]
    words = found.residual_posterior_.record_.in_words()
    assert words == "prediction of price by KNeighborsRegressor with normal noise"


def test_rules(fitted):
    sizes = [fitted.audit(rule).count for rule in ("lower", "mean", "upper")]
    assert sizes == sorted(sizes)
    assert fitted.audit("certain").count <= fitted.audit("fdr").count
    changed = pickle.loads(pickle.dumps(fitted)).set_params(rule="certain")
    assert changed.audit_.count == fitted.audit("certain").count
    assert changed.wanted_count == fitted.audit("certain").count


def test_table_is_passed_as_it_is(table):
    X, y, *_ = table
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 0, "up", "down"))
    frame.loc[::7, "b"] = np.nan
    trees = HistGradientBoostingRegressor(max_iter=5, categorical_features="from_dtype")
    found = auditor(trees).fit(frame, y)
    assert found.n_features_in_ == 3
    assert found.fod(frame[:5], y[:5]).shape == (5,)
    assert inspection.FoDDisplay.from_estimator(found, frame, y).ax_.get_xlabel() == "Fitted y"


def test_pipeline_and_search(table):
    X, y, *_ = table
    steps = make_pipeline(StandardScaler(), DecisionTreeRegressor(random_state=0))
    words = auditor(steps).fit(X, y).residual_posterior_.record_.in_words()
    assert "by DecisionTreeRegressor" in words
    search = GridSearchCV(
        auditor(DecisionTreeRegressor(random_state=0)),
        {"estimator__max_depth": [1, 4]},
        cv=KFold(2, shuffle=True, random_state=0),
    ).fit(X, y)
    assert search.best_params_ == {"estimator__max_depth": 4}


def test_fitted_scale():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, size=(800, 1))
    sd = 0.1 + 2 * X[:, 0] ** 3
    bad = np.arange(800) % 20 == 0
    y = X[:, 0] + sd * (rng.normal(size=800) + 4 * bad)
    trees = HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=40)
    plain, scaled = (auditor(trees, scale=scale).fit(X, y) for scale in ("constant", "fitted"))
    precision = [average_precision_score(bad, -m.log_density_) for m in (plain, scaled)]
    assert precision[1] > precision[0] + 0.03
    # Explanations stay in units of y, with a spread that follows the row.
    evidence = scaled.audit_.evidence
    np.testing.assert_allclose(evidence.observed, y)
    assert np.corrcoef(evidence.sd, X[:, 0])[0, 1] > 0.7
    new = np.array([[0.05], [0.95]])
    tails = scaled.tail_probability(new, plain.predict(new) + 1.5)
    assert tails[0] < tails[1]


class Unweighted(RegressorMixin, BaseEstimator):
    """A regressor whose fit takes no weights."""

    def fit(self, X, y):
        self.inner_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def heavy(n=2000, share=0.1, seed=0):
    """A plane whose honest noise is Student's with 4 degrees of freedom; a tenth moved by 12."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    bad = rng.uniform(size=n) < share
    moved = 12 * bad * rng.choice([-1, 1], n)
    return X, X @ [1.0, -1.0] + rng.standard_t(4, size=n) + moved, bad


def test_noise_chosen_from_the_residuals():
    X, y, bad = heavy()
    normal = auditor(LinearRegression()).fit(X, y)
    chosen = auditor(LinearRegression(), noise="auto").fit(X, y)
    assert normal.noise_.is_normal
    assert 2 < chosen.noise_.df < 20
    # Normal noise counts the tails of honest rows.
    assert abs(chosen.epsilon_ - bad.mean()) < 0.75 * (normal.epsilon_ - bad.mean())
    # The choice takes no random numbers of its own: naming its result gives the same bits.
    named = auditor(LinearRegression(), noise=chosen.noise_).fit(X, y)
    np.testing.assert_array_equal(chosen.fod_scores_, named.fod_scores_)


def test_normal_residuals_keep_normal_noise(table):
    X, y, *_ = table
    chosen, normal = (auditor(NEAR, noise=noise).fit(X, y) for noise in ("auto", "normal"))
    assert chosen.noise_ == normal.noise_
    np.testing.assert_array_equal(chosen.fod_scores_, normal.fod_scores_)


def test_weights_equal_repeats_where_noise_is_chosen():
    X, y, _ = heavy(n=900)
    count = np.arange(900) % 3
    table = {"response": y, "prediction": X @ [1.0, -1.0], "size": np.ones(900)}
    labels = {"target": "y", "predictor": "plane", "index": None, "library": "pandas"}
    weighted = residual_noise("auto", ResidualTable(**table, **labels), count.astype(float))
    repeated = {name: np.repeat(values, count) for name, values in table.items()}
    assert weighted == residual_noise("auto", ResidualTable(**repeated, **labels), None)
    assert not weighted.is_normal


def test_weights(table):
    X, y, *_ = (part[:200] for part in table)
    weight = np.random.default_rng(0).integers(0, 3, size=200).astype(float)
    given = auditor(Ridge()).fit(X, y, sample_weight=weight)
    assert not np.allclose(given.residuals_, auditor(Ridge()).fit(X, y).residuals_)
    assert given.residual_posterior_.record_.total_weight == weight.sum()
    assert not given.audit_.mask[weight == 0].any()
    kept = weight > 0
    folds = [(a, b) for a, b in KFold(2).split(X)]
    ignored = auditor(Unweighted(), cv=folds).fit(X, y, sample_weight=weight)
    train, test = folds[0]
    by_hand = Unweighted().fit(X[train[kept[train]]], y[train[kept[train]]])
    np.testing.assert_allclose(ignored.residuals_[test], y[test] - by_hand.predict(X[test]))
    # Without metadata routing this one is refused weights, whatever it wraps.
    folded = auditor(RFECV(Ridge(), cv=2), cv=folds).fit(X, y, sample_weight=weight)
    by_hand = RFECV(Ridge(), cv=2).fit(X[train[kept[train]]], y[train[kept[train]]])
    np.testing.assert_allclose(folded.residuals_[test], y[test] - by_hand.predict(X[test]))


@pytest.mark.parametrize("routing", [False, True])
def test_groups_stay_together(table, routing):
    X, y, *_ = table
    # Every row five times: a neighbour from another fold would give the response away.
    X, y, groups = np.repeat(X[:100], 5, axis=0), np.repeat(y[:100], 5), np.repeat(range(100), 5)
    with config_context(enable_metadata_routing=routing):
        found = auditor(KNeighborsRegressor(1), cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert np.median(np.abs(found.residuals_)) > 0.1


def test_weights_by_routing(table):
    X, y, *_ = table
    weight = np.where(np.arange(len(y)) % 2, 2.0, 1.0)
    plain = auditor(Ridge()).fit(X, y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        model = auditor(Ridge().set_fit_request(sample_weight=True))
        routed = model.fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(routed.residuals_, plain.residuals_)
        held = auditor(Ridge().set_fit_request(sample_weight=False))
        held.set_fit_request(sample_weight=True).fit(X, y, sample_weight=weight)
        assert not np.allclose(held.residuals_, plain.residuals_)
    assert held.residual_posterior_.record_.total_weight == weight.sum()


def test_jobs_and_seeds_change_nothing_else(table):
    X, y, *_ = table
    with joblib.parallel_backend("threading"):
        one, two = (auditor(Ridge(), n_jobs=n).fit(X, y) for n in (None, 2))
    np.testing.assert_array_equal(one.fod_scores_, two.fod_scores_)
    other = auditor(Ridge(), random_state=1).fit(X, y)
    assert not np.array_equal(one.residuals_, other.residuals_)


def test_progress(table, capsys):
    X, y, *_ = table
    auditor(Ridge(), verbose=1, scale="fitted").fit(X, y)
    shown = capsys.readouterr().err
    assert re.search(r"folds \[#+\] 100%", shown)
    assert re.search(r"sizes \[#+\] 100%", shown)
    assert "sampling" in shown


def test_errors(table):
    X, y, *_ = table
    with pytest.raises(ValueError, match=r"LogisticRegression is a classifier.*Mislabelled rows"):
        auditor(LogisticRegression()).fit(X, y)
    with pytest.raises(ValueError, match=r"KMeans is a clusterer"):
        auditor(KMeans()).fit(X, y)
    with pytest.raises(ValueError, match=r"cv=5 folds need at least 5 rows, got n_samples=4"):
        auditor(Ridge()).fit(X[:4], y[:4])
    with pytest.raises(ValueError, match=r"residuals are all zero.*among the columns"):
        auditor(LinearRegression()).fit(X, 2 * X[:, 0] - 1)
    with pytest.raises(ValueError, match=r"residuals are all zero.*constant"):
        auditor(Ridge()).fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match=r"cv leaves \d+ of 600 rows in no test fold"):
        auditor(Ridge(), cv=ShuffleSplit(2, random_state=0)).fit(X, y)
    with pytest.raises(NotFittedError):
        auditor(Ridge()).audit()


class Unfit(Ridge):
    """An estimator that must not be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("fitted")


class Odd:
    """No law of noise, though it has the names of one."""

    rho = log_power = None

    def __init__(self):
        self.rho = self.log_power = len


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"n_draws": 3}, r"^n_draws=3 must be a multiple of 4\.$"),
        ({"noise": Odd()}, "noise must be 'normal'"),
        ({"cv": []}, "cv has no folds"),
        ({"cv": [([0.5], [1.5])]}, "positions or a boolean mask"),
        ({"cv": [(np.ones(9, bool), np.ones(9, bool))]}, "positions or a boolean mask"),
        ({"cv": [([0, 1], [600])]}, "not among the positions 0 to 599"),
        ({"cv": [([0, 1], [-1])]}, "not among the positions 0 to 599"),
    ],
)
def test_refused_before_any_fold(table, params, match):
    X, y, *_ = table
    with pytest.raises(ValueError, match=match):
        auditor(Unfit(), **params).fit(X, y)


def test_folds_as_masks(table):
    X, y, *_ = table
    masks = [(np.arange(600) % 3 != k, np.arange(600) % 3 == k) for k in range(3)]
    positions = [tuple(np.flatnonzero(rows) for rows in fold) for fold in masks]
    found = [auditor(Ridge(), cv=cv).fit(X, y).residuals_ for cv in (masks, positions)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("scale", ["constant", "fitted"])
def test_predictions_in_a_column(table, scale):
    X, y, *_ = table
    flat, column = (auditor(part(), scale=scale).fit(X, y) for part in (Ridge, Column))
    np.testing.assert_array_equal(column.predict(X[:3]), flat.predict(X[:3]))
    for method in ("fod", "tail_probability"):
        found = getattr(column, method)(X[:3], y[:3])
        np.testing.assert_array_equal(found, getattr(flat, method)(X[:3], y[:3]))


class Column(Ridge):
    """Predictions of shape (m, 1)."""

    def predict(self, X):
        return super().predict(X)[:, None]


class Pair(Ridge):
    """Two predictions for each row."""

    def predict(self, X):
        return np.column_stack([super().predict(X)] * 2)


def test_one_prediction_for_each_row(table):
    X, y, *_ = table
    with pytest.raises(ValueError, match=r"one number for each row.*\(120, 2\)"):
        auditor(Pair()).fit(X, y)


@pytest.mark.parametrize("method", ["fod", "tail_probability", "predict"])
def test_unfitted(table, method):
    X, y, *_ = table
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(auditor(Ridge()), method)(*((X,) if method == "predict" else (X, y)))


def test_a_failed_fit_changes_nothing(table):
    X, y, *_ = table
    found = auditor(Ridge()).fit(X, y)
    before = dict(vars(found))
    with pytest.raises(ValueError, match="all zero"):
        found.fit(X, np.zeros(len(X)))
    assert vars(found) == before


@pytest.mark.parametrize("name", inspection.__all__)
def test_displays(fitted, table, name):
    pytest.importorskip("matplotlib")
    X, y, *_ = table
    needed = {"FoDDisplay": (X, y), "InfluenceDisplay": (X, y)}
    needed["GroupSharesDisplay"] = (np.arange(len(y)) % 3,)
    rows = needed.get(name, ())
    display = getattr(inspection, name).from_estimator(fitted, *rows)
    if name == "FoDDisplay":
        # The training rows are drawn as the audit saw them, others as the final model does.
        np.testing.assert_allclose(np.asarray(display.values)[:, 1], fitted.residuals_)
        np.testing.assert_allclose(display.fod, fitted.fod_scores_, atol=0.02)
        part = getattr(inspection, name).from_estimator(fitted, X[:50], y[:50])
        np.testing.assert_allclose(np.asarray(part.values)[:, 0], fitted.predict(X[:50]))


def test_report(fitted, table, tmp_path):
    pytest.importorskip("jinja2")
    data = AuditReport(fitted, feature_names=["left", "right"]).to_dict()
    assert data["data"]["columns"] == ["left", "right"]
    assert data["count"]["flagged"] == fitted.audit_.count
    assert [row["name"] for row in data["estimates"]["shown"]] == ["intercept", "noise scale"]
    assert data["settings"]["estimator"] == "ModelAuditor"
    assert "KNeighborsRegressor" in data["settings"]["audited by"]
    page = AuditReport(fitted).to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "what the model predicts without having seen it" in page


def test_cleaning_by_a_model_auditor(fitted, table):
    X, y, _, bad = table
    cleaned = AuditedEstimator(Ridge(), auditor=auditor(NEAR, refit=False)).fit(X, y)
    kept = ~cleaned.audit_.mask
    np.testing.assert_array_equal(cleaned.audit_.mask, fitted.audit_.mask)
    np.testing.assert_allclose(cleaned.estimator_.coef_, Ridge().fit(X[kept], y[kept]).coef_)
    assert AuditReport(cleaned).to_dict()["count"]["flagged"] == (~kept).sum()
    rejector = OutlierRejector(auditor(NEAR))
    assert len(rejector.fit_resample(X, y)[0]) == kept.sum()
    assert bad[rejector.sample_indices_].mean() < 0.01


def test_cleaned_by_itself(table):
    X, y, clean, bad = table
    own = AuditedEstimator(NEAR, auditor="own", random_state=0).fit(X, y)
    assert isinstance(own.auditor_, ModelAuditor)
    assert own.audit_.mask[bad].mean() > 0.8
    plain = clone(NEAR).fit(X, y)
    errors = [root_mean_squared_error(clean, model.predict(X)) for model in (own, plain)]
    assert errors[0] < 0.9 * errors[1]
    with pytest.raises(ValueError, match=r"a classifier has labels.*auditor=None"):
        AuditedEstimator(LogisticRegression(), auditor="own").fit(X, bad)
