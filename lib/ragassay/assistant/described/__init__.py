"""Assistants that are described, not imported: an HTTP endpoint or a command line, in YAML.

description.py    the YAML as a Description, checked; what is sent: {question}, {history}, ... in their places
http_endpoint.py  one HTTP request after the other until a whole reply came, or why not; headers, proxies
command_line.py   one process per question, JSON in and out
reply_parsing.py  what came back, events of a stream joined, as a reply of ours

A Failure (`web.py`) is raised where there is no answer; its reason is the row's.
"""

from ragassay.assistant.described.command_line import ask_command, folder_of
from ragassay.assistant.described.description import UNSTATED, Description, is_described, read_description
from ragassay.assistant.described.http_endpoint import Endpoint, hosts, missing

__all__ = [
    "UNSTATED", "Description", "Endpoint", "ask_command", "folder_of", "hosts", "is_described", "missing",
    "read_description",
]  # fmt: skip
