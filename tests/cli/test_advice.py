import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.cli.advice import in_options
from skholder.inference.health import checks


def _tied(rng):
    y = np.where(rng.random(200) < 0.6, 3.0, rng.normal(3, 1, size=200))
    return {"x": rng.normal(size=200), "y": y}


def _few(rng):
    return {name: rng.normal(size=12) for name in "abcdey"}


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

SPOILED = {
    "Agreement of the ensembles",
    "Effective draws",
    "Information in the rows",
    "Tied values",
    "Room above epsilon",
    "One answer",
}


@pytest.mark.parametrize("target", [("--target", "y"), ()], ids=["regression", "density"])
@pytest.mark.parametrize(
    ("table", "gamma", "said"),
    [
        # A gamma that is chosen from the data avoids these two.
        (_tied, ("--gamma", "0.5"), "lie at the floor that keeps scales from 0: "),
        (_few, ("--gamma", "0.5"), "try a smaller --gamma or fewer columns."),
        (_half, (), "Increase --draws."),
        (_collinear, (), "Drop "),
        (_constant, (), "constant: there is "),
    ],
)
def test_no_message_names_a_python_parameter(folder, run, table, gamma, said, target):
    pd.DataFrame(table(np.random.default_rng(0))).to_csv("odd.csv", index=False)
    options = ("audit", "odd.csv", *target, *gamma, "--draws", "400")
    code, out, err = run(*options, "--json")
    texts = [check["text"] for check in json.loads(out)["diagnostics"]["checks"]] if out else []
    assert code == (2 if table is _constant else 0)
    assert any(said in text for text in err)
    _, out, _ = run(*options)
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
        (
            "It leans on the limit max_contamination: look.",
            "It leans on the limit of epsilon: look.",
        ),
        ("Several. Look at modes_; a larger gamma or more.", "Several. A larger --gamma or more."),
        ("Tied. diagnostics_.checks has the figures.", "Tied."),
        ("Be careful. Raise min_scale a bit.", "Be careful."),
    ],
)
def test_advice(advice, expected):
    assert in_options(advice) == expected


def test_every_text_of_a_check():
    for spoiled in (False, True):
        share = {"log_scale": float(spoiled)}
        diagnostics = SimpleNamespace(
            r_hat={"a": 1 + spoiled},
            ess_bulk={"a": 4000 * (1 - spoiled)},
            ess_tail={"a": 4000},
            vacuous_share=float(spoiled),
            floor_share=share,
            ceiling_share=float(spoiled),
            mode_share=1.0 - spoiled,
            n_lost=0,
            lost="",
        )
        for check in checks(diagnostics):
            assert check.status == ("warn" if spoiled and check.name in SPOILED else "ok")
            bare = re.sub("'[^']*'", "", in_options(check.text))
            assert not [name for name in PARAMETERS if re.search(rf"\b{name}\b", bare)], bare
            # No attribute of an estimator either.
            assert not re.search(r"\w_\b", bare), bare


def test_names_of_columns_stay():
    text = "R-hat of 'gamma' is 2; columns ['X', 'n_draws'] are odd.\n  Try a smaller gamma."
    assert in_options(text) == (
        "R-hat of 'gamma' is 2; columns ['X', 'n_draws'] are odd. Try a smaller --gamma."
    )
    files = ["X.parquet", "my gamma 1.parquet"]
    text = "X.parquet, batch 0; my gamma 1.parquet: a smaller gamma for X"
    assert in_options(text, files) == (
        "X.parquet, batch 0; my gamma 1.parquet: a smaller --gamma for the table"
    )
