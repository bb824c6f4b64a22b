"""Every public name is typed, documented where it stands, and shown in an example."""

import inspect
import re

import pytest

import skholder
from skholder import (
    datasets,
    divergences,
    exceptions,
    gates,
    inspection,
    model_selection,
    models,
    report,
)
from skholder.audit import Adequacy, AdequacyCheck, AuditComparison, Gate, GroupShares
from skholder.audit.explanation import Contribution, Explanation, Residual
from skholder.estimators.base import PosteriorMode
from skholder.inference import Check, Diagnostics
from skholder.posterior import GammaPath
from skholder.summaries.influence import Influence

ROOMS = (
    skholder,
    datasets,
    divergences,
    exceptions,
    gates,
    inspection,
    model_selection,
    models,
    report,
)
# What methods and attributes of estimators give to users.
RECORDS = (
    Adequacy,
    AdequacyCheck,
    AuditComparison,
    Check,
    Contribution,
    Diagnostics,
    Explanation,
    GammaPath,
    Gate,
    GroupShares,
    Influence,
    PosteriorMode,
    Residual,
)
NAMES = {
    f"{room.__name__}.{name}": getattr(room, name)
    for room in ROOMS
    for name in room.__all__
    if callable(getattr(room, name))
}
NAMES |= {record.__qualname__: record for record in RECORDS}

# What a user calls first: each has an example that runs.
SHOWN = [
    *skholder.__all__,
    *inspection.__all__,
    *datasets.__all__,
    *model_selection.__all__,
]
SHOWN.remove("__version__")


def _ours(function):
    return (getattr(function, "__module__", None) or "").startswith("skholder.")


def _functions(thing):
    """The thing itself, or the public methods and properties of a class, with their names."""
    if not inspect.isclass(thing):
        return {"": thing}
    found = {}
    for name in dir(thing):
        if name.startswith("_") and name != "__init__":
            continue
        value = inspect.getattr_static(thing, name)
        value = getattr(value, "fget", getattr(value, "__func__", value))
        # available_if hides the function in a descriptor.
        value = getattr(value, "fn", value)
        if inspect.isfunction(value) and _ours(value):
            found[name] = value
    return found


def _parameters(function):
    return [p for p in inspect.signature(function).parameters.values() if p.name not in SELF]


SELF = ("self", "cls")
CASES = [
    pytest.param(function, id=f"{name}.{method}".rstrip("."))
    for name, thing in NAMES.items()
    for method, function in _functions(thing).items()
]


@pytest.mark.parametrize("function", CASES)
def test_public_functions_are_typed(function):
    hints = function.__annotations__
    missing = [p.name for p in _parameters(function) if p.name not in hints]
    assert not missing
    assert "return" in hints


@pytest.mark.parametrize("name", NAMES)
def test_public_names_have_docstrings(name):
    assert inspect.getdoc(NAMES[name])


def _documented(docstring, section):
    """Names that a section of a numpydoc docstring describes."""
    found = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", docstring, re.S | re.M)
    heads = re.findall(r"^(\S[^\n]*?) : ", found[1], re.M) if found else []
    return {name.strip(" *") for head in heads for name in head.split(",")}


@pytest.mark.parametrize("name", SHOWN)
def test_every_parameter_is_documented_where_it_stands(name):
    thing = next(value for key, value in NAMES.items() if key.endswith(f".{name}"))
    text = inspect.getdoc(thing)
    assert "see HolderBayesRegressor" not in text
    if hasattr(thing, "__dataclass_fields__"):
        assert set(thing.__dataclass_fields__) <= _documented(text, "Attributes")
        return
    wanted = {parameter.name for parameter in _parameters(thing)}
    assert wanted <= _documented(text, "Parameters")


@pytest.mark.parametrize("name", SHOWN)
def test_every_parameter_of_a_method_is_documented(name):
    thing = next(value for key, value in NAMES.items() if key.endswith(f".{name}"))
    missing = {}
    for method, function in _functions(thing).items():
        if method in ("", "__init__"):
            continue
        wanted = {parameter.name for parameter in _parameters(function)}
        lacking = wanted - _documented(inspect.getdoc(function) or "", "Parameters")
        if lacking:
            missing[method] = lacking
    assert not missing


@pytest.mark.parametrize("name", SHOWN)
def test_every_public_name_has_an_example(name):
    thing = next(value for key, value in NAMES.items() if key.endswith(f".{name}"))
    assert ">>>" in inspect.getdoc(thing)
