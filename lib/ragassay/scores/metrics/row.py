"""What a row of METRICS says of its metric."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ENCODER, ENTAILMENT, NO_MODEL = ("encoder",), ("encoder", "entailment"), ()


@dataclass(frozen=True)
class Metric:
    """What a metric is, what it needs, how to read it, and where it comes from; `measure` computes it for one answer.

    of_content : it judges what the answer says, so that it does not apply to an answer that abstains
    of_silence : it judges an empty answer too
    derived : names of the metrics it is computed from, over the whole table; `measure` then takes their values (n, m)
    """

    name: str
    family: str
    needs: tuple[str, ...]
    low: float
    high: float
    higher_is_better: bool
    source: str
    models: tuple[str, ...]
    meaning: str
    formula: str
    measure: Callable[..., Any]
    of_content: bool = True
    of_silence: bool = False
    deterministic: bool = True
    cost: str = "milliseconds per answer"
    derived: tuple[str, ...] = ()
