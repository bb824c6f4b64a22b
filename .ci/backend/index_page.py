"""The README as a package index shows it, where paths within the repository lead nowhere."""

import re

__all__ = ["index_page"]

# A picture in the repository, with its options: the lines below it that are indented.
_IMAGE = re.compile(r"^\.\. image:: (?!\w+://)(\S+)\n((?:[ \t]+\S.*\n)*)\n?", re.M)


def index_page(readme, address=""):
    """The text of the README with pictures that an index can show.

    Parameters
    ----------
    readme : str
        reStructuredText whose pictures have paths relative to the repository.
    address : str, default=""
        Where the files of this version are served, such as ``https://host/project/v0.2.0``. Without
        one the pictures are left out: a broken one is worse than none.

    Returns
    -------
    str
    """
    if not address:
        return _IMAGE.sub("", readme)
    return _IMAGE.sub(rf".. image:: {address.rstrip('/')}/\1\n\2\n", readme)
