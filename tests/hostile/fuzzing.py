"""A state machine of Hypothesis that uses an estimator in any order and knows what must hold.

- a call answers with finite numbers, FoD and tail probabilities in [0, 1], or refuses with an error
  of ours or of scikit-learn's checks of input (ValueError, NotFittedError, AttributeError);
- no warning comes from elsewhere;
- a fit that refuses leaves the estimator as it was, and a method that reads changes nothing;
- a clone has equal parameters and no fit, a pickle gives equal answers;
- a fit after any ``set_params`` is the fit of a new estimator with these parameters;
- a parameter out of range is refused.
"""

from __future__ import annotations

import pickle
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import fuzz_settings
import hypothesis
import numpy as np
import sklearn
from fuzz_settings import KINDS, numbers
from fuzz_tables import NEW_ROWS, new_rows, tables, within
from hostile_tables import Table
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import skholder
from skholder.exceptions import HolderBayesWarning

__all__ = ["DONE", "machine"]

#: How many examples and steps have run, and what came of them.
DONE: Counter[str] = Counter()

_OURS = (HolderBayesWarning, ConvergenceWarning)
_HOMES = tuple(str(Path(package.__file__).parent) for package in (skholder, sklearn))
# Answers that are shares; others need only be finite.
_SHARES = ("fod", "tail_probability", "epsilon")


def refused(error):
    """Whether an error is one that the documentation allows, with a text of ours."""
    if isinstance(error, np.linalg.LinAlgError) or not str(error):
        return False
    where = traceback.extract_tb(error.__traceback__)[-1].filename
    if isinstance(error, AttributeError):
        # Python's own, where the fuzzer asks for what a fit would have left.
        return where.startswith((*_HOMES, fuzz_settings.__file__))
    return isinstance(error, ValueError | NotFittedError) and where.startswith(_HOMES)


@contextmanager
def _no_foreign_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    foreign = [w for w in caught if not issubclass(w.category, _OURS)]
    assert not foreign, "; ".join(f"{w.message} ({w.filename}:{w.lineno})" for w in foreign)


def _attempt(call):
    """What a call answers, or the error by which it refuses; any other error is raised."""
    with _no_foreign_warning():
        try:
            return call(), None
        except Exception as error:
            if not refused(error):
                raise
            return None, error


def _check(name, answer, unaudited=False):
    for array in numbers(answer):
        # A class too small to be audited has rows of log density +inf.
        fine = np.isfinite(array) | (array == np.inf) if unaudited else np.isfinite(array)
        assert np.all(fine), f"{name} is not finite"
        if name in _SHARES:
            assert np.all((array >= 0) & (array <= 1 + 1e-9)), f"{name} is not in [0, 1]"


