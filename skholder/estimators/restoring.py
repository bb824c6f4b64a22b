"""A fit that fails or is interrupted leaves the estimator as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

__all__ = ["restored_on_error", "restoring"]

_Method = TypeVar("_Method", bound=Callable)


@contextmanager
def restored_on_error(estimator: Any) -> Iterator[None]:
    """Put every attribute back where the block raises anything, Ctrl-C included."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def restoring(method: _Method) -> _Method:
    """Decorator of a method that does all or nothing; see :func:`restored_on_error`."""

    @wraps(method)
    def inner(self, *args, **kwargs):
        with restored_on_error(self):
            return method(self, *args, **kwargs)

    return cast(_Method, inner)
