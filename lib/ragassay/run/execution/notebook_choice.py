"""Which notebooks a run executes: those that changed, or those that somebody names."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragassay.errors import ParameterError
from ragassay.run.parameter_checks.named_values import nearest


@dataclass(frozen=True)
class Selection:
    """What somebody asks of a run; without anything every notebook that changed is executed.

    only : notebooks by number or name; they are executed, changed or not, and no other
    start : a notebook by number or name; it and all after it are executed, changed or not, and none before
    force : every notebook is executed, changed or not
    """

    only: tuple[str, ...] = ()
    start: str = ""
    force: bool = False

    def __post_init__(self) -> None:
        if sum(map(bool, (self.only, self.start, self.force))) > 1:
            what, do = "only one of --only, --from and --force can be followed", "name one of them"
            raise ParameterError(what, where="the command line", do=do)

    def anew(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are executed whatever their state.

        Raises
        ------
        ParameterError
            If a number or name is none of a notebook.
        """
        if self.start:
            return set(names[names.index(_named(self.start, names)) :])
        return set(names) if self.force else {_named(each, names) for each in self.only}

    def left_out(self, names: Sequence[str]) -> set[str]:
        """The notebooks that are not executed whatever their state."""
        return set(names) - self.anew(names) if self.only or self.start else set()


def from_words(only: Sequence[str], start: str, force: bool) -> Selection:
    """The selection of the words of a command line; one word of `only` may hold several, parted by commas."""
    parts = (part.strip() for word in only for part in word.split(","))
    return Selection(tuple(part for part in parts if part), start.strip(), force)


def _named(given: str, names: Sequence[str]) -> str:
    """The notebook of a number (4, 04) or a name."""
    number = given.lstrip("0") or "0"
    found = [name for name in names if given == name or number == (name.split("_")[0].lstrip("0") or "0")]
    if not found:
        expected = f"a number or name of {', '.join(names)}{nearest(given, names)}"
        raise ParameterError(
            "there is no such notebook", where="--only, --from", found=given, expected=expected
        )
    return found[0]
