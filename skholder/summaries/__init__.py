"""What draws say beyond the audit: predictions, influence, plain baselines, ArviZ."""
