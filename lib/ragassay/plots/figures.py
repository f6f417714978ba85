"""The figures: estimates with their intervals; one mark a passage, question or answer; can a score be
believed, and who decides by it? And boxes with arrows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from ragassay.plots import style
from ragassay.scores.display_names import cell_name
from ragassay.show import heading
from ragassay.stats import percent_text

MOST_LEVELS = 14  # rows of dots; the smaller levels share the last
SETS = {"reject": "set: rejected", "review": "set: both or none", "accept": "set: accepted"}
KINDS = {True: "answerable", False: "unanswerable"}  # questions


def forest(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    hue: str | None = None,
    reference: float | str | None = None,
    percent: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Points with intervals (columns low and high; hollow without), one row a level in the order of the
    table, its n at the right.

    x, y : columns of the estimate and of the levels
    hue : column of true and false, or of outcomes; true is drawn in the red of "worse", with a diamond
    reference : a vertical line at a number, or a mark in each row at this column
    percent : the estimates are shares, drawn as per cents

    Example: `plots.forest(found, x="mean", y="slice", hue="flagged", percent=True)`
    """
    if frame.empty or frame[x].isna().all():
        return style.blank(ax, "nothing was measured")
    shown = (frame if y in frame.columns else frame.reset_index()).head(style.MOST_ROWS)
    scale, is_long = 100 if percent else 1, len(shown) > 20
    ax = style.axes(ax, style.height_of(len(shown)))
    numbers = scale * shown.reindex(columns=[x, "low", "high"]).to_numpy(dtype=float, na_value=np.nan)
    outcomes = shown[hue] if hue else [""] * len(shown)
    for row, ((value, low, high), outcome) in enumerate(zip(numbers, outcomes, strict=True)):
        paint, marker = style.OUTCOMES.get(str(outcome), (style.INTERVAL, "o"))
        ax.plot([low, high], [row, row], color=paint, linewidth=1.6, solid_capstyle="butt")
        face = paint if np.isfinite(low) else style.PAPER
        ax.plot([value], [row], marker=marker, markersize=5, markerfacecolor=face, markeredgecolor=paint)
    style.rows_axis(ax, style.names(shown[y], y, 44 if is_long else 30, 1 if is_long else 2))
    if isinstance(reference, str):
        places, rows = scale * shown[reference].astype(float), np.arange(len(shown))
        ax.vlines(places, rows - 0.36, rows + 0.36, color=style.TEXT, linewidth=1.6, zorder=3)
    elif reference is not None:
        line = scale * reference
        ax.axvline(line, **style.REFERENCE)
        style.write(ax, f"{line:.3g}", (line, 1), fractions="y", shift=(0, 2), ha="center", color=style.NOTE)
    for row, count in enumerate(shown.get("n", ())):
        if pd.notna(count):
            style.at_right(ax, row, f"n={int(count):,}", style.NOTE)
    rest = f"; {len(shown)} of {len(frame)} rows" if len(frame) > len(shown) else ""
    ax.set_xlabel(f"{style.label(heading(x), 60)}{' (%)' * percent} with interval{rest}")
    return ax


def dose_response(frame: pd.DataFrame, *, hue: str = "kind", ax: Axes | None = None) -> Axes:
    """The difference by the intensity of a perturbation, from 0 at none: one line a kind, with
    the band from `low` to `high`; kinds with a row that is `worse` are red.

    frame : of `robustness.compare` for one metric, one row a kind (hue) and intensity

    Example: `plots.dose_response(moved.query("metric == 'groundedness'"))`
    """
    graded = frame if frame.empty else frame.dropna(subset=["intensity", "difference"])
    if graded.empty:
        return style.blank(ax, "no perturbation has an intensity")
    ax = style.axes(ax, 3.2)
    for at, (kind, line) in enumerate(graded.sort_values("intensity").groupby(hue)):
        is_worse = "worse" in line and line["worse"].astype(bool).any()
        look: Any = {"color": style.FLAGGED if is_worse else style.INTERVAL}
        numbers = line[["intensity", "difference", "low", "high"]].to_numpy(dtype=float)
        x, middle, low, high = np.vstack([np.zeros(4), numbers]).T
        name, marker = style.label(cell_name(hue, str(kind)), 40, 1), style.MARKERS[at % len(style.MARKERS)]
        ax.plot(x, middle, marker=marker, markersize=4, linewidth=1.1, label=name, **look)
        ax.fill_between(x, low, high, alpha=0.1, linewidth=0, **look)
    ax.axhline(0, **style.REFERENCE)
    ax.set(xlabel=style.label(heading("intensity")), ylabel=f"{heading('difference')} with interval")
    ax.set_xticks(sorted({0.0, *graded["intensity"]}))
    ax.legend(loc="lower left")
    return ax


