"""What a pass over the data is: canonical rows, blocks of them, single precision, sources."""

from .blocks import LogMeanTerms, RowBlocks, joined
from .canonical import RowSet, canonical
from .columns import Columns, listed_names
from .dask_source import DaskSource, is_dask
from .memory import HELD_NUMBERS, row_spans
from .parquet import ParquetSource
from .quantiles import NORMAL_IQR, quantile_rows, weighted_quantiles
from .series import Metric, RowSeries, series_sizes
from .single import SingleRows
from .sketch import Sketch
from .sources import ArraySource, BlockSource, RowBlock, RowSource
from .streamed import StreamedRows

__all__ = [
    "HELD_NUMBERS",
    "NORMAL_IQR",
    "ArraySource",
    "BlockSource",
    "Columns",
    "DaskSource",
    "LogMeanTerms",
    "Metric",
    "ParquetSource",
    "RowBlock",
    "RowBlocks",
    "RowSeries",
    "RowSet",
    "RowSource",
    "SingleRows",
    "Sketch",
    "StreamedRows",
    "canonical",
    "is_dask",
    "joined",
    "listed_names",
    "quantile_rows",
    "row_spans",
    "series_sizes",
    "weighted_quantiles",
]
