"""How many rows do not belong, and which?
=======================================

One fit, three answers: the line, the share of bad rows, and which rows they are.

Run: ``python examples/plot_audit.py [FILE.png]`` (needs matplotlib)
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from skholder import HolderBayesRegressor


def main(path=None):
    rng = np.random.default_rng(3)
    x = rng.uniform(-3, 3, size=300)
    outlier = rng.random(300) < 0.2
    y = 1.0 + 0.8 * x + rng.normal(scale=0.6, size=300)
    y[outlier] = rng.normal(5.5 - 0.3 * x[outlier], 0.7)
    model = HolderBayesRegressor(random_state=0).fit(x[:, None], y)
    grid = np.linspace(-3.2, 3.2, 100)
    low, high = model.predict_interval(grid[:, None]).T
    slope, intercept = np.polyfit(x, y, 1)

    fig, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4), width_ratios=(2, 1), layout="constrained"
    )
    points = left.scatter(
        x, y, c=model.fod_scores_, cmap="viridis_r", s=22, edgecolor="0.4", lw=0.3
    )
    left.plot(grid, model.predict(grid[:, None]), color="C3", label="Hölder-Bayes")
    left.fill_between(grid, low, high, color="C3", alpha=0.12, lw=0, label="95% predictive")
    left.plot(grid, intercept + slope * grid, "--", color="0.4", label="least squares")
    left.set(xlabel="x", ylabel="y", title="Rows coloured by frequency of detection (FoD)")
    left.legend(loc="lower right", frameon=False)
    fig.colorbar(points, ax=left, label="FoD")
    right.hist(model.epsilon_posterior_, bins=50, density=True, color="C0", alpha=0.7)
    right.axvline(outlier.mean(), color="k", ls=":", label=f"true share {outlier.mean():.2f}")
    right.set(xlabel="contamination epsilon", yticks=[], title="How many rows? A posterior")
    right.legend(frameon=False)
    if path:
        fig.savefig(path, dpi=80)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
