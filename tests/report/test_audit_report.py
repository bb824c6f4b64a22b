import json
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)
from skholder.report import AuditReport

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

QUICK = {"n_draws": 400, "random_state": 0}


class TestInput:
    def test_auditor_and_what_it_is_in(self, contaminated):
        X, y, *_ = contaminated(120, 2, 0.15)
        auditor = OutlierAuditor(HolderBayesRegressor(**QUICK), rule="upper", level=0.8)
        data = AuditReport(auditor.fit(X, y)).to_dict()
        assert data["count"]["wanted"] == auditor.audit_.count
        assert data["count"]["level"] == 0.8
        assert "upper end" in data["headline"]["flagged"]
        assert "80%" in data["headline"]["count"]
        inside = AuditedEstimator(Ridge(), auditor=auditor).fit(X, y)
        assert AuditReport(inside).to_dict()["rows"] == data["rows"]
        rejector = OutlierRejector(OutlierAuditor(HolderBayesDensity(**QUICK))).fit(X)
        assert AuditReport(rejector).to_dict()["kind"] == "density"

    def test_a_share_that_was_asked_for(self, contaminated):
        X, *_ = contaminated(120, 2, 0.15)
        auditor = OutlierAuditor(HolderBayesDensity(**QUICK), contamination=0.1).fit(X)
        data = AuditReport(auditor).to_dict()
        assert data["count"]["flagged"] == 12
        assert "contamination=0.1" in data["headline"]["flagged"]

    @pytest.mark.parametrize("divergence", ["gamma", "kl"])
    def test_divergence_without_epsilon(self, contaminated, divergence):
        X, y, *_ = contaminated(60, 1, 0.1)
        model = HolderBayesRegressor(divergence=divergence, **QUICK).fit(X, y)
        with pytest.raises(
            ValueError, match=rf"needs the posterior of epsilon.*{divergence}.*'dpd'"
        ):
            AuditReport(model)

    @pytest.mark.parametrize(
        "estimator",
        [HolderBayesRegressor(), HolderBayesDensity(), OutlierAuditor(), OutlierRejector()],
    )
    def test_not_fitted(self, estimator):
        with pytest.raises(NotFittedError):
            AuditReport(estimator)

    @pytest.mark.parametrize("estimator", [Ridge(), "model", None])
    def test_something_else(self, estimator):
        with pytest.raises(TypeError, match="AuditReport needs a fitted HolderBayesRegressor"):
            AuditReport(estimator)

    def test_pipeline(self, regression):
        with pytest.raises(TypeError, match="Of a Pipeline pass the fitted step"):
            AuditReport(make_pipeline(regression))

    def test_names(self, contaminated):
        X, *_ = contaminated(120, 2, 0.15)
        model = HolderBayesDensity(**QUICK).fit(X)
        assert AuditReport(model).to_dict()["data"]["columns"] == ["x0", "x1"]
        renamed = AuditReport(model, feature_names=["dose", "age"]).to_dict()
        assert renamed["data"]["columns"] == ["dose", "age"]
        assert "x0" not in json.dumps(renamed["rows"])
        assert renamed["estimates"]["shown"][0]["name"] == "mean of dose"
        assert model.audit().evidence.names == ("x0", "x1")
        with pytest.raises(ValueError, match="3 names for 2 columns"):
            AuditReport(model, feature_names="abc")


class TestOutput:
    @pytest.mark.parametrize("which", ["regression", "density"])
    def test_dict_is_json(self, request, which):
        data = AuditReport(request.getfixturevalue(which)).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data

    def test_file(self, regression, tmp_path):
        report = AuditReport(regression, title="Täst \U0001f600")
        path = report.to_html(str(tmp_path / "page.html"))
        assert path == tmp_path / "page.html"
        page = path.read_bytes().decode("utf-8")
        assert page.startswith("<!doctype html>")
        assert "<h1>Täst \U0001f600</h1>" in page
        assert b"\r" not in path.read_bytes()

    def test_same_seed_same_bytes(self, frame):
        def page(**kwargs):
            model = HolderBayesRegressor(**QUICK, **kwargs)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(frame.iloc[:, :2], frame.iloc[:, 2])
            return AuditReport(model).to_dict(), AuditReport(model)._html()

        first, second, threads = page(), page(), page(n_jobs=2)
        assert first == second == threads

    def test_objects_as_settings_have_no_address(self, contaminated):
        from scipy import stats

        X, y, *_ = contaminated(60, 1, 0.1)
        model = HolderBayesRegressor(
            noise=stats.logistic(), n_draws=200, random_state=np.random.RandomState(0)
        )
        model.set_params(inference="laplace").fit(X, y)
        page = AuditReport(model)._html()
        assert " at 0x" not in page
        assert "logistic noise" in page

    def test_no_clock(self, regression):
        assert regression.diagnostics_.seconds
        assert "seconds" not in json.dumps(AuditReport(regression).to_dict())
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", AuditReport(regression)._html())

    def test_notebook(self, regression, nasty):
        report = AuditReport(regression, title=nasty["title"])
        shown = report._repr_html_()
        assert shown.startswith("<iframe ")
        assert shown.count("<") == 2
        assert "sandbox" in shown
        # Escaped once: what the browser takes out of the attribute is the page.
        frames = []
        parser = HTMLParser()
        parser.handle_starttag = lambda tag, attrs: frames.append((tag, dict(attrs)))
        parser.feed(shown)
        ((tag, attributes),) = frames
        assert tag == "iframe"
        assert attributes["srcdoc"] == report._html()

    def test_notes(self, regression):
        notes = ["3 rows were left out.", 'Units: "mg".']
        data = AuditReport(regression, notes=iter(notes)).to_dict()
        assert data["data"]["notes"] == notes
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert AuditReport(regression).to_dict()["data"]["notes"] == []

    def test_one_string_is_no_sequence_of_notes(self, regression):
        with pytest.raises(TypeError, match="notes must be a sequence of sentences"):
            AuditReport(regression, notes="3 rows were left out.")

    def test_repr(self, regression):
        count = regression.audit().count
        assert repr(AuditReport(regression)) == f"AuditReport({count} of 160 rows flagged)"


class TestWithoutJinja2:
    @pytest.fixture(autouse=True)
    def hidden(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "jinja2", None)

    def test_no_page(self, regression, tmp_path):
        report = AuditReport(regression)
        needed = re.escape('AuditReport needs Jinja2: pip install "skholder[report]".')
        with pytest.raises(ImportError, match=needed):
            report.to_html(tmp_path / "page.html")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(ImportError, match=needed):
            report._repr_html_()

    def test_dict(self, regression):
        assert AuditReport(regression).to_dict()["kind"] == "regression"


def test_jinja2_is_imported_for_a_page_only():
    command = "import sys, skholder.report; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command]).returncode == 0
