"""Values as plain text: nothing hidden, nothing that acts, never too long."""

import json
import math
from typing import Any

from ragassay.sanitized_text import LONGEST, clean
from ragassay.stats import number_text
from ragassay.tables import is_missing

MISSING = "—"


def number(value: float, decimals: int | None = None) -> str:
    """A number with as many decimals as its size deserves: 1,234 / 12.3 / 1.23 / 0.123 / 2.1e-05; missing is
    —."""
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    decimals = _decimals(abs(value)) if decimals is None else decimals
    if value and abs(value) < 0.5 * 10**-decimals:
        return f"{value:.1e}"
    return number_text(value, decimals)


def _decimals(size: float) -> int:
    if size == round(size) and size < 1e15:
        return 0
    return next((places for floor, places in ((1000, 0), (10, 1), (1, 2)) if size >= floor), 3)


def value_text(value: Any, decimals: int | None = None, limit: int = LONGEST) -> str:
    """Any value as text: numbers rounded, missing as —, lists joined, true and false as yes and no, the rest
    by `str`."""
    import numpy as np

    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}".replace("-", "−")
    if isinstance(value, float | np.floating):
        return number(float(value), decimals)
    return clean(_spelled(value), limit)


def _spelled(value: Any) -> str:
    import numpy as np
    import pandas as pd

    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    if isinstance(value, list | tuple | np.ndarray) and not hasattr(value, "_fields"):
        return ", ".join(value_text(item) for item in value) or "none"
    if isinstance(value, pd.Timestamp) and value == value.normalize():
        return value.date().isoformat()
    return str(value)
