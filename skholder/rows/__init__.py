"""What a pass over the data is: canonical rows, blocks of them, single precision."""

from .blocks import LogMeanTerms, RowBlocks
from .canonical import RowSet, canonical
from .memory import HELD_NUMBERS, row_spans
from .quantiles import NORMAL_IQR, quantile_rows, weighted_quantiles
from .single import SingleRows

__all__ = [
    "HELD_NUMBERS",
    "NORMAL_IQR",
    "LogMeanTerms",
    "RowBlocks",
    "RowSet",
    "SingleRows",
    "canonical",
    "quantile_rows",
    "row_spans",
    "weighted_quantiles",
]
