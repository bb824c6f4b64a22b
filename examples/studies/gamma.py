"""Is gamma="auto" a good choice? Errors of epsilon and of the coefficients against the grid's best.

For every cell: mean |epsilon - true share of the table|, root mean squared error of the
coefficients relative to least squares on the clean rows, the same at the best single power of the
grid, and the median choice. Paths only: nothing is sampled.

    python examples/studies/gamma.py [--replicates 100] [--density]
"""

import argparse
import warnings

import numpy as np

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.model_selection import select_gamma


def regression(n, eps, kind, seed, p=3):
    rng = np.random.default_rng([seed, n])
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) + rng.normal(size=n)
    bad = rng.random(n) < eps
    if kind == "+-8":
        y[bad] += 8 * rng.choice([-1, 1], bad.sum())
    elif kind == "wide":
        y[bad] += 10 * rng.normal(size=bad.sum())
    else:
        y[bad] += kind
    return X, y, bad


def plane(scenario, eps, seed, n=1000, k=2):
    """The paper's scenarios: a shifted cluster (A), a wide multivariate t (B)."""
    rng = np.random.default_rng([seed, 0])
    clean, other = rng.normal(size=(2, n, k))
    bad = rng.random(n) < eps
    if scenario == "A":
        other = other + 5.0
    else:
        other = 5.0 * other / np.sqrt(rng.chisquare(1.5, size=(n, 1)) / 1.5)
    return np.where(bad[:, None], other, clean), bad


def regression_cell(n, eps, kind, replicates):
    errors, chosen, grid, oracle, best = [], [], {}, [], []
    for seed in range(replicates):
        X, y, bad = regression(n, eps, kind, seed)
        path = select_gamma(HolderBayesRegressor(random_state=seed), X, y)
        unit = y.std() / X.std(axis=0)
        loss = np.mean((path.theta[:, 1:-1] * unit - 1) ** 2, axis=1)
        for gamma, value in zip(np.round(path.gamma, 3), loss, strict=True):
            grid.setdefault(gamma, []).append(value)
        errors.append(abs(path.epsilon[path.chosen] - bad.mean()))
        chosen.append(loss[path.chosen])
        best.append(path.best)
        design = np.column_stack([np.ones(n), X])[~bad]
        oracle.append(np.mean((np.linalg.lstsq(design, y[~bad], rcond=None)[0][1:] - 1) ** 2))
    complete = [np.mean(values) for values in grid.values() if len(values) == replicates]
    unit = np.mean(oracle)
    return (
        f"eps error {np.mean(errors):.3f}, rmse {np.sqrt(np.mean(chosen) / unit):.2f}, "
        f"best of grid {np.sqrt(min(complete) / unit):.2f}, median gamma {np.median(best):.2f}"
    )


def density_cell(scenario, kind, eps, replicates):
    own, true, best = [], [], []
    for seed in range(replicates):
        X, bad = plane(scenario, eps, seed)
        path = select_gamma(HolderBayesDensity(covariance_type=kind, random_state=seed), X)
        own.append(abs(path.epsilon[path.chosen] - bad.mean()))
        true.append(abs(path.epsilon[path.chosen] - eps))
        best.append(path.best)
    return (
        f"eps error {np.mean(true):.4f} (against the table's own share {np.mean(own):.4f}), "
        f"median gamma {np.median(best):.2f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=100)
    parser.add_argument("--density", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.density:
        for scenario in "AB":
            for kind in ("full", "diag"):
                for eps in (0.0, 0.1, 0.2, 0.3, 0.4):
                    line = density_cell(scenario, kind, eps, args.replicates)
                    print(f"{scenario} {kind} epsilon={eps}: {line}", flush=True)
        return
    for kind in (4, 6, "+-8", "wide"):
        for n in (60, 200, 1000):
            for eps in (0.0, 0.1, 0.2, 0.3, 0.4):
                line = regression_cell(n, eps, kind, args.replicates)
                print(f"shift {kind}, n={n}, epsilon={eps}: {line}", flush=True)


if __name__ == "__main__":
    main()
