"""What does the fit believe, and can the sampler be trusted?
==========================================================

Left, the joint posterior of coefficients, noise scale and contamination, with the true values.
Right, the draws of four independent ensembles: they should look alike, R-hat should be below 1.01
and the effective sizes above 400.

Run: ``python examples/plot_posterior.py [FILE.png]`` (needs matplotlib)
"""

import sys

import matplotlib.pyplot as plt

from skholder import HolderBayesRegressor
from skholder.datasets import make_contaminated_regression
from skholder.inspection import PosteriorDisplay, TraceDisplay


def main(path=None):
    X, y, outliers, coef = make_contaminated_regression(400, return_coef=True, random_state=0)
    model = HolderBayesRegressor(random_state=0).fit(X, y)
    truth = {"coef[0]": coef[0], "coef[1]": coef[1], "scale": 1.0, "epsilon": outliers.mean()}

    fig, (left, right) = plt.subplots(1, 2, figsize=(16, 7), layout="constrained")
    PosteriorDisplay.from_estimator(model, parameters=list(truth), truth=truth, ax=left)
    TraceDisplay.from_estimator(model, parameters=list(truth), ax=right)
    if path:
        fig.savefig(path, dpi=80)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
