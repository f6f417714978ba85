"""The line that says how far the scoring is."""

from io import StringIO

from ragassay.api import Progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def said(stream: StringIO, times: list[float], shares: list[float]) -> str:
    clock = iter(times)
    progress = Progress(stream, lambda: next(clock))
    progress.start()
    for i, share in enumerate(shares, start=1):
        progress.update(i * 1000, share)
    progress.end()
    return stream.getvalue()


def test_a_terminal_has_one_line_that_is_cleared():
    text = said(Terminal(), [0.0, 10.0], [0.25])
    assert text == "\r\x1b[2K1,000 answers scored (25%), about 30 s left\r\x1b[2K"


def test_elsewhere_a_line_now_and_then():
    text = said(StringIO(), [0.0, 1.0, 20.0, 21.0, 40.0], [0.1, 0.2, 0.3, 0.5])
    assert text.splitlines() == [
        "2,000 answers scored (20%), about 80 s left",
        "4,000 answers scored (50%), about 40 s left",
    ]
