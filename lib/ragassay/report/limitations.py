"""The limits where the notebook of the decision does not show them: what each notebook states of itself."""

from ragassay.report.blocks import Block, Heading
from ragassay.report.compose import bullets, gap, words
from ragassay.report.run_folder import Run
from ragassay.show import clean


def limitations(run: Run) -> list[Block]:
    """Every limit that a notebook states, below the title of its chapter."""
    blocks: list[Block] = []
    for name, walked in run.notebooks.items():
        limits = [clean(limit) for limit in run.sections.get(name, {}).get("limits", [])]
        if limits:
            title = f"Stated by {walked.chapter.title}"
            blocks += [Heading(3, words(title), f"limits-{name}"), bullets(limits)]
    none = gap("No section states a limit, which is itself a reason to doubt the report.")
    return [Heading(2, words("Limitations"), "limitations"), *(blocks or [none])]
