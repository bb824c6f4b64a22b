import sys

import numpy as np
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.datasets import load_spoiled_diabetes
from skholder.gates import clean_check

pa = pytest.importorskip("pandera.pandas")

QUICK = HolderBayesRegressor(inference="laplace", n_draws=400, random_state=0)


@pytest.fixture(scope="module")
def table():
    diabetes = load_spoiled_diabetes(as_frame=True)
    columns = diabetes.data[["bmi", "bp", "s5"]].set_axis([f"p{i}" for i in range(442)])
    # Text is no part of the audit.
    return columns.assign(progression=diabetes.target.to_numpy(), name="x")


def test_a_spoiled_table_is_refused_with_its_rows(table):
    schema = pa.DataFrameSchema(checks=clean_check("progression", auditor=QUICK))
    with pytest.raises(pa.errors.SchemaError, match="more than 5% of the rows are outside") as e:
        schema.validate(table)
    flagged = QUICK.fit(table[["bmi", "bp", "s5"]], table["progression"]).audit()
    cases = e.value.failure_cases
    assert sorted(cases["index"]) == sorted(table.index[flagged.mask])
    assert all("'progression': " in str(case) for case in cases["failure_case"])


def test_a_table_within_the_limit_passes(table):
    schema = pa.DataFrameSchema(checks=clean_check("progression", above=0.3, auditor=QUICK))
    assert schema.validate(table).equals(table)


def test_columns(table):
    # The response is spoiled: a density of the others is not.
    check = clean_check(columns=["bmi", "bp"], above=0.1)
    assert check(table).check_passed


def test_a_density_blames_the_cell(table):
    spoiled = table.assign(bp=table["bp"].where(np.arange(442) % 10 > 0, 900.0))
    check = clean_check(columns=["bmi", "bp"], auditor=HolderBayesDensity(random_state=0))
    with pytest.raises(pa.errors.SchemaError) as e:
        pa.DataFrameSchema(checks=check).validate(spoiled)
    cases = [str(case) for case in e.value.failure_cases["failure_case"]]
    assert cases.count("{'bp': 900.0}") == 45
    assert len(cases) < 50


def test_a_closed_gate_without_a_flagged_row_fails(table):
    none = OutlierAuditor(QUICK, contamination=0.001)
    assert not clean_check("progression", auditor=none)(table).check_passed


def test_options_are_those_of_pandera(table):
    check = clean_check("progression", auditor=QUICK, raise_warning=True, name="mine")
    assert check.name == "mine"
    with pytest.warns(pa.errors.SchemaWarning, match="outside the model"):
        pa.DataFrameSchema(checks=check).validate(table)


def test_without_pandera(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandera.pandas", None)
    with pytest.raises(ImportError, match=r'clean_check needs pandera: .*"skholder\[pandera\]"'):
        clean_check()
