"""What a fit concludes from its draws: counts, audit, attributes, warnings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..audit import (
    count_rows,
    detect,
    judge_adequacy,
    minimiser_values,
    tail_probabilities,
)
from ..inference import warn_of
from ..inference.health import at_ceiling
from ..posterior import Mode
from ..rows import RowBlocks
from .record import FitRecord

__all__ = ["NEED_ALPHA", "ROW_RESULTS", "Conclusions", "PosteriorMode"]

NEED_ALPHA = (
    "clean_probability_",
    "epsilon_posterior_",
    "epsilon_",
    "epsilon_interval_",
    "outlier_count_posterior_",
    "fod_scores_",
    "offset_",
    "decision_function",
    "predict",
    "fit_predict",
)
# Rows that the adequacy looks at, at most: with so many, chance is far below its limits.
_ADEQUACY_ROWS = 30_000
#: Attributes with a number for each training row.
ROW_RESULTS = ("fod_scores_", "log_density_", "tail_probability_", "offset_")


@dataclass(frozen=True, repr=False)
class PosteriorMode:
    """A mode of the posterior, in the user's units.

    Attributes
    ----------
    log_prob : float
        Log posterior density (alpha integrated out), up to a constant.
    parameters : dict of str to ndarray
        The value of each parameter, named as in ``posterior_``.
    """

    log_prob: float
    parameters: dict[str, NDArray[np.float64]]

    def __repr__(self):
        return f"PosteriorMode({', '.join(self.parameters)}; log_prob={self.log_prob:.2f})"

    @classmethod
    def of(cls, mode: Mode, model: Any, units: Any) -> PosteriorMode:
        """From a mode on the computing scale."""
        named = model.to_units(mode.theta[None], units)
        return cls(mode.log_prob, {name: draws[0] for name, draws in named.items()})


class Conclusions:
    """The last steps of a fit; a part of the estimators' base class."""

    def _conclude(self, result, rows, table, random, *, lost="", n_lost=0, path=None, **kept):
        """Audit the rows, in the user's order, keep the record and set the shared attributes.

        Parameters
        ----------
        result : Inference
        rows : ndarray of shape (n, q)
            On the computing scale.
        table : AuditedTable
            The weighted set of these rows, by which they are counted.
        random : numpy.random.RandomState
        lost : str
            A sentence about the ``n_lost`` directions that the rows do not determine.
        path : GammaPath or None
        **kept : dict
            Fields of the :class:`FitRecord`.
        """
        draws, units = result.draws, kept["units"]
        tails = tail_probabilities(draws.model, draws.theta, table.rows.rows)
        values = minimiser_values(result, table) if draws.gamma > 0 else None
        found = count_rows(result, table, values, tails, self._alpha_prior, self.count, random)
        # A number for each row that nobody asks for from here on.
        values = None if values is None else replace(values, b=None)
        blocks = RowBlocks(rows, kept["weight"])
        seen = detect(
            draws.model, blocks, draws.theta, found.counts, table.rows, table.where.member
        )
        record = FitRecord(draws=draws, threshold=seen.threshold, n_chains=self._n_chains, **kept)
        diagnostics = replace(result.diagnostics, n_lost=n_lost, lost=lost)
        self._publish(result, record, found, path, diagnostics)
        self.tail_probability_ = table.where.spread(
            tails, lambda spots: tail_probabilities(draws.model, draws.theta, rows[spots])
        )
        if found.counts is not None:
            self.fod_scores_ = seen.fod
        self.log_density_ = seen.log_density - units.log_volume
        self.adequacy_ = self._adequacy(draws.model, table.rows, values)
        warn_of(self.diagnostics_.checks)

    def _publish(self, result, record, found, path, diagnostics):
        """Set the attributes that have no row axis."""
        draws, units = result.draws, record.units
        last = [f"{name}_" for name in vars(self).get("posterior_", ())]
        for name in (*NEED_ALPHA, *ROW_RESULTS, "gamma_path_", *last):
            vars(self).pop(name, None)
        self.record_ = record
        self.posterior_ = draws.model.to_units(draws.theta, units)
        if found.counts is not None:
            self.posterior_ = self.posterior_.with_alpha(1 - found.epsilon)
            self.epsilon_posterior_ = 1 - self.posterior_["alpha"]
            self.epsilon_ = float(np.mean(self.epsilon_posterior_))
            self.epsilon_interval_ = np.quantile(self.epsilon_posterior_, [0.025, 0.975])
            self.outlier_count_posterior_ = found.counts
            self.clean_probability_ = found.clean_probability
            ceiling = at_ceiling(found.epsilon, float(self.max_contamination))
            diagnostics = replace(diagnostics, ceiling_share=ceiling, mode_share=result.mode_share)
        for name, mean in self.posterior_.means():
            setattr(self, f"{name}_", mean)
        self.temperature_, self.gamma_ = result.temperature, draws.gamma
        if path is not None:
            self.gamma_path_ = path
        self.modes_ = [PosteriorMode.of(mode, draws.model, units) for mode in result.modes]
        self.diagnostics_ = diagnostics

    @property
    def _n_chains(self):
        return self.n_ensembles if self.inference == "mcmc" else 1

    def _adequacy(self, model, rows, values):
        """Whether the model describes the rows it keeps; None for the Kullback-Leibler loss."""
        if values is None:
            return None
        record, rows = self.record_, rows.subsample(_ADEQUACY_ROWS)
        shape = model.shape(values.theta, rows.rows, record.units)
        limit = float(self.max_contamination)
        return judge_adequacy(model, rows, values, shape, record.columns, record.in_words(), limit)