def topic_map(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """The collection as a map: one dot a passage at (x, y), coloured by topic, whose words stand beneath.

    frame : x, y, topic (passages without one are grey), and topic_label, its name

    Example: `plots.topic_map(run.chunks())`

    Source: HCAT figure 1.
    """
    placed = frame if frame.empty else frame.dropna(subset=["x", "y"])
    if placed.empty:
        return style.blank(ax, "no passage has a place on the map")
    ax = style.axes(ax, 4.2)
    size = float(np.clip(4000 / len(placed), 4, 26))
    column = "topic_label" if "topic_label" in placed else "topic"
    ax.scatter(
        "x", "y", data=placed[placed["topic"].isna()], s=size, color=style.GRID, linewidths=0, label="_"
    )
    for at, (_, part) in enumerate(placed.groupby("topic", sort=True)):
        turn, which = divmod(at, len(style.CATEGORIES))
        look: Any = {"color": style.CATEGORIES[which], "marker": style.MARKERS[turn % len(style.MARKERS)]}
        (name,) = style.names(part[column].iloc[:1], column, 36, 1)
        ax.scatter("x", "y", data=part, s=size, alpha=0.7, linewidths=0, label=name, **look)
    ax.set(xticks=[], yticks=[], xlabel=f"map coordinate 1 (no unit), n={len(placed):,} passages")
    ax.set_ylabel("map coordinate 2 (no unit)")
    ax.figure.legend(loc="outside lower center", ncols=3, markerscale=2, handletextpad=0.2)
    return ax


def dots(frame: pd.DataFrame, *, x: str, y: str, col: str | None = None) -> np.ndarray:
    """One dot a question along x, a row a level of y, the lowest median of the first panel on top; the bar is
    the median, the number at the right n.

    x : column of the scores; y : of the levels, such as topic, of which the 14 largest are named; col : a
        panel for each of its values, such as metric. Returns the (panels,) Axes.

    Example: `plots.dots(run.scores(), x="value", y="topic", col="metric")`

    Source: HCAT figures 5, 6 and 7.
    """
    known = frame if frame.empty else frame.dropna(subset=[x])
    if known.empty:
        return np.array([style.blank(None, "no question was scored")])
    level = known[y].astype(object).where(known[y].notna(), "(none)")
    largest = level.value_counts().index
    rest = f"{len(largest) - MOST_LEVELS + 1} others"
    if len(largest) > MOST_LEVELS:
        level = level.where(level.isin(largest[: MOST_LEVELS - 1]), rest)
    known = known.assign(**{y: level})
    parts = list(known.groupby(col, sort=False)) if col else [("", known)]
    lowest_first = parts[0][1].groupby(y)[x].median().sort_values().index
    levels = sorted(dict.fromkeys([*lowest_first, *level.unique()]), key=lambda name: name == rest)
    labels = style.names(levels, y, 24)
    columns, height = min(len(parts), 3), style.height_of(len(levels), 0.32)
    rows = -(-len(parts) // columns)
    whole = (style.WIDTH, height * rows)
    grid = plt.subplots(rows, columns, figsize=whole, layout="constrained", squeeze=False, sharey=True)[1]
    for unused in grid.ravel()[len(parts) :]:
        unused.set_axis_off()
    axes = grid.ravel()[: len(parts)]
    for ax, (title, part) in zip(axes, parts, strict=True):
        for name, values in part.groupby(y)[x]:
            row = levels.index(name)
            size = float(np.clip(600 / len(values), 5, 14))
            heights = row + style.jitter(len(values), 0.22, row)
            ax.scatter(values, heights, s=size, color=style.INTERVAL, alpha=0.5, linewidths=0)
            ax.plot([values.median()] * 2, [row - 0.38, row + 0.38], color=style.TEXT, linewidth=2)
            style.at_right(ax, row, f"{len(values)}", style.NOTE)
        style.rows_axis(ax, labels)
        ax.set_title("\n".join(style.names([title], col, 60 // min(3, len(parts)))) if col else "")
        ax.set_xlabel(f"{style.label(heading(x), 24)}, n={len(part)}")
    return axes


def answers_bar(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """All answers in one bar, by kind: segments in the order of the table, each with its number and share.

    frame : of `error_taxonomy.count_categories` for one judge: a row a category with its n; none, no segment

    Example: `plots.answers_bar(counts.query("judged_by == 'raters'"))`
    """
    drawn = frame if frame.empty else frame[frame["n"] > 0]
    if drawn.empty:
        return style.blank(ax, "no answer was judged")
    ax = style.axes(ax, 1.15)
    total, start = drawn["n"].sum(), 0.0
    for place, (kind, count) in enumerate(zip(drawn["category"].astype(str), drawn["n"], strict=True)):
        share = count / total
        paint = style.ANSWERS.get(kind, style.CATEGORIES[place % len(style.CATEGORIES)])
        percent = percent_text(share, 0 if share >= 0.01 else 1)
        words = f"{style.label(kind, 30, 1)}: {int(count):,} ({percent})"
        ax.barh(0, share, left=start, height=0.8, color=paint, edgecolor=style.PAPER, label=words)
        start += share
    ax.set(xlim=(0, 1), ylim=(-0.45, 0.45))
    ax.set_axis_off()
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, handlelength=1, columnspacing=1.4)
    return ax


def reliability_diagram(y: ArrayLike, p: ArrayLike, *, bins: int = 10, ax: Axes | None = None) -> Axes:
    """The share that raters accepted against the probability promised, in bins of equal size with exact 95 %
    intervals, and the probabilities themselves beneath; on the diagonal every promise comes true.

    y : (n,) 0 or 1; p : (n,) probabilities; pairs with a NaN are left out

    Example: `plots.reliability_diagram(held.accepted, held.probability)`
    """
    from ragassay.calibration.probability_metrics import reliability

    known = pd.DataFrame({"y": np.asarray(y), "p": np.asarray(p)}, dtype=float).dropna()
    if known.empty:
        return style.blank(ax, "no answer has both a label and a probability")
    table = reliability(known["p"].to_numpy(), known["y"].to_numpy(), bins=bins)
    ax = style.axes(ax, 3.6)
    ax.plot([0, 1], [0, 1], color=style.NOTE, linewidth=0.8, linestyle=style.DASHED)
    spread = np.abs(table[["low", "high"]].to_numpy().T - table["observed"].to_numpy())
    look: Any = {"fmt": "o", "markersize": 5, "elinewidth": 1.3, "color": style.INTERVAL}
    ax.errorbar(table["probability"], table["observed"], yerr=spread, **look)
    ax.set(xlim=(0, 1), ylim=(-0.02, 1.02), ylabel="share accepted, with 95 % interval")
    ax.tick_params(labelbottom=False)
    ax.grid()
    below = ax.inset_axes((0, -0.27, 1, 0.2), sharex=ax)
    below.hist(known["p"], bins=20, range=(0, 1), color=style.SKY, edgecolor=style.PAPER)
    below.set(xlabel=f"probability promised, n={len(known):,}", ylabel="answers")
    below.yaxis.set_major_locator(MaxNLocator(nbins=2, integer=True))
    return ax


def conformal_regions(
    frame: pd.DataFrame, *, x: str, p: str, y: str, threshold: float | Sequence[float], ax: Axes | None = None
) -> Axes:
    """What raters accept and reject along a score, and which verdicts its prediction set holds where:
    rejected, both or none, accepted.

    x, p, y : columns of the score, of the probability of acceptance and of the label (0, 1; NaN: no dot)
    threshold : q_hat of the residual |y - p|, or a pair, for label 0 and label 1; infinite rules nothing out

    Example: `plots.conformal_regions(held, x="score", p="probability", y="accepted", threshold=q_hat)`

    Source: HCAT figure 4.
    """
    from ragassay.calibration.conformal import decide, sets

    known = frame if frame.empty else frame.dropna(subset=[x, p]).sort_values(x, kind="stable")
    if known.empty:
        return style.blank(ax, "no score has a probability")
    at, q_hat = known[x].to_numpy(dtype=float), np.broadcast_to(np.asarray(threshold, dtype=float), (1, 2))
    decisions = [decide(each) for each in sets(known[p].to_numpy(dtype=float), q_hat)]
    ax = style.axes(ax, 2.4)
    room = 0.05 * (at[-1] - at[0]) or 0.05
    ax.set(xlim=(at[0] - room, at[-1] + room), ylim=(-0.6, 1.6))
    ax.set_xlabel(f"{style.label(heading(x), 60)}, n={len(known):,}")
    starts = [0, *(place for place in range(1, len(at)) if decisions[place] != decisions[place - 1])]
    edges = [ax.get_xlim()[0], *((at[place - 1] + at[place]) / 2 for place in starts[1:]), ax.get_xlim()[1]]
    for place, left, right in zip(starts, edges[:-1], edges[1:], strict=True):  # in which one decision holds
        name = decisions[place]
        named = SETS[name] if decisions.index(name) == place else "_"
        ax.axvspan(left, right, color=style.REGIONS[name], linewidth=0, zorder=0, label=named)
        if place:
            ax.axvline(left, **style.REFERENCE)
            style.write(ax, f"{left:.2f}", (left, 0), fractions="y", shift=(2, 2), color=style.NOTE)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    rows = ((1, style.ACCEPTED, "o", "raters accept"), (0, style.REJECTED, "X", "raters reject"))
    for value, paint, marker, _ in rows:
        dots = at[known[y] == value]
        heights = value + style.jitter(len(dots), 0.25, value)
        ax.scatter(dots, heights, s=18, color=paint, marker=marker, alpha=0.75, linewidths=0)
    ax.set_yticks([1, 0], [f"{words}\n(n={(known[y] == value).sum():,})" for value, _, _, words in rows])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def two_by_two(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Answered or declined, by questions that the documents answer and those that they do not: share of
    the column's questions, and number; right is green, wrong red.

    frame : one row a question with answerable and answered, true or false

    Example: `plots.two_by_two(wide)`
    """
    known = frame if frame.empty else frame.dropna(subset=["answerable", "answered"])
    if known.empty:
        return style.blank(ax, "no question was asked")
    counts = pd.crosstab(known["answered"].astype(bool), known["answerable"].astype(bool))
    counts = counts.reindex(index=[True, False], columns=[True, False], fill_value=0)
    ax, totals = style.axes(ax, 1.9), counts.sum()
    for row, did in enumerate(counts.index):
        for column, can in enumerate(counts.columns):
            paint = style.PALE_GREEN if can == did else style.PALE_RED
            place = (column - 0.5, row - 0.5)
            ax.add_patch(Rectangle(place, 1, 1, facecolor=paint, edgecolor=style.PAPER, linewidth=3))
            count = counts.loc[did, can]
            share = f"{percent_text(count / totals[can])} ({count:,})" if totals[can] else "–"
            ax.text(column, row, f"{'right' if can == did else 'wrong'}: {share}", ha="center", va="center")
    ax.set(xlim=(-0.5, 1.5), ylim=(1.5, -0.5), yticks=[0, 1], yticklabels=["answered", "declined"])
    ax.set_xticks([0, 1], [f"{KINDS[can]}\n(n={total:,})" for can, total in totals.items()])
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelsize=style.SIZE)
    ax.spines[:].set_visible(False)
    return ax


def tradeoff(frame: pd.DataFrame, *, score: str, answered: str, ax: Axes | None = None) -> Axes:
    """The curve of declining: the share of unanswerable questions that would be answered against the share of
    answerable ones that would be declined, if questions that score below a threshold were declined. What the
    assistant did is marked.

    frame : one row a question with answerable; score, answered : its columns of these

    Example: `plots.tradeoff(wide, score="top_similarity", answered="answered")`
    """
    known = frame if frame.empty else frame.dropna(subset=[score, "answerable", answered])
    can = known["answerable"].to_numpy(dtype=bool) if len(known) else np.zeros(0, dtype=bool)
    if can.all() or not can.any():
        return style.blank(ax, "no curve: it takes scored questions of both kinds")
    values, answers = known[score].to_numpy(dtype=float), known[answered].to_numpy(dtype=bool)
    cuts = np.r_[np.unique(values), np.inf]
    ax = style.axes(ax, 3.2)
    x, y = np.array([[(values[can] < cut).mean(), (values[~can] >= cut).mean()] for cut in cuts]).T
    ax.plot(x, y, color=style.INTERVAL, drawstyle="steps-post")
    at, up = 1 - answers[can].mean(), answers[~can].mean()
    now = f"now: {percent_text(at)} declined, {percent_text(up)} answered"
    ax.plot([at], [up], marker="D", color=style.TEXT, linestyle="none", clip_on=False, label=now)
    ax.set(xlim=(-0.01, 1), ylim=(-0.01, 1.01))
    ax.set_xlabel(f"share of answerable questions declined, n={can.sum():,}")
    ax.set_ylabel(f"share of unanswerable questions\nanswered, n={(~can).sum():,}")
    ax.grid()
    ax.legend(loc="upper right")
    return ax


def flow(
    nodes: pd.DataFrame | Iterable[Mapping], edges: Iterable[tuple[Any, Any]], *, ax: Axes | None = None
) -> Axes:
    """Boxes from left to right in lanes, joined by arrows; texts are wrapped in their boxes.

    nodes : a row a box: node (its key, or its text), step (place from the left), and where wanted lane (a row
        of boxes, in order of appearance), text and note (a small line beneath)
    edges : pairs of nodes, from and to

    Example: `plots.flow([{"node": "index", "step": 1}, {"node": "model", "step": 2}], [("index", "model")])`
    """
    boxes = pd.DataFrame(nodes)
    if boxes.empty:
        return style.blank(ax, "there is nothing to join")
    boxes = boxes.reindex(columns=["node", "step", "lane", "text", "note"])
    steps = boxes["step"].rank(method="dense") - 0.5
    lanes = pd.factorize(boxes["lane"], use_na_sentinel=False)[0]
    letters = int(style.WIDTH / steps.max() * 11)  # of a line in a box
    ax = style.axes(ax, 0.3 + (lanes.max() + 1) * 1.05)
    ax.set(xlim=(0, steps.max() + 0.5), ylim=(lanes.max() + 0.5, -0.5))
    ax.set_axis_off()
    frame: Any = {"boxstyle": "round,pad=0.5", "edgecolor": style.NOTE, "facecolor": style.PALE_GREY}
    drawn = {}
    look: Any = {"ha": "center", "va": "center", "bbox": frame, "size": style.SMALL}
    for box, step, lane in zip(boxes.to_dict("records"), steps, lanes, strict=True):
        text = style.label(box["node"] if pd.isna(box["text"]) else box["text"], letters, 5)
        if pd.notna(box["note"]):
            text += f"\n({style.label(box['note'], letters, 5)})"
        drawn[box["node"]] = ax.text(step, lane, text, **look)
    for start, end in edges:
        ends: Any = {"patchA": drawn[start].get_bbox_patch(), "patchB": drawn[end].get_bbox_patch()}
        arrow: Any = {"arrowstyle": "-|>", "color": style.NOTE, "shrinkA": 0, "shrinkB": 1, **ends}
        ax.annotate("", drawn[end].get_position(), drawn[start].get_position(), arrowprops=arrow)
    return ax
