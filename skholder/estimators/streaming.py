"""Fits on row sources: the same steps as in memory, each a pass over the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from ..audit import (
    audit_streamed,
    choose_count,
    expected_by_chance,
    flagged_share,
    score_threshold,
    tail_probabilities,
)
from ..inference import warn_of
from ..rows import Columns, RowSource, Sketch, StreamedRows
from ..summaries.predictive import log_predictive
from .naming import column_names
from .record import StreamedRecord

__all__ = ["AuditedBlock", "StreamedFit"]


@dataclass(frozen=True, repr=False)
class AuditedBlock:
    """The audit of one block of a row source.

    Attributes
    ----------
    name : str
        Of the block.
    fod, tail_probability, expected_by_chance, log_density : ndarray of shape (m,)
        Of its rows, as the attributes of a fit in memory.
    flagged : ndarray of bool, shape (m,)
        Rows that more than half of the draws flag. FoD of rows that were not fitted goes by the
        number of bad rows in the fitted table, none if that was clean: look at
        ``tail_probability`` for them.
    """

    name: str
    fod: NDArray[np.float64]
    tail_probability: NDArray[np.float64]
    expected_by_chance: NDArray[np.float64]
    log_density: NDArray[np.float64]

    @property
    def flagged(self) -> NDArray[np.bool_]:
        return self.fod > 0.5

    def __repr__(self) -> str:
        return (
            f"AuditedBlock({self.name}: {self.flagged.sum():,} of {len(self.fod):,} rows flagged)"
        )


class StreamedFit:
    """Fits on row sources; a part of the estimators' base class."""

    epsilon_posterior_: NDArray[np.float64]

    def _fit_streamed(self, source, with_response):
        """Look at a sample, sample the posterior and count by passes over the source."""
        sketch = Sketch.of(source, with_response)
        start = self._prepared(*_named(sketch, source.target))
        self._check_streamed(start, source)
        units, rows_of = start.units, self._rows_of
        rows = StreamedRows(
            source,
            lambda block: rows_of(units, block.X, block.y),
            start.table.rows,
            sketch.n_rows,
            sketch.total_weight,
        )
        gamma, path = self._power(start)
        result, path = self._sampled(
            start.model, rows, path, gamma, self._temperature_rule(start), start.random
        )
        seen = audit_streamed(result, rows, self._alpha_prior, self.count, start.random)
        record = StreamedRecord(
            draws=result.draws,
            threshold=seen.threshold,
            n_chains=self._n_chains,
            units=units,
            weight=None,
            index=None,
            library="pandas",
            columns=column_names(self),
            target=start.labels["target"],
            evidence=None,
            baseline=None,
            n_rows=sketch.n_rows,
            streamed_weight=sketch.total_weight,
        )
        # The two passes of the sketch come on top.
        diagnostics = replace(result.diagnostics, n_passes=rows.n_passes + 2)
        self._publish(result, record, seen.found, path, diagnostics)
        self.adequacy_ = self._adequacy(result.draws.model, start.table.rows, seen.values)
        if not with_response and seen.found.counts is not None:
            self.offset_ = self._streamed_offset(start)
        warn_of(self.diagnostics_.checks)
        return self

    def _check_streamed(self, start, source):
        if not start.model.has_linear_distance:
            raise ValueError(
                f"A {start.model.in_words('these columns')} cannot be fitted on a row source: use "
                "a normal or Student-t regression or density, or fit in memory."
            )
        if start.table.design_weight is not None:
            raise ValueError(
                f"A sample of {len(start.data):,} rows has rows of bad leverage, which "
                f"leverage={self.leverage!r} would hold back; a row source cannot. Pass "
                "leverage='ignore' to fit all rows alike, or fit in memory."
            )

    def _streamed_offset(self, start):
        """The threshold on ``score_samples`` that flags the wanted share of a sample."""
        fit, n_rows = self.record_, self.record_.total_weight
        if self.contamination == "auto":
            rule = "mean" if self.rule in ("fdr", "certain") else self.rule
            share = choose_count(self.outlier_count_posterior_, rule) / n_rows
        else:
            share = float(self.contamination)
        rows = start.table.rows
        scores = log_predictive(fit.model, fit.theta[:: max(1, len(fit.theta) // 256)], rows.rows)
        weight = np.ones(len(rows)) if rows.weight is None else rows.weight
        count = int(np.rint(share * weight.sum()))
        return score_threshold(scores, weight, count) - fit.units.log_volume

    def audit_blocks(self, source: RowSource) -> Iterator[AuditedBlock]:
        """Go through a row source block by block, with FoD and tail probabilities of its rows.

        Parameters
        ----------
        source : RowSource
            The one that was fitted, or one of new rows with the same columns in the same order.

        Returns
        -------
        iterator of AuditedBlock
            In the order of the blocks; only one is in memory at a time.
        """
        check_is_fitted(self)
        self.epsilon_posterior_  # noqa: B018  raises where the divergence has no epsilon
        if not isinstance(source, RowSource):
            raise TypeError(
                f"audit_blocks goes through a row source, got a {type(source).__name__}: give it "
                "an ArraySource, BlockSource, ParquetSource or DaskSource of skholder.rows. Rows "
                "in memory are for fod and tail_probability."
            )
        if source.columns is not None:
            Columns.named(source.columns).check_as(self._columns, "the row source", "the fit")
        return map(self._audited, source)

    @property
    def _columns(self):
        """The columns that were fitted."""
        names = getattr(self, "feature_names_in_", None)
        return Columns(self.n_features_in_, None if names is None else tuple(names))

    def _audited(self, block):
        block.check(is_regressor(self))
        Columns(block.X.shape[1], block.columns).check_as(self._columns, block.name, "the fit")
        fit = self.record_
        rows = self._rows_of(fit.units, block.X, block.y)
        tails = tail_probabilities(fit.model, fit.theta, rows)
        mean = fit.model.mean_log_kernel(fit.theta)
        density = (
            fit.model.log_density(fit.theta, rows).mean(axis=1)
            if mean is None
            else mean(rows) + fit.model.log_peak(fit.theta).mean()
        )
        return AuditedBlock(
            name=block.name,
            fod=flagged_share(fit.model, fit.theta, fit.threshold, rows),
            tail_probability=tails,
            expected_by_chance=expected_by_chance(tails, fit.total_weight),
            log_density=density - fit.units.log_volume,
        )


def _named(sketch, target):
    """X, y and weights of a sample, as data frame and series where their names are known."""
    X, y = sketch.X, sketch.y
    if sketch.columns is not None:
        import pandas as pd

        X = pd.DataFrame(X, columns=list(sketch.columns))
        if y is not None:
            y = pd.Series(y, name=target)
    return X, y, sketch.weight
