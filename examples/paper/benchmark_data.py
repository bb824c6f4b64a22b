"""The paper's three regression sets: loading, splitting, spoiling.

The published rows named ``pumadyn-32fh`` are reproduced by ``puma32H``, a different member of the
family; the set is reported here under its own name.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from skholder.datasets import load_paper_data

# Our name -> (name of the loader, name in the published tables).
DATASETS = {
    "cal-housing": ("cal_housing", "cal-housing"),
    "kin8nm": ("kin8nm", "kin8nm"),
    "puma32H": ("puma32H", "pumadyn-32fh"),
}
SHIFT = 6.0
MATCHED = "cal-housing, matched"
_OCCUPANCY, _CROWDED = 5, 200.0
# A test row with a covariate this many training standard deviations out decides a whole RMSE.
FAR = 20.0


@dataclass(frozen=True)
class Split:
    """A training and a test set, standardised with the moments of the clean training rows.

    Attributes
    ----------
    X, y : ndarray of shape (n, p), (n,)
        Training rows; ``y`` may be spoiled.
    outlier : ndarray of bool, shape (n,)
        The spoiled rows.
    X_test, y_test : ndarray of shape (m, p), (m,)
        Test rows, never spoiled.
    raw : ndarray of shape (n, p)
        Training covariates in their own units.
    unit : float
        Standard deviation of the clean training response, to return to its units.
    """

    X: np.ndarray
    y: np.ndarray
    outlier: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    raw: np.ndarray
    unit: float

    @property
    def regular(self):
        """Test rows without a far-out covariate, bool of shape (m,)."""
        return np.all(np.abs(self.X_test) <= FAR, axis=1)


@lru_cache
def load(name, folder=None):
    """Rows of a set, the response last, shape (n, p + 1); from a folder or a fetcher."""
    bunch = load_paper_data(DATASETS[name][0], folder=folder)
    rows = np.column_stack([bunch.data, bunch.target])
    return rows[np.all(np.isfinite(rows), axis=1)]


def _permuted(rows, seed):
    """A generator, the rows in its random order, and how many of them are training rows."""
    rng = np.random.default_rng(seed)
    return rng, rows[rng.permutation(len(rows))], int(0.8 * len(rows))


def crowded_rows(rows):
    """Block groups of cal-housing with more than 200 people to a household, bool of shape (n,)."""
    return rows[:, _OCCUPANCY] > _CROWDED


def matched_splits(rows, n_splits=5):
    """Seeds of cal-housing splits whose few decisive test rows lie as the published ones must.

    Four block groups have more than 200 people to a household (230, 502, 600 and 1243). One of them
    among 4128 test rows decides the RMSE of a robust fit: about 0.7 without, 1.1, 1.9, 2.2 or 4.4
    with the one or the other (``sensitivity.py``). The published 0.967 with standard deviation
    0.531 over five splits says one split at 1.92, four at 0.73: the group of 502 in one test set,
    and no other in any. The seeds are the first that do so; nothing but these rows' places is
    looked at.
    """
    crowded = np.sort(rows[crowded_rows(rows), _OCCUPANCY])
    wanted, seeds, seed = [(crowded[1],)] + [()] * (n_splits - 1), [], 0
    while wanted:
        _, shuffled, n = _permuted(rows, seed)
        test = shuffled[n:]
        present = tuple(np.sort(test[crowded_rows(test), _OCCUPANCY]))
        if present in wanted:
            wanted.remove(present)
            seeds.append(seed)
        seed += 1
    return seeds


def make_split(rows, seed, epsilon):
    """80% training and 20% test rows; a share of the training responses shifted by N(6, 1).

    The split, the uniform numbers behind the labels and the shifts depend on the seed alone, so
    that every method, gamma and epsilon meets the same rows.
    """
    rng, rows, n = _permuted(rows, seed)
    centre, unit = rows[:n].mean(axis=0), rows[:n].std(axis=0)
    scaled = (rows - centre) / unit
    outlier = rng.random(n) < epsilon
    shift = rng.normal(SHIFT, 1.0, size=n)
    return Split(
        X=scaled[:n, :-1],
        y=scaled[:n, -1] + np.where(outlier, shift, 0.0),
        outlier=outlier,
        X_test=scaled[n:, :-1],
        y_test=scaled[n:, -1],
        raw=rows[:n, :-1],
        unit=float(unit[-1]),
    )
