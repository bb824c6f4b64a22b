import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
    OutlierRejector,
    assert_clean,
)
from skholder.audit import Audit
from skholder.gates import ContaminatedDataError
from skholder.rows import ArraySource

QUICK = HolderBayesRegressor(inference="laplace", n_draws=400, random_state=0)


@pytest.fixture(scope="module")
def spoiled(contaminated):
    X, y, _, _ = contaminated(150, epsilon=0.15)
    index = [f"r{i}" for i in range(150)]
    return pd.DataFrame(X, columns=["a", "b"], index=index), pd.Series(y, index, name="price")


def test_fails_with_the_rows(spoiled):
    with pytest.raises(AssertionError) as caught:
        assert_clean(*spoiled, auditor=QUICK)
    error = caught.value
    assert isinstance(error, ContaminatedDataError)
    text = str(error)
    assert text.startswith("Gate closed: the probability that the share outside the model is above")
    assert f"{error.audit.mask.sum()} of 150 rows" in text
    worst = error.audit.indices[0]
    assert f"row r{worst}: price is" in text
    assert text.endswith(f"... and {error.audit.mask.sum() - 5} more")
    assert error.gate.found > 0.9


def test_passes_with_the_audit(spoiled):
    audit = assert_clean(*spoiled, above=0.3, auditor=QUICK)
    assert isinstance(audit, Audit)
    assert not audit.gate(0.3).is_closed


def test_the_probability_decides(spoiled):
    above = float(QUICK.fit(*spoiled).epsilon_posterior_.mean())
    with pytest.raises(ContaminatedDataError):
        assert_clean(*spoiled, above=above, probability=0.2, auditor=QUICK)
    assert_clean(*spoiled, above=above, probability=0.8, auditor=QUICK)


def test_the_error_can_be_pickled(spoiled):
    with pytest.raises(ContaminatedDataError) as caught:
        assert_clean(*spoiled, auditor=QUICK)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.gate == caught.value.gate


@pytest.mark.parametrize(
    "auditor",
    [
        OutlierAuditor(QUICK),
        OutlierAuditor(HolderBayesDensity(inference="laplace", n_draws=400), random_state=0),
        HolderBayesDensity(inference="laplace", n_draws=400, random_state=0),
    ],
)
def test_any_auditor_and_it_stays_unfitted(spoiled, auditor):
    X, y = spoiled
    assert_clean(X, y, above=0.4, auditor=auditor)
    assert not hasattr(auditor, "estimator_")
    assert not hasattr(auditor, "record_")


def test_a_model_auditor(spoiled):
    auditor = ModelAuditor(LinearRegression(), n_draws=2000, random_state=0)
    with pytest.raises(ContaminatedDataError, match=r"row r.*without having seen it") as caught:
        assert_clean(*spoiled, auditor=auditor)
    assert caught.value.audit.gate() == caught.value.gate


def test_without_an_auditor_the_answer_is_the_same_each_time(spoiled):
    X, y = spoiled
    # A density, and a regression: a spoiled response is seen by the latter.
    assert assert_clean(X).gate(0.05).found < 0.9
    found = [assert_clean(X, y, above=0.5).epsilon_draws for _ in range(2)]
    np.testing.assert_array_equal(*found)
    assert found[0].mean() == pytest.approx(0.15, abs=0.03)


def test_weights(spoiled):
    X, y = spoiled
    weight = np.where(np.arange(150) < 22, 0.0, 1.0)
    assert_clean(X, y, auditor=QUICK, sample_weight=weight)


def test_a_wrong_model_is_told():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(300, 1))
    y = X[:, 0] ** 2 + 0.1 * rng.normal(size=300)
    with pytest.raises(ContaminatedDataError, match="does not describe"):
        assert_clean(X, y, above=0.0, probability=0.01, auditor=QUICK)


@pytest.mark.parametrize(
    "auditor",
    [
        IsolationForest(),
        make_pipeline(QUICK),
        AuditedEstimator(LinearRegression()),
        OutlierRejector(),
        "own",
    ],
)
def test_what_has_no_epsilon_is_refused_before_the_fit(auditor):
    with pytest.raises(ValueError, match=r"auditor must be an OutlierAuditor.*got "):
        assert_clean("no table", auditor=auditor)


@pytest.mark.parametrize("divergence", ["gamma", "kl"])
@pytest.mark.parametrize("auditor", [HolderBayesRegressor(), OutlierAuditor(HolderBayesDensity())])
def test_a_divergence_without_epsilon_is_refused_before_the_fit(auditor, divergence):
    inner = {"divergence": divergence, "estimator__divergence": divergence}
    auditor = clone(auditor).set_params(
        **{name: value for name, value in inner.items() if name in auditor.get_params()}
    )
    with pytest.raises(ValueError, match=rf"needs the posterior of epsilon.*{divergence}.*'dpd'"):
        assert_clean("no table", auditor=auditor)


def test_limits_are_checked_before_the_fit():
    with pytest.raises(ValueError, match="above must be a share"):
        assert_clean("no table", above=2)


@pytest.mark.parametrize("auditor", [None, QUICK, HolderBayesDensity()])
def test_a_row_source_is_refused_before_the_fit(auditor):
    source = ArraySource(np.zeros((50, 2)), np.zeros(50))
    with pytest.raises(ValueError, match=r"A gate needs its rows in memory.*epsilon_ is the share"):
        assert_clean(source, auditor=auditor)
