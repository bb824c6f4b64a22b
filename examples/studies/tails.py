"""Honest tails: how many rows a default fit flags where noise is not normal but nothing is wrong.

For each law of the noise: share, rows flagged by the default rule and by ``"fdr"``, error of the
coefficients (root mean square) and how often the adequacy complains, by the default
``gamma="auto"``, and by the power of least estimated error, which does not ask for tails. Three
laws with outliers show what the step towards a smaller power leaves alone.

    python examples/studies/tails.py [--replicates 20] [--rows 2000]
"""

import argparse
import warnings

import numpy as np

from skholder import HolderBayesDensity, HolderBayesRegressor

COLUMNS = 3


def moved(share, shift):
    def noise(rng, size):
        rows = rng.normal(size=size)
        rows[: int(share * len(rows))] += shift
        return rows

    return noise


LAWS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "t, 5 df": lambda rng, size: rng.standard_t(5, size=size),
    "t, 3 df": lambda rng, size: rng.standard_t(3, size=size),
    "Laplace": lambda rng, size: rng.laplace(size=size),
    "logistic": lambda rng, size: rng.logistic(size=size),
    "10% at 4 sd": moved(0.1, 4),
    "30% at 4 sd": moved(0.3, 4),
    "30% at 6 sd": moved(0.3, 6),
}


def regression(rng, law, n):
    X = rng.normal(size=(n, COLUMNS))
    return X, X.sum(axis=1) + law(rng, n)


def density(rng, law, n):
    return (law(rng, (n, COLUMNS)),)


def figures(model):
    error = np.nan
    if isinstance(model, HolderBayesRegressor):
        error = np.sqrt(np.mean((model.coef_ - 1) ** 2))
    flagged = [model.audit(rule).count for rule in ("mean", "fdr")]
    complains = model.adequacy_.verdict != "right"
    return model.gamma_, model.epsilon_, *flagged, error, complains


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--rows", type=int, default=2000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for make, kind in ((regression, HolderBayesRegressor), (density, HolderBayesDensity)):
        for name, law in LAWS.items():
            found = {"default": [], "least error": []}
            for seed in range(args.replicates):
                data = make(np.random.default_rng(seed), law, args.rows)
                settings = {"inference": "laplace", "n_draws": 400, "random_state": 0}
                model = kind(**settings).fit(*data)
                found["default"].append(figures(model))
                path = model.gamma_path_
                gamma = float(path.gamma[np.argmin(path.criterion)])
                if gamma != model.gamma_:
                    model = kind(gamma=gamma, **settings).fit(*data)
                found["least error"].append(figures(model))
            for label, numbers in found.items():
                gamma, share, mean, fdr, error, complains = np.mean(numbers, axis=0)
                print(
                    f"{make.__name__:10} {name:12} {label:11} gamma {gamma:.2f}, share "
                    f"{share:.3f}, flagged {mean:.0f}, fdr {fdr:.0f}, error of coefficients "
                    f"{error:.4f}, complains {complains:.0%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
