"""A gate and a share in words, for the summary."""

from typing import Any

from ragassay.report.run_folder import interval
from ragassay.scores.display_names import display_name, level_name
from ragassay.show import clean, value_text


def gate_name(gate: dict[str, Any]) -> str:
    """The measure of a gate in words, with its slice and the origin of its questions."""
    where = "" if (gate.get("slice") or "all") == "all" else f" in {clean(gate['slice'], 60)}"
    origin = "" if (gate.get("origin") or "all") == "all" else f", {level_name('origin', gate['origin'])}"
    return clean(f"{display_name(str(gate['metric']))}{where}{origin}", 120)


def required(gate: dict[str, Any]) -> str:
    """A gate in words: `grounded (raters) 76 % [70, 81], at least 80 % required`."""
    bound, threshold = ("at least" if gate["bound"] == "low" else "at most"), float(gate["threshold"])
    if not 0 <= threshold <= 1:
        return f"{gate_name(gate)} {interval(gate)}, {bound} {value_text(threshold)} required"
    return f"{gate_name(gate)} {percent(gate)}, {bound} {_digits(threshold)} % required"


def percent(row: dict[str, Any]) -> str:
    """A share with its interval in per cent, as many digits as the interval carries; — without a value."""
    value, low, high = (float(row[key]) for key in ("value", "low", "high"))
    if value != value:
        return "—"
    return f"{_digits(value)} % [{_digits(low)}, {_digits(high)}]" if low == low else f"{_digits(value)} %"


def _digits(share: float) -> str:
    """A share in per cent: whole, or with one decimal where it is small."""
    text = f"{100 * share:.{int(0 < share < 0.0995)}f}" if share == share else "—"
    return text.removesuffix(".0")
