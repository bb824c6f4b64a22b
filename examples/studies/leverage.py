"""Bad leverage points: found by default, and good ones left alone.

Clusters at x = 5, y 8 below the plane; heavy-tailed, dummy and clean designs; and, with ``--data``,
the classic sets of robust statistics beside statsmodels' RLMDetSMM where that is installed.

    python examples/studies/leverage.py [--replicates 20] [--data FOLDER]
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from skholder import HolderBayesRegressor

CLASSIC = {
    "hbk": range(1, 11),
    "wood": (4, 6, 8, 19),
    "starsCYG": (11, 20, 30, 34),
    "stackloss": (1, 3, 4, 21),
    "telef": range(15, 21),
    "delivery": (),
    "coleman": (),
}


def fit(X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HolderBayesRegressor(n_draws=1000, random_state=0, **settings).fit(X, y)


def cluster(n, p, share, seed):
    rng = np.random.default_rng([seed, n])
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) + rng.normal(size=n)
    k = int(share * n)
    X[:k] = 5 + 0.3 * rng.normal(size=(k, p))
    y[:k] = X[:k].sum(axis=1) - 8 + rng.normal(size=k)
    return X, y, np.arange(n) < k


def good_design(kind, n, seed, p=3):
    rng = np.random.default_rng([seed, n, 1])
    X = rng.standard_t(3, size=(n, p)) if kind == "t3" else rng.normal(size=(n, p))
    if kind == "dummies":
        X[:, 1:] = rng.random((n, p - 1)) < 0.1
    return X, X.sum(axis=1) + rng.normal(size=n)


def simulated(replicates):
    for n, p in ((100, 3), (400, 5), (1000, 5)):
        for share in (0.1, 0.2, 0.3):
            found = []
            for seed in range(replicates):
                X, y, bad = cluster(n, p, share, seed)
                ours, plain = fit(X, y), fit(X, y, leverage="ignore")
                found.append(
                    [average_precision_score(bad, -m.log_density_) for m in (ours, plain)]
                    + [np.linalg.norm(ours.coef_ - 1)]
                )
            auprc, ignored, error = np.mean(found, axis=0)
            print(
                f"cluster {share:.0%}, n={n}, p={p}: AUPRC {auprc:.3f} (ignore {ignored:.3f}), "
                f"coefficient error {error:.3f}",
                flush=True,
            )
    for kind in ("normal", "t3", "dummies"):
        for n in (100, 400):
            ratio = []
            for seed in range(replicates):
                X, y = good_design(kind, n, seed)
                ratio.append(
                    [np.sum((fit(X, y, leverage=v).coef_ - 1) ** 2) for v in ("auto", "ignore")]
                )
            auto, ignore = np.sqrt(np.mean(ratio, axis=0))
            print(f"good design {kind}, n={n}: error auto / ignore {auto / ignore:.3f}", flush=True)


def classic(folder):
    import pandas as pd

    for name, bad in CLASSIC.items():
        table = pd.read_csv(Path(folder) / "robust_classic" / f"{name}.csv.gz").to_numpy(float)
        X, y = table[:, :-1], table[:, -1]
        model = fit(X, y)
        rank = np.argsort(np.argsort(model.log_density_)) + 1
        coef = np.append(model.intercept_, model.coef_)
        flagged = sorted((model.audit().indices + 1).tolist())
        print(
            f"{name}: gamma {model.gamma_:.2f}, ranks of the known rows "
            f"{[int(rank[i - 1]) for i in bad]}, flagged {flagged}, "
            f"{_beside_mm(coef, X, y)}",
            flush=True,
        )


def _beside_mm(coef, X, y):
    try:
        from statsmodels.robust.resistant_linear_model import RLMDetSMM
    except ImportError:
        return "statsmodels is not installed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = RLMDetSMM(y, np.column_stack([np.ones(len(y)), X])).fit()
    largest = np.max(np.abs(coef - other.params) / other.bse)
    return f"largest difference from RLMDetSMM {largest:.1f} standard errors"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--data")
    args = parser.parse_args()
    if args.data:
        classic(args.data)
    else:
        simulated(args.replicates)


if __name__ == "__main__":
    main()
