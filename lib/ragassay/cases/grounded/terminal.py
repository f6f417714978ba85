"""`ragassay grounded`, in words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragassay.cases import export
from ragassay.cases.grounded import STYLES, Grounded, generate, save


def grounded(out: Path, say: Callable[[str], None], *, templates: Path | None, save_templates: Path | None, styles: str, **options: Any) -> None:
    """Write the cases of a database and say what came of it."""
    export.checked(out)
    wanted = [part.strip() for part in styles.split(",") if part.strip()] or list(STYLES)
    found = generate(given=templates, styles=wanted, **options)
    export.write(found.cases, out)
    if save_templates is not None:
        save(save_templates, found.templates)
        say(f"templates: {save_templates}")
    say("\n".join([found.counts() + ".", *_losses(found), f"written: {out}"]))


def _losses(found: Grounded) -> list[str]:
    """What was dropped and noted, a line per template that has something to say, ten at most."""
    told = found.account[(found.account["dropped"] != "") | (found.account["notes"] != "")]
    lines = [f"  {row.kept:>5,} of {row.tried:,}  {row.template[:110]}  ({_why(row.dropped, row.notes)})" for row in told.itertuples()]
    return [*lines[:10], *([f"  and {len(lines) - 10} more templates"] if len(lines) > 10 else [])]


def _why(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))
