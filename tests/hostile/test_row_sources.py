"""Row sources answer hostile tables as memory does, or refuse them in the same words."""

import numpy as np
import pytest
from hostile_cases import refusal
from hostile_tables import TABLES
from sklearn.base import clone

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.rows import BlockSource

pytestmark = [
    pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

QUICK = {"gamma": 0.5, "n_draws": 200, "n_ensembles": 2, "random_state": 0}
MODELS = {
    "regression": HolderBayesRegressor(leverage="ignore", **QUICK),
    "plain": HolderBayesRegressor(leverage="ignore", standardize=False, **QUICK),
    "diagonal": HolderBayesDensity(covariance_type="diag", **QUICK),
    "laplace": HolderBayesDensity(covariance_type="full", inference="laplace", **QUICK),
}
NAMES = (
    "shape 2x1",
    "shape 5x10",
    "duplicated column",
    "one x 1e+12",
    "one x 1.7e+308",
    "one y 1e+300",
    "scale 1e-300 x",
    "scale 1e+150 xy",
    "offset 1e+15 x",
    "weights zeros",
    "weights one 1e300",
)


def cut(table, with_y, size=11):
    def blocks():
        for start in range(0, len(table.X), size):
            part = slice(start, start + size)
            weight = None if table.weight is None else table.weight[part]
            yield table.X[part], table.y[part] if with_y else None, weight

    return BlockSource(blocks)


def answer(call):
    """What a call gives, or the words of its refusal."""
    try:
        return call()
    except ValueError as error:
        if not refusal(error):
            raise
        return str(error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", MODELS)
def test_the_answer_of_memory(kind, name):
    table, model = TABLES[name](), MODELS[kind]
    with_y = isinstance(model, HolderBayesRegressor)
    y = table.y if with_y else None
    memory = answer(lambda: clone(model).fit(table.X, y, sample_weight=table.weight))
    streamed = answer(lambda: clone(model).fit(cut(table, with_y)))
    if isinstance(memory, str):
        assert streamed == memory
        return
    for draws in streamed.posterior_.values():
        assert np.all(np.isfinite(draws))
    assert streamed.epsilon_ == pytest.approx(memory.epsilon_, abs=1e-6)
    blocks = list(streamed.audit_blocks(cut(table, with_y)))
    fod = np.concatenate([block.fod for block in blocks])
    assert np.all(np.isfinite(np.concatenate([block.log_density for block in blocks])))
    counted = slice(None) if table.weight is None else table.weight > 0
    np.testing.assert_allclose(fod[counted], memory.fod_scores_[counted], atol=0.01)
