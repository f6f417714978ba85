"""The description of an assistant, read from YAML and checked as a whole before anything is sent; and what is
sent: its body, a template in which placeholders stand for the question and what is given with it.

{question}    the question             {messages}    history and question as chat messages
{history}     what was said before     {passages}    what it is to answer from, id and text
{request_id}  made anew for each request

A value that is a placeholder and nothing else becomes what it stands for, a list too; in a list {messages}
and {history} are put in element by element. Within a longer text it becomes text. What stands for passages is
left out where none are given. A path says where in a reply a value stands, as JMESPath writes it:
`choices[0].message.content`, `sources[*].id`; `$` for the whole; a `?` at its end where it may be missing.
"""

import json
import re
import shlex
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    StringConstraints,
    ValidationError,
    model_validator,
)

from ragassay.assistant.reply_validation import HOOKS
from ragassay.errors import ParameterError
from ragassay.http_requests import RETRIES, is_address

WHOLE, OPTIONAL = "$", "?"
NOT_OF_KIND = {
    "http": {"model", "command"},
    "openai": {"method", "command"},
    "command": {"model", "url", "method", "headers", "stream", "retries"},
}
NEEDED = {"http": ("url",), "openai": ("url", "model"), "command": ("command",)}
OWN_NAMES = {"answer": "answer"} | {
    name: f"{name}{OPTIONAL}" for name in "contexts context_ids citations cost tokens latency_s".split()
}
HEADER = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9-]{0,30}) )?\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]{0,100})\}"
)
SECRET_NAMES = {
    *("key", "apikey", "subscriptionkey", "token", "accesstoken", "secret", "clientsecret"),
    *("password", "passwd", "authorization", "sig", "signature"),
}
DO = "correct the description; docs/assistant.md shows each kind"
PLACEHOLDER = re.compile(r"\{(question|history|passages|messages|request_id)\}")
HOOK_OF = {"history": "history", "messages": "history", "passages": "passages"}
ABSENT: Any = object()


def check_path(path: str) -> str:
    """The path; ValueError if it is none."""
    try:
        jmespath.compile(_as_jmespath(path))
    except JMESPathError:
        raise ValueError(f"{path[:80]!r} is no path, such as choices[0].text, sources[*].id") from None
    return path


def find(document: Any, path: str) -> Any:
    """What stands at the path; None if nothing does."""
    return jmespath.search(_as_jmespath(path), document)


def _as_jmespath(path: str) -> str:
    text = path.removesuffix(OPTIONAL)
    return "@" if text == WHOLE else text.removeprefix("$.")


def _check_url(url: str) -> str:
    if not is_address(url):
        raise ValueError("must be an address, such as https://assistant.bank.example/v1/ask")
    parts = urlsplit(url)
    if parts.username or parts.password or any(map(is_secret_name, dict(parse_qsl(parts.query)))):
        raise ValueError("must hold nothing secret; give it in a header")
    return url


def _check_variable(value: str) -> str:
    if not HEADER.fullmatch(value):  # the value itself may be the secret: it is not repeated
        raise ValueError("must name an environment variable, as in Bearer ${MY_KEY}")
    return value


def _words(command: Any) -> Any:
    words = shlex.split(command) if isinstance(command, str) else command
    if not words or not str(words[0]).strip() or any("\0" in str(word) for word in words):
        raise ValueError("must be words of a command line, as [python, my_assistant.py]")
    return words


