import numpy as np
from sklearn.dummy import DummyRegressor

from skholder.cli.planning import typical_error
from skholder.cli.tables import Design


def test_spoiled_rows_have_no_say_in_the_typical_error():
    y = np.tile([-1.0, 1.0], 50)
    y[::10] = 1e6
    design = Design(np.zeros((100, 1)), ["x"], y, np.arange(100), {}, [])
    constant = DummyRegressor(strategy="constant", constant=0.0)
    assert typical_error(constant, design, 0) == 1.0


def test_a_large_table_is_judged_by_some_of_its_rows():
    class Counting(DummyRegressor):
        def fit(self, X, y):
            seen.append(len(X))
            return super().fit(X, y)

    seen = []
    design = Design(np.zeros((9_000, 1)), ["x"], np.arange(9_000.0), np.arange(9_000), {}, [])
    typical_error(Counting(), design, 0)
    assert seen == [4_000] * 5
