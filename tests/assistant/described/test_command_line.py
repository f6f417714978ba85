"""An assistant on the command line: a process per question, whatever it does."""

import sys
from functools import partial

import pytest
import yaml

from ragassay.assistant.described import ask_command, folder_of, read_description
from ragassay.web import Failure

BOT = """
import json, os, sys, time
answered = 0
for line in sys.stdin:
    asked = json.loads(line)
    answered += 1
    question = asked["question"]
    if question == "die":
        print("out of luck", file=sys.stderr)
        sys.exit(3)
    if question == "mute":
        sys.exit(0)
    if question == "large":
        print("x" * 17_000_000)
    elif question == "text":
        print("no JSON")
    else:
        print(json.dumps({"answer": f"{question} {answered}", "cost": 0.5}), flush=True)
"""


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)

    def make(**more):
        text = yaml.safe_dump({"command": [sys.executable, "bot.py"]} | more)
        described = read_description(text, "test")
        folder = folder_of(described.command, [tmp_path / "elsewhere", tmp_path])
        return partial(ask_command, described, folder)

    return make


def reason(asked, question) -> str:
    with pytest.raises(Failure) as told:
        asked(question)
    return told.value.reason


def test_a_process_per_question(bot):
    asked = bot()
    assert [asked("Fee?")["answer"] for _ in range(2)] == ["Fee? 1", "Fee? 1"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("die", "the command ended (exit code 3): out of luck"),
        ("mute", "wrong reply: it is empty"),
        ("large", "wrong reply: larger than 16,000,000 bytes"),
        ("text", "wrong reply: no JSON, 'no JSON'"),
    ],
)
def test_what_is_no_answer_is_a_reason(bot, question, told):
    assert reason(bot(), question) == told


def test_a_text_may_be_the_whole_reply(bot):
    assert bot(reply="text")("text")["answer"] == "no JSON"
