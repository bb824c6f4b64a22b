"""The measures of the paper's appendix, as pure functions of scores and labels."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from sklearn.metrics import average_precision_score, roc_auc_score

NAN = float("nan")


@dataclass(frozen=True)
class Prediction:
    """Errors on clean test rows, in the response's own units."""

    rmse: float
    mae: float
    nlpd: float


@dataclass(frozen=True)
class Ranking:
    """How well scores find the labelled rows; NaN where there are no labels."""

    auprc: float = NAN
    auroc: float = NAN
    recall_true: float = NAN
    recall_estimated: float = NAN
    brier: float = NAN


@dataclass(frozen=True)
class Share:
    """Posterior of epsilon and of the count K; NaN for a method without them."""

    eps_mean: float = NAN
    eps_median: float = NAN
    eps_lo: float = NAN
    eps_hi: float = NAN
    covered: float = NAN
    k_lower: float = NAN
    k_mean: float = NAN
    k_upper: float = NAN


@dataclass(frozen=True)
class Removal:
    """Removed rows against the labels."""

    k: int
    precision: float
    recall: float
    f1: float
    false_removal: float


def prediction(y, predicted, log_density, unit=1.0, rows=slice(None)):
    """RMSE, MAE and NLPD of standardised predictions, in units of ``unit``."""
    error = unit * (predicted - y)[rows]
    return Prediction(
        rmse=float(np.sqrt(np.mean(error**2))),
        mae=float(np.mean(np.abs(error))),
        nlpd=float(np.log(unit) - np.mean(log_density[rows])),
    )


def recall_at(scores, outlier, count):
    """Share of the labelled rows among the ``count`` rows of highest score (ties: earlier row)."""
    top = np.argsort(-scores, kind="stable")[: int(count)]
    return float(outlier[top].sum() / outlier.sum())


def ranking(scores, outlier, count=None, fod=False):
    """Detection measures of scores (higher: more suspicious) against labels.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    outlier : ndarray of bool, shape (n,)
    count : int or None
        The posterior's own count, for methods that have one.
    fod : bool
        Whether the scores are probabilities, so that a Brier score makes sense.
    """
    brier = float(np.mean((scores - outlier) ** 2)) if fod else NAN
    if not outlier.any():
        return Ranking(brier=brier)
    return Ranking(
        auprc=float(average_precision_score(outlier, scores)),
        auroc=float(roc_auc_score(outlier, scores)),
        recall_true=recall_at(scores, outlier, outlier.sum()),
        recall_estimated=NAN if count is None else recall_at(scores, outlier, count),
        brier=brier,
    )


def thinned_fod(model, X, y, n_draws=400):
    """FoD of a normal regression from a few of its draws, as the paper computes it, shape (n,)."""
    kept = np.linspace(0, len(model.epsilon_posterior_) - 1, n_draws).astype(int)
    draws, counts = model.posterior_, model.outlier_count_posterior_[kept]
    distance = np.abs(y[:, None] - X @ draws["coef"][kept].T - draws["intercept"][kept])
    flagged = np.zeros(len(y))
    for column, count in zip(distance.T, counts, strict=True):
        if count:
            flagged[np.argpartition(-column, count - 1)[:count]] += 1
    return flagged / n_draws


def normal_nlpd(model, X, y, unit):
    """NLPD of a Student-t posterior's draws under *normal* noise of the same scale."""
    draws = model.posterior_
    scale = draws["scale"]
    z = (y[:, None] - X @ draws["coef"].T - draws["intercept"]) / scale
    log_density = -0.5 * (z**2 + np.log(2 * np.pi)) - np.log(scale)
    return float(np.log(unit) - np.mean(logsumexp(log_density, axis=1) - np.log(len(scale))))


def share(model, epsilon):
    """Summaries of a fitted model's epsilon and K beside the true share."""
    draws = model.epsilon_posterior_
    low, high = model.epsilon_interval_
    counts = [model.audit(rule=rule).count for rule in ("lower", "mean", "upper")]
    return Share(
        model.epsilon_,
        float(np.median(draws)),
        float(low),
        float(high),
        float(low <= epsilon <= high),
        *counts,
    )


def removal(removed, outlier):
    """Precision, recall and F1 of a set of removed rows, and the share of good rows lost."""
    hits, k = int(np.sum(removed & outlier)), int(removed.sum())
    precision = hits / k if k else NAN
    recall = hits / outlier.sum() if k else NAN
    return Removal(
        k=k,
        precision=float(precision),
        recall=float(recall),
        f1=float(2 * hits / (k + outlier.sum())) if k else NAN,
        false_removal=float((k - hits) / np.sum(~outlier)),
    )


@contextmanager
def noted_warnings():
    """Collect the names of the warnings raised inside, for the record rather than the screen."""
    names = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield names
    names.extend(sorted({item.category.__name__ for item in caught}))
