"""A judge by rule that replies in the very form each prompt asks for, and notes what it was asked."""

import json
import re

from ragassay.models.judge_messages import Reply

FENCED = re.compile(r"^<<([A-Z ]+) ([0-9a-f]{16})>>\n(.*?)\n<<END \2>>$", re.DOTALL | re.MULTILINE)


class PromptJudge:
    """Marks a refusal null and a text without [id] unfaithful.

    prefers_long : relevancy is 5 for a long answer, 4 for a short one
    broken : its replies are no JSON
    """

    def __init__(self, *, prefers_long=False, broken=False):
        self.prefers_long, self.broken = prefers_long, broken
        self.asked = []

    def __call__(self, requests):
        self.asked += requests
        return [Reply("Sure!" if self.broken else self.say(request)) for request in requests]

    def say(self, request):
        shown = {name: text for name, _, text in FENCED.findall(request.user)}
        return json.dumps(self.marks(request, shown["ANSWER"]))

    def marks(self, request, answer):
        """All that the prompt's example names, and no more."""
        declines = answer.lower().startswith(("no document", "i could not find"))
        relevancy = 5 if len(answer) > 120 or not self.prefers_long else 4
        known = {
            "declines": declines,
            "adds_information": "[" in answer,
            "references_answer": True,
            "only_declines": declines and "[" not in answer,
            "sentences": [],
            "why": "by rule",
            "answer_relevancy": None if declines else relevancy,
            "completeness": 1 if declines else 5,
            "usefulness": 1 if declines and "[" in answer else None,
            "faithfulness": None if declines and "[" not in answer else int("[" in answer),
        }
        example = request.system.rsplit("\n", 1)[-1]
        return {name: value for name, value in known.items() if f'"{name}"' in example}
