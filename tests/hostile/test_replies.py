"""Every kind of reply, the good questions between them answered: the assistant's end is never that of the run."""

import pytest

from hostile import replies
from hostile.sandbox import Sandbox

QUICK = [
    kind
    for kind in replies.every()
    if kind not in ("hang", "loop", "signals", "stop", "huge", "closed", "odd")
]


@pytest.mark.slow
def test_the_quick_kinds(tmp_path):
    (tmp_path / "project" / "documents").mkdir(parents=True)
    sandbox = Sandbox(tmp_path / "box").make(tmp_path / "project")
    assert replies.flaws(QUICK, 5, sandbox, bound_s=120) == []


def test_good_questions_stand_between_all_kinds():
    from random import Random

    asked = replies.questions(replies.every(), Random(0))
    assert len(asked) == 3 * len(replies.every()) + 1 and sum(
        q.startswith("good") for q in asked
    ) * 3 > 2 * len(asked)
