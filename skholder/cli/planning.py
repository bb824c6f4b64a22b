"""Which model audits a table, and the rows of numbers that it gets."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold

from .._sklearn import threadpool_controller
from ..audit.wording import number
from ..estimators import HolderBayesRegressor, ModelAuditor
from .gating import left_out_for_groups
from .tables import (
    MAX_LEVELS,
    Column,
    Design,
    InputError,
    Table,
    build_design,
    input_design,
    understand,
)

__all__ = ["Plan", "few_threads", "make_plan", "tree_auditor", "typical_error"]

# Share of the held-out rows, those with the smallest errors, that judge a model.
_KEPT = 0.8
# Trees have to be better by this factor: a linear model can be read.
_BETTER = 0.95
# Rows that a comparison of models needs, and those that it looks at.
_MIN_ROWS, _MAX_ROWS = 20, 5_000
_N_FOLDS = 5
# Cells up to which trees are grown faster by one thread than by several that wait for each other.
_SMALL = 200_000


@dataclass(frozen=True)
class Plan:
    """How a table is audited.

    Attributes
    ----------
    table : Table
    model : {"linear", "trees", "density"}
    design : Design
    inputs : Design or None
        For the audit of the inputs, where it was asked for.
    notes : tuple of str
    group : Column or None
        The groups of rows that are told apart.
    """

    table: Table
    model: str
    design: Design
    inputs: Design | None
    notes: tuple
    group: Column | None = None


def make_plan(file, request):
    """Read a file and choose the model.

    Parameters
    ----------
    file : CsvFile or ParquetFile
    request : AuditRequest

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        With all problems of the table.
    """
    model, why, wishes = request.model, None, _wishes(request)
    if model == "auto":
        model, why = _choose(file, request, wishes)
    understood = understand(file, wishes, MAX_LEVELS[model])
    design = build_design(understood, request.drop_missing, model)
    notes = [*understood.notes, *design.notes]
    if why:
        notes.append(why)
    inputs = None
    if request.inputs:
        inputs = input_design(understood)
        about = [*inputs.notes, inputs.left_out_note]
        notes += [f"audit of the inputs: {text}" for text in about if text]
    name = model if request.target is not None else "density"
    group = None if request.group is None else _groups(file, request.group)
    return Plan(understood.table, name, design, inputs, tuple(notes), group)


def _groups(file, name):
    """The column of the groups; what is neither number nor text as it is spelled."""
    if name in file.unreadable:
        return Column.of_cells(name, file.spelled(name))
    return file.read([name]).columns[name]


def _wishes(request):
    """What was asked for, without the column of the groups."""
    wishes = request.wishes
    exclude = left_out_for_groups(request.group, wishes.columns, wishes.exclude)
    return replace(wishes, exclude=exclude)


def _choose(file, request, wishes):
    """The better of linear model and trees, and why."""
    trees = understand(file, wishes, MAX_LEVELS["trees"])
    tree_design = build_design(trees, request.drop_missing, "trees")
    gaps = sorted(name for name in tree_design.names if np.any(trees.table.columns[name].missing))
    if gaps and not request.drop_missing:
        which = ", ".join(map(repr, gaps))
        return "trees", f"--model auto took trees: inputs have missing cells ({which})"
    if len(tree_design.rows) < _MIN_ROWS:
        return "linear", f"--model auto took linear: fewer than {_MIN_ROWS} rows compare nothing"
    linear = understand(file, wishes, MAX_LEVELS["linear"])
    try:
        linear_design = build_design(linear, request.drop_missing, "linear")
    except InputError as error:
        return "trees", f"--model auto took trees: a linear model is not possible ({error})"
    # Without missing inputs both have the same rows.
    with few_threads(tree_design), warnings.catch_warnings():
        # The fit that is kept warns for itself.
        warnings.simplefilter("ignore")
        errors = {
            "linear": typical_error(_quick_linear(), linear_design, request.seed),
            "trees": typical_error(_trees(tree_design, request.seed), tree_design, request.seed),
        }
    better = "trees" if errors["trees"] < _BETTER * errors["linear"] else "linear"
    told = ", ".join(f"{name} {number(value)}" for name, value in errors.items())
    return better, (
        f"--model auto took {better}: the typical error of {request.target!r} in rows held out "
        f"(mean of the smallest {_KEPT:.0%}) is {told}"
    )


def typical_error(estimator, design, seed):
    """The mean of the smaller absolute errors of rows held out: spoiled rows do not count.

    Parameters
    ----------
    estimator : estimator
    design : Design
    seed : int

    Returns
    -------
    float
    """
    rows = np.arange(len(design.y))
    if len(rows) > _MAX_ROWS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, _MAX_ROWS, replace=False))
    X, y = design.X[rows], design.y[rows]
    errors = np.empty(len(y))
    folds = KFold(min(_N_FOLDS, len(y)), shuffle=True, random_state=seed)
    for train, test in folds.split(X):
        errors[test] = np.abs(y[test] - clone(estimator).fit(X[train], y[train]).predict(X[test]))
    return float(np.mean(np.sort(errors)[: max(1, int(_KEPT * len(errors)))]))


def few_threads(design):
    """A context in which trees on a small table are grown by one thread."""
    limit = 1 if design.X.size <= _SMALL else None
    return threadpool_controller().limit(limits=limit, user_api="openmp")


def _quick_linear():
    """The linear model without sampling and without a choice of gamma: it predicts as well."""
    return HolderBayesRegressor(gamma=0.5, inference="laplace", count="holder")


def _trees(design, seed):
    """Boosted trees, which take the codes of text and missing cells as they are.

    Absolute errors: squared ones would bend the trees towards the rows that are looked for.
    """
    codes = [design.names.index(name) for name in design.categories]
    return HistGradientBoostingRegressor(
        loss="absolute_error", categorical_features=codes or None, random_state=seed
    )


def tree_auditor(request, design):
    """The unfitted auditor of trees.

    Parameters
    ----------
    request : AuditRequest
    design : Design

    Returns
    -------
    ModelAuditor
    """
    return ModelAuditor(
        _trees(design, request.seed),
        rule=request.rule_taken,
        n_draws=request.n_draws,
        random_state=request.seed,
        verbose=int(request.verbose),
    )
