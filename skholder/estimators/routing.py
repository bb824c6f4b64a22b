"""What a meta-estimator passes on to its parts: metadata of fit, and its random state."""

from __future__ import annotations

from inspect import signature

from sklearn import get_config
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import RFE, RFECV
from sklearn.utils.metadata_routing import get_routing_for_object, process_routing
from sklearn.utils.validation import has_fit_parameter

from .._sklearn import BaseSearchCV

__all__ = ["routed_fit_and_split", "routed_fit_params", "seed_if_unset", "takes_weights"]

# What hands weights on without metadata routing, and the attributes that must take them.
_HAND_ON = (
    (BaseSearchCV, ("estimator",)),
    (RFECV, ()),
    (RFE, ("estimator",)),
    (TransformedTargetRegressor, ("regressor",)),
    ((StackingClassifier, StackingRegressor), ("estimators", "final_estimator")),
    ((VotingClassifier, VotingRegressor), ("estimators",)),
)


def routed_fit_params(owner, name, sample_weight, fit_params, if_taken=False):
    """The keyword arguments that ``owner.fit`` passes on to the fit of its part ``name``.

    With routing enabled the requests decide. Without it everything goes to ``estimator``, weights
    with ``if_taken`` only if it takes them, and the weights alone to any other part.
    """
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    if get_config().get("enable_metadata_routing", False):
        return dict(process_routing(owner, "fit", **fit_params, **weight)[name].fit)
    if name != "estimator":
        return weight
    if if_taken and not takes_weights(owner.estimator):
        return dict(fit_params)
    return fit_params | weight


def takes_weights(estimator):
    """Whether ``fit`` takes row weights by itself, or hands them to parts that all do.

    Those that hand them on are scikit-learn's searches, transformed targets and ensembles of named
    estimators, and subclasses that hand everything on; with routing enabled, what asks for them.
    """
    if has_fit_parameter(estimator, "sample_weight") or _inherits_weights(type(estimator)):
        return True
    if get_config().get("enable_metadata_routing", False):
        return bool(get_routing_for_object(estimator).consumes("fit", ["sample_weight"]))
    names = next((names for kind, names in _HAND_ON if isinstance(estimator, kind)), ())
    return bool(names) and all(map(takes_weights, _parts(estimator, names)))


def _inherits_weights(kind):
    """Whether a class hands all that its ``fit`` is given to an inherited one with weights."""
    for owner in kind.__mro__:
        if "fit" not in vars(owner):
            continue
        parameters = signature(owner.fit).parameters
        if "sample_weight" in parameters:
            return True
        if all(one.kind is not one.VAR_KEYWORD for one in parameters.values()):
            return False
    return False


def _parts(estimator, names):
    """Estimators among these attributes; scikit-learn's own that stand for None take weights."""
    for name in names:
        value = getattr(estimator, name)
        parts = [pair[-1] for pair in value] if isinstance(value, list | tuple) else [value]
        yield from (part for part in parts if hasattr(part, "fit"))


def seed_if_unset(estimator, random_state):
    """Give an estimator whose ``random_state`` is None (a fresh clone) that of its owner."""
    if "random_state" in estimator.get_params(deep=False) and estimator.random_state is None:
        estimator.set_params(random_state=random_state)
    return estimator


def routed_fit_and_split(owner, sample_weight, fit_params):
    """What ``owner.fit`` passes on to its estimator's ``fit`` and to its splitter's ``split``.

    With routing enabled the requests decide. Without it weights go to an estimator that takes them,
    ``groups`` to the splitter, and everything else to the estimator.

    Returns
    -------
    fit_params, split_params : dict
    """
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    if get_config().get("enable_metadata_routing", False):
        routed = process_routing(owner, "fit", **fit_params, **weight)
        return dict(routed["estimator"].fit), dict(routed["splitter"].split)
    split = {"groups": fit_params["groups"]} if "groups" in fit_params else {}
    rest = {name: value for name, value in fit_params.items() if name != "groups"}
    if takes_weights(owner.estimator):
        rest |= weight
    return rest, split
