"""Makers and loaders of data."""

import gzip

import numpy as np
import pytest
import sklearn.datasets
from scipy.stats import t as student_t
from sklearn.datasets import load_diabetes
from sklearn.utils import Bunch

from skholder.datasets import (
    load_paper_data,
    load_spoiled_diabetes,
    make_contaminated_blobs,
    make_contaminated_regression,
)


def test_regression_without_noise_is_the_line_and_its_shifted_copy():
    X, y, outliers, coef = make_contaminated_regression(
        200, 3, contamination=0.3, shift=-4.0, noise=0.0, return_coef=True, random_state=0
    )
    assert X.shape == (200, 3)
    assert coef.shape == (3,)
    assert outliers.dtype == bool
    assert 30 < outliers.sum() < 90
    np.testing.assert_allclose(y, X @ coef - 4.0 * outliers, atol=1e-12)


def test_regression_noise_has_its_standard_deviation():
    X, y, _, coef = make_contaminated_regression(
        20_000, contamination=0.0, noise=2.5, return_coef=True, random_state=1
    )
    assert np.std(y - X @ coef) == pytest.approx(2.5, rel=0.02)


@pytest.mark.parametrize("maker", [make_contaminated_regression, make_contaminated_blobs])
def test_contamination_is_the_share_of_outliers(maker):
    for share in (0.0, 0.25, 1.0):
        outliers = maker(8000, contamination=share, random_state=2)[-1]
        assert outliers.mean() == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("maker", [make_contaminated_regression, make_contaminated_blobs])
@pytest.mark.parametrize("seed", [3, [1, 2], np.random.default_rng, np.random.RandomState])
def test_random_state(maker, seed):
    def fresh():
        return seed(5) if callable(seed) else seed

    first, again = maker(50, random_state=fresh()), maker(50, random_state=fresh())
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    if callable(seed):
        shared = fresh()
        once, twice = maker(50, random_state=shared)[0], maker(50, random_state=shared)[0]
        assert not np.array_equal(once, twice)


@pytest.mark.parametrize("maker", [make_contaminated_regression, make_contaminated_blobs])
def test_global_random_state_is_left_alone(maker):
    before = np.random.get_state()[1].copy()
    first, second = maker(20)[0], maker(20)[0]
    np.testing.assert_array_equal(np.random.get_state()[1], before)
    assert not np.array_equal(first, second)


def test_cluster_lies_where_it_should():
    X, outliers = make_contaminated_blobs(8000, 3, shift=4.0, random_state=0)
    np.testing.assert_allclose(X[~outliers].mean(axis=0), 0.0, atol=0.05)
    np.testing.assert_allclose(X[outliers].mean(axis=0), 4.0, atol=0.1)
    np.testing.assert_allclose(X[outliers].std(axis=0), 1.0, atol=0.05)


def test_student_t_outliers_have_its_quantiles():
    X, outliers = make_contaminated_blobs(
        40_000, contamination=0.5, kind="student_t", scale=3.0, df=2.5, random_state=0
    )
    levels = [0.5, 0.8, 0.95]
    expected = 3.0 * student_t(2.5).ppf((1 + np.array(levels)) / 2)
    for column in np.abs(X[outliers]).T:
        np.testing.assert_allclose(np.quantile(column, levels), expected, rtol=0.06)


