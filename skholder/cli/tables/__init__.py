"""Tables on disk: CSV and Parquet files, read as columns, encoded as numbers, copied in part."""

from .columns import Column, InputError, Table, import_pandas
from .csv_file import CsvFile
from .design import Design, build_design, choose_columns
from .opening import open_table
from .outputs import check_outputs, replacing
from .parquet_file import ParquetFile

__all__ = [
    "Column",
    "CsvFile",
    "Design",
    "InputError",
    "ParquetFile",
    "Table",
    "build_design",
    "check_outputs",
    "choose_columns",
    "import_pandas",
    "open_table",
    "replacing",
]
