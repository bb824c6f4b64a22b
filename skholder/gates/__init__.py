"""Gates: stop a test, a pipeline or a release where too many rows do not belong."""

from .clean import ContaminatedDataError, assert_clean
from .pandera_check import clean_check

__all__ = ["ContaminatedDataError", "assert_clean", "clean_check"]
