"""What a pass over the data is: canonical rows, blocks of them, single precision, sources."""

from .blocks import LogMeanTerms, RowBlocks, joined
from .canonical import RowSet, canonical
from .dask_source import DaskSource, is_dask
from .memory import HELD_NUMBERS, row_spans
from .parquet import ParquetSource
from .quantiles import NORMAL_IQR, quantile_rows, weighted_quantiles
from .single import SingleRows
from .sketch import Sketch
from .sources import ArraySource, BlockSource, RowBlock, RowSource
from .streamed import StreamedRows

__all__ = [
    "HELD_NUMBERS",
    "NORMAL_IQR",
    "ArraySource",
    "BlockSource",
    "DaskSource",
    "LogMeanTerms",
    "ParquetSource",
    "RowBlock",
    "RowBlocks",
    "RowSet",
    "RowSource",
    "SingleRows",
    "Sketch",
    "StreamedRows",
    "canonical",
    "is_dask",
    "joined",
    "quantile_rows",
    "row_spans",
    "weighted_quantiles",
]
