"""What the labelling widget knows: which answer is before the rater, what was given;
every label saved at once.
"""

from dataclasses import dataclass, field
from pathlib import Path

from ragassay.errors import LabelError
from ragassay.labels.dimensions import Dimension
from ragassay.labels.sheets import csv_sheet, returned
from ragassay.labels.sheets.sheet import Sheet, Task
from ragassay.labels.sheets.texts import visible


@dataclass
class Desk:
    """A sheet being labelled in a file that `ragassay label import` reads;
    what the file holds already is taken up again.

    at : place of the answer before the rater
    given : row -> dimension or `comment` -> cell

    Raises LabelError if the file holds other dimensions than the sheet.
    """

    sheet: Sheet
    out: Path
    at: int = 0
    given: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.out.exists():
            self._take_up()
        self.at = next((place for place, task in enumerate(self.sheet.tasks) if not self._done(task)), 0)

    @property
    def task(self) -> Task:
        """The answer before the rater."""
        return self.sheet.tasks[self.at]

    def label(self, dimension: Dimension) -> str:
        """What was given for it here; empty where nothing was."""
        return self.given.get(self.task.row, {}).get(dimension.name, "")

    def comment(self) -> str:
        """The comment given here."""
        return self.given.get(self.task.row, {}).get("comment", "")

    def give(self, name: str, cell: str) -> None:
        """Put a label (a dimension's name) or the `comment` for the answer here, and save;
        an empty text takes it back.

        Raises
        ------
        ValueError
            If it is no label of the dimension's scale.
        """
        for dimension in self.sheet.dimensions:
            if dimension.name == name:
                dimension.value(cell)
        self.given.setdefault(self.task.row, {})[name] = cell
        csv_sheet.fill(self.sheet, self.out, self.given)

    def move(self, steps: int) -> None:
        """To a later or an earlier answer, no further than the last or the first."""
        self.at = min(max(self.at + steps, 0), len(self.sheet.tasks) - 1)

    def progress(self) -> str:
        """In words: which answer this is, how many are done."""
        done = sum(self._done(task) for task in self.sheet.tasks)
        return f"answer {self.at + 1} of {len(self.sheet.tasks)}; {done} labelled in full; saved in {visible(self.out)}"

    def _done(self, task: Task) -> bool:
        return all(self.given.get(task.row, {}).get(each.name) for each in self.sheet.dimensions)

    def _take_up(self) -> None:
        file = returned.read(self.out)
        if file.dimensions != self.sheet.dimensions:
            found = ", ".join(each.heading for each in file.dimensions)
            raise LabelError(
                "the file holds labels of other dimensions",
                where=self.out,
                found=found,
                do="name another file",
            )
        ours = {task.row for task in self.sheet.tasks}
        strangers = [entry.at for entry in file.entries if entry.row not in ours]
        if strangers:
            raise LabelError(
                "the file holds labels of other answers",
                where=f"{self.out}, {strangers[0]}",
                do="name another file, or the same draw",
            )
        for entry in file.entries:
            self.given[entry.row] = {name: str(cell or "") for name, cell in entry.cells.items()} | {
                "comment": entry.comment
            }
