"""The rows that an auditor flags, from the fit inside it."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ..audit import Audit, choose_count
from ..divergences import check_divergence

__all__ = ["flagged_count", "flagged_rows", "infers_epsilon", "without_epsilon"]


def infers_epsilon(estimator):
    """Whether a Hölder-Bayes estimator, fitted or not, has a divergence that knows epsilon."""
    gamma = 1.0 if isinstance(estimator.gamma, str) else estimator.gamma
    try:
        return check_divergence(estimator.divergence, gamma, estimator.kappa).has_alpha
    except (TypeError, ValueError):
        # What is wrong with the parameters is for fit to say.
        return True


def without_epsilon(estimator, caller):
    """The error about an estimator whose divergence has no epsilon.

    Parameters
    ----------
    estimator : HolderBayesEstimator
    caller : str

    Returns
    -------
    ValueError
    """
    return ValueError(
        f"{caller} needs the posterior of epsilon, which {type(estimator).__name__}"
        f"(divergence={estimator.divergence!r}) does not infer. Use divergence='dpd', "
        "'expsat' or 'ratsat'."
    )


def flagged_count(fitted, rule, level, contamination="auto"):
    """How many training rows a rule, or a share ``contamination``, flags, in units of weight.

    Parameters
    ----------
    fitted : HolderBayesEstimator
    rule : str
    level : float
    contamination : "auto" or float
        ``"auto"`` takes the rule.
    """
    if contamination != "auto":
        # It may have been changed after fitting.
        if not (isinstance(contamination, Real) and 0 < contamination <= 0.5):
            raise ValueError(
                f"contamination must be 'auto' or a number in (0, 0.5], got {contamination!r}."
            )
        return int(np.rint(float(contamination) * fitted.record_.total_weight))
    return choose_count(
        fitted.outlier_count_posterior_,
        rule,
        level,
        fitted.tail_probability_,
        fitted.record_.weight,
    )


def flagged_rows(fitted, count, level):
    """The :class:`Audit` of the ``count`` rows of lowest posterior-mean log density.

    Parameters
    ----------
    fitted : HolderBayesEstimator
    count : int
        In units of weight.
    level : float
        Probability inside the interval of the number of rows.
    """
    record = fitted.record_
    return Audit.from_posterior(
        fitted.outlier_count_posterior_,
        fitted.fod_scores_,
        fitted.log_density_,
        level=level,
        rank="log_density",
        weight=record.weight,
        index=record.index,
        evidence=record.evidence,
        library=record.library,
        tails=fitted.tail_probability_,
        epsilon_draws=fitted.epsilon_posterior_,
        count=count,
    )
