"""`ragassay report --format`: the formats named are asked for, all of them by default."""

import pytest
from click.testing import CliRunner

from ragassay import report
from ragassay.cli.finished_run import report as command


@pytest.mark.parametrize(
    ("options", "asked"), [([], report.FORMATS), (["--format", "html", "--format", "pdf"], ("html", "pdf"))]
)
def test_the_formats_named_are_written(tmp_path, monkeypatch, options, asked):
    (tmp_path / "tables").mkdir()
    given = []
    monkeypatch.setattr(report, "build", lambda folder, template, formats: given.append(formats) or {})
    done = CliRunner().invoke(command, [str(tmp_path), *options])
    assert done.exit_code == 0, done.output
    assert given == [asked]
