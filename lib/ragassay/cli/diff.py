"""`ragassay diff`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragassay.cli.options import PATH, SEED, replace_option
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

if TYPE_CHECKING:
    from ragassay.diff import Comparison

OUT = "folder of the page and the JSON; beside RUN_B if not given"
NAMES = ("diff.html", "diff.json")


@click.command()
@click.argument("run_a", type=PATH)
@click.argument("run_b", type=PATH)
@click.option("--out", type=PATH, help=OUT)
@click.option("--seed", type=SEED, default=0, show_default=True, help="of resampling and permutations")
@replace_option
def diff(run_a: Path, run_b: Path, out: Path | None, seed: int, replace: bool) -> None:
    """Compare two finished runs case by case: champion RUN_A and challenger RUN_B,
    or last year's run and this one's. Differences are B minus A.
    """
    from ragassay import diff as comparing
    from ragassay import output_files, provenance, search_paths
    from ragassay.diff import diff_page

    folders = [search_paths.absolute(provenance.source(run)) for run in (run_a, run_b)]
    folder = out or folders[1].with_name(f"{folders[0].name}-to-{folders[1].name}")
    html, data = (folder / name for name in NAMES)
    if any(folder.resolve().is_relative_to(run.resolve()) for run in folders):
        what, do = "the comparison would lie in a run folder", "name another folder"
        raise ParameterError(what, where=folder, do=do)
    output_files.check(html, data, inputs=folders, replace=replace)
    found = comparing.compare_runs(*folders, seed=seed)
    output_files.write_text(data, found.to_json())
    output_files.write_text(html, diff_page.html(found))
    say("\n".join([*_summary(found), f"written: {html}", f"written: {data}"]))


def _summary(found: "Comparison") -> Iterator[str]:
    """What was paired, what is better and worse, gates, findings, drift."""
    from ragassay.diff.diff_page import change_text, reservations
    from ragassay.diff.finding_lives import LIVES, NEW
    from ragassay.scores.display_names import display_name
    from ragassay.tables import SEVERITIES

    notes = {
        "kit": "another kit, other packages or models scored: a difference may be theirs",
        "raters": "other raters labelled: a difference of ratings may be theirs",
        "same answers": "all answers are the same: a difference is of the instruments or the labels",
    }
    yield from (f"  note: {text}" for text in [*(notes[each] for each in reservations(found)), *found.gaps])
    for row in found.pairs.itertuples():
        yield f"{row.part}: {row.both} in both runs, {row.only_a} in A alone, {row.only_b} in B alone"
    yield f"answers the same word for word: {found.answers['same']} of {found.answers['n']}"
    counts = found.measures["outcome"].value_counts()
    yield f"measures of B: {', '.join(f'{n} {outcome}' for outcome, n in counts.items()) or 'none paired'}"
    for row in found.measures[found.measures["outcome"].isin(["better", "worse"])].to_dict("records"):
        means = f"{row['a']:.3g} to {row['b']:.3g}, {change_text(row)}, n = {row['n']}"
        yield f"  {row['outcome']}: {display_name(row['metric'])}, {row['part']}: {means}"
    changed = found.gates[found.gates["changed"].astype(bool)]
    yield f"gates: {len(changed)} of {len(found.gates)} changed"
    for row in changed.itertuples():
        yield f"  {display_name(row.gate)}, {row.origin}: {row.outcome_a} to {row.outcome_b}"
    counts = found.findings["life"].value_counts()
    yield f"findings: {', '.join(f'{counts.get(life, 0)} {life}' for life in LIVES)}"
    grave = (found.findings["life"] == NEW) & found.findings["severity_b"].isin(SEVERITIES[:2])
    for row in found.findings[grave].itertuples():
        yield f"  new: {row.finding_b} {row.severity_b}: {row.title}"
    differ = found.drift[found.drift["q"] < 0.05]["column"].tolist()
    yield f"questions differ by: {', '.join(differ) or 'nothing significant'}"
    yield f"documents that differ: {len(found.documents)}"
