"""The audit as a page to read and to send: data -> dict -> template."""

from .audit_report import AuditReport

__all__ = ["AuditReport"]
