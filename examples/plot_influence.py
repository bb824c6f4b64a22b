"""Why do far rows stop pulling?
=============================

The change of the slope's posterior mean were one more row like each of these added. Left,
Hölder-Bayes: the pull returns to nothing for large residuals. Right, ordinary Bayes
(``divergence="kl"``): the farther a row lies, the harder it pulls, and every residual is measured
from a line that the outliers have already moved.

Run: ``python examples/plot_influence.py [FILE.png]`` (needs matplotlib)
"""

import sys

import matplotlib.pyplot as plt

from skholder import HolderBayesRegressor
from skholder.datasets import make_contaminated_regression
from skholder.inspection import InfluenceDisplay


def main(path=None):
    X, y, _ = make_contaminated_regression(400, 1, random_state=0)
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
    for ax, divergence in zip(axes, ("dpd", "kl"), strict=True):
        model = HolderBayesRegressor(divergence=divergence, random_state=0).fit(X, y)
        display = InfluenceDisplay.from_estimator(
            model, X, y, parameters=["coef[0]"], feature_names=["x"], n_labels=0, ax=[ax]
        )
        display.ax_.set_title(f"divergence={divergence!r}")
    if path:
        fig.savefig(path, dpi=80)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
