"""What a pass over the data is: canonical rows, blocks of them, single precision."""

from .blocks import PowerMeanTerms, RowBlocks, canonical, quantile_rows
from .single import SingleRows

__all__ = ["PowerMeanTerms", "RowBlocks", "SingleRows", "canonical", "quantile_rows"]
