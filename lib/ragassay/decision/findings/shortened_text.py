"""Texts cut to the length of a title or of a line."""

import textwrap


def shortened(text: str, most: int) -> str:
    """The text in at most so many signs: cut at a word, and before a bracket that would stay open."""
    if len(text) <= most:
        return text
    cut = textwrap.wrap(text[:most], most - 1, break_on_hyphens=False)[0]
    before, _, inside = cut.rpartition("[")
    return f"{cut if ']' in inside else before.rstrip() or cut}…"
