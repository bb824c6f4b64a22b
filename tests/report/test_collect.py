import json

import numpy as np
import pytest
from scipy.integrate import trapezoid

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.audit.wording import chance_in_brief
from skholder.models import StudentTRadial
from skholder.report import AuditReport
from skholder.report.collect import bars
from skholder.summaries.smoothing import smooth_density

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def found(regression):
    return AuditReport(regression).to_dict()


def test_summary_in_plain_words(found, regression, nasty):
    (count,) = set(np.quantile(regression.outlier_count_posterior_, [0.025, 0.975]))
    first, second, third, fourth = found["summary"]
    assert first == f"{count:.0f} of 160 rows, at least 95% sure, do not follow the model."
    assert f"linear regression of {nasty['target']} on 2 columns with normal noise" in second
    assert f"epsilon, is {100 * regression.epsilon_:.1f}%" in third
    assert fourth.startswith(f"{found['count']['flagged']} rows are flagged here")


def test_doubt_about_the_number(frame, quietly):
    model = HolderBayesRegressor(
        gamma=0.5, count="holder", leverage="ignore", n_draws=400, random_state=0
    )
    fitted = quietly(model, frame.iloc[:, :2], frame.iloc[:, 2])
    counts = fitted.outlier_count_posterior_
    low, high = np.rint(np.quantile(counts, [0.025, 0.975])).astype(int)
    assert AuditReport(fitted).to_dict()["summary"][0] == (
        f"About {round(counts.mean())} of 160 rows, 95% between {low} and {high}, do not follow "
        "the model."
    )


def test_epsilon(found, regression):
    assert found["epsilon"]["mean"] == regression.epsilon_
    np.testing.assert_allclose(found["epsilon"]["interval"], regression.epsilon_interval_)
    curve = found["epsilon"]["curve"]
    area = trapezoid(curve["density"], curve["epsilon"])
    assert area == pytest.approx(1, abs=0.02)
    assert curve["epsilon"][0] >= 0


@pytest.mark.parametrize(
    "draws",
    [
        np.abs(np.random.default_rng(0).normal(0, 0.01, 1000)),
        0.5 - np.abs(np.random.default_rng(1).normal(0, 0.01, 1000)),
        np.zeros(400),
        np.full(400, 0.25),
    ],
    ids=["at zero", "at the limit", "all zero", "all equal"],
)
def test_curve_at_the_ends_of_its_range(draws):
    x, height = smooth_density(draws, (0.0, 0.5))
    assert 0 <= x[0] < x[-1] <= 0.5
    assert np.all(np.isfinite(height))
    assert trapezoid(height, x) == pytest.approx(1, abs=0.03)


def test_ranking(found, regression):
    ranking = found["ranking"]
    ordered = np.sort(regression.log_density_)
    spots = np.array(ranking["rank"]).astype(int) - 1
    np.testing.assert_array_equal(ranking["log_density"], ordered[spots])
    np.testing.assert_array_equal(ranking["fod"], -np.sort(-regression.fod_scores_)[spots])
    chance = 160 * np.sort(regression.tail_probability_)
    np.testing.assert_allclose(ranking["expected_by_chance"], chance[spots])
    np.testing.assert_array_equal(ranking["rank_by_tail"], ranking["rank"])
    assert spots[0] == 0
    assert spots[-1] + 1 >= found["count"]["thresholds"]["upper"]
    assert ranking["best"] == ordered[-1]


@pytest.mark.parametrize(
    ("draws", "step"),
    [(np.zeros(400, dtype=int), 1), (np.arange(400) % 50, 1), (np.arange(4000) * 5, 333)],
    ids=["one number", "few", "many"],
)
def test_bars_of_the_count(draws, step):
    found = bars(draws)
    assert found["step"] == pytest.approx(step, abs=1)
    assert sum(found["probability"]) == pytest.approx(1)
    assert len(found["low"]) == len(found["probability"]) <= 60
    assert found["low"][0] <= np.quantile(draws, 0.01)
    assert found["low"][-1] + found["step"] > np.quantile(draws, 0.99)


