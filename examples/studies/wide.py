"""More columns than rows: how many new clean rows are called outliers, and are gross ones found?

Tables of 300 rows and 500 columns with five factors, clean; 1000 new rows of the same kind, and the
same with a tenth of their columns moved by 6 standard deviations.

Run: ``python examples/studies/wide.py [--replicates 5]``
"""

import argparse
import warnings

import numpy as np

from skholder import HolderBayesDensity


def replicate(seed, n=300, k=500, factors=5):
    rng = np.random.default_rng(seed)
    loadings = rng.normal(size=(factors, k))

    def rows(size):
        return rng.normal(size=(size, factors)) @ loadings + rng.normal(size=(size, k))

    train, new = rows(n), rows(1000)
    gross = new.copy()
    gross[:, : k // 10] += 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HolderBayesDensity(random_state=0).fit(train)
    shares = [np.mean(model.predict(table) == -1) for table in (train, new, gross)]
    # All axes but the leading ones share the last scale.
    own = sum(name.startswith("log_scale") for name in model.diagnostics_.r_hat) - 1
    return [*shares, own]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=5)
    found = np.array([replicate(seed) for seed in range(parser.parse_args().replicates)])
    *shares, own = found.T
    for name, share in zip(
        ("the table's rows", "new clean rows", "gross rows"), shares, strict=True
    ):
        print(f"{name}: called outliers {share.min():.3f} to {share.max():.3f}")
    print(f"axes with a scale of their own: {own.min():.0f} to {own.max():.0f}")


if __name__ == "__main__":
    main()
