"""What all displays share: fitted estimators in, artists out, matplotlib only when drawing."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor, inspection

pytest.importorskip("matplotlib")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DISPLAYS = {name: getattr(inspection, name) for name in inspection.__all__}
NEED_ROWS = {"FoDDisplay", "InfluenceDisplay"}
NEED_GROUPS = {"GroupSharesDisplay"}
NEED_EPSILON = {"EpsilonPosteriorDisplay", "AuditRankingDisplay", "FoDDisplay", *NEED_GROUPS}
NEED_PATH = {"GammaPathDisplay"}
every = pytest.mark.parametrize("name", sorted(DISPLAYS))


def draw(name, estimator, X=None, y=None, **kwargs):
    rows = () if name not in NEED_ROWS else (X,) if y is None else (X, y)
    if name in NEED_GROUPS:
        rows = (np.arange(len(X)) % 3,)
    return DISPLAYS[name].from_estimator(estimator, *rows, **kwargs)


def test_there_are_eight():
    assert len(DISPLAYS) == 8


@every
def test_returns_a_display_with_axes_and_figure(name, regressor, table):
    display = draw(name, regressor, table.X, table.y)
    assert isinstance(display, DISPLAYS[name])
    assert isinstance(display.ax_, Axes)
    assert isinstance(display.figure_, Figure)
    first = display.figure_
    assert display.plot() is display
    assert display.figure_ is not first


@every
def test_draws_on_given_axes(name, regressor, table):
    figure, (left, right) = plt.subplots(1, 2, figsize=(20, 12), layout="constrained")
    display = draw(name, regressor, table.X, table.y, ax=right)
    assert display.figure_ is figure
    figure.draw_without_rendering()
    assert display.ax_.get_position().x0 >= left.get_position().x1
    assert not left.has_data()


@every
def test_auditor_is_its_estimator(name, auditor, blobs):
    X = blobs[0]
    outer, inner = draw(name, auditor, X), draw(name, auditor.estimator_, X)
    for one, other in zip(outer.figure_.axes, inner.figure_.axes, strict=True):
        assert one.get_xlabel() == other.get_xlabel()
        for line, twin in zip(one.lines, other.lines, strict=True):
            np.testing.assert_array_equal(line.get_xydata(), twin.get_xydata())


@every
def test_fits_can_be_drawn_and_saved(name, regressor, table, tmp_path):
    # A "$" in a column's name must not be read as mathematics.
    draw(name, regressor, table.X, table.y).figure_.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


@every
def test_unfitted(name, table):
    for estimator in (HolderBayesRegressor(), HolderBayesDensity(), OutlierAuditor()):
        with pytest.raises(NotFittedError):
            draw(name, estimator, table.X, table.y)


@every
def test_other_estimators_are_refused(name, table):
    other = LinearRegression().fit(table.X, table.y)
    with pytest.raises(
        TypeError, match=f"{name} needs a fitted HolderBayesRegressor.*LinearRegression"
    ):
        draw(name, other, table.X, table.y)


@every
def test_without_epsilon(name, ordinary, table):
    if name in NEED_EPSILON:
        with pytest.raises(ValueError, match=f"{name} needs the posterior of epsilon.*'dpd'"):
            draw(name, ordinary, table.X, table.y)
    elif name in NEED_PATH:
        with pytest.raises(ValueError, match=f"{name} needs the path of gamma='auto'.*'kl'"):
            draw(name, ordinary, table.X, table.y)
    else:
        assert draw(name, ordinary, table.X, table.y).ax_.has_data()


@every
def test_without_matplotlib(name, regressor, table, monkeypatch):
    display = draw(name, regressor, table.X, table.y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for call in (display.plot, lambda: draw(name, regressor, table.X, table.y)):
        with pytest.raises(ImportError, match=rf'{name} needs matplotlib: .*"skholder\[plot\]"'):
            call()


def test_importing_does_not_import_matplotlib():
    code = "import sys, skholder.inspection; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", sorted(set(DISPLAYS) - NEED_EPSILON | {"FoDDisplay"}))
def test_feature_names_need_the_right_number(name, regressor, table):
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        draw(name, regressor, table.X, table.y, feature_names=["a", "b"])


@pytest.mark.parametrize("name", ["PosteriorDisplay", "TraceDisplay"])
def test_array_of_axes(name, density):
    n = {"PosteriorDisplay": (3, 3), "TraceDisplay": (3, 2)}[name]
    figure, axes = plt.subplots(*n)
    display = draw(name, density, ax=axes)
    assert display.figure_ is figure
    np.testing.assert_array_equal(display.axes_, axes)
    with pytest.raises(ValueError, match=f"must hold {n[0]} x {n[1]} axes, got 4"):
        draw(name, density, ax=plt.subplots(2, 2)[1])


def test_axes_without_a_place_cannot_be_divided(density):
    with pytest.raises(ValueError, match="subplots"):
        draw("TraceDisplay", density, ax=plt.figure().add_axes((0.1, 0.1, 0.8, 0.8)))
