from skholder.report import AuditReport


def test_verdict_of_a_fit(regression):
    # 400 draws give fewer than 400 effective ones, and the report says so as the fit did.
    found = AuditReport(regression).to_dict()["diagnostics"]
    assert found["verdict"]["status"] == "warn"
    bad = [check["name"] for check in found["checks"] if check["status"] == "warn"]
    assert "Effective draws" in bad
    assert f"Read with care: {len(bad)} of 8 checks point" in found["verdict"]["text"]
    assert found["n_draws"] == 400
