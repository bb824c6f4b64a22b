"""The command ``skholder``."""

from .main import main

__all__ = ["main"]
