"""Drafts of findings as their sources make them, for tests."""

import math


def draft(source: str, severity: str = "High", failing: tuple = (), **change) -> dict:
    """One draft with the words and numbers that a finding needs."""
    numbers = {"n": max(10, len(failing)), "value": 0.5, "low": 0.3, "high": 0.7, "share": 0.5}
    words = {
        "title": f"Title of {source}.",
        "condition": f"What {source} saw.",
        "criterion": f"What {source} asks.",
        "effect": "Users are misled.",
        "recommendation": f"Mend {source}.",
    }
    more = {"severity": severity, "strata": [], "failing": list(failing), "source": source, "table": "gates"}
    return {**numbers, **words, **more, **change}


def check(
    check: str, aspect: str, metric: str, severity: str = "High", failing: tuple = (), **change
) -> dict:
    """A draft of a raised check."""
    return draft(f"check:{check}|{aspect}|{metric}", severity, failing, table="checks", **change)


def unmeasured(source: str) -> dict:
    """A draft without any measurement."""
    return draft(source, "Low", n=0, value=math.nan, low=math.nan, high=math.nan, share=math.nan)
