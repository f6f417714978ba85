"""Values and tables as readers see them: nothing hidden, nothing that acts.

styled_table   `ragassay.readable`: a table in words, as a pandas Styler
text_tables    what a sealed kernel shows of a DataFrame, and CSV in which nothing runs
"""

import json
import math
from typing import Any

from ragassay.sanitized_text import LONGEST, clean
from ragassay.stats import number_text
from ragassay.tables import is_missing

__all__ = ["MISSING", "clean", "value_text"]
MISSING = "—"


def value_text(value: Any, decimals: int | None = None, limit: int = LONGEST) -> str:
    """Any value as text: numbers rounded, missing as —, lists joined, true and false as yes and no, the rest
    by `str`."""
    import numpy as np
    import pandas as pd

    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}".replace("-", "−")
    if isinstance(value, float | np.floating):
        return _number(float(value), decimals)
    if isinstance(value, dict):
        return clean(json.dumps(value, sort_keys=True, ensure_ascii=False, default=str), limit)
    if isinstance(value, list | tuple | np.ndarray) and not hasattr(value, "_fields"):
        return clean(", ".join(map(value_text, value)) or "none", limit)
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return value.date().isoformat()
    return clean(value, limit)


def _number(value: float, decimals: int | None) -> str:
    """With as many decimals as its size deserves: 1,234 / 12.3 / 1.23 / 0.123 / 2.1e-05."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if decimals is None and size == round(size) and size < 1e15:
        decimals = 0
    if decimals is None:
        decimals = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
    if value and size < 0.5 * 10**-decimals:
        return f"{value:.1e}"
    return number_text(value, decimals)
