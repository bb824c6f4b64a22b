import json
import re

import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.cli.advice import in_options


def _tied(rng):
    y = np.where(rng.random(200) < 0.6, 3.0, rng.normal(3, 1, size=200))
    return {"x": rng.normal(size=200), "y": y}


def _few(rng):
    return {name: rng.normal(size=12) for name in "abcdefy"}


def _half(rng):
    x = rng.normal(size=300)
    y = np.where(np.arange(300) % 2, 2 * x, rng.uniform(-50, 50, size=300))
    return {"x": x, "y": y + rng.normal(scale=0.1, size=300)}


def _collinear(rng):
    a, y = rng.normal(size=(2, 80))
    return {"a": a, "b": 2 * a, "same": np.full(80, 3.0), "y": y}


def _constant(rng):
    return {"a": np.ones(9), "y": np.ones(9)}


PARAMETERS = {
    name
    for estimator in (HolderBayesRegressor(), HolderBayesDensity(), OutlierAuditor())
    for name in estimator.get_params()
    if "_" in name
} | {"X", r"(?<!--)gamma"}


@pytest.mark.parametrize("target", [("--target", "y"), ()], ids=["regression", "density"])
@pytest.mark.parametrize(
    ("table", "said"),
    [
        (_tied, "lie at the floor that keeps scales from 0: "),
        (_few, "try a smaller --gamma or fewer columns."),
        (_half, "Increase --draws."),
        (_collinear, "Drop "),
        (_constant, "constant: there is "),
    ],
)
def test_no_message_names_a_python_parameter(folder, run, table, said, target):
    pd.DataFrame(table(np.random.default_rng(0))).to_csv("odd.csv", index=False)
    code, out, err = run("audit", "odd.csv", *target, "--draws", "400", "--json")
    texts = [check["text"] for check in json.loads(out)["diagnostics"]["checks"]] if out else []
    assert code == (2 if table is _constant else 0)
    assert any(said in text for text in err)
    _, out, _ = run("audit", "odd.csv", *target, "--draws", "400")
    texts += [*err, out]
    for text in texts:
        # What is quoted is a name of the user's, or a phrase.
        bare = re.sub("'[^']*'", "", text)
        assert not [name for name in PARAMETERS if re.search(rf"\b{name}\b", bare)]


@pytest.mark.parametrize(
    ("advice", "expected"),
    [
        ("The limit max_contamination=0.5 is far.", "The limit 0.5 is far."),
        ("It leans on max_contamination=0.5.", "It leans on the limit 0.5."),
        ("X has few rows. Drop columns.", "The table has few rows. Drop columns with --exclude."),
        ("Look at X, and drop it.", "Look at the table, and drop it."),
        ("Be careful. Raise min_scale a bit.", "Be careful."),
    ],
)
def test_advice(advice, expected):
    assert in_options(advice) == expected


def test_names_of_columns_stay():
    text = "R-hat of 'gamma' is 2; columns ['X', 'n_draws'] are odd.\n  Try a smaller gamma."
    assert in_options(text) == (
        "R-hat of 'gamma' is 2; columns ['X', 'n_draws'] are odd. Try a smaller --gamma."
    )
