"""What is an outlier of a density?
================================

Two kinds of contamination: a cluster that stands apart, and heavy tails that overlap.

The paper's location-scale data, fitted with a normal. Above, outliers from a cluster: the audit
finds them all, and epsilon is their share. Below, outliers from a wide Student-t: those that fall
among the other rows follow the model as well as any, so epsilon is the share that does not.

Run: ``python examples/plot_density_audit.py [FILE.png]`` (needs matplotlib)
"""

import sys

import matplotlib.pyplot as plt

from skholder import HolderBayesDensity
from skholder.datasets import make_contaminated_blobs
from skholder.inspection import AuditRankingDisplay, EpsilonPosteriorDisplay, FoDDisplay


def main(path=None):
    fig, axes = plt.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for row, kind in zip(axes, ("cluster", "student_t"), strict=True):
        X, outliers = make_contaminated_blobs(600, contamination=0.15, kind=kind, random_state=1)
        model = HolderBayesDensity(random_state=0).fit(X)
        FoDDisplay.from_estimator(model, X, n_labels=0, ax=row[0])
        AuditRankingDisplay.from_estimator(model, outliers=outliers, ax=row[1])
        EpsilonPosteriorDisplay.from_estimator(model, truth=outliers.mean(), ax=row[2])
    if path:
        fig.savefig(path, dpi=80)
    else:
        plt.show()


if __name__ == "__main__":
    main(*sys.argv[1:])
