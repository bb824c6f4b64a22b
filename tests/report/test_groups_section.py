"""Groups and the gate on the page."""

import json

import numpy as np
import pytest

from skholder.audit import Gate
from skholder.report import AuditReport
from skholder.report.page import render

SHUT = Gate(0.05, 0.9, 0.98)


@pytest.fixture(scope="module")
def site(regression, nasty):
    """The flagged rows come from a site with a hostile name."""
    return np.where(regression.audit().mask, nasty["label"], "quiet")


@pytest.fixture(scope="module")
def data(regression, site):
    return AuditReport(regression, groups=site, gate=SHUT).to_dict()


def test_plain_types(data):
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["gate"]["closed"] is True
    assert data["gate"]["sentence"] == str(SHUT)


def test_the_worst_group_first(data, nasty, regression):
    found = data["groups"]
    assert [one["label"] for one in found["shown"]] == [nasty["label"], "quiet"]
    assert found["shown"][0]["flagged"] == regression.audit().mask.sum()
    assert found["shown"][0]["share"] > 0.8
    assert found["sentence"].startswith(f"By group: above the others is {nasty['label']}")


def test_the_page_shows_both(regression, data, nasty):
    html = render(data)
    assert 'href="#groups"' in html
    assert "Which group spoils the table" in html
    assert ">over 99.9%</td>" in html
    assert nasty["label"] not in html
    assert '<p class="tone-alarm">Gate closed' in html
    assert '<p class="tone-good">Gate open' in render(
        AuditReport(regression, gate=Gate(0.5, 0.9, 0.0)).to_dict()
    )


def test_without_them_nothing_is_said(regression):
    data = AuditReport(regression).to_dict()
    assert data["groups"] is None
    assert data["gate"] is None
    html = render(data)
    assert "Gate" not in html
    assert 'id="groups"' not in html


def test_no_group_stands_out(regression):
    data = AuditReport(regression, groups=["all"] * 160).to_dict()
    assert data["groups"]["sentence"] == "By group: there is one group only."
    assert data["groups"]["shown"][0]["above_others"] is None
    assert "Which group" in render(data)
    data = AuditReport(regression, groups=np.arange(160) % 2).to_dict()
    assert data["groups"]["sentence"] == "By group: none of the 2 groups stands out."


def test_many_groups_keep_the_page_small(regression):
    data = AuditReport(regression, groups=np.arange(160)).to_dict()
    assert len(data["groups"]["shown"]) == 100
    assert data["groups"]["n_groups"] == 160
    assert "100 of 160" in render(data)


def test_groups_must_fit_the_rows(regression):
    with pytest.raises(ValueError, match="an entry for each"):
        AuditReport(regression, groups=["a", "b"])
