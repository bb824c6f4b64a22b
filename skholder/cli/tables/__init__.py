"""Tables on disk: CSV and Parquet files, read as columns, understood, encoded, copied in part."""

from .choosing import Wishes, choose_columns
from .columns import Column, InputError, Table, import_pandas
from .csv_file import CsvFile
from .csv_text import csv_text
from .design import MAX_LEVELS, Design, build_design, input_design
from .formulas import as_text_cell
from .opening import open_table
from .outputs import check_new_folder, check_outputs, new_folder, write_outputs, writing
from .parquet_file import ParquetFile
from .reading import TableReading, read_table, sentences
from .understanding import Understood, understand

__all__ = [
    "MAX_LEVELS",
    "Column",
    "CsvFile",
    "Design",
    "InputError",
    "ParquetFile",
    "Table",
    "TableReading",
    "Understood",
    "Wishes",
    "as_text_cell",
    "build_design",
    "check_new_folder",
    "check_outputs",
    "choose_columns",
    "csv_text",
    "import_pandas",
    "input_design",
    "new_folder",
    "open_table",
    "read_table",
    "sentences",
    "understand",
    "write_outputs",
    "writing",
]
