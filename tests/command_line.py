"""The command line called in this process."""

import sys

from ragassay import cli


def called(words: list[str] | tuple[str, ...], monkeypatch, capsys) -> tuple[int, str, str]:
    """Exit code, output and errors of `ragassay WORDS`, which may show no traceback."""
    monkeypatch.setattr(sys, "argv", ["ragassay", *words])
    try:
        cli.main()
        code = 0
    except SystemExit as leaving:
        code = leaving.code
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err
    return code, said.out, said.err
