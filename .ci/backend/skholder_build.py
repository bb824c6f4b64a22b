"""setuptools' own build backend, with two changes.

setuptools reads the list of what source distributions hold beside the package from ``MANIFEST.in``
at the root; here it stands beside this file. The description is the README as a package index can
show it: ``SKHOLDER_FILES`` in the environment is the address at which the repository's files of
this version are served, for its pictures.
"""

import os

from index_page import index_page
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.egg_info import manifest_maker
from setuptools.dist import Distribution

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

manifest_maker.template = ".ci/backend/MANIFEST.in"

_parse_config_files = Distribution.parse_config_files


def _parse_with_index_page(distribution, *args, **kwargs):
    _parse_config_files(distribution, *args, **kwargs)
    metadata = distribution.metadata
    if metadata.long_description:
        address = os.environ.get("SKHOLDER_FILES", "")
        metadata.long_description = index_page(metadata.long_description, address)


Distribution.parse_config_files = _parse_with_index_page
