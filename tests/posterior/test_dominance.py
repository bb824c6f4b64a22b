"""Among several minimisers the one with the largest evidence is believed."""

import numpy as np
import pytest
from scipy.stats import norm

from skholder.divergences import PseudoSpherical
from skholder.models import EllipticalModel, NormalRadial
from skholder.posterior import ProfileRisk, free_minimiser
from skholder.posterior.dominance import dominant_mode
from skholder.rows import RowBlocks

GAMMA = 0.5
MODEL = EllipticalModel(
    1,
    NormalRadial(),
    full=False,
    location_prior_scale=2.5,
    log_scale_prior_scale=1.0,
    min_scale=1e-3,
)


def two_groups(share, n=300, shift=9.0, width=1.0):
    x = np.random.default_rng(0).normal(size=n)
    group = np.arange(n) < share * n
    return RowBlocks(np.where(group, shift + width * x, x)[:, None])


def minimiser(rows, location, width=1.0):
    # A theta is a location and the log of one over the scale, or of the scale: start near either.
    start = np.array([location, 0.0])
    start[1] = np.log(width) if _falls(width) else -np.log(width)
    return free_minimiser(MODEL, rows, GAMMA, start)


def _falls(width):
    """Whether the second coordinate is the log of the scale, not of its inverse."""
    return MODEL.log_peak(np.array([[0.0, 1.0]]))[0] < MODEL.log_peak(np.array([[0.0, 0.0]]))[0]


@pytest.mark.parametrize("share", [0.3, 0.45])
def test_the_larger_group_wins(share):
    rows = two_groups(share)
    points = [minimiser(rows, 9.0), minimiser(rows, 0.0)]
    found = dominant_mode(MODEL, rows, GAMMA, points, 0.0)
    assert found.theta[0] == pytest.approx(0.0, abs=0.3)
    assert found.rho == pytest.approx(1 - share, abs=0.08)


def test_order_does_not_matter():
    rows = two_groups(0.4)
    points = [minimiser(rows, 0.0), minimiser(rows, 9.0)]
    one, other = (dominant_mode(MODEL, rows, GAMMA, p, 0.0) for p in (points, points[::-1]))
    np.testing.assert_array_equal(one.theta, other.theta)


def test_a_narrow_mode_of_lower_risk_has_little_volume():
    def scores(n):
        return norm.ppf((np.arange(n) + 0.5) / n)

    # Twice the rows and eight times the width have the same risk at this power; a bit narrower,
    # the small group has the lower one.
    rows = RowBlocks(np.append(8 * scores(60), 80 + 0.95 * scores(30))[:, None])
    wide, narrow = minimiser(rows, 0.0, 8.0), minimiser(rows, 80.0)
    risk = ProfileRisk(MODEL, rows, PseudoSpherical(), GAMMA, 0.0, 1.0)
    assert risk.height(narrow) > risk.height(wide)
    found = dominant_mode(MODEL, rows, GAMMA, [narrow, wide], 0.0)
    np.testing.assert_array_equal(found.theta, wide)


def test_the_smallest_share_is_kept_where_some_mode_has_it():
    rows = two_groups(0.45, width=0.2)
    points = [minimiser(rows, 9.0, 0.2), minimiser(rows, 0.0)]
    allowed = dominant_mode(MODEL, rows, GAMMA, points, 0.5)
    assert allowed.rho >= 0.5
    # Alone, a smaller one is better than none.
    assert dominant_mode(MODEL, rows, GAMMA, points[:1], 0.5).rho < 0.5


def test_no_modes():
    rows = two_groups(0.3)
    assert dominant_mode(MODEL, rows, GAMMA, [], 0.5) is None
    # Between the groups there is no maximum.
    assert dominant_mode(MODEL, rows, GAMMA, [np.array([4.5, 0.0])], 0.5) is None
