"""Do the numbers of bad rows mean what they say? Coverage of K, epsilon and the coefficients.

Rows ``y = x_1 + ... + x_p + noise``, a share of them moved by ``shift`` noise standard deviations.
For every cell: coverage and mean width of the 95% intervals of K (rows of the table) and epsilon
(share of the population), the spread of the error of K's mean, coverage of the coefficients,
flagged rows that are good and bad rows that are not flagged by the default rule, and how often
``clean_probability_`` is above 0.8 and below 0.2.

    python examples/studies/counts.py [--replicates 200] [--cells clean,five,count] [--gamma auto]
"""

import argparse
import warnings

import numpy as np

from skholder import HolderBayesRegressor

CELLS = {
    "clean": [(n, p, 0.0, 0) for n in (100, 400, 2000) for p in (3, 10)],
    "five": [(400, 3, 5, 50)],
    "two per cent": [(400, 3, 0.02, 8)],
    "count": [
        (100, 3, 0.1, 8),
        (400, 3, 0.0125, 50),
        (400, 3, 0.1, 8),
        (400, 10, 0.1, 8),
        (2000, 3, 0.2, 8),
        (2000, 10, 0.2, 8),
        (2000, 3, 0.1, 5),
        (5000, 3, 0.1, 8),
        (5000, 10, 0.1, 8),
    ],
}


def table(n, p, share, shift, seed):
    """X, y and which rows were moved: a whole number of them, or each with a probability."""
    rng = np.random.default_rng([seed, n, p])
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) + rng.normal(size=n)
    bad = np.arange(n) < share if share >= 1 else rng.random(n) < share
    y[bad] += shift
    return X, y, bad


def replicate(cell, seed, settings):
    X, y, bad = table(*cell, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HolderBayesRegressor(random_state=seed, n_draws=1000, **settings).fit(X, y)
    counts = model.outlier_count_posterior_
    low, high = np.quantile(counts, [0.025, 0.975])
    start, stop = model.epsilon_interval_
    ends = np.quantile(model.posterior_["coef"], [0.025, 0.975], axis=0)
    share = cell[2] if cell[2] < 1 else cell[2] / cell[0]
    extra = {}
    if bad.any():
        extra = {"least FoD of bad rows": model.fod_scores_[bad].min()}
    all_found = model.fod_scores_[bad].min(initial=1.0) > 0.99
    for rule, most in (("mean", 2), ("fdr", 1), ("certain", 1)):
        flagged = model.audit(rule=rule).mask
        extra[f"{rule}: false"] = np.sum(flagged & ~bad)
        extra[f"{rule}: missed"] = np.sum(bad & ~flagged)
        all_found &= flagged[bad].all() and np.sum(flagged & ~bad) <= most
    extra["every rule found the bad rows and hardly others"] = all_found
    return {
        "K covered": low - 0.5 <= bad.sum() <= high + 0.5,
        "K width": high - low,
        "K error": counts.mean() - bad.sum(),
        "epsilon covered": start <= share <= stop,
        "coef covered": np.mean((ends[0] <= 1) & (ends[1] >= 1)),
        "P(clean) > .8": model.clean_probability_ > 0.8,
        "P(clean) < .2": model.clean_probability_ < 0.2,
        **extra,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--cells", default=",".join(CELLS))
    parser.add_argument("--gamma", default="auto")
    parser.add_argument("--count", default="calibrated")
    args = parser.parse_args()
    gamma = args.gamma if args.gamma == "auto" else float(args.gamma)
    for name in args.cells.split(","):
        for cell in CELLS[name]:
            settings = {"gamma": gamma, "count": args.count}
            found = [replicate(cell, seed, settings) for seed in range(args.replicates)]
            means = {key: np.mean([one[key] for one in found]) for key in found[0]}
            spread = np.std([one["K error"] for one in found])
            means["sd of K error"] = spread
            # An interval of a normal error is 3.92 standard deviations wide.
            means["width over spread"] = means["K width"] / max(3.92 * spread, 1e-9)
            text = ", ".join(f"{key} {value:.3g}" for key, value in means.items())
            print(
                f"{name} n={cell[0]} p={cell[1]} share={cell[2]} shift={cell[3]}: {text}",
                flush=True,
            )


if __name__ == "__main__":
    main()
