"""The findings in sentences: how many rows, which share, and whether the model holds."""

from types import SimpleNamespace

import numpy as np
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.audit import Adequacy, AdequacyCheck
from skholder.report import AuditReport
from skholder.report.headline import adequacy_check, headline, is_clean, verdict
from skholder.report.source import Source

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def judged(status):
    check = AdequacyCheck("skewness", "a", 1.0, 0.1, 0.5, status, "skewed: a")
    return Adequacy("normal density of 2 columns", (check,))


def told(*, mean, interval, clean=0.0, status="ok", flagged=None, weight=None):
    """The sentences about a made-up fit of 400 rows."""
    record = SimpleNamespace(
        in_words=lambda: "normal density of 2 columns", weight=weight, total_weight=400.0
    )
    fitted = SimpleNamespace(
        record_=record,
        adequacy_=None if status is None else judged(status),
        clean_probability_=clean,
        epsilon_=mean / 400,
        epsilon_interval_=np.array(interval) / 400,
    )
    count = {
        "mean": mean,
        "interval": list(interval),
        "flagged": mean if flagged is None else flagged,
        "rule": "the mean of the posterior count",
    }
    return headline(SimpleNamespace(fitted=fitted, level=0.95), count)


def test_how_many_and_which_share():
    found = told(mean=20, interval=(18, 22))
    assert list(found) == ["count", "model", "share", "flagged"]
    assert found["count"] == "About 20 of 400 rows, 95% between 18 and 22, do not follow the model."
    assert "epsilon, is 5.0% (95% between 4.5% and 5.5%)." in found["share"]
    assert found["flagged"].startswith("20 rows are flagged here, the most suspicious;")


def test_a_certain_number():
    found = told(mean=5, interval=(5, 5))["count"]
    assert found == "5 of 400 rows, at least 95% sure, do not follow the model."
    # The mean may lie outside an interval; then the interval is told.
    assert told(mean=7, interval=(5, 5))["count"] == found
    found = told(mean=1, interval=(1, 1))["count"]
    assert found == "1 of 400 rows, at least 95% sure, does not follow the model."


class TestClean:
    def test_is_called_clean(self):
        found = told(mean=0, interval=(0, 3), clean=0.9)
        assert found["count"] == (
            "Nothing speaks against the model; at most 3 of 400 rows, 95%, do not follow it."
        )
        assert found["clean"] == "The probability that no row is outside the model is 90.0%."
        assert found["flagged"].startswith("No row is flagged here")

    def test_no_doubt_at_all(self):
        found = told(mean=0, interval=(0, 0), clean=0.99)
        assert found["count"] == "Nothing speaks against the model; all 400 rows follow it."
        assert found["share"].endswith("epsilon, is 0% (95% below 0.01%).")

    def test_flags_of_a_clean_table_are_no_alarm(self):
        found = told(mean=1, interval=(0, 3), clean=0.6)
        assert found["flagged"].startswith(
            "1 row is flagged here, the least likely, which a clean table has too;"
        )

    @pytest.mark.parametrize("clean", [0.3, np.nan])
    def test_not_without_its_probability(self, clean):
        found = told(mean=0, interval=(0, 3), clean=clean)
        assert found["count"] == "At most 3 of 400 rows, 95%, do not follow the model."
        assert "clean" not in found
        found = told(mean=2, interval=(0, 5), clean=clean)
        assert found["count"].startswith("About 2 of 400 rows, 95% between 0 and 5,")

    def test_limits(self):
        assert is_clean(0.5, [0, 3])
        assert not is_clean(0.49, [0, 3])
        assert not is_clean(0.9, [1, 3])
        assert not is_clean(np.nan, [0, 0])

    def test_not_if_the_model_is_wrong(self):
        for status in ("wrong", "note"):
            found = " ".join(told(mean=0, interval=(0, 3), clean=0.9, status=status).values())
            assert "Nothing speaks against" not in found
            assert "No row stands out; at most 3 of 400 rows" in found
        found = told(mean=0, interval=(0, 0), clean=0.9, status="wrong")
        assert found["count"] == "No row stands out; none of 400 rows is an outlier of it."


