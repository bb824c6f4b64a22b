"""Dead links within a built site: files and anchors that are not there, pictures included.

Run: ``python .ci/links.py doc/_build/html``; prints one line for each, and ends with code 1 if
there are any, or if there is no index to search in.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it points to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.addresses = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.addresses.add(value)


def dead_links(folder):
    """(page, address) of each dead link of a site, sorted.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    list of tuple
    """
    # The theme leaves a template of its own among its scripts.
    listed = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text("utf-8")) for path in listed}
    dead = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            there = target.is_file() and (
                not anchor or target not in pages or anchor in pages[target].anchors
            )
            if not there:
                dead.append((path.relative_to(folder).as_posix(), address))
    return sorted(dead)


def main(folder):
    folder = Path(folder).resolve()
    dead = dead_links(folder)
    for page, address in dead:
        print(f"{page}: {address}")
    index = folder / "searchindex.js"
    searchable = index.is_file() and "titleterms" in index.read_text("utf-8")
    if not searchable:
        print("there is no index to search in")
    return int(bool(dead) or not searchable)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
