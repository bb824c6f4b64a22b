"""Functions of posterior draws beside the audit.

Predictions, influence of rows, ordinary estimates to compare with, and export to ArviZ.
"""
