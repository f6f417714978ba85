"""`ragassay init`."""

import click

from ragassay.cli.options import map_option, replace_option
from ragassay.cli.terminal import ask, say, say_read_as

DOCUMENTS = "folder of the documents behind the assistant (txt, md, html, pdf, docx, jsonl)"
LOG = "file of logged answers; nothing is asked then"
ASSISTANT = "what answers: module:name or file.py:name of ask(question); or a .yml that describes an endpoint"


@click.command()
@click.argument("name")
@click.option("--documents", default="", metavar="FOLDER", help=DOCUMENTS)
@click.option("--log", default="", metavar="FILE", help=LOG)
@click.option("--assistant", default="", metavar="NAME", help=ASSISTANT)
@map_option
@replace_option
def init(name: str, documents: str, log: str, assistant: str, pairs: tuple[str, ...], replace: bool) -> None:
    """Write params/NAME.yml with every parameter of every notebook, commented, at its default.

    What is validated is asked for on a terminal, or given by options; the file then runs as it is. Of a log
    it says which column is read as which.
    """
    from ragassay.answers.log_formats import parse_mapping
    from ragassay.run.parameter_file import init_file

    if not (documents or log or assistant):
        documents, log = ask(DOCUMENTS), ask(LOG)
        assistant = ask(ASSISTANT) if documents and not log else ""
    mapping = parse_mapping(pairs)
    path = init_file.write(name, documents, log, assistant, mapping=mapping, replace=replace)
    say_read_as(init_file.read_as(log, mapping) if log else ())
    say(f"written: {path}")
    is_complete = bool(log or assistant)
    say(f"next: {'' if is_complete else 'set what departs from the defaults, then '}`ragassay run {path}`")
