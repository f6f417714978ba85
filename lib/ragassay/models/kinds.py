"""What the heads give back."""

from dataclasses import dataclass

from numpy.typing import NDArray


@dataclass(frozen=True)
class Entailment:
    """Judgement of n pairs (premise, hypothesis).

    Attributes
    ----------
    probabilities : (n, 3) of entailment, neutral, contradiction; each row sums to 1
    z : (n,) entailment's score less the mean of the two others' scores; higher is better
    distance : (n,) z over the length of its weight vector (HCAT 3.2.2); NaN where a foreign model's last layer is not linear
    """

    probabilities: NDArray
    z: NDArray
    distance: NDArray


@dataclass(frozen=True)
class Entity:
    """A name in a text: `kind` is person, organisation, place or address; `text` is the text's characters from `start` up to `end`."""

    kind: str
    text: str
    start: int
    end: int
