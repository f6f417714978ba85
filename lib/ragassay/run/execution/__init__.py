"""Notebooks executed: which, in which order, each in a sealed kernel, skipped where nothing changed."""
