"""Values as plain text: nothing hidden, nothing that acts, never too long."""

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from ragassay.sanitized_text import LONGEST, clean
from ragassay.stats import number_text
from ragassay.tables import is_missing

MISSING = "—"
NEAR = 0.95  # shares from here on are told by what they lack of 1


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


def in_words(text: str) -> str:
    """An author's words with the names of metrics put as readers know them (`scores/display_names.py`), and a
    space that does not break before a percent sign."""
    from ragassay.scores import display_names

    spaced = re.sub(r"(?<=\d) ?%", "\N{NO-BREAK SPACE}%", text)
    return display_names.in_words(spaced) if "_" in spaced else spaced


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


def column_text(values: Iterable[Any], is_number: bool, decimals: int | None = None) -> list[str]:
    """One column as text; the numbers of a column share their decimals: two digits of its smaller values
    show, up to four decimals.

    In a column of shares (all in [0, 1]) what is too small for them is `<0.0001`, and what only rounding
    would make 1 is `>0.99`; in any other the small is 2.0e-05.
    """
    import numpy as np

    values = list(values)
    finite = [float(value) for value in values if is_number and not is_missing(value) and np.isfinite(value)]
    decimals = _shared_decimals(_sizes(finite)) if decimals is None else decimals
    least = 10.0**-decimals if finite and min(finite) >= 0 and max(finite) <= 1 else 0.0
    return [
        _edge(value, least, decimals) or value_text(value, decimals if is_number else None)
        for value in values
    ]


def _sizes(values: list[float]) -> list[float]:
    """What the digits are to show: the sizes, or of shares all near 1 what they lack of it."""
    near = values and min(values) >= NEAR and max(values) <= 1
    return [1 - value if near else abs(value) for value in values]


def _shared_decimals(sizes: list[float]) -> int:
    """Decimals that show two digits of the value at the lower quartile, whole numbers set aside: one to
    four, to three beside larger ones."""
    broken = sorted(size for size in sizes if size != round(size))
    if not broken:
        return 0
    typical = broken[len(broken) // 4]
    return min(max(1 - math.floor(math.log10(typical)), 1), 4 if max(sizes) <= 1 else 3)


def _edge(value: Any, least: float, decimals: int) -> str:
    """A share that its decimals would show as 0 or 1, as what it is below or above; nothing for any other
    value."""
    if not least or is_missing(value):
        return ""
    if 0 < value < least / 2:
        return f"<{least:.{decimals}f}"
    return f">{1 - least:.{decimals}f}" if 1 - least / 2 < value < 1 else ""
