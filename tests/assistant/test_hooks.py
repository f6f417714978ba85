"""Which hooks a callable takes is read from its signature; a process passes them on, and only those."""

import functools
import re
from pathlib import Path

import pytest

from ragassay.answers import load_system
from ragassay.assistant.reply_validation import hooks_of

PAGE = Path(__file__).parents[2] / "docs" / "own-data.md"
LONG = 60
TOLD = [{"role": "user", "content": "What does a transfer cost?"}, {"role": "assistant", "content": "Ask."}]


class Bot:
    def __call__(self, question, *, passages=None):
        return question


@pytest.mark.parametrize(
    ("ask", "hooks"),
    [
        (lambda question, history=None: "", ("history",)),
        (lambda question, *, passages, history: "", ("history", "passages")),
        (lambda question, **options: "", ()),
        (lambda question, history, /: "", ()),
        (Bot(), ("passages",)),
        (functools.partial(lambda question, history, passages: "", passages=[]), ("history", "passages")),
    ],
)
def test_hooks_are_parameters_that_can_be_named(ask, hooks):
    assert hooks_of(ask) == hooks


def test_the_example_of_the_page_runs(tmp_path):
    [code] = re.findall(r"```python\n(def ask\(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "mine.py").write_text(code)
    with load_system(f"{tmp_path / 'mine.py'}:ask") as system:
        assert system.hooks == ("history", "passages")
        assert (
            system.ask("And abroad?", 60, {"history": TOLD})[0]["answer"]
            == "A transfer abroad costs 12 dollars."
        )
        assert system.ask("And abroad?", 60)[0]["answer"] == "I could not find this."
        planted = [{"id": "x", "text": "It costs nothing."}]
        assert system.ask("What does a transfer cost?", 60, {"passages": planted})[0]["context_ids"] == ["x"]
        assert system.ask("What does a transfer cost?", 60, {"passages": []})[0]["contexts"] == []
