"""Do 95% credible intervals of the coefficients cover the truth 95% of the time?

400 rows, 5 covariates, 15% of the responses shifted by 8 noise standard deviations, the default
(calibrated) temperature. Prints the coverage of each coefficient's interval, and of epsilon's.

Run: ``python examples/coverage.py [--replicates 200]``
"""

import argparse

import numpy as np
from joblib import Parallel, delayed

from skholder import HolderBayesRegressor


def replicate(seed, n=400, p=5, epsilon=0.15, shift=8.0):
    rng = np.random.default_rng(seed)
    coef = rng.normal(size=p)
    X = rng.normal(size=(n, p))
    outlier = rng.random(n) < epsilon
    y = X @ coef + rng.normal(size=n) + shift * outlier
    model = HolderBayesRegressor(random_state=seed).fit(X, y)
    draws = np.column_stack([model.posterior_["intercept"], model.posterior_["coef"]])
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    truth = np.append(0.0, coef)
    inside = (low <= truth) & (truth <= high)
    share = model.epsilon_interval_
    return np.append(inside, share[0] <= epsilon <= share[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replicates", type=int, default=200)
    n_replicates = parser.parse_args().replicates
    inside = np.array(Parallel(n_jobs=-1)(delayed(replicate)(s) for s in range(n_replicates)))
    names = ["intercept", *(f"coef[{j}]" for j in range(inside.shape[1] - 2)), "epsilon"]
    for name, share in zip(names, inside.mean(axis=0), strict=True):
        print(f"{name:>10} {share:.3f}")
    print(f"{'all coef':>10} {inside[:, 1:-1].mean():.3f}")


if __name__ == "__main__":
    main()
