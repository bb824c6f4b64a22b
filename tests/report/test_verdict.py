import re
from types import SimpleNamespace

import numpy as np
import pytest

from skholder.inference.infer import Diagnostics
from skholder.report import AuditReport
from skholder.report.verdict import checks


def fitted(*, theta=None, epsilon=0.1, lost=0, **diagnostics):
    """A fit as the checks see it; everything is well unless told otherwise."""
    seen = {
        "r_hat": {"coef[a]": 1.002, "epsilon": 1.004},
        "ess_bulk": {"coef[a]": 900.0, "epsilon": 700.0},
        "ess_tail": {"coef[a]": 800.0, "epsilon": 650.0},
        **diagnostics,
    }
    prior = SimpleNamespace(lower=np.array([-np.inf, -3.0]))
    model = SimpleNamespace(prior=prior, spiky=np.array([False, True]))
    return SimpleNamespace(
        diagnostics_=Diagnostics(**seen),
        _draws=SimpleNamespace(theta=np.zeros((50, 2)) if theta is None else theta, model=model),
        epsilon_posterior_=np.full(50, epsilon),
        max_contamination=0.5,
        _n_lost=lost,
    )


def statuses(model):
    return {check.name: check.status for check in checks(model)}


def test_all_well():
    assert set(statuses(fitted()).values()) == {"ok"}


@pytest.mark.parametrize(
    ("name", "trouble", "remedy"),
    [
        ("Agreement of the ensembles", {"r_hat": {"a": 1.0, "b": 1.02}}, "'b'.*n_draws"),
        ("Effective draws", {"ess_bulk": {"a": 399.0, "b": 800.0}}, "'a'.*n_draws"),
        ("Information in the rows", {"vacuous_share": 0.3}, "smaller gamma"),
        ("Tied values", {"theta": np.full((50, 2), -2.99)}, "min_scale"),
        ("Room above epsilon", {"epsilon": 0.499}, "max_contamination"),
        ("Independent columns", {"lost": 2}, "Drop"),
    ],
)
def test_one_problem(name, trouble, remedy):
    found = {check.name: check for check in checks(fitted(**trouble))}
    bad = [check.name for check in found.values() if check.status == "warn"]
    assert bad == [name]
    assert re.search(remedy, found[name].text)


def test_no_sampler_is_noted():
    found = statuses(fitted(r_hat={}, ess_bulk={}, ess_tail={}))
    assert found["Sampler"] == "note"
    assert "Effective draws" not in found


def test_r_hat_that_cannot_be_computed():
    assert statuses(fitted(r_hat={"a": np.nan}))["Agreement of the ensembles"] == "ok"


def test_verdict_of_a_fit(regression):
    # 400 draws give fewer than 400 effective ones, and the report says so as the fit did.
    found = AuditReport(regression).to_dict()["diagnostics"]
    assert found["verdict"]["status"] == "warn"
    assert "Read with care: 1 of 6 checks points" in found["verdict"]["text"]
    assert [c["name"] for c in found["checks"] if c["status"] == "warn"] == ["Effective draws"]
    assert found["n_draws"] == 400
