"""Threats tried on an assistant (`threats`), and their rates (`harm_rates`)."""
