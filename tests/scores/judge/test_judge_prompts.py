"""The variants of GroUSE's prompts: what each shows and asks for, and how its reply is read."""

import json

import pytest

from ragassay.scores.judge import judge_prompts, judge_requests
from ragassay.scores.judge.judge_prompts import PROMPTS

CALLS = {
    "relevancy": judge_requests.Relevancy,
    "completeness": judge_requests.Completeness,
    "usefulness": judge_requests.Usefulness,
    "faithfulness": judge_requests.Faithfulness,
}
BY_NAME = {prompt.name: prompt for prompt in PROMPTS}
GRADES = {"relevancy": "answer_relevancy"}


def asked(call, name, expected="a good one"):
    return judge_requests.grouse(call, "q", "the answer", "r", expected, BY_NAME[name])


def example(request) -> dict:
    """The object at the end of a prompt."""
    return json.loads(request.system.rsplit("\n", 1)[-1])


@pytest.mark.parametrize("call", CALLS)
def test_each_leaves_out_one_thing(call):
    ours = asked(call, "ours")
    assert "A GOOD ANSWER" in ours.user and "the answer" in ours.user
    assert (
        "A GOOD ANSWER"
        not in asked(call, "without ground truth").user + asked(call, "without ground truth").system
    )
    assert "why" not in example(asked(call, "without justification"))
    bare = example(asked(call, "without chain of thought"))
    assert set(bare) == {GRADES.get(call, call)} | ({"why"} & set(example(ours)))
    assert example(asked(call, "without justification")) == {
        name: value for name, value in example(ours).items() if name != "why"
    }


@pytest.mark.parametrize("call", CALLS)
def test_both_answers_are_rated_where_a_good_one_is_known(call):
    request = asked(call, "both answers rated")
    assert "<<ANSWER ONE " in request.user and request.user.index("a good one") < request.user.index(
        "the answer"
    )
    assert "GOOD" not in request.user + request.system, "it is not said which is which"
    assert set(example(request)) == {"answer_1", "answer_2"}
    assert request.max_tokens == 2 * asked(call, "ours").max_tokens
    assert asked(call, "both answers rated", None) == asked(call, "ours", None)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
@pytest.mark.parametrize("call", CALLS)
def test_the_reply_asked_for_is_the_reply_that_is_read(call, prompt):
    for two in (False, True):
        said = json.loads(judge_prompts.reply_asked_for(call, prompt, two))
        form = judge_prompts.form_of(CALLS[call], prompt, two)
        if call == "usefulness" and not prompt.chain_of_thought:
            said = {"usefulness": 1} if not two else {"answer_1": {}, "answer_2": {"usefulness": 1}}
        if call == "relevancy":  # the example grades a response
            assert (
                form.model_validate(said).answer_2 if two else form.model_validate(said)
            ).declines is False
        assert form.model_validate(said)
