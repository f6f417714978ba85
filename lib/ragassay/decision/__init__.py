"""Measures -> decision: gates, the rating, findings, the monitoring plan."""
