"""``python -m skholder`` is the command ``skholder``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