def test_rows_are_the_audit(found, regression, frame):
    audit = regression.audit()
    shown = found["rows"]["shown"]
    assert len(shown) == max(20, audit.count)
    np.testing.assert_array_equal([row["row"] for row in shown], audit.order[: len(shown)])
    assert [row["label"] for row in shown] == list(frame.index[audit.order[: len(shown)]])
    assert shown[0]["explanation"] == str(audit.explain(shown[0]["label"]))
    for row in shown:
        assert row["expected_by_chance"] == 160 * audit.tails[row["row"]]
        assert row["chance"] == chance_in_brief(row["expected_by_chance"])


def test_columns_that_are_blamed(density):
    audit = density.audit()
    found = AuditReport(density).to_dict()["blamed"]
    assert sum(found["rows"]) + found["other_rows"] == audit.count
    worst = [audit.explain(position=int(i)).contributions[0].column for i in audit.indices]
    for column, rows in zip(found["columns"], found["rows"], strict=True):
        assert worst.count(column) == rows


def test_many_rows_and_columns_are_capped():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 120))
    X[:900] += 12
    model = HolderBayesDensity(
        "efficiency", covariance_type="diag", inference="laplace", n_draws=200, random_state=0
    ).fit(X)
    data = AuditReport(model, feature_names=["long name " * 5000] * 120).to_dict()
    assert data["count"]["flagged"] > 700
    assert len(data["rows"]["shown"]) == 200
    assert data["rows"]["n_flagged"] == data["count"]["flagged"]
    assert len(data["estimates"]["shown"]) == 200
    assert data["estimates"]["n_estimates"] == 240
    assert len(data["ranking"]["rank"]) <= 240
    assert len(data["blamed"]["columns"]) <= 8
    page = AuditReport(model, feature_names=["long name " * 5000] * 120)._html()
    assert len(page.encode()) < 1_000_000
    assert f"The 200 worst of {data['count']['flagged']:,} flagged rows" in page
    assert "The 200 of 240 parameters" in page


def test_large_regression_stays_small(contaminated):
    X, y, *_ = contaminated(20_000, 3, 0.3, shift=30.0)
    model = HolderBayesRegressor(inference="laplace", n_draws=200, random_state=0).fit(X, y)
    report = AuditReport(model)
    data = report.to_dict()
    assert len(data["residuals"]["fitted"]) <= 600
    assert not data["residuals"]["complete"]
    assert len(report._html()) < 400_000


def test_nothing_to_flag(clean):
    report = AuditReport(clean)
    data = report.to_dict()
    assert data["count"]["flagged"] == data["count"]["mean"]
    assert len(data["rows"]["shown"]) == 20
    assert "for comparison" in report._html()


def test_weights_are_rows(contaminated, quietly):
    X, y, *_ = contaminated(80, 1, 0.1)
    weight = np.arange(80) % 3
    model = quietly(HolderBayesRegressor(n_draws=400, random_state=0), X, y, weight)
    data = AuditReport(model).to_dict()
    assert data["data"]["total_weight"] == weight.sum()
    assert f"of {weight.sum()} rows (by weight)" in data["summary"][0]
    assert data["ranking"]["rank"][-1] <= weight.sum()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gamma", "product of independent gamma densities of 2 columns"),
        (StudentTRadial(5.0), "Student-t (5 degrees of freedom) density of 2 columns with a full"),
    ],
)
def test_models_in_words(contaminated, quietly, model, words):
    X = np.abs(contaminated(80, 2, 0.1)[0]) + 1
    fitted = HolderBayesDensity(model=model, inference="laplace", n_draws=200, random_state=0)
    assert words in AuditReport(quietly(fitted, X)).to_dict()["headline"]["model"]


def test_numbers_that_json_does_not_know(contaminated, quietly):
    # A t with 1.5 degrees of freedom has no variance, so no standard deviations to show.
    X = contaminated(80, 2, 0.1)[0]
    options = {"inference": "laplace", "n_draws": 200, "random_state": 0}
    report = AuditReport(quietly(HolderBayesDensity(model=StudentTRadial(1.5), **options), X))
    data = report.to_dict()
    json.dumps(data, allow_nan=False)
    rows = {row["name"]: row for row in data["estimates"]["shown"]}
    assert rows["sd of x0"]["value"] is rows["sd of x0"]["shift"] is None
    assert rows["mean of x0"]["value"] is not None
    assert "nan" not in report._html()
