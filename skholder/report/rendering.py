"""Templates to text: the one place where Jinja2 is used, and where user strings are made safe.

Jinja2 escapes whatever a template writes. What escaping cannot mend, :func:`printable` replaces.
"""

from __future__ import annotations

from .filters import FILTERS

__all__ = ["environment", "printable", "rendered"]

# Control characters have no place in a page; tab and line feed do no harm.
_REPLACED = {code: "\ufffd" for code in [*range(32), 127, *range(128, 160)] if code not in (9, 10)}
# Signs that reorder the text around them.
_REPLACED.update(dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd"))


def printable(value):
    """The same dicts and lists, their strings without characters that do not belong in a page.

    Strings come back as ``str`` itself: one of a class that claims to be markup is escaped too.
    """
    if isinstance(value, dict):
        return {printable(key): printable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [printable(part) for part in value]
    if isinstance(value, str):
        return value.translate(_REPLACED).encode("utf-8", "replace").decode("utf-8")
    return value


def rendered(template, **context):
    """The text of a template from ``templates/``, with every value escaped.

    Parameters
    ----------
    template : str
        The file's name.
    **context
        What the template may name.

    Returns
    -------
    str
    """
    return environment().get_template(template).render(context)


def environment():
    """The ``jinja2.Environment`` of the templates; an ImportError if Jinja2 is not installed."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError('AuditReport needs Jinja2: pip install "skholder[report]".') from error
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    return made
