"""What displays read off a fitted estimator: columns and parameters under the user's names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import is_regressor

from ..estimators.naming import column_names

__all__ = ["Parameter", "choose_parameters", "column_positions"]

_PER_VECTOR, _MOST = 3, 6


@dataclass(frozen=True)
class Parameter:
    """A scalar parameter of a fit.

    Attributes
    ----------
    name : str
        With the user's column names, as in ``coef[bmi]``.
    key : str
        Its entry of ``posterior_``, and ``index`` its place there.
    index : tuple of int
    column : int or None
        The one column of X it belongs to.
    coordinate : str or None
        Its name in ``diagnostics_``, where they are about the same number up to a monotone map.
    """

    name: str
    key: str
    index: tuple = ()
    column: int | None = None
    coordinate: str | None = None

    def of(self, values):
        """Its values from an array (S, ...) of ``key``; epsilon = 1 - alpha."""
        values = values[(slice(None), *self.index)]
        return 1 - values if self.key == "alpha" else values

    def change_of(self, values):
        """As :meth:`of`, for changes of the parameter."""
        values = values[(slice(None), *self.index)]
        return -values if self.key == "alpha" else values

    def support(self, estimator):
        """The interval that the parameter cannot leave."""
        if self.key == "alpha":
            return 0.0, float(estimator.max_contamination)
        return -np.inf, np.inf


def column_positions(estimator, columns, names):
    """Positions of columns given by label, by the fitted table's own name, or by position."""
    own, found = column_names(estimator), []
    for column in columns:
        if column in names:
            found.append(names.index(column))
        elif column in own:
            found.append(own.index(column))
        elif not isinstance(column, str) and 0 <= column < len(names):
            found.append(int(column))
        else:
            raise ValueError(f"There is no column {column!r} among {_some(names)}.")
    if not found:
        raise ValueError("columns is empty.")
    return found


def choose_parameters(estimator, wanted=None, feature_names=None):
    """The parameters to draw.

    Parameters
    ----------
    estimator : HolderBayesEstimator
        Fitted.
    wanted : list of str or None
        Names such as ``"coef[bmi]"``, ``"coef[2]"``, ``"scale"``, ``"epsilon"``, or ``"coef"`` for
        all of them. None takes the first three of each vector and the scalars, six in all.
    feature_names : list of str or None

    Returns
    -------
    list of Parameter
    """
    names = column_names(estimator, feature_names)
    families = {key: _family(estimator, key, names) for key in estimator.posterior_}
    if wanted is None:
        matrix = {key for key, family in families.items() if family and len(family[0].index) == 2}
        first = [family[:_PER_VECTOR] for key, family in families.items() if key not in matrix]
        chosen = [parameter for family in first for parameter in family]
        # Epsilon comes last and is what people look for: the others make room for it.
        return chosen if len(chosen) <= _MOST else [*chosen[: _MOST - 1], chosen[-1]]
    lookup = {key: family for key, family in families.items() if key != "alpha"}
    own = {key: _family(estimator, key, column_names(estimator)) for key in families}
    places = {key: _family(estimator, key, range(len(names))) for key in families}
    for spelling in (places, own, families):
        for key, family in spelling.items():
            for parameter, alias in zip(families[key], family, strict=True):
                lookup[alias.name] = [parameter]
    chosen = []
    for name in wanted:
        if name not in lookup:
            every = [parameter.name for family in families.values() for parameter in family]
            raise ValueError(f"There is no parameter {name!r} among {_some(every)}.")
        chosen.extend(lookup[name])
    return list(dict.fromkeys(chosen))


def _family(estimator, key, names):
    """The scalar parameters of one entry of ``posterior_``."""
    if key == "alpha":
        return [Parameter("epsilon", key, coordinate="epsilon")]
    if key == "covariance":
        # Its draws are made on demand, and are large: its shape is known without them.
        i, j = np.triu_indices(len(names))
        return [
            Parameter(f"{key}[{names[a]}, {names[b]}]", key, (int(a), int(b)))
            for a, b in zip(i, j, strict=True)
        ]
    width = estimator.posterior_[key].shape[1:]
    if not width:
        return [Parameter(key, key, coordinate=_coordinate(estimator, key))]
    columns = range(len(names))
    if width[0] < len(names):
        # Independent columns without any spread are left out of the fit.
        units = estimator.record_.units
        columns = np.flatnonzero(np.any(units.forward != 0, axis=1)).tolist()
    return [
        Parameter(f"{key}[{names[c]}]", key, (j,), c, _coordinate(estimator, key, j))
        for j, c in enumerate(columns)
    ]


def _coordinate(estimator, key, j=None):
    """The name in ``diagnostics_``; None where sampling used other coordinates."""
    if not is_regressor(estimator):
        return key if j is None else None
    if key == "coef":
        return f"coef[{getattr(estimator, 'feature_names_in_', range(j + 1))[j]}]"
    return {"scale": "log_scale"}.get(key)


def _some(names, most=12):
    text = ", ".join(repr(name) for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
