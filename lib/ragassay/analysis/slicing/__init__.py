"""Slices of the cases: how good answers are in each, and the search for those where they are weak."""
