"""Opening a file of a table, whatever its format."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from .columns import InputError
from .csv_file import CsvFile
from .parquet_file import ParquetFile

__all__ = ["open_table"]


def open_table(path):
    """The file as a :class:`CsvFile` (gzipped or not) or a :class:`ParquetFile`.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    InputError
        If it is missing or cannot be read, or its header cannot be used.
    """
    path = Path(path)
    shown = repr(str(path))
    if path.is_dir():
        raise InputError(f"{shown} is a folder, not a file")
    try:
        # Read once, so that a pipe serves too.
        data = path.read_bytes()
        if data.startswith(b"PAR1") or path.suffix.lower() in ParquetFile.suffixes:
            return ParquetFile(data, path)
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except FileNotFoundError:
        raise InputError(f"there is no file {shown}") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise InputError(f"cannot read {shown}: {reason}") from None
    return CsvFile(data, path)
