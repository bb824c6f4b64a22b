import re
import warnings

import numpy as np
import pytest

from skholder.exceptions import (
    ConvergenceWarning,
    IdentifiabilityWarning,
    ScaleFloorWarning,
    VacuousPosteriorWarning,
)
from skholder.inference import Diagnostics, checks, warn_of
from skholder.inference.health import at_ceiling, at_floor_shares
from skholder.models import EllipticalModel, NormalRadial


def diagnostics(**trouble):
    """Everything is well unless told otherwise."""
    seen = {
        "r_hat": {"coef[a]": 1.002, "epsilon": 1.004},
        "ess_bulk": {"coef[a]": 900.0, "epsilon": 700.0},
        "ess_tail": {"coef[a]": 800.0, "epsilon": 650.0},
        "floor_share": {"log_scale": 0.0},
    }
    return Diagnostics(**{**seen, **trouble})


def statuses(found):
    return {check.name: check.status for check in checks(found)}


def test_all_well():
    assert set(statuses(diagnostics()).values()) == {"ok"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(diagnostics().checks)


PROBLEMS = [
    (
        "Agreement of the ensembles",
        {"r_hat": {"a": 1.0, "b": 1.02}},
        "'b'.*n_draws",
        ConvergenceWarning,
    ),
    ("Effective draws", {"ess_bulk": {"a": 399.0, "b": 800.0}}, "'a'.*n_draws", ConvergenceWarning),
    ("Information in the rows", {"vacuous_share": 0.3}, "smaller gamma", VacuousPosteriorWarning),
    (
        "Tied values",
        {"floor_share": {"log_scale[x]": 0.01, "log_scale[bmi]": 0.06}},
        "'log_scale.bmi.'.*min_scale",
        ScaleFloorWarning,
    ),
    ("Room above epsilon", {"ceiling_share": 0.06}, "max_contamination", None),
    ("Independent columns", {"n_lost": 2, "lost": "Drop 'b'."}, "Drop 'b'", IdentifiabilityWarning),
]


@pytest.mark.parametrize(("name", "trouble", "remedy", "category"), PROBLEMS)
def test_one_problem(name, trouble, remedy, category):
    found = {check.name: check for check in checks(diagnostics(**trouble))}
    bad = [check.name for check in found.values() if check.status == "warn"]
    assert bad == [name]
    assert re.search(remedy, found[name].text)
    assert found[name].warning is category


@pytest.mark.parametrize(
    ("trouble", "category"), [(trouble, category) for _, trouble, _, category in PROBLEMS]
)
def test_a_fit_warns_of_what_the_report_shows(trouble, category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of(diagnostics(**trouble).checks)
    assert [w.category for w in caught] == ([] if category is None else [category])
    # It points here, not into the package.
    assert all(w.filename == __file__ for w in caught)


def test_no_sampler_is_noted():
    found = statuses(diagnostics(r_hat={}, ess_bulk={}, ess_tail={}))
    assert found["Sampler"] == "note"
    assert "Effective draws" not in found


def test_r_hat_that_cannot_be_computed_is_no_agreement():
    found = statuses(diagnostics(r_hat={"a": np.nan, "b": 1.0}))
    assert found["Agreement of the ensembles"] == "warn"


def test_draws_at_the_floor_and_at_the_ceiling():
    model = EllipticalModel(
        2,
        NormalRadial(),
        full=False,
        location_prior_scale=1.0,
        log_scale_prior_scale=1.0,
        min_scale=0.1,
        names=["a", "b"],
    )
    theta = np.zeros((10, 4))
    theta[:3, 3] = np.log(0.1) + 0.39
    theta[3:5, 3] = np.log(0.1) + 0.41
    assert at_floor_shares(model, theta) == {"log_scale[a]": 0.0, "log_scale[b]": 0.3}
    assert at_ceiling(np.array([0.1, 0.489, 0.491, 0.5]), 0.5) == 0.5


def test_reprs_are_short_and_escaped():
    found = diagnostics(ess_bulk={"<b>": 3.0})
    assert len(repr(found)) < 500
    assert "R-hat 1.004" in repr(found)
    html = found._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
