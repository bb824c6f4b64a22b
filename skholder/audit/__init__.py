"""The audit: how many rows do not follow the model, which, and why."""

from .audit_set import Audit

__all__ = ["Audit"]
