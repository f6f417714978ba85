"""One question to the judge and its reply."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, order=True)
class Request:
    """A whole prompt: which one it is (`name`), the rules (`system`), the matter (`user`), and the most tokens a reply may take."""

    name: str
    system: str
    user: str
    max_tokens: int = 1_000

    def key(self, recipe: str) -> str:
        """Content address of the request under a recipe (endpoint, model, seed, options), 64 hexadecimal signs."""
        said = json.dumps([self.system, self.user, self.max_tokens, recipe])
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came back.

    Attributes
    ----------
    text : the reply; None where none arrived whole, and `failure` then says why
    tokens_in, tokens_out : as the endpoint counts them, 0 where it does not say
    seconds : from sending the request to the end of the reply
    cut : the endpoint ended the reply at the most tokens it may take
    by : the model, and its fingerprint, as the endpoint names them
    """

    text: str | None
    failure: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cut: bool = False
    by: str = ""

    def as_json(self) -> str:
        """The reply as it is kept in the journal."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, kept: str) -> "Reply":
        """A reply from the journal."""
        values: dict[str, Any] = json.loads(kept)
        return cls(**values)
