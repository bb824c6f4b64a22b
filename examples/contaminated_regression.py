"""How close does the posterior come to the truth?

The paper's synthetic regression: 1000 rows, 2 covariates, a share epsilon_0 of the responses
shifted by 6 noise standard deviations. For each (epsilon_0, gamma) the table shows, over
replicates, the mean absolute error of ``epsilon_``, the area under the precision-recall curve of
the FoD scores, and the coefficient error as a multiple of that of least squares on the clean rows.

Run: ``python examples/contaminated_regression.py [--replicates 30]``
"""

import argparse

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LinearRegression
from sklearn.metrics import average_precision_score

from skholder import HolderBayesRegressor
from skholder.datasets import make_contaminated_regression

CASES = [(0.0, 0.5), (0.1, 0.5), (0.2, 0.5), (0.2, 1.0), (0.3, 1.0), (0.4, 1.0), (0.3, 0.5)]


def replicate(epsilon, gamma, seed):
    X, y, outlier, coef = make_contaminated_regression(
        contamination=epsilon, return_coef=True, random_state=seed
    )
    truth = np.append(0.0, coef)
    model = HolderBayesRegressor(gamma, random_state=seed).fit(X, y)
    clean = LinearRegression().fit(X[~outlier], y[~outlier])
    error = np.linalg.norm(np.append(model.intercept_, model.coef_) - truth)
    best = np.linalg.norm(np.append(clean.intercept_, clean.coef_) - truth)
    auprc = average_precision_score(outlier, model.fod_scores_) if epsilon else np.nan
    covered = model.epsilon_interval_[0] <= epsilon <= model.epsilon_interval_[1]
    return abs(model.epsilon_ - epsilon), auprc, error, best, covered


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replicates", type=int, default=30)
    n_replicates = parser.parse_args().replicates
    print(
        f"{'epsilon_0':>9} {'gamma':>5} {'|error|':>8} {'AUPRC':>6} {'coef ratio':>10} {'cover':>6}"
    )
    for epsilon, gamma in CASES:
        runs = Parallel(n_jobs=-1)(
            delayed(replicate)(epsilon, gamma, seed) for seed in range(n_replicates)
        )
        error, auprc, coef, best, covered = np.array(runs).T
        print(
            f"{epsilon:9.1f} {gamma:5.1f} {error.mean():8.4f} {auprc.mean():6.3f} "
            f"{coef.mean() / best.mean():10.3f} {covered.mean():6.2f}"
        )


if __name__ == "__main__":
    main()
