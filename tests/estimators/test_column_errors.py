"""Text, dates and other cells that are no numbers: the error names the column and the remedy."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from skholder import AuditedEstimator, HolderBayesDensity, HolderBayesRegressor, OutlierAuditor

N = 20
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(N)]
TIMES = [dt.datetime(2020, 1, 1) + dt.timedelta(i) for i in range(N)]
TEXT = ["red", "blue"] * (N // 2)
NUMBERS = np.random.default_rng(0).normal(size=N)


def fit(X, y=None):
    kind = HolderBayesDensity if y is None else HolderBayesRegressor
    return kind(n_draws=100, inference="laplace", random_state=0).fit(X, y)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (TEXT, "holds 'red', which is not a number. Encode such columns"),
        ([1.0, "n/a"] * (N // 2), "holds 'n/a', which is not a number"),
        ([(1, 2)] * N, "which is not a number"),
        (DAYS, "holds dates. Turn them into numbers first, for instance days"),
        (TIMES, "holds dates. Turn them"),
        ([time - TIMES[0] for time in TIMES], "holds durations. Turn them into numbers"),
    ],
    ids=["text", "mixed", "tuples", "days", "times", "durations"],
)
@pytest.mark.parametrize("regression", [False, True])
def test_the_column_is_named(library, cells, message, regression):
    options = {"strict": False} if library is pl else {}
    frame = library.DataFrame({"size": NUMBERS, "when or what": cells}, **options)
    with pytest.raises(ValueError, match=f"Column 'when or what' .*{message}"):
        fit(frame, NUMBERS if regression else None)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(TEXT)),
        pd.Series(TEXT, dtype="string"),
        pd.Series(pd.Categorical([*TEXT[1:], None])),
    ],
    ids=["categories", "strings", "with a missing one"],
)
def test_categories_and_strings(column):
    with pytest.raises(ValueError, match=r"Column 'colour' holds '(red|blue)'"):
        fit(pd.DataFrame({"size": NUMBERS, "colour": column}))


def test_polars_categories():
    column = pl.Series(TEXT, dtype=pl.Categorical)
    with pytest.raises(ValueError, match="Column 'colour' holds 'red'"):
        fit(pl.DataFrame({"size": NUMBERS, "colour": column}))


def test_time_zones():
    frame = pd.DataFrame({"a": NUMBERS, "when": pd.date_range("2020", periods=N, tz="UTC")})
    with pytest.raises(ValueError, match="Column 'when' holds dates"):
        fit(frame)


@pytest.mark.parametrize("cells", [TEXT, TIMES], ids=["text", "dates"])
def test_the_response_is_named(cells):
    with pytest.raises(ValueError, match="The response 'price' holds"):
        fit(pd.DataFrame({"a": NUMBERS}), pd.Series(cells, name="price"))


@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.parametrize("cells", [TEXT, TIMES], ids=["text", "dates"])
def test_new_rows(cells):
    good = pd.DataFrame({"a": NUMBERS, "b": NUMBERS**2})
    bad = good.assign(b=cells)
    density, regressor = fit(good), fit(good, np.roll(NUMBERS, 3))
    for call in (density.predict, density.fod, regressor.predict):
        with pytest.raises(ValueError, match="Column 'b' holds"):
            call(bad)
    with pytest.raises(ValueError, match="Column 'b' holds"):
        regressor.fod(bad, NUMBERS)


def test_meta_estimators_add_their_remedy():
    frame = pd.DataFrame({"size": NUMBERS, "colour": TEXT})
    auditor = OutlierAuditor(HolderBayesDensity(n_draws=100, inference="laplace"))
    with pytest.raises(ValueError, match="Column 'colour' holds 'red'"):
        auditor.fit(frame)
    with pytest.raises(ValueError, match=r"Column 'colour' holds 'red'(.|\n)*ColumnTransformer"):
        AuditedEstimator(Ridge(), auditor=auditor).fit(frame, NUMBERS)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": NUMBERS, "b": [str(i * i) for i in range(N)]}),
        pd.DataFrame({"a": NUMBERS, "b": pd.Categorical([1, 2] * (N // 2))}),
        pd.DataFrame({"a": NUMBERS, "b": [True, False] * (N // 2)}),
        pl.DataFrame({"a": NUMBERS, "b": [True, False] * (N // 2)}),
    ],
    ids=["numbers as text", "numeric categories", "booleans", "polars booleans"],
)
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
def test_what_can_be_read_as_numbers_is_no_error(frame):
    assert np.all(np.isfinite(fit(frame).log_density_))


class TestErrorsThatStayScikitLearns:
    @pytest.mark.parametrize("dtype", ["float64", "object", "Float64"])
    def test_missing_values(self, dtype):
        column = pd.Series([None, *NUMBERS[1:]], dtype=dtype)
        frame = pd.DataFrame({"a": NUMBERS, "b": column})
        with pytest.raises(ValueError, match="Input X contains NaN"):
            fit(frame)

    def test_missing_values_of_polars(self):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            fit(pl.DataFrame({"a": NUMBERS, "b": [None, *NUMBERS[1:]]}))

    def test_complex_numbers(self):
        with pytest.raises(ValueError, match="Complex data not supported"):
            fit(pd.DataFrame({"a": NUMBERS, "b": NUMBERS + 1j}))

    def test_sparse_matrices(self):
        with pytest.raises(TypeError, match="Sparse data was passed"):
            fit(sparse.csr_array(np.column_stack([NUMBERS, NUMBERS])))

    def test_arrays_have_no_names(self):
        with pytest.raises(ValueError, match="could not convert string to float: 'red'"):
            fit(np.column_stack([NUMBERS.astype(object), TEXT]))

    def test_other_columns_than_in_fit(self):
        good = pd.DataFrame({"a": NUMBERS, "b": NUMBERS**2})
        with pytest.raises(ValueError, match="feature names should match"):
            fit(good).predict(good.rename(columns={"b": "c"}))
