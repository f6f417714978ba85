"""The options at the top of a code cell, as in Quarto: `#| fig-cap: Words`, `#| tbl-cap:`, `#| fig-alt:`.

A value is the rest of its line, in quotes or not; `[first, second]` is one for each figure or table of the
cell, and `#|` with two blanks goes on with the line before.
"""

from itertools import takewhile

import yaml

from ragassay.report.blocks import Block, Figure, Heading, Table, plain

UNDESCRIBED = "UNDESCRIBED"


def read(source: str) -> dict[str, list[str]]:
    """The options by name, each a list of one value or more."""
    found: dict[str, str] = {}
    name = ""
    for line in takewhile(lambda line: line.startswith("#|"), source.strip().splitlines()):
        if line.startswith("#|  ") and name:
            found[name] = f"{found[name].strip('|>')} {line[2:].strip()}".strip()
        else:
            name, _, value = (part.strip() for part in line[2:].partition(":"))
            found[name] = value
    return {name: _values(text) for name, text in found.items()}


def _values(text: str) -> list[str]:
    try:
        value = yaml.load(text, yaml.BaseLoader) if text[:1] in ("[", '"', "'") else text
    except (yaml.YAMLError, RecursionError):
        value = text
    return [str(each) for each in (value if isinstance(value, list) else [value])]


def caption(blocks: list[Block], options: dict[str, list[str]], heading: str) -> list[Block]:
    """The blocks of one cell, each figure and table with its caption: its own, that of the options, or the
    heading above it. A figure without a text for those who cannot see it is described by its caption."""
    figures = tables = 0
    for block in blocks:
        match block:
            case Heading():
                heading = plain(block.words)
            case Figure():
                if not block.caption:
                    block.caption = _of(options.get("fig-cap") or [heading], figures)
                    figures += 1
                    alts = options.get("fig-alt", [])[figures - 1 : figures]
                    block.alt = block.alt or "".join(alts)
                block.alt = block.alt or block.caption or UNDESCRIBED
            case Table(caption=""):
                block.caption = _of(options.get("tbl-cap") or [heading], tables)
                tables += 1
    return blocks


def _of(captions: list[str], place: int) -> str:
    """The caption of this place; the last one, counted, where there are fewer."""
    if place < len(captions):
        return captions[place]
    return f"{captions[-1]} ({place + 1})" if captions[-1] else ""