@pytest.mark.parametrize(
    ("maker", "name", "value"),
    [
        (make_contaminated_regression, "n_samples", 0),
        (make_contaminated_regression, "n_samples", 10.5),
        (make_contaminated_regression, "n_features", -1),
        (make_contaminated_regression, "contamination", 1.01),
        (make_contaminated_regression, "contamination", np.nan),
        (make_contaminated_regression, "shift", np.inf),
        (make_contaminated_regression, "noise", -1.0),
        (make_contaminated_blobs, "n_samples", 0),
        (make_contaminated_blobs, "n_features", "two"),
        (make_contaminated_blobs, "contamination", -0.1),
        (make_contaminated_blobs, "kind", "moons"),
        (make_contaminated_blobs, "shift", np.nan),
        (make_contaminated_blobs, "scale", 0.0),
        (make_contaminated_blobs, "df", -1.5),
        (load_spoiled_diabetes, "contamination", 2.0),
        (load_spoiled_diabetes, "shift", np.nan),
        (load_paper_data, "name", "pumadyn-32fh"),
    ],
)
def test_errors_name_the_parameter(maker, name, value):
    with pytest.raises(ValueError, match=f"{name!r} parameter must be .* Got {value!r}"):
        maker(**{name: value})


def test_spoiled_diabetes():
    bunch = load_spoiled_diabetes()
    clean = load_diabetes(scaled=False)
    np.testing.assert_array_equal(bunch.data, clean.data)
    np.testing.assert_array_equal(bunch.clean_target, clean.target)
    np.testing.assert_array_equal(bunch.target, clean.target + 300.0 * bunch.outliers)
    assert bunch.feature_names == list(clean.feature_names)
    assert 0.1 < bunch.outliers.mean() < 0.2
    assert f"in {bunch.outliers.sum()} rows" in bunch.DESCR
    np.testing.assert_array_equal(load_spoiled_diabetes().outliers, bunch.outliers)
    assert not np.array_equal(load_spoiled_diabetes(random_state=1).outliers, bunch.outliers)


def test_spoiled_diabetes_as_frame():
    pytest.importorskip("pandas")
    bunch = load_spoiled_diabetes(as_frame=True)
    assert list(bunch.data.columns) == bunch.feature_names
    assert bunch.target.name == bunch.target_name
    np.testing.assert_array_equal(bunch.target, load_spoiled_diabetes().target)


def write(path, text):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.parametrize("name", ["cal_housing", "kin8nm", "puma32H"])
def test_paper_data_from_a_folder(tmp_path, name):
    write(tmp_path / f"{name}.csv.gz", 'a,"b, in mm",y\n1,2,3\n4,5e-1,-6\n')
    for folder in (tmp_path, str(tmp_path)):
        bunch = load_paper_data(name, folder=folder)
        np.testing.assert_array_equal(bunch.data, [[1, 2], [4, 0.5]])
        np.testing.assert_array_equal(bunch.target, [3, -6])
        assert bunch.feature_names == ["a", "b, in mm"]
        assert bunch.target_name == "y"


def test_paper_data_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no file kin8nm\.csv\.gz"):
        load_paper_data("kin8nm", folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "header"), ("y\n1\n", "header"), ("a,y\n", "no rows of 2"), ("a,b,y\n1,2\n", "of 3")],
)
def test_paper_data_bad_file(tmp_path, text, message):
    write(tmp_path / "kin8nm.csv.gz", text)
    with pytest.raises(ValueError, match=message):
        load_paper_data("kin8nm", folder=tmp_path)


def test_paper_data_through_fetchers(monkeypatch):
    asked = []

    def found(*args, **kwargs):
        asked.append((args, kwargs))
        return Bunch(
            data=np.ones((4, 2)),
            target=np.array(["1", "2", "3", "4"], dtype=object),
            feature_names=["a", "b"],
            target_names=["y"],
        )

    monkeypatch.setattr(sklearn.datasets, "fetch_california_housing", found)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", found)
    for name in ("cal_housing", "kin8nm", "puma32H"):
        bunch = load_paper_data(name)
        np.testing.assert_array_equal(bunch.target, [1, 2, 3, 4])
        assert bunch.target.dtype == float
        assert (bunch.feature_names, bunch.target_name) == (["a", "b"], "y")
    assert asked[0] == ((), {})
    assert [args for args, _ in asked[1:]] == [("kin8nm",), ("puma32H",)]
    assert all(kwargs["parser"] == "liac-arff" for _, kwargs in asked[1:])
