"""The paper's location-scale experiment: two dimensions, two kinds of contamination.

1000 rows of N(0, I); a share epsilon_0 replaced by (A) a cluster N((5, 5), I) or (B) a Student-t
with 1.5 degrees of freedom and scale 5. The first table uses the paper's settings (diagonal normal,
``temperature="covdet"``, its priors); the second the diagonal normal with our default temperature
and priors (and a full covariance, which breaks down earlier), beside what the best thresholders of
PyThresh made of EllipticEnvelope's scores (DSN for A, FGD for B; measured elsewhere, three
replicates, pass ``--pythresh`` to measure them here if pyod and pythresh are installed).

Run: ``python examples/location_scale.py [--replicates 30]``
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.covariance import EllipticEnvelope

from skholder import HolderBayesDensity
from skholder.datasets import make_contaminated_blobs

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4)
PYTHRESH = {"A": (0.114, 0.106, 0.206, 0.300, 0.392), "B": (0.184, 0.095, 0.127, 0.263, 0.347)}
PAPER = {
    "covariance_type": "diag",
    "temperature": "covdet",
    "location_prior_scale": 10.0,
    "max_contamination": 1.0,
}


def make_data(scenario, epsilon, seed):
    return make_contaminated_blobs(
        contamination=epsilon,
        kind={"A": "cluster", "B": "student_t"}[scenario],
        random_state=[seed, "AB".index(scenario), int(100 * epsilon)],
    )


def replicate(scenario, epsilon, seed, **settings):
    X, _ = make_data(scenario, epsilon, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HolderBayesDensity(random_state=seed, **settings).fit(X)
    return np.linalg.norm(model.location_), model.epsilon_


def thresholded_share(scenario, epsilon, seed):
    from pythresh.thresholds.dsn import DSN
    from pythresh.thresholds.fgd import FGD

    X, _ = make_data(scenario, epsilon, seed)
    scores = -EllipticEnvelope(random_state=seed).fit(X).score_samples(X)
    return np.mean({"A": DSN, "B": FGD}[scenario]().eval(scores))


def sweep(scenario, n_replicates, **settings):
    """Mean location error and mean epsilon at each share, two arrays."""
    runs = Parallel(n_jobs=-1)(
        delayed(replicate)(scenario, epsilon, seed, **settings)
        for epsilon in SHARES
        for seed in range(n_replicates)
    )
    return np.array(runs).reshape(len(SHARES), n_replicates, 2).transpose(2, 0, 1)


def row(label, values):
    print(f"{label:>34} " + " ".join(f"{value:7.3f}" for value in values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replicates", type=int, default=30)
    parser.add_argument("--pythresh", action="store_true", help="run the thresholders here")
    options = parser.parse_args()
    for scenario in "AB":
        print(f"\nScenario {scenario}, the paper's settings")
        row("epsilon_0", SHARES)
        for gamma in (0.1, 0.5, 1.0):
            error, share = sweep(scenario, options.replicates, gamma=gamma, **PAPER)
            row(f"gamma {gamma}: location error", error.mean(axis=1))
            row("mean epsilon", share.mean(axis=1))
            row("mean |epsilon - epsilon_0|", np.abs(share.T - SHARES).mean(axis=0))
        print(f"\nScenario {scenario}, default temperature, priors and gamma")
        row("epsilon_0", SHARES)
        for kind in ("full", "diag"):
            error, share = sweep(scenario, options.replicates, covariance_type=kind)
            row(f"{kind}: location error", error.mean(axis=1))
            row("mean epsilon", share.mean(axis=1))
        theirs = np.array(PYTHRESH[scenario])
        if options.pythresh:
            theirs = np.mean(
                [[thresholded_share(scenario, e, seed) for e in SHARES] for seed in range(3)],
                axis=0,
            )
        row("thresholder's share", theirs)
        ours = np.abs(share.mean(axis=1) - SHARES).mean()
        print(
            f"{'mean |share - epsilon_0|':>34}: ours (diag) {ours:.3f}, "
            f"thresholder {np.abs(theirs - SHARES).mean():.3f}; "
            f"by replicate, ours {np.abs(share.T - SHARES).mean():.3f}"
        )


if __name__ == "__main__":
    main()
