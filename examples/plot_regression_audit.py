"""What does an audit of a regression look like?
=============================================

How many rows, which rows, and where they lie: an audit of a regression in four pictures.

scikit-learn's diabetes data with 15% of the responses spoiled by 300 units.

Run: ``python examples/plot_regression_audit.py [FILE.png]`` (needs matplotlib and pandas)
"""

import sys

import matplotlib.pyplot as plt

from skholder import HolderBayesRegressor
from skholder.datasets import load_spoiled_diabetes
from skholder.inspection import AuditRankingDisplay, EpsilonPosteriorDisplay, FoDDisplay


def main(path=None):
    diabetes = load_spoiled_diabetes(as_frame=True)
    X, y = diabetes.data, diabetes.target
    model = HolderBayesRegressor(random_state=0).fit(X, y)

    fig, axes = plt.subplots(2, 2, figsize=(12, 8.5), layout="constrained")
    EpsilonPosteriorDisplay.from_estimator(model, truth=diabetes.outliers.mean(), ax=axes[0, 0])
    AuditRankingDisplay.from_estimator(model, outliers=diabetes.outliers, ax=axes[0, 1])
    FoDDisplay.from_estimator(model, X, y, ax=axes[1, 0])
    FoDDisplay.from_estimator(model, X, y, space="data", columns=["bmi"], ax=axes[1, 1])
    if path:
        fig.savefig(path, dpi=80)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
