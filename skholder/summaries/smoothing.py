"""Densities of draws on a grid: a histogram smoothed by a normal kernel."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter, gaussian_filter1d

from ..rows import NORMAL_IQR

__all__ = ["smooth_density", "smooth_density_2d"]

_BINS, _BINS_2D = 512, 96
# Contours far out rest on few draws: a broader kernel than the reference rule's keeps them smooth.
_BROADER = 1.6
_LINE = (-np.inf, np.inf)


def smooth_density(draws, support=_LINE):
    """Density of draws (S,), reflected at the ends of the support so that no mass leaks out.

    Returns
    -------
    grid, density : ndarray of shape (512,)
    """
    edges, width = _edges(draws, support, _BINS, -1 / 5)
    density, _ = np.histogram(draws, edges)
    step = edges[1] - edges[0]
    density = gaussian_filter1d(density / (len(draws) * step), width / step, mode="reflect")
    return (edges[1:] + edges[:-1]) / 2, density


def smooth_density_2d(x, y, masses, x_support=_LINE, y_support=_LINE):
    """Joint density of two parameters' draws, each (S,), and the heights of its contours.

    Returns
    -------
    x_grid, y_grid : ndarray of shape (96,)
    density : ndarray of shape (96, 96)
        Rows are y, as contour plots want.
    heights : ndarray
        The heights above which each share in ``masses`` of the draws lies, so that smoothing does
        not widen the regions.
    """
    x_edges, x_width = _edges(x, x_support, _BINS_2D, -1 / 6)
    y_edges, y_width = _edges(y, y_support, _BINS_2D, -1 / 6)
    count, _, _ = np.histogram2d(y, x, (y_edges, x_edges))
    x_step, y_step = x_edges[1] - x_edges[0], y_edges[1] - y_edges[0]
    widths = _BROADER * np.array([y_width / y_step, x_width / x_step])
    density = gaussian_filter(count / (len(x) * x_step * y_step), widths, mode="reflect")
    column, row = _bin(x, x_edges), _bin(y, y_edges)
    at_draws = np.where((column >= 0) & (row >= 0), density[row, column], 0.0)
    heights = np.quantile(at_draws, 1 - np.asarray(masses))
    return (x_edges[1:] + x_edges[:-1]) / 2, (y_edges[1:] + y_edges[:-1]) / 2, density, heights


def _bin(draws, edges):
    """The bin of each draw; -1 outside."""
    spot = np.searchsorted(edges, draws, side="right") - 1
    return np.where((spot >= 0) & (spot < len(edges) - 1), spot, -1)


def _edges(draws, support, n_bins, exponent):
    """Edges of the bins, shape (n_bins + 1,), and the width of the kernel.

    A few wild draws shall not squeeze the rest, so the grid ends near the outer 0.2% quantiles.
    """
    low, q1, q3, high = np.quantile(draws, [0.002, 0.25, 0.75, 0.998])
    size = max(abs(low), abs(high)) or 1.0
    spreads = [s for s in (np.std(draws), (q3 - q1) / NORMAL_IQR) if s > 1e-13 * size]
    # Draws that are all the same get a kernel that can be seen.
    spread = min(spreads) if spreads else 1e-3 * size
    width = 0.9 * spread * len(draws) ** exponent
    low, high = max(low - 4 * width, support[0]), min(high + 4 * width, support[1])
    return np.linspace(low, high, n_bins + 1), width
