"""Contaminated toy data, a spoiled copy of the diabetes data, and loaders of the paper's sets.

Every maker takes ``random_state`` and never touches NumPy's global random state.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes
from sklearn.utils import Bunch

from ._sklearn import Interval, InvalidParameterError, StrOptions

__all__ = [
    "load_paper_data",
    "load_spoiled_diabetes",
    "make_contaminated_blobs",
    "make_contaminated_regression",
]

_COUNT = Interval(Integral, 1, None, closed="left")
_SHARE = Interval(Real, 0, 1, closed="both")
_FINITE = Interval(Real, None, None, closed="neither")
_POSITIVE = Interval(Real, 0, None, closed="neither")
_NOT_NEGATIVE = Interval(Real, 0, None, closed="left")

RandomSeed: TypeAlias = int | Sequence[int] | np.random.Generator | np.random.RandomState

_PAPER_SETS = ("cal_housing", "kin8nm", "puma32H")


@overload
def make_contaminated_regression(
    n_samples: int = ...,
    n_features: int = ...,
    *,
    contamination: float = ...,
    shift: float = ...,
    noise: float = ...,
    return_coef: Literal[False] = ...,
    random_state: RandomSeed | None = ...,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]: ...


@overload
def make_contaminated_regression(
    n_samples: int = ...,
    n_features: int = ...,
    *,
    contamination: float = ...,
    shift: float = ...,
    noise: float = ...,
    return_coef: Literal[True],
    random_state: RandomSeed | None = ...,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]: ...


def make_contaminated_regression(
    n_samples: int = 1000,
    n_features: int = 2,
    *,
    contamination: float = 0.2,
    shift: float = 6.0,
    noise: float = 1.0,
    return_coef: bool = False,
    random_state: RandomSeed | None = None,
) -> (
    tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]
    | tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]
):
    """Linear regression with a share of shifted responses: the paper's synthetic design.

    ``coef ~ N(0, I)``, ``x ~ N(0, I)`` and ``y = x @ coef + noise * N(0, 1)``; each row is an
    outlier with probability ``contamination``, and ``shift`` is added to its response.

    Parameters
    ----------
    n_samples, n_features : int, default=1000, 2
        Rows and columns of X.
    contamination : float in [0, 1], default=0.2
        Probability that a row is an outlier.
    shift : float, default=6.0
        What is added to the response of an outlier, in units of y.
    noise : float, default=1.0
        Standard deviation of the noise.
    return_coef : bool, default=False
        Whether to return the true coefficients too.
    random_state : int, sequence of int, Generator, RandomState or None, default=None
        Seed; None draws a fresh one.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    outliers : ndarray of bool, shape (n_samples,)
    coef : ndarray of shape (n_features,)
        Only with ``return_coef=True``; the true intercept is 0.

    Examples
    --------
    >>> from skholder.datasets import make_contaminated_regression
    >>> X, y, outliers = make_contaminated_regression(100, contamination=0.1, random_state=0)
    >>> X.shape, y.shape, outliers.dtype
    ((100, 2), (100,), dtype('bool'))
    """
    _check("n_samples", n_samples, _COUNT)
    _check("n_features", n_features, _COUNT)
    _check("contamination", contamination, _SHARE)
    _check("shift", shift, _FINITE)
    _check("noise", noise, _NOT_NEGATIVE)
    rng = _generator(random_state)
    coef = rng.normal(size=n_features)
    X = rng.normal(size=(n_samples, n_features))
    outliers = rng.random(n_samples) < contamination
    y = X @ coef + noise * rng.normal(size=n_samples) + shift * outliers
    return (X, y, outliers, coef) if return_coef else (X, y, outliers)


def make_contaminated_blobs(
    n_samples: int = 1000,
    n_features: int = 2,
    *,
    contamination: float = 0.2,
    kind: str = "cluster",
    shift: float = 5.0,
    scale: float = 5.0,
    df: float = 1.5,
    random_state: RandomSeed | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A standard normal blob and a share of other rows: the paper's location-scale design.

    Parameters
    ----------
    n_samples, n_features : int, default=1000, 2
        Rows and columns of X.
    contamination : float in [0, 1], default=0.2
        Probability that a row is replaced by an outlier.
    kind : {"cluster", "student_t"}, default="cluster"
        ``"cluster"``: outliers from N((shift, ..., shift), I), the paper's scenario A;
        ``"student_t"``: from a centred Student-t with ``df`` degrees of freedom and ``scale``,
        scenario B, which overlaps the blob.
    shift : float, default=5.0
        Where the cluster's centre lies in every column.
    scale, df : float, default=5.0, 1.5
        Scale and degrees of freedom of the Student-t.
    random_state : int, sequence of int, Generator, RandomState or None, default=None
        Seed; None draws a fresh one.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    outliers : ndarray of bool, shape (n_samples,)

    Examples
    --------
    >>> from skholder.datasets import make_contaminated_blobs
    >>> X, outliers = make_contaminated_blobs(100, 3, kind="student_t", random_state=0)
    >>> X.shape, outliers.shape
    ((100, 3), (100,))
    """
    _check("n_samples", n_samples, _COUNT)
    _check("n_features", n_features, _COUNT)
    _check("contamination", contamination, _SHARE)
    _check("kind", kind, StrOptions({"cluster", "student_t"}))
    _check("shift", shift, _FINITE)
    _check("scale", scale, _POSITIVE)
    _check("df", df, _POSITIVE)
    rng = _generator(random_state)
    X = rng.normal(size=(n_samples, n_features))
    outliers = rng.random(n_samples) < contamination
    count = np.count_nonzero(outliers)
    if kind == "cluster":
        X[outliers] = rng.normal(shift, 1.0, size=(count, n_features))
    else:
        normal = rng.normal(size=(count, n_features))
        X[outliers] = scale * normal / np.sqrt(rng.chisquare(df, size=(count, 1)) / df)
    return X, outliers


