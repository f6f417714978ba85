"""The description of an assistant, read from YAML and checked as a whole before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragassay.assistant.described.description_checks import (
    CHAT,
    COMMAND,
    ENDPOINT,
    FIELDS,
    OPTIONAL,
    WHOLE,
    VersionSource,
    flaws_of,
    version_source,
    words_of,
)
from ragassay.assistant.described.request_templates import HOOK_OF, names_in
from ragassay.assistant.reply_validation import HOOKS
from ragassay.errors import ParameterError

ENDINGS = (".yml", ".yaml")
MOST_BYTES = 200_000
OWN_NAMES = {"answer": "answer"} | {name: f"{name}{OPTIONAL}" for name in FIELDS[1:6]}
CHAT_REPLY = {"answer": "choices[0].message.content", "tokens": f"usage.total_tokens{OPTIONAL}"}
CHAT_STREAM = {"piece": "choices[0].delta.content", "end": "[DONE]"}
DO = "correct the description; docs/assistant.md shows each kind"


@dataclass(frozen=True)
class Description:
    """An assistant as it is described.

    Parameters
    ----------
    kind : http, openai or command
    url, method, headers : of the request; a header's value is the name of an environment variable, and what
        stands before it
    command, keep : what is executed; whether it is kept and told one question a line
    body : what is sent, a template; of a GET the parameters of the address
    reply : field of ours -> path in the reply; `optional`: whether fields may be missing in it
    stream : `piece`, the path of a part of the answer, and `end`, the text of the last event
    retries : times a request is sent again, 0 to 10
    request_s : seconds of one request, of which an answer may take several; None: all that the answer has
        (`answer_timeout_s` of the engagement)
    version : how it is known which version answers
    """

    kind: str
    url: str = ""
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    keep: bool = False
    body: Any = None
    reply: Mapping[str, str] = field(default_factory=dict)
    stream: Mapping[str, str] = field(default_factory=dict)
    retries: int = 3
    request_s: float | None = None
    version: VersionSource = field(default_factory=VersionSource)

    @property
    def hooks(self) -> tuple[str, ...]:
        """What it takes beside the question: that for which it has a placeholder."""
        taken = {HOOK_OF[name] for name in names_in(self.body) if name in HOOK_OF}
        return tuple(name for name in HOOKS if name in taken)


def is_described(spec: str) -> bool:
    """Whether an assistant is named by a description: a YAML file, or its text, which begins with a brace."""
    return spec.lstrip().startswith("{") or spec.lower().endswith(ENDINGS)


def read_description(text: str, where: object) -> Description:
    """The description that a YAML text holds.

    Raises
    ------
    ParameterError
        With everything that is wrong with it.
    """
    given = _mapping(text, where)
    kind = given.get("kind", COMMAND if "command" in given else ENDPOINT)
    flaws = list(flaws_of(kind, given))
    if flaws:
        what = "\n    ".join([f"{len(flaws)} flaw(s) in the description of the assistant", *flaws])
        raise ParameterError(what, where=where, do=DO)
    return _made(kind, given)


def _mapping(text: str, where: object) -> dict[str, Any]:
    import yaml

    try:
        if len(text.encode("utf-8", "replace")) > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES:,} bytes")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise ValueError("it holds an alias (*name); write the value out")
        given = yaml.safe_load(text)
        if not isinstance(given, dict):
            raise ValueError(f"it holds a {type(given).__name__}, where names and values were expected")
        return {str(name): value for name, value in given.items()}
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        what = "the description of the assistant cannot be read"
        raise ParameterError(what, where=where, found=problem, do=DO) from None


def _made(kind: str, given: dict[str, Any]) -> Description:
    if kind == COMMAND:
        return Description(
            kind,
            command=words_of(given["command"]),
            keep=given.get("keep", False),
            body=given.get("body", {"question": "{question}"}),
            reply=_reply(given.get("reply"), OWN_NAMES),
            version=version_source(given.get("version")),
        )
    chat = kind == CHAT
    return Description(
        kind,
        url=given["url"].rstrip("/") + "/chat/completions" if chat else given["url"],
        method=given.get("method", "POST"),
        headers=given.get("headers") or {},
        body=_chat_body(given) if chat else given.get("body", {"question": "{question}"}),
        reply=CHAT_REPLY | _reply(given.get("reply"), {}) if chat else _reply(given.get("reply"), OWN_NAMES),
        stream=given.get("stream") or (CHAT_STREAM if chat else {}),
        retries=given.get("retries", Description.retries),
        request_s=given.get("request_s"),
        version=version_source(given.get("version")),
    )


def _chat_body(given: dict[str, Any]) -> dict[str, Any]:
    return {"model": given["model"], "messages": ["{messages}"]} | (given.get("body") or {})


def _reply(given: Any, default: dict[str, str]) -> dict[str, str]:
    """`reply: text` says that the whole is the answer."""
    return {"answer": "$"} if given == WHOLE else given or default
