"""Tools: each text once, requests put together, results in order."""

from functools import partial

from fake_tools import FakeTools, encode

from ragassay.scores.metric import compute_together


class Counting:
    """An instrument that remembers what it was asked."""

    def __init__(self, compute):
        self.compute, self.calls = compute, []

    def __call__(self, asked):
        self.calls.append(list(asked))
        return self.compute(asked)


def test_a_text_is_computed_once_and_in_sorted_order():
    encoder = Counting(encode)
    tools = FakeTools(encode=encoder)
    tools.embed(["b", "a", "b"])
    tools.embed(["a"])
    assert encoder.calls == [["a", "b"]]


def test_what_several_calls_ask_is_computed_together():
    encoder = Counting(encode)
    tools = FakeTools(encode=encoder)
    calls = [partial(tools.embed, texts) for texts in (["x"], ["z", "y"])]
    found = compute_together([*calls, lambda: "at once"], tools)
    assert encoder.calls == [["x", "y", "z"]] and found[2] == "at once"
    assert (found[1] == encode(["z", "y"])).all() and len(tools.embed(["z", "x"])) == 2
