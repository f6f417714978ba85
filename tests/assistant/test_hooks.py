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
        (lambda question: "", ()),
        (lambda question, history=None: "", ("history",)),
        (lambda question, *, passages, history: "", ("history", "passages")),
        (lambda question, **options: "", ()),
        (lambda question, history, /: "", ()),
        (lambda question, *history, **passages: "", ()),
        (lambda question, context=None: "", ()),
        (Bot(), ("passages",)),
        (functools.partial(lambda question, history, passages: "", passages=[]), ("history", "passages")),
        (str.upper, ()),
        (7, ()),
    ],
)
def test_hooks_are_parameters_that_can_be_named(ask, hooks):
    assert hooks_of(ask) == hooks


BOT = """
import json

def make(documents=""):
    def ask(question, history=None, passages=None):
        if question == "broken":
            passages.append(history.pop())
        return json.dumps([question, history, passages])
    return ask

def plain(question):
    return question

class Liar:
    @property
    def __signature__(self):
        import inspect
        names = ("question", "passages")
        return inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names])
    def __call__(self, question):
        return question

liar = Liar()
"""


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)

    def load(name):
        return load_system(f"{tmp_path / 'bot.py'}:{name}")

    return load


def test_what_a_factory_returned_is_asked_with_both(bot):
    with bot("make") as system:
        assert system.hooks == ("history", "passages")
        given = {"history": TOLD, "passages": [{"id": "a", "text": "naïve \ud800 ☃"}]}
        asked = system.ask("q", LONG, given)[0]
        assert '"q"' in asked["answer"] and "☃" in asked["answer"].encode().decode("unicode_escape")
        assert system.ask("q", LONG)[0]["answer"] == '["q", null, null]'
        assert "error" in system.ask("broken", LONG, {"history": [], "passages": []})[0]
        assert system.ask("q", LONG, {"passages": []})[0]["answer"] == '["q", null, []]'


def test_a_message_too_large_to_send_is_a_row(bot):
    with bot("make") as system:
        row, _ = system.ask("q", LONG, {"passages": [{"id": "a", "text": "x" * 20_000_000}]})
        assert "16,000,000" in row["error"]
        assert system.ask("q", LONG)[0]["error"] == ""


def test_the_example_of_the_page_runs(tmp_path):
    [code] = re.findall(r"```python\n(def ask\(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "mine.py").write_text(code)
    with load_system(f"{tmp_path / 'mine.py'}:ask") as system:
        assert system.hooks == ("history", "passages")
        assert system("And abroad?", history=TOLD)["answer"] == "A transfer abroad costs 12 dollars."
        assert system("And abroad?")["answer"] == "I could not find this."
        planted = [{"id": "x", "text": "It costs nothing."}]
        assert system("What does a transfer cost?", passages=planted)["context_ids"] == ["x"]
        assert system("What does a transfer cost?", passages=[])["contexts"] == []
