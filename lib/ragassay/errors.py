"""One family of errors. Every message says what is wrong, where, what was found, what was expected, what to
do."""

import difflib
import errno
from collections.abc import Iterable
from functools import partial

from ragassay.sanitized_text import clean

ENDED = "application/vnd.ragassay.ended+json"  # in an executed copy: why a notebook ended early
FULL = (errno.ENOSPC, errno.EDQUOT)  # what a system says when a disk, or a quota, is full
LONGEST = 400  # characters of a value in a message
ELSEWHERE = "name another place, or get the permission to write there"


class KitError(Exception):
    """Something the user can mend; shown without a traceback.

    Parameters
    ----------
    what : one sentence saying what is wrong
    where : file, row, column, line or notebook
    found : the value seen (shortened)
    expected : the values allowed
    do : what to do about it
    """

    def __init__(
        self,
        what: str,
        *,
        where: object = None,
        found: object = None,
        expected: object = None,
        do: str | None = None,
    ):
        self.what, self.where, self.found, self.expected, self.do = what, where, found, expected, do
        parts = [("where", where), ("found", found), ("expected", expected), ("do", do)]
        lines = [clean(what, 0)]
        for name, value in parts:
            text = str(value)
            cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"
            below = clean(cut, 0).replace("\n", "\n    ")  # its lines stay below their part
            lines += [f"{name}: {below}"] if value is not None else []
        super().__init__("\n  ".join(lines))

    def __reduce__(self):
        parts = {name: getattr(self, name) for name in ("where", "found", "expected", "do")}
        return partial(type(self), self.what, **parts), ()


class InputError(KitError):
    """An input file or folder is missing, empty or unreadable."""


class DocumentError(InputError):
    """A document cannot be read as text."""


class ParameterError(KitError, ValueError):
    """A parameter is unknown, of the wrong type, or outside its range."""


class TableError(KitError):
    """A table lacks a column, repeats a key, or holds a value outside its range."""


class LabelError(TableError):
    """Human labels do not fit the cases, the scale, or the method that needs them."""


class NotMeasuredError(LabelError):
    """What there is cannot carry what comes next. A notebook that raises it ends early with this reason; the
    run goes on."""


class OutputError(KitError):
    """A result cannot be written: the disk is full, there is no permission, or no such place."""

    @classmethod
    def of(cls, problem: OSError, place: object) -> "OutputError":
        """What the system said, of the file that was to be written."""
        full = problem.errno in FULL
        what = "the disk is full" if full else "a result cannot be written"
        do = "make room and run the same command; what was finished is kept" if full else ELSEWHERE
        return cls(what, where=place, found=problem.strerror or problem, do=do)


class SystemUnderTestError(KitError):
    """The assistant under test cannot be loaded or asked."""


class ModelError(KitError):
    """A model file is missing or is not the one expected."""


class ClusterError(KitError):
    """A Ray cluster cannot be reached, was lost, or its workers fail."""


class NotebookError(KitError):
    """A notebook failed; its executed copy holds the cell and the reason."""


class NetworkRefused(KitError, OSError):
    """A sealed run refused to open a network connection."""


def did_you_mean(name: object, known: Iterable[object], otherwise: str | None = None) -> str | None:
    """The known name nearest to a wrong one, as what to do about it; `otherwise` where none is near."""
    near = difflib.get_close_matches(str(name), [str(each) for each in known][:1000], 1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def install(extra: str) -> str:
    """How an optional part is installed; the package is on no index, so it takes a checkout."""
    return f"in a checkout of the kit: pip install -c constraints.txt -e '.[{extra}]'"
