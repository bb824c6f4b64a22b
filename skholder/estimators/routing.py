"""What a meta-estimator passes on to its parts: metadata of fit, and its random state."""

from __future__ import annotations

from inspect import signature

from sklearn import get_config
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

__all__ = ["routed_fit_and_split", "routed_fit_params", "seed_if_unset", "takes_weights"]


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

    Parts are those of a search, of a transformed target and of an ensemble of named estimators; a
    Pipeline hands weights to none of its steps.
    """
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    kinds = [parameter.kind for parameter in signature(estimator.fit).parameters.values()]
    parts = [getattr(estimator, name, None) for name in ("estimator", "regressor")]
    named = getattr(estimator, "estimators", None) or ()
    parts += [pair[-1] for pair in named if isinstance(pair, tuple | list)]
    parts = [part for part in parts if hasattr(part, "fit")]
    hands_on = any(kind is kind.VAR_KEYWORD for kind in kinds) and bool(parts)
    return hands_on and all(map(takes_weights, parts))


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
