"""Does the model describe the rows it keeps? The verdict and its sentence, case by case.

python examples/studies/adequacy.py [--replicates 20]
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.datasets import load_spoiled_diabetes


def shifted(rng, n, share, shift):
    X = rng.normal(size=(n, 3))
    y = X.sum(axis=1) + rng.normal(size=n)
    y[: int(share * n)] += shift
    return X, y


def parabola(rng):
    x = rng.uniform(-3, 3, size=(500, 1))
    return x, x[:, 0] ** 2 + rng.normal(size=500)


def clusters(rng):
    X = rng.normal(size=(1000, 2))
    X[:400] += 20
    return (X,)


def moved(rng):
    X = rng.normal(size=(1000, 3))
    X[:200] += 6
    return (X,)


CASES = {
    "right": {
        "clean normal columns": lambda rng: (rng.normal(size=(1000, 3)),),
        "20% of the rows moved by 6 sd": moved,
        "clean regression": lambda rng: shifted(rng, 500, 0.0, 0),
        "regression, 20% moved by 6 sd": lambda rng: shifted(rng, 500, 0.2, 6),
    },
    "wrong": {
        "log-normal columns": lambda rng: (np.exp(rng.normal(size=(5000, 3))),),
        "two far clusters": clusters,
        "a parabola by a line": parabola,
    },
}


def verdict(data, **settings):
    kind = HolderBayesDensity if len(data) == 1 else HolderBayesRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(n_draws=400, random_state=0, **settings).fit(*data).adequacy_


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=20)
    args = parser.parse_args()
    for expected, cases in CASES.items():
        for name, make in cases.items():
            found = [verdict(make(np.random.default_rng(r))) for r in range(args.replicates)]
            share = np.mean([one.verdict == expected for one in found])
            print(f"{name}: {expected} in {share:.0%}; e.g. {found[0].sentence}", flush=True)
    spoiled = load_spoiled_diabetes()
    print("diabetes demo:", verdict((spoiled.data, spoiled.target)).sentence)
    cancer = load_breast_cancer().data
    print("breast cancer:", verdict((cancer,), covariance_type="diag").sentence)


if __name__ == "__main__":
    main()