def load_spoiled_diabetes(
    *,
    contamination: float = 0.15,
    shift: float = 300.0,
    as_frame: bool = False,
    random_state: RandomSeed = 0,
) -> Bunch:
    """scikit-learn's diabetes data with a share of the responses spoiled; needs no network.

    442 patients, 10 covariates in their own units, and a measure of disease progression between 25
    and 346, to which ``shift`` is added in the spoiled rows.

    Parameters
    ----------
    contamination : float in [0, 1], default=0.15
        Probability that a row is spoiled.
    shift : float, default=300.0
        What is added to the response of a spoiled row, in its units.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame and ``target`` as a Series.
    random_state : int, sequence of int, Generator, RandomState or None, default=0
        Seed of the choice of spoiled rows; None draws a fresh one.

    Returns
    -------
    Bunch
        ``data`` (442, 10), ``target`` (442,), ``clean_target`` (442,), ``outliers`` (a mask, 442),
        ``feature_names`` (a list), ``target_name``, ``DESCR``.

    Examples
    --------
    >>> from skholder.datasets import load_spoiled_diabetes
    >>> data = load_spoiled_diabetes()
    >>> data.data.shape, data.target_name
    ((442, 10), 'progression')
    >>> bool((data.target - data.clean_target == 300 * data.outliers).all())
    True
    """
    _check("contamination", contamination, _SHARE)
    _check("shift", shift, _FINITE)
    source = load_diabetes(scaled=False)
    outliers = _generator(random_state).random(len(source.target)) < contamination
    data, target = source.data, source.target + shift * outliers
    names, target_name = list(source.feature_names), "progression"
    if as_frame:
        import pandas as pd

        data = pd.DataFrame(data, columns=names)
        target = pd.Series(target, name=target_name)
    return Bunch(
        data=data,
        target=target,
        clean_target=source.target,
        outliers=outliers,
        feature_names=names,
        target_name=target_name,
        DESCR=f"{shift:g} was added to 'progression' in {outliers.sum()} rows.\n\n{source.DESCR}",
    )


def load_paper_data(name: str, *, folder: str | Path | None = None) -> Bunch:
    """A regression set of the paper, from a local folder or through scikit-learn's fetchers.

    Parameters
    ----------
    name : {"cal_housing", "kin8nm", "puma32H"}
        ``puma32H`` is the set whose results the paper lists as pumadyn-32fh.
    folder : str, path or None, default=None
        Where ``<name>.csv.gz`` lies: comma-separated numbers, one header line, the target last.
        None downloads the data, or takes scikit-learn's copy of an earlier download
        (``fetch_california_housing``, ``fetch_openml``).

    Returns
    -------
    Bunch
        ``data`` (n, p), ``target`` (n,), ``feature_names`` (a list of p), ``target_name``.

    Examples
    --------
    >>> import gzip
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skholder.datasets import load_paper_data
    >>> with TemporaryDirectory() as folder:
    ...     table = gzip.compress(b"a,b,y\\n1,2,3\\n4,5,6\\n")
    ...     _ = Path(folder, "kin8nm.csv.gz").write_bytes(table)
    ...     data = load_paper_data("kin8nm", folder=folder)
    >>> data.feature_names, data.target.tolist()
    (['a', 'b'], [3.0, 6.0])
    """
    _check("name", name, StrOptions(set(_PAPER_SETS)))
    return _fetch(name) if folder is None else _read_table(Path(folder), name)


def _fetch(name):
    """Download a set, or find the copy that scikit-learn keeps."""
    from sklearn.datasets import fetch_california_housing, fetch_openml

    if name == "cal_housing":
        found = fetch_california_housing()
    else:
        # The pandas parser would make pandas a dependency.
        found = fetch_openml(name, version=1, as_frame=False, parser="liac-arff")
    return Bunch(
        data=np.asarray(found.data, dtype=np.float64),
        target=np.asarray(found.target, dtype=np.float64),
        feature_names=list(found.feature_names),
        target_name=found.target_names[0],
    )


def _read_table(folder, name):
    """Read ``<name>.csv.gz``."""
    path = folder / f"{name}.csv.gz"
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} has no file {path.name}. Leave folder=None to download the data."
        )
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        header = next(csv.reader(lines), [])
        if len(header) < 2:
            raise ValueError(f"{path} needs a header line with covariates and a target.")
        rows = lines.readlines()
    table = np.loadtxt(rows, delimiter=",", ndmin=2) if rows else np.empty((0, 0))
    if table.shape[1] != len(header):
        raise ValueError(f"{path} has no rows of {len(header)} numbers below its header.")
    return Bunch(
        data=table[:, :-1], target=table[:, -1], feature_names=header[:-1], target_name=header[-1]
    )


def _check(name, value, allowed):
    """Raise scikit-learn's own error where a parameter is not allowed."""
    if not allowed.is_satisfied_by(value):
        raise InvalidParameterError(f"The {name!r} parameter must be {allowed}. Got {value!r}.")


def _generator(random_state):
    """A Generator of its own; a RandomState seeds one, and moves on by doing so."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31 - 1, size=4)
    return np.random.default_rng(random_state)
