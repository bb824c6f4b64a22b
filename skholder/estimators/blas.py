"""One BLAS thread during fits, also where several fits overlap in threads.

The limit belongs to the whole process. If every fit set it and put back what it had found, two fits
that overlap would leave the limit of the first for good; so the first one in sets it, and the last
one out puts it back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._sklearn import threadpool_controller

__all__ = ["one_blas_thread"]

_lock = threading.Lock()
_inside = 0
_limiter: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside, BLAS uses one thread: blocks of rows have threads of their own."""
    global _inside, _limiter
    with _lock:
        if _inside == 0:
            _limiter = threadpool_controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limiter.restore_original_limits()
                _limiter = None
