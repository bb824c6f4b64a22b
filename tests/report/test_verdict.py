from skholder.report import AuditReport


def test_verdict_of_a_fit(regression):
    # 400 draws give fewer than 400 effective ones, and the report says so as the fit did.
    found = AuditReport(regression).to_dict()["diagnostics"]
    assert found["verdict"]["status"] == "warn"
    assert "Read with care: 1 of 8 checks points" in found["verdict"]["text"]
    assert [c["name"] for c in found["checks"] if c["status"] == "warn"] == ["Effective draws"]
    assert found["n_draws"] == 400
