"""`ragassay questions`: documents in, rows of the cases table out, twice the same; by rule, or by a language model."""

import json

import pytest
from click.testing import CliRunner

from cases.case_writer import reply
from models.misbehaving_server import MisbehavingServer, good, says
from ragassay.cli import cli

N = "24"  # questions, of eleven topics


def asked(documents, out, *more):
    return CliRunner().invoke(cli, ["questions", "--documents", str(documents), "--out", str(out), *more])


@pytest.fixture(scope="module")
def done(part_of_the_bank, tmp_path_factory):
    out = tmp_path_factory.mktemp("questions") / "cases.jsonl"
    return asked(part_of_the_bank, out, "--n", N), out


@pytest.mark.slow
def test_every_stratum_is_covered_and_said_so(done):
    result, out = done
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert result.exit_code == 0 and len(rows) == int(N)
    assert "False" in result.output and "True" not in result.output  # of the column `uncovered`
    assert all(row["reference_chunk_ids"] or not row["answerable"] for row in rows)
    assert len({row["query_type"] for row in rows}) >= 4


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "more", "reason"), [
    ({}, (), "no"),
    ({"a.txt": "word " * 40}, (), "no question can be made"),
    ({"a.txt": "The fee is $5.00."}, ("--n", "0"), "1<=x<=1000000"),
])  # fmt: skip
def test_what_gives_no_questions_says_why(tmp_path, texts, more, reason):
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    result = asked(folder, tmp_path / "out.jsonl", *more)
    assert result.exit_code != 0 and reason in f"{result.exception} {result.output}"


@pytest.fixture
def priced(tmp_path):
    """Twelve short documents, each with a price that the rule-bound language model can ask about."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for i in range(12):
        text = f"# Card {i}\n\nThe card {i} is sold in town. The card {i} costs {10 + i} euros a year.\n"
        (folder / f"card-{i}.md").write_text(text)
    return folder


def of_model(server, folder, *more):
    named = ["--judge", f"rule@{server.url}", "--journal", str(folder / "judge.sqlite")]
    return asked(folder / "documents", folder / "out.jsonl", "--n", "18", *named, *more)


@pytest.mark.slow
def test_a_language_model_writes_them_where_it_is_named(priced, tmp_path):
    with MisbehavingServer(
        reply, lambda prompt, nth: says("no JSON") if "card 1" in prompt else good
    ) as server:
        done = of_model(server, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert done.exit_code == 0 and 0 < len(rows) <= 18 and {row["case_id"][0] for row in rows} == {"m"}
    assert f"Written by the language model rule: {len(rows)} questions kept" in done.output
    assert "rejected: " in done.output and "replies paid" in done.output


@pytest.mark.slow
def test_a_language_model_that_writes_none_leaves_no_file(priced, tmp_path):
    with MisbehavingServer(reply, lambda prompt, nth: says("\x1b[31mI would rather not.")) as server:
        done = of_model(server, tmp_path)
    said = str(done.exception)
    assert done.exit_code == 1 and not (tmp_path / "out.jsonl").exists()
    for part in ("wrote no question that can be kept", "where: rule at", "rejected; ", "do:"):
        assert part in said


def test_a_journal_needs_a_language_model(priced, tmp_path):
    done = asked(priced, tmp_path / "out.jsonl", "--journal", "j.sqlite")
    assert done.exit_code == 1 and "none is named" in str(done.exception)
