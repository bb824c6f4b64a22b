"""Which training rows each cleaning rule of the paper removes."""

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

# The paper's name of a budget -> the count rule of the audit.
BUDGETS = {"Optimistic": "lower", "Mean": "mean", "Pessimistic": "upper"}
COMPARATORS = ("Oracle", "Random", "IF", "LOF", "OCSVM")


def audited(model, budget):
    """Rows of lowest posterior-mean log density, as many as the budget says, at most half."""
    audit = model.audit(rule=BUDGETS[budget], rank="log_density")
    return _mask(audit.order, audit.count)


def compared(rule, split, count, seed):
    """Rows removed by a comparator, ``count`` of them; detectors see (raw X, observed y)."""
    rng = np.random.default_rng([seed, 1])
    if rule == "Random":
        return _mask(rng.permutation(len(split.y)), count)
    if rule == "Oracle":
        # Labelled rows first; what is left of the budget falls on rows taken at random.
        return _mask(np.lexsort((rng.random(len(split.y)), ~split.outlier)), count)
    Z = StandardScaler().fit_transform(np.column_stack([split.raw, split.y]))
    return _mask(np.argsort(_detector_scores(rule, Z, count, seed), kind="stable"), count)


def _detector_scores(rule, Z, count, seed):
    """Scores of a detector, low for suspicious rows."""
    if rule == "IF":
        return IsolationForest(n_estimators=200, random_state=seed).fit(Z).score_samples(Z)
    if rule == "LOF":
        neighbours = min(20, len(Z) - 1)
        return LocalOutlierFactor(n_neighbors=neighbours).fit(Z).negative_outlier_factor_
    nu = min(0.5, max(count / len(Z), 0.01))
    return OneClassSVM(kernel="rbf", gamma="scale", nu=nu).fit(Z).score_samples(Z)


def _mask(order, count):
    mask = np.zeros(len(order), dtype=bool)
    mask[order[: min(int(count), len(order) // 2)]] = True
    return mask
