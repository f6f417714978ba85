"""`ragassay diff`."""

from pathlib import Path

import click

from ragassay.cli.options import PATH, SEED, replace_option
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

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
    from ragassay.diff import diff_page, diff_sentences

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
    for line in diff_sentences.warnings(found):
        say(f"  note: {line}")
    say("\n".join([*diff_sentences.summary(found), f"written: {html}", f"written: {data}"]))
