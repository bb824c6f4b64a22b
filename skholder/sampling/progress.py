"""A progress bar in plain text, on standard error."""

from __future__ import annotations

import sys
from threading import Lock

__all__ = ["ProgressBar"]


class ProgressBar:
    """Count finished steps, from any thread, and redraw the bar when a percent has passed."""

    def __init__(self, label, stream=None, width=30):
        self.label, self.width = label, width
        self.stream = sys.stderr if stream is None else stream
        self._done, self._shown, self._lock = 0, -1, Lock()

    def __call__(self, steps, total):
        with self._lock:
            self._done += steps
            percent = 100 * self._done // total
            if percent == self._shown:
                return
            self._shown = percent
            filled = self.width * self._done // total
            bar = "#" * filled + "-" * (self.width - filled)
            end = "\n" if self._done >= total else ""
            self.stream.write(f"\r{self.label} [{bar}] {percent:3d}%{end}")
            self.stream.flush()
