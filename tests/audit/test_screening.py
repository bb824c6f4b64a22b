import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skholder.audit.screening
from skholder.audit import detect, flagged_share
from skholder.models import LinearModel, NormalNoise, StudentTNoise
from skholder.rows import RowBlocks


def linear(noise, n_coef):
    return LinearModel(noise, n_coef, coef_prior_scale=1, log_scale_prior_scale=1, min_scale=1e-3)


def make(n, n_draws, spread, seed, outliers=0):
    """Rows around a line, and draws that move it by ``spread``."""
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    y = design @ [0.5, 1.0, -1.0] + rng.standard_t(3, size=n)
    y[:outliers] += 30.0
    theta = np.array([0.5, 1.0, -1.0, 0.0]) + spread * rng.normal(size=(n_draws, 4))
    return np.column_stack([design, y]), theta, rng


def brute(noise, rows, theta, counts):
    """Rank every row by its residual in every draw."""
    residual = np.abs(rows[:, -1:] - rows[:, :-1] @ theta[:, :-1].T)
    rank = np.argsort(np.argsort(-residual, axis=0, kind="stable"), axis=0, kind="stable")
    scaled = residual * np.exp(-theta[:, -1])
    log_p = noise.rho(scaled) - noise.log_norm - theta[:, -1]
    ordered = np.sort(log_p, axis=0)
    cut = ordered[np.maximum(counts - 1, 0), np.arange(len(theta))]
    return np.mean(rank < counts, axis=1), log_p.mean(axis=1), np.where(counts > 0, cut, -np.inf)


each_noise = pytest.mark.parametrize(
    "noise", [NormalNoise(), StudentTNoise()], ids=["normal", "student"]
)


@each_noise
@given(
    n=st.integers(5, 80),
    n_draws=st.integers(2, 60),
    spread=st.sampled_from([1e-6, 0.05, 1.0, 10.0]),
    share=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    seed=st.integers(0, 10**6),
)
def test_screening_changes_nothing(noise, n, n_draws, spread, share, seed):
    rows, theta, rng = make(n, n_draws, spread, seed)
    low, high = sorted(round(s * n) for s in share)
    counts = rng.integers(low, high + 1, size=n_draws)
    found = detect(linear(noise, 3), RowBlocks(rows), theta, counts)
    fod, log_density, threshold = brute(noise, rows, theta, counts)
    np.testing.assert_allclose(found.fod, fod, atol=1e-12)
    np.testing.assert_allclose(found.log_density, log_density, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.threshold, threshold, rtol=1e-8, atol=1e-8)


@each_noise
def test_many_rows_in_blocks_and_chunks(noise, monkeypatch):
    rows, theta, rng = make(1500, 300, 0.05, seed=0, outliers=150)
    counts = rng.integers(120, 200, size=300)
    fod, log_density, threshold = brute(noise, rows, theta, counts)
    for held in (4_000_000, 3000):
        monkeypatch.setattr(skholder.audit.screening, "HELD_NUMBERS", held)
        found = detect(linear(noise, 3), RowBlocks(rows), theta, counts)
        np.testing.assert_allclose(found.fod, fod, atol=1e-12)
        np.testing.assert_allclose(found.log_density, log_density, rtol=1e-8)
        np.testing.assert_allclose(found.threshold, threshold, rtol=1e-8)
    # The shifted rows are flagged in every draw: they are what screening spares.
    assert np.mean(fod[:150] == 1) > 0.5


@pytest.mark.parametrize("counts", [0, 40], ids=["none", "all"])
def test_no_row_or_every_row(counts):
    rows, theta, _ = make(40, 10, 0.1, seed=1)
    found = detect(linear(NormalNoise(), 3), RowBlocks(rows), theta, np.full(10, counts))
    np.testing.assert_array_equal(found.fod, counts / 40)


def test_equal_draws():
    # No spread at all: the bounds themselves decide every row.
    rows, theta, _ = make(40, 10, 0.0, seed=1)
    counts = np.arange(10)
    found = detect(linear(NormalNoise(), 3), RowBlocks(rows), theta, counts)
    np.testing.assert_allclose(found.fod, brute(NormalNoise(), rows, theta, counts)[0])


def test_earlier_copies_of_a_row_come_first():
    rows, theta, rng = make(37, 200, 0.3, seed=2)
    twice = np.vstack([rows, rows])
    counts = rng.integers(0, 74, size=200)
    found = detect(linear(NormalNoise(), 3), RowBlocks(twice), theta, counts)
    np.testing.assert_allclose(found.fod.sum(), counts.mean())
    assert np.all(found.fod[:37] >= found.fod[37:])


@each_noise
@pytest.mark.parametrize("spread", [0.02, 0.3])
def test_new_rows_are_screened_to_the_same_share(noise, spread):
    rows, theta, rng = make(300, 40, spread, 0, outliers=15)
    counts = rng.integers(5, 60, size=40)
    threshold = detect(linear(noise, 3), RowBlocks(rows), theta, counts).threshold
    new, *_ = make(500, 40, spread, 1)
    # On both sides of the line.
    new[:, -1] *= np.where(rng.random(500) < 0.3, 4.0, 1.0)
    log_p = linear(noise, 3).log_density(theta, new)
    expected = np.mean(log_p <= threshold, axis=1)
    assert 0.05 < np.mean((expected > 0) & (expected < 1)) < 0.9
    np.testing.assert_allclose(flagged_share(linear(noise, 3), theta, threshold, new), expected)
