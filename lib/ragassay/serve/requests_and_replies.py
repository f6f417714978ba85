"""What a request holds, and what comes back; how much it may hold: `settings.py`."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ragassay.scores import METRICS

EXAMPLE = {
    "case_id": "q1",
    "question": "What does a wire transfer cost?",
    "answer": "A wire transfer costs $18.00.",
    "contexts": ["Domestic wire transfers cost $18.00 each."],
}
ANSWERS = "one or several, in the kit's columns or those `ragassay score` reads"
METRIC_NAMES = "names of /metrics, or one of default, judge, all"
MAPPING = "which column of yours is which of the kit's: {question: prompt}"
GROUPS = ("default", "judge", "all")
State = Literal["scored", "not_measured", "not_applicable", "error"]
COLUMNS = "case_id system question answer contexts context_ids reference_answer answerable".split()
RECORD = {
    "type": "object",
    "properties": {name: {"description": f"{name}, read as in a log"} for name in COLUMNS},
    "additionalProperties": True,
    "example": EXAMPLE,
}
Record = Annotated[dict[str, Any], WithJsonSchema(RECORD)]


def _known(name: str) -> str:
    if name not in (*GROUPS, *METRICS):  # a file of code that a client names is never run
        raise PydanticCustomError("unknown_metric", "a name that GET /metrics lists")
    return name


MetricName = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"enum": [*GROUPS, *METRICS]})]


class Answers(BaseModel):
    """Answers to judge."""

    model_config = ConfigDict(extra="forbid")
    answers: Annotated[list[Record], Field(min_length=1)] | Record = Field(
        description=ANSWERS, examples=[[EXAMPLE]]
    )
    mapping: dict[str, str] = Field(default_factory=dict, description=MAPPING)

    def records(self) -> list[Record]:
        """The answers, one or several, as a list."""
        return self.answers if isinstance(self.answers, list) else [self.answers]


class ScoreRequest(Answers):
    """Answers, and the metrics wanted."""

    metrics: Annotated[list[MetricName], Field(min_length=1, max_length=2 * len(METRICS))] = Field(
        default=["default"], description=METRIC_NAMES
    )


class Score(BaseModel):
    """One metric of one answer: `value` is null, never 0, where it is undefined, and `reason` says why."""

    metric: str
    value: float | None
    state: State
    reason: str


class Scored(BaseModel):
    """One answer with its metrics, in the order named."""

    case_id: str
    system: str
    repeat: int
    scores: Sequence[Score]


class ScoreReply(BaseModel):
    """The answers in the order they came; what was assumed of them; the models behind the scores."""

    answers: Sequence[Scored]
    read_as: str  # the schema
    notes: Sequence[str]
    n_bad: int
    models: dict[str, str]


class Verdict(BaseModel):
    """Of one answer: its score, the probability that people accept it, and what may be done without them.

    An answer without a score, or a repeated one, has no probability and is left to people.
    """

    case_id: str
    system: str
    repeat: int
    score: Score
    probability: float | None
    prediction_set: Sequence[int] | None
    decision: Literal["accept", "reject", "review"]
    reason: str


class CalibratedReply(BaseModel):
    """Verdicts in the order of the answers, and the calibration they rest on."""

    answers: Sequence[Verdict]
    calibration: dict[str, Any]
    read_as: str  # the schema
    notes: Sequence[str]
    n_bad: int
    models: dict[str, str]


class MetricsReply(BaseModel):
    """The card of every metric, and the names that `default` stands for."""

    metrics: Sequence[dict[str, Any]]
    default: Sequence[str]


class Health(BaseModel):
    """That it runs, which version, and the SHA-256 of every model it computes with."""

    status: Literal["ok"]
    version: str
    encoder: dict[str, str]
    heads: dict[str, str]
    calibration: dict[str, Any] | None
    waiting: int


class Problem(BaseModel):
    """Why there is no result; `found` never quotes the request."""

    what: str
    where: str | None = None
    found: str | None = None
    expected: str | None = None
    do: str | None = None


class Refusal(BaseModel):
    """An error, in five parts."""

    error: Problem = Field(description="what is wrong, where, what was found and expected, what to do")
