"""The gates in one picture: what was measured with its interval, against what is required."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import is_share
from ragassay.decision import gates as gating
from ragassay.figures import colours, style
from ragassay.figures.style import Drawing

PAINT = {"pass": colours.ACCEPTED, "fail": colours.REJECTED, "incomplete": colours.NOTE}
MARKS = {"pass": "o", "fail": "D", "incomplete": "s"}
SIDES = {"low": "share, at least the line", "high": "share, at most the line"}


def gate_plot(gates: pd.DataFrame) -> Drawing:
    """One row per gate and origin whose measure is a share: interval, value, and a bar at the threshold;
    gates that ask for at least something above, at most something below on a scale of their own.

    gates : of `decision.gates.evaluate`; rows without a value are left out

    Raises NothingToDraw if no gate has a measured share.
    """
    known = gates[gates["metric"].map(is_share).astype(bool) & gates["value"].notna()]
    style.refuse_empty(known, "the table of measured gates")
    parts = [part.head(style.MOST_ROWS) for side in SIDES if len(part := known[known["bound"] == side])]
    heights = [len(part) + 0.8 for part in parts]
    with style.sheet(
        style.height_of(len(known), each=0.19, base=0.15 + 0.4 * len(parts)),
        rows=len(parts),
        squeeze=False,
        height_ratios=heights,
    ) as (figure, axes):
        for drawn, part in zip(axes[:, 0], parts, strict=True):
            _panel(drawn, part.to_dict("records"))
    return Drawing(figure, f"{sum(map(len, parts))} gates with 95 % intervals and thresholds.")


def _panel(axes, rows: Sequence[dict]) -> None:
    for place, row in enumerate(rows):
        paint = PAINT[row["outcome"]]
        estimate = [100 * row[name] for name in ("value", "low", "high")]
        style.interval(axes, place, estimate, paint=paint, marker=MARKS[row["outcome"]])
        line = 100 * row["threshold"]
        axes.plot([line, line], [place - 0.36, place + 0.36], color=colours.REFERENCE, linewidth=1.6)
        words = f"{row['outcome']}  {gating.measured_text(row)}"
        style.write(axes, words, (1, place), fractions="x", shift=(8, 0), va="center", color=paint)
    style.category_axis(axes, [style.label(gating.label(row), 66, lines=1) for row in rows])
    side = rows[0]["bound"]
    ends = [
        100 * row[name] for row in rows for name in ("low", "high", "threshold") if np.isfinite(row[name])
    ]
    low, high = style.padded_limits(0.0 if side == "high" else min(ends), max(ends))
    axes.set_xlim(max(low, 0 if side == "low" else low), min(high, 103))
    axes.set_xlabel(f"{SIDES[side]} (%)")
