"""What every display does with matplotlib: import it late, find axes, label rows."""

from __future__ import annotations

import numpy as np

__all__ = [
    "BLUE",
    "GREY",
    "ORANGE",
    "PALETTE",
    "VERMILION",
    "display_text",
    "edge_label",
    "grid_shape",
    "mark_rows",
    "panel_axes",
    "point_style",
    "pyplot",
    "single_axes",
    "within_frame",
]

# Okabe and Ito's colours: told apart under every common colour blindness.
BLUE, VERMILION, ORANGE, GREY = "#0072B2", "#D55E00", "#E69F00", "#767676"
PALETTE = (BLUE, VERMILION, "#009E73", "#CC79A7", ORANGE, "#56B4E9", "#000000")

_LONGEST, _LONGEST_ROW = 28, 12
_WILD, _SQUEEZING = 8.0, 40.0
_RINGS = ("o", "s", "^", "D", "v", "p")


def pyplot(caller):
    """matplotlib.pyplot, or an ImportError that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f'{caller} needs matplotlib: pip install "skholder[plot]".') from error
    return plt


def display_text(text, longest=_LONGEST):
    """A user's string as matplotlib should show it: no mathematics, not too long."""
    text = " ".join(str(text).split())
    if len(text) > longest:
        tail = longest // 3
        text = f"{text[: longest - tail - 1]}…{text[-tail:]}"
    return text.replace("$", r"\$")


def grid_shape(n_panels):
    """Rows and columns of a grid for this many panels, at most three across."""
    across = 2 if n_panels == 4 else min(n_panels, 3)
    return -(-n_panels // across), across


def single_axes(plt, ax, size=(6.4, 4.2)):
    """The figure and axes to draw on; new ones where ``ax`` is None."""
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained")
    return ax.figure, ax


def panel_axes(plt, ax, shape, size):
    """The figure and a grid of axes.

    Parameters
    ----------
    ax : None, Axes or array of Axes
        None makes a figure; one Axes gives up its place to the grid; an array is used as it is.
    shape : (int, int)
    size : (float, float)
        Of a panel of a new figure, in inches.

    Returns
    -------
    figure : Figure
    axes : ndarray of Axes of that shape
    """
    if ax is None:
        figsize = (max(size[0] * shape[1], 4.0), max(size[1] * shape[0], 3.0))
        return plt.subplots(*shape, figsize=figsize, squeeze=False, layout="constrained")
    if isinstance(ax, list | tuple | np.ndarray):
        axes = np.asarray(ax, dtype=object)
        if axes.size != shape[0] * shape[1]:
            raise ValueError(f"ax must hold {shape[0]} x {shape[1]} axes, got {axes.size}.")
        axes = axes.reshape(shape)
        return axes[0, 0].figure, axes
    if ax.get_subplotspec() is None:
        raise ValueError("ax must come from plt.subplots, so that its place can be divided.")
    ax.set_axis_off()
    return ax.figure, ax.get_subplotspec().subgridspec(*shape).subplots(squeeze=False)


def point_style(n_rows):
    """Scatter style for this many rows: smaller where they are many, and pixels beyond a point."""
    many = n_rows > 20_000
    return {
        "s": 3 if many else 8 if n_rows > 2000 else 22,
        "edgecolors": "0.35",
        "linewidths": 0.0 if many else 0.3,
        "rasterized": n_rows > 5000,
    }


def within_frame(values):
    """Values (n,), the wild ones moved to the edge of the rest, and which those are.

    One typo of 1e9 would squeeze all other rows into a dot. Where a value lies more than 40
    interquartile ranges beyond the quartiles, those more than 8 beyond are moved.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.maximum(low - values, values - high) / (high - low)
    wild = distance > _WILD
    if high == low or not np.any(distance > _SQUEEZING):
        return values, np.zeros(len(values), dtype=bool)
    inside = values[~wild]
    margin = 0.15 * np.ptp(inside)
    return np.clip(values, inside.min() - margin, inside.max() + margin), wild


def edge_label(name, wild):
    """The label of an axis, with the number of rows drawn at its edge instead of beyond it."""
    count = np.count_nonzero(wild)
    return f"{display_text(name)} ({count:,} beyond the edge)" if count else display_text(name)


def mark_rows(ax, x, y, labels, legend=True):
    """Ring rows with open markers, one shape each, and name them above the axes.

    Written beside their points, names of neighbours would cover each other.

    Returns
    -------
    list of Line2D
        One for each row, with its label.
    """
    rings = []
    for k, label in enumerate(labels):
        rings += ax.plot(
            x[k : k + 1],
            y[k : k + 1],
            ls="none",
            marker=_RINGS[k % len(_RINGS)],
            ms=9,
            mew=1.5,
            mfc="none",
            color=VERMILION,
            label=f"row {display_text(label, _LONGEST_ROW)}",
        )
    if rings and legend:
        ax.legend(
            handles=rings,
            ncols=len(rings),
            loc="lower right",
            bbox_to_anchor=(1, 1),
            borderaxespad=0.2,
            frameon=False,
            fontsize="small",
            handletextpad=0.0,
            columnspacing=0.8,
        )
    return rings