def _equal(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def _same_parameters(one, other):
    """Whether two estimators have equal parameters, those of their parts included."""
    mine, theirs = one.get_params(), other.get_params()
    assert mine.keys() == theirs.keys()
    for name, value in mine.items():
        assert hasattr(value, "get_params") or repr(value) == repr(theirs[name]), name


class _Machine(RuleBasedStateMachine):
    """See the module; ``kind`` is set by :func:`machine`."""

    kind = KINDS["regressor"]

    def __init__(self):
        super().__init__()
        DONE["examples"] += 1
        self.model = self.kind.make()
        # The table of the last fit that went through; None before it.
        self.fitted = None

    @initialize(table=tables())
    def start(self, table):
        self.table = self._labelled(table)
        self._fit()

    def _labelled(self, table):
        if not self.kind.labels:
            return within(table, self.kind.largest)
        with np.errstate(invalid="ignore", over="ignore"):
            middle = np.array(table.y, dtype=float) > np.nanmedian(np.array(table.y, dtype=float))
        table = within(table, self.kind.largest)
        return type(table)(table.X, middle.astype(int), table.weight)

    @rule(table=tables())
    def another_table(self, table):
        self.table = self._labelled(table)
        self._fit()

    @rule()
    def fit_again(self):
        self._fit()

    def _fit(self):
        DONE["steps"] += 1
        before = dict(vars(self.model))
        table = self.table
        _, error = _attempt(lambda: self.model.fit(table.X, table.y, sample_weight=table.weight))
        if error is not None:
            DONE["refusals"] += 1
            assert vars(self.model).keys() == before.keys()
            assert all(vars(self.model)[name] is before[name] for name in before)
            return
        DONE["fits"] += 1
        self.fitted = table
        fresh = clone(self.model)
        _attempt(lambda: fresh.fit(table.X, table.y, sample_weight=table.weight))
        X, y = self._rows("same")
        for name in self.kind.reads:
            self._same_answer(fresh, name, X, y)

    def _rows(self, kind):
        """New rows of a kind for the table of the last fit."""
        made = new_rows(self.fitted or self.table, kind)
        if self.kind.largest == np.inf:
            return made
        bounded = within(Table(*made), self.kind.largest)
        return bounded.X, bounded.y

    def _answer(self, model, name, X, y):
        return _attempt(lambda: numbers(self.kind.reads[name](model, X, y)))

    def _same_answer(self, other, name, X, y):
        """An answer, or a refusal, that another estimator shares."""
        mine, error = self._answer(self.model, name, X, y)
        theirs, other_error = self._answer(other, name, X, y)
        assert type(error) is type(other_error)
        assert str(error) == str(other_error)
        if error is None:
            _check(name, mine, self.kind.labels)
            _equal(mine, theirs)

    @rule(data=st.data(), rows=st.sampled_from(NEW_ROWS))
    def read(self, data, rows):
        DONE["steps"] += 1
        name = data.draw(st.sampled_from(sorted(self.kind.reads)), label="method")
        X, y = self._rows(rows)
        before, state = dict(vars(self.model)), self._state()
        answer, error = self._answer(self.model, name, X, y)
        assert (self.fitted is not None) or error is not None
        if error is None:
            _check(name, answer, self.kind.labels)
        assert vars(self.model).keys() == before.keys()
        assert all(vars(self.model)[key] is value for key, value in before.items())
        _equal(state, self._state())

    def _state(self):
        """Copies of the numbers that a fit left behind."""
        found = {k: v for k, v in vars(self.model).items() if k.endswith("_") and k[0] != "_"}
        arrays = [v for v in found.values() if isinstance(v, float | np.ndarray)]
        posterior = found.get("posterior_", {})
        arrays += [posterior[name] for name in posterior]
        return [np.array(v, copy=True) for v in arrays if np.asarray(v).dtype.kind in "fiub"]

    @rule(data=st.data())
    def turn(self, data):
        DONE["steps"] += 1
        name = data.draw(st.sampled_from(sorted(self._settable(self.kind.right))), label="name")
        value = data.draw(st.sampled_from(self.kind.right[name]), label="value")
        self.model.set_params(**{name: clone(value, safe=False)})
        if data.draw(st.booleans(), label="fit"):
            self._fit()

    def _settable(self, values):
        """Parameters that the estimator has now: those of its parts come and go."""
        have = self.model.get_params()
        return [name for name in values if name in have]

    @rule(data=st.data())
    def turn_wrong(self, data):
        DONE["steps"] += 1
        name = data.draw(st.sampled_from(sorted(self._settable(self.kind.wrong))), label="name")
        value = data.draw(st.sampled_from(self.kind.wrong[name]), label="value")
        read = data.draw(st.sampled_from(sorted(self.kind.reads)), label="method")
        old = self.model.get_params()[name]
        self.model.set_params(**{name: value})
        X, y = self._rows("same")
        self._answer(self.model, read, X, y)
        table = self.table
        _, error = _attempt(lambda: self.model.fit(table.X, table.y, sample_weight=table.weight))
        assert error is not None, f"{name}={value!r} was taken"
        self.model.set_params(**{name: old})

    @rule()
    def copy_by_clone(self):
        DONE["steps"] += 1
        copy = clone(self.model)
        _same_parameters(copy, self.model)
        assert not any(name.endswith("_") and name[:1] != "_" for name in vars(copy))
        X, y = self._rows("same")
        for name in self.kind.reads:
            assert self._answer(copy, name, X, y)[1] is not None, f"{name} before a fit"

    @precondition(lambda self: self.fitted is not None)
    @rule(rows=st.sampled_from(NEW_ROWS))
    def copy_by_pickle(self, rows):
        DONE["steps"] += 1
        copy = pickle.loads(pickle.dumps(self.model))
        _same_parameters(copy, self.model)
        X, y = self._rows(rows)
        for name in self.kind.reads:
            self._same_answer(copy, name, X, y)
        self.model = copy


def machine(kind, seed=None):
    """The state machine of one of ``KINDS``; a seed makes its examples repeatable."""
    made = type(f"{kind.title().replace(' ', '')}Machine", (_Machine,), {"kind": KINDS[kind]})
    # Kinds that shared a seed would be given the same first tables.
    return made if seed is None else hypothesis.seed(seed + 10**6 * list(KINDS).index(kind))(made)