def test_a_wrong_model_is_told_first():
    found = told(mean=100, interval=(90, 110), status="wrong")
    assert next(iter(found)) == "adequacy"
    assert found["adequacy"] == (
        "A normal density of 2 columns does not describe these rows (skewed: a): the flags below "
        "are mostly its shape."
    )


def test_a_doubtful_model_is_told_last():
    found = told(mean=100, interval=(90, 110), status="note")
    assert list(found)[-1] == "adequacy"
    assert "only roughly" in found["adequacy"]
    assert "adequacy" not in told(mean=100, interval=(90, 110), status=None)


class TestVerdict:
    GOOD = ({"name": "Sampler", "status": "ok", "value": "", "text": ""},)
    BAD = ({"name": "Sampler", "status": "warn", "value": "", "text": ""},)
    NOTE = ({"name": "Sampler", "status": "note", "value": "", "text": ""},)

    @pytest.mark.parametrize(
        ("checks", "status", "word", "text"),
        [
            (GOOD, "ok", "Sound", "Sound: all 2 checks are passed."),
            (GOOD, "note", "Rough", "Rough: the model describes these rows only roughly."),
            (
                GOOD,
                "wrong",
                "Wrong model",
                "Not to be trusted: the model does not describe these rows; 1 of 2 checks points "
                "to a problem.",
            ),
            (BAD, "ok", "Care", "Read with care: 1 of 2 checks points to a problem."),
            (BAD, "note", "Care", "Read with care: 1 of 2 checks points to a problem."),
            (NOTE, "ok", "Rough", "An approximation, without signs of a problem."),
            (NOTE, "note", "Rough", "Rough: the model describes these rows only roughly."),
        ],
    )
    def test_takes_the_model_in(self, checks, status, word, text):
        adequacy = judged(status)
        found = verdict([*checks, *adequacy_check(adequacy)], adequacy)
        assert (found["word"], found["text"]) == (word, text)

    def test_without_a_judgement(self):
        assert adequacy_check(None) == []
        assert verdict(list(self.GOOD), None)["text"] == "Sound: all 1 checks are passed."


@pytest.fixture(scope="module")
def skewed():
    rows = np.exp(np.random.default_rng(0).normal(size=(300, 2)))
    return HolderBayesDensity(inference="laplace", n_draws=400, random_state=0).fit(rows)


def test_a_fit_whose_model_is_wrong(skewed):
    report = AuditReport(skewed)
    data = report.to_dict()
    assert data["adequacy"]["verdict"] == "wrong"
    assert data["summary"][0] == data["adequacy"]["sentence"] == skewed.adequacy_.sentence
    assert {"name", "where", "size", "error", "limit", "status", "words"} == set(
        data["adequacy"]["checks"][0]
    )
    assert data["diagnostics"]["verdict"]["status"] == "warn"
    assert data["diagnostics"]["checks"][-1]["name"] == "Fit of the model"
    page = report._html()
    assert f'<p class="lead">{data["summary"][0]}</p>' in page
    assert "Wrong model" in page
    assert "Sound" not in page


def test_a_clean_fit():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=300)
    model = HolderBayesRegressor(inference="laplace", n_draws=400, random_state=0).fit(X, y)
    data = AuditReport(model).to_dict()
    assert data["clean_probability"] == model.clean_probability_ > 0.5
    assert data["summary"][0].startswith("Nothing speaks against the model; ")
    assert "The least likely rows" in AuditReport(model)._html()


def test_probability_of_clean_that_is_not_known(contaminated):
    X, y, *_ = contaminated(160, 2, 0.15)
    model = HolderBayesRegressor(
        gamma=0.5, count="holder", leverage="ignore", n_draws=400, random_state=0
    )
    assert AuditReport(model.fit(X, y)).to_dict()["clean_probability"] is None


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("fdr", "the largest with at most 10.0% of false flags on average"),
        ("certain", "the count of rows that chance alone explains in one clean table of twenty"),
    ],
)
def test_rules_by_tail_probability(contaminated, rule, words):
    X, y, *_ = contaminated(160, 2, 0.15)
    inner = HolderBayesRegressor(inference="laplace", n_draws=200, random_state=0)
    auditor = OutlierAuditor(inner, rule=rule, level=0.9).fit(X, y)
    assert Source.of(auditor).rule.startswith(words)
    assert words in AuditReport(auditor).to_dict()["headline"]["flagged"]