FIELD = Literal[
    "answer", "contexts", "context_ids", "citations", "cost", "tokens", "latency_s", "question", "request_id"
]
PATH = Annotated[str, AfterValidator(check_path)]
NAME = re.compile(r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
FROZEN = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Stream(BaseModel):
    """`piece`, the path of a part of the answer, and `end`, the text of the last event."""

    model_config = FROZEN
    piece: PATH
    end: str = ""


class VersionSource(BaseModel):
    """Where the version stands: `stated` by the user, at a path in each `reply`, or in a `header` of each;
    "" the others."""

    model_config = FROZEN
    stated: str = ""
    reply: PATH = ""
    header: Annotated[str, StringConstraints(pattern=NAME.pattern)] = ""


UNSTATED = VersionSource()


class Description(BaseModel):
    """An assistant as it is described.

    url, method, headers : of the request; a header's value is the name of an environment variable, and what
        stands before it
    model : the chat endpoint's name of the model; command : what is executed
    body : what is sent, a template; of a GET the parameters of the address
    reply : field of ours -> path in the reply
    retries : times a request is sent again, 0 to 10
    version : how it is known which version answers
    """

    model_config = FROZEN
    kind: Literal["http", "openai", "command"] = "http"
    url: Annotated[str, AfterValidator(_check_url)] = ""
    model: str = ""
    method: Literal["POST", "GET", "PUT"] = "POST"
    headers: dict[
        Annotated[str, StringConstraints(pattern=NAME.pattern)],
        Annotated[str, AfterValidator(_check_variable)],
    ] = {}
    command: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    body: dict[str, Any] = {}
    reply: Annotated[  # `text` says that the whole is the answer
        dict[FIELD, PATH],
        BeforeValidator(lambda given: {"answer": WHOLE} if given == "text" else given or {}),
    ] = {}
    stream: Stream | None = None
    retries: Annotated[StrictInt, Field(ge=0, le=10)] = RETRIES
    version: Annotated[  # a text in quotes is the version
        VersionSource,
        BeforeValidator(lambda given: {"stated": given.strip()} if isinstance(given, str) else given),
    ] = UNSTATED

    @model_validator(mode="after")
    def _agrees(self) -> "Description":
        others = ", ".join(sorted(self.model_fields_set & NOT_OF_KIND[self.kind]))
        flaws = [f"{name}: must be given" for name in NEEDED[self.kind] if not getattr(self, name)]
        flaws += [f"{others}: not known of kind {self.kind}"] if others else []
        secret = filter(is_secret_name, re.findall(r'"([^"]*)":', json.dumps(self.body, default=str)))
        flaws += [f"body: {name!r} sounds like a secret; give it in a header" for name in secret]
        if self.kind != "openai" and self.body and not names_in(self.body) & {"question", "messages"}:
            flaws.append("body: must hold {question} or {messages}, else nothing is asked")
        if self.version.header and (self.kind == "command" or self.version.reply):
            flaws.append("version: stands in one place, and a program has no header")
        if flaws:
            raise ValueError("\n    ".join(flaws))
        return self

    @property
    def hooks(self) -> tuple[str, ...]:
        """What it takes beside the question: that for which it has a placeholder."""
        taken = {HOOK_OF[name] for name in names_in(self.body) if name in HOOK_OF}
        return tuple(name for name in HOOKS if name in taken)


def is_described(spec: str) -> bool:
    """Whether an assistant is named by a description: a YAML file, or its text, which begins with a brace."""
    return spec.lstrip().startswith("{") or spec.lower().endswith((".yml", ".yaml"))


def read_description(text: str, where: object) -> Description:
    """The description that a YAML text holds, what it leaves open filled in; ParameterError with everything
    that is wrong with it."""
    import yaml

    try:
        read = yaml.safe_load(text)
        if not isinstance(read, dict):
            raise ValueError(f"it holds a {type(read).__name__}, where names and values were expected")
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise ParameterError("the description cannot be read", where=where, found=problem, do=DO) from None
    given = {str(name): value for name, value in read.items() if value is not None}
    try:
        found = Description(**{"kind": "command" if "command" in given else "http"} | given)
    except ValidationError as problem:
        errors = problem.errors(include_input=False, include_url=False)  # the values may be secret
        places = [".".join(str(part) for part in flaw["loc"] if part != "[key]") for flaw in errors]
        said = [f"{place}: {flaw['msg']}" for place, flaw in zip(places, errors, strict=True)]
        flaws = [each.removeprefix(": ").replace("Value error, ", "") for each in said]
        raise ParameterError(
            "\n    ".join([f"{len(flaws)} flaw(s) in the description of the assistant", *flaws]),
            where=where,
            do=DO,
        ) from None
    if found.kind != "openai":
        body, reply = found.body or {"question": "{question}"}, found.reply or OWN_NAMES
        return found.model_copy(update={"body": body, "reply": reply})
    more = {
        "url": found.url.rstrip("/") + "/chat/completions",
        "body": {"model": found.model, "messages": ["{messages}"]} | found.body,
        "reply": {"answer": "choices[0].message.content", "tokens": f"usage.total_tokens{OPTIONAL}"}
        | found.reply,
        "stream": found.stream or Stream(piece="choices[0].delta.content", end="[DONE]"),
    }
    return found.model_copy(update=more)


def is_secret_name(name: str) -> bool:
    """Whether a field of this name usually holds a secret: key, api_key, token, password and the like."""
    return re.sub(r"[^a-z]", "", name.lower()) in SECRET_NAMES


def names_in(template: Any) -> set[str]:
    """The placeholders of a template."""
    return set(PLACEHOLDER.findall(json.dumps(template, default=str)))


def request_of(
    body: dict[str, Any], question: str, history: Sequence[Mapping], passages: Sequence[Mapping] | None
) -> tuple[dict[str, Any], dict[str, str]]:
    """The filled body, and what an echo has to repeat: the question and an id made for this request."""
    sent = {"question": question, "request_id": uuid.uuid4().hex}
    said = [{"role": turn["role"], "content": turn["content"]} for turn in history]
    given = {**sent, "history": said, "messages": [*said, {"role": "user", "content": question}]}
    return fill(body, given | {"passages": ABSENT if passages is None else passages}), sent


def fill(template: Any, given: Mapping[str, Any]) -> Any:
    """The template with every placeholder replaced, once: what a question holds is not looked into."""
    if isinstance(template, str):
        whole = PLACEHOLDER.fullmatch(template)
        return given[whole[1]] if whole else PLACEHOLDER.sub(lambda found: _text(given[found[1]]), template)
    if isinstance(template, dict):
        filled = {name: fill(part, given) for name, part in template.items()}
        return {name: part for name, part in filled.items() if part is not ABSENT}
    if isinstance(template, list):
        pairs = [(part, fill(part, given)) for part in template]
        spread = [one if isinstance(part, str) and isinstance(one, list) else [one] for part, one in pairs]
        return [one for elements in spread for one in elements if one is not ABSENT]
    return template


def _text(value: Any) -> str:
    """A list within a text: turns and passages, one after the other."""
    if value is ABSENT or isinstance(value, str):
        return "" if value is ABSENT else value
    return "\n".join(
        f"{each.get('role', each.get('id'))}: {each.get('content', each.get('text'))}" for each in value
    )
