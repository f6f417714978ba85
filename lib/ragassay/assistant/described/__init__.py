"""Assistants that are described, not imported: an HTTP endpoint or a command line, in YAML.

description.py        the YAML as a Description: what is sent where, and where in the reply things stand
description_flaws.py  everything that is wrong with one
templates.py          what is sent: {question}, {history}, {passages}, {messages} in their places
reply_paths.py        where in a reply a value stands: choices[0].message.content
replies.py            what came back, as a reply of ours, or why it is none
version_source.py     which version answers: as stated, or as each reply says
streams.py            server-sent events and JSON lines, joined
endpoint.py           one HTTP request after the other, until a whole reply came;  failures.py  or why not
headers.py            values from environment variables, hidden wherever they come back
proxies.py            which hosts are contacted: the endpoint's own, or the proxy that the environment names
command.py            one process per question, or one that is kept, JSON in and out

A Failure (`web/retries.py`) is raised where there is no answer; its reason is the row's.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from ragassay.assistant.described.command import Command, folder_of
from ragassay.assistant.described.description import Description, is_described, read_description
from ragassay.assistant.described.endpoint import Endpoint
from ragassay.assistant.described.headers import missing
from ragassay.assistant.described.proxies import hosts

__all__ = ["Description", "folder_of", "hosts", "is_described", "missing", "opened", "read_description"]


def opened(description: Description, folders: Sequence[Path]) -> Callable[..., object]:
    """What is asked: a question, the `seconds` it may take, and what its hooks take.

    folders : in the first of them that has a file of its words a command line is executed
    """
    if description.url:
        return Endpoint(description)
    return Command(description, folder_of(description.command, folders))
