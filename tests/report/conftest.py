"""Two fits with hostile names, shared by all tests of the report."""

import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.report.rendering import environment

SCRIPT = "<script>document.title='owned'</script>"
NASTY = {
    "column": f"dose {SCRIPT}",
    "other": 'a" onmouseover="alert(1)',
    "target": "pressure & <b>flow</b>",
    "label": "'><img src=x onerror=\"document.title='owned'\">",
    "title": f"</title>{SCRIPT}",
}


def _quietly(model, *data):
    with warnings.catch_warnings():
        # A few hundred draws are too few for the sampler's own standards.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


@pytest.fixture(scope="session")
def nasty():
    return NASTY


@pytest.fixture(scope="session")
def quietly():
    return _quietly


@pytest.fixture(scope="session")
def frame(contaminated):
    X, y, *_ = contaminated(160, 2, 0.15)
    table = pd.DataFrame(X * [10.0, 0.2] + [50.0, -3.0], columns=[NASTY["column"], NASTY["other"]])
    table[NASTY["target"]] = 5 * y + 100
    table.index = [NASTY["label"], *(f"patient {i}" for i in range(1, 160))]
    return table


@pytest.fixture(scope="session")
def regression(frame):
    model = HolderBayesRegressor(n_draws=400, random_state=0)
    return _quietly(model, frame.iloc[:, :2], frame.iloc[:, 2])


@pytest.fixture(scope="session")
def density(frame):
    return _quietly(HolderBayesDensity(n_draws=400, random_state=0), frame)


@pytest.fixture(scope="session")
def clean():
    """A fit that flags nothing: rows on a grid, no tails."""
    x = np.linspace(-1, 1, 120)
    y = 2 * x + np.tile([-0.5, -0.25, 0.0, 0.25, 0.5, 0.0], 20)
    return _quietly(HolderBayesRegressor(n_draws=400, random_state=0), x[:, None], y)


@pytest.fixture(scope="session")
def drawn():
    """A drawing as the page has it, parsed."""
    macros = environment().get_template("svg_macros.html").module
    return lambda drawing: ElementTree.fromstring(str(macros.drawing(drawing)))
