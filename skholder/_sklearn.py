"""The one place that imports scikit-learn's private helpers."""

from collections.abc import Callable
from typing import TypeVar

from sklearn.base import _fit_context
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import Tags
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as effective_n_threads
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
)
from sklearn.utils.parallel import _get_threadpool_controller as threadpool_controller
from sklearn.utils.validation import _check_method_params as method_params
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

_Method = TypeVar("_Method", bound=Callable)

__all__ = [
    "BaseSearchCV",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "check_sample_weight",
    "effective_n_threads",
    "fit_context",
    "method_params",
    "pass_by",
    "safe_indexing",
    "threadpool_controller",
]


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_Method], _Method]:
    """scikit-learn's decorator of ``fit``, which validates parameters; keeps the method's type."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def pass_by(tags: Tags) -> None:
    """Tell scikit-learn's common tests, and nothing else, to pass an estimator by."""
    tags._skip_test = True
