"""The public names as a user would call them; mypy reads this file, nothing runs it."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from skholder import (
    Audit,
    AuditedEstimator,
    AuditReport,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
    TableReading,
    assert_clean,
    compare,
    read_table,
)
from skholder.audit import AuditComparison, Gate
from skholder.audit.explanation import Explanation
from skholder.datasets import make_contaminated_blobs, make_contaminated_regression
from skholder.divergences import Divergence, ExponentialSaturated
from skholder.gates import clean_check
from skholder.inference import Check, Diagnostics
from skholder.inspection import EpsilonPosteriorDisplay, PosteriorDisplay
from skholder.models import NoiseModel, StudentTNoise, check_noise


def regression() -> None:
    X, y, outliers = make_contaminated_regression(100, random_state=0)
    *_, coef = make_contaminated_regression(100, return_coef=True)
    model = HolderBayesRegressor(0.5, noise=StudentTNoise(3.0), n_draws=400, random_state=0)
    assert_type(model.fit(X, y, sample_weight=np.ones(100)), HolderBayesRegressor)
    assert_type(model.predict(X), NDArray[np.float64])
    assert_type(model.predict(X, return_std=True), tuple[NDArray[np.float64], NDArray[np.float64]])
    assert_type(model.predict_interval(X, level=0.9), NDArray[np.float64])
    assert_type(model.coef_, NDArray[np.float64])
    assert_type(model.epsilon_, float)
    assert_type(model.posterior_["coef"], NDArray[np.float64])
    assert_type(model.diagnostics_, Diagnostics)
    assert_type(model.diagnostics_.checks, tuple[Check, ...])
    assert_type(model.influence(X, y).risk, NDArray[np.float64])
    audit = model.audit(rule="lower", level=0.9)
    assert_type(audit, Audit)
    assert_type(audit.mask, NDArray[np.bool_])
    assert_type(audit.explain(3), Explanation)
    assert_type(audit.explain(position=3).to_dict(), dict[str, Any])
    assert_type(audit.gate(0.05, 0.9), Gate)
    assert_type(compare(audit, audit, ids=([1, 2], [1, 2])), AuditComparison)
    assert_type(assert_clean(X, y, above=0.1, auditor=model), Audit)
    print(audit.by(outliers), clean_check("y", above=0.1), outliers.sum(), coef.shape)


def density() -> None:
    X, outliers = make_contaminated_blobs(100, kind="student_t")
    model = HolderBayesDensity("efficiency", divergence=ExponentialSaturated(0.4)).fit(X.tolist())
    assert_type(model, HolderBayesDensity)
    assert_type(model.predict(X), NDArray[np.int_])
    assert_type(model.sample(5, random_state=1), NDArray[np.float64])
    assert_type(model.offset_, float)
    auditor = OutlierAuditor(HolderBayesDensity(), contamination=0.1).fit(X)
    assert_type(auditor.audit_, Audit)
    assert_type(auditor.fit_predict(X), NDArray[np.int_])
    cleaned = AuditedEstimator(Ridge(), auditor=auditor, mode="weight").fit(X, outliers)
    assert_type(cleaned.audit_.count, int)
    OutlierRejector(auditor).fit_resample(X, outliers)


def table() -> None:
    found = read_table("t.csv", "y", id="who", exclude=["a"], decimal=",", missing=["-999"])
    assert_type(found, TableReading)
    assert_type(found.notes, tuple[str, ...])
    print(found.X.shape, found.y, found.ids)


def pictures(model: HolderBayesRegressor) -> None:
    display = EpsilonPosteriorDisplay.from_estimator(model, truth=0.2)
    assert_type(display, EpsilonPosteriorDisplay)
    PosteriorDisplay.from_estimator(model, parameters=["coef[0]"], truth={"coef[0]": 1.0}).plot()
    print(AuditReport(model, feature_names=["a", "b"], title="May").to_html("audit.html").name)


class Half(Divergence):
    """A divergence of the user's own."""

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return gamma - (1 + gamma) * z


def own_parts(noise: NoiseModel) -> float:
    HolderBayesRegressor(divergence=Half(), noise=noise)
    return check_noise("normal").variance
