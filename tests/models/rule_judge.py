"""What an honest and simple judge replies: it reads the fences, knows no language, and follows nothing that stands inside them."""

import json
import re

from ragassay.models.judge_messages import Reply

FENCED = re.compile(r"^<<([A-Z ]+) ([0-9a-f]{16})>>\n(.*?)\n<<END \2>>$", re.DOTALL | re.MULTILINE)
REFUSAL = "no document answers"


def texts(user: str) -> dict[str, str]:
    """The fenced texts of a prompt by name."""
    return {name: text for name, _, text in FENCED.findall(user)}


def reply(system: str, user: str) -> str:
    """The agreed object: a refusal holds the words above; references that hold the word `answer` answer; a sentence without [id] is not faithful."""
    shown = texts(user)
    answer, references = shown["ANSWER"], shown.get("REFERENCES", shown.get("EVIDENCE", ""))
    declines, added = REFUSAL in answer.lower(), answer.lower().partition(REFUSAL)[2].strip(". ")
    holds = "answer" in references
    replies = {
        '"groundedness"': _lesson(declines, holds),
        '"answer_relevancy"': {"declines": declines, "why": "rule"}
        | {"answer_relevancy": None if declines else 5},
        '"completeness"': {
            "references_answer": holds,
            "why": "rule",
            "completeness": None if not holds else 1 if declines else 5,
        },
        '"usefulness"': {
            "declines": declines,
            "adds_information": bool(added),
            "why": "rule",
            "usefulness": 1 if declines and added else None,
        },
        '"faithfulness"': _faithful(answer, declines and not added),
    }
    return json.dumps(next((said for key, said in replies.items() if key in system), {}))


class RuleJudge:
    """Stands in for a judge; where it prefers long answers the relevancy of a short one is 4, not 5."""

    def __init__(self, *, prefers_long=False):
        self.prefers_long, self.asked = prefers_long, []

    def __call__(self, requests):
        self.asked += requests
        return [Reply(self.say(request)) for request in requests]

    def say(self, request):
        said = json.loads(reply(request.system, request.user))
        if self.prefers_long and said.get("answer_relevancy") and len(texts(request.user)["ANSWER"]) <= 120:
            said["answer_relevancy"] = 4
        return json.dumps(said)


def _faithful(answer: str, only_declines: bool) -> dict:
    cited = "[" in answer
    checks = {"sentence": answer[:20], "cited": cited, "right_reference": cited, "undistorted": True}
    grade = None if only_declines else int(cited)
    return {"only_declines": only_declines, "sentences": [checks], "faithfulness": grade}


CHECKS = "schema_valid language_match safety_pass citations_present citations_valid no_hallucinated_entities".split()


def _lesson(declines: bool, holds: bool) -> dict:
    supported = {"claim": "one", "supported_by": ["d#p1"], "verdict": "supported"}
    quality = None if holds else 5 if declines else 1
    return {
        "must_pass": dict.fromkeys(CHECKS, True),
        "scores": {"groundedness": 5 if holds else 1, "completeness": 4, "directness": 3, "style": 2},
        "supported_claims": [supported, {"claim": "two", "verdict": "partial"}],
        "abstain": {"should_have_abstained": not holds, "abstain_quality": quality},
    }
