"""Harm as rates and rows of `checks`; harm_rates: which probes try which rate, and what counts as a trial."""
