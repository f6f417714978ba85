"""The tables and sentences of docs/scale.md that tell what was measured, made of bench/scale.json:
python bench/scale_page.py renews them, and bench/scale.py does at its end.
"""

import json
from pathlib import Path
from typing import Any

PRICE, SIZES = 0.05, (100_000, 1_000_000, 100_000_000)  # an hour of a core, in any one currency; answers
TARGET, AT = 0.9, 100_000  # speed of a core on the cluster over that here, at so many answers
BEGIN, END = "<!-- measured: from bench/scale.json -->", "<!-- end of measured -->"
ROOT = Path(__file__).parents[1]
PAGE, FOUND = ROOT / "docs" / "scale.md", ROOT / "bench" / "scale.json"
Found = dict[str, Any]
ALL, SCORING = ("start", "scoring"), ("scoring",)


def used(run: Found | list[Found], times: tuple[str, ...] = ALL) -> float:
    """Seconds of a core of all processes of one way to score."""
    if isinstance(run, list):
        return sum(used(one, times) for one in run)
    others = [*run.get("workers", []), *([run["rays_own"]] if "rays_own" in run else [])]
    return sum(run[name] for name in times) + used(others, times) if others else sum(map(run.get, times))


def speed(one: Found, times: tuple[str, ...] = ALL) -> float:
    """Speed of a core on the cluster over that of a core here; above 1 the cluster is faster."""
    return used(one["local"], times) / used(one["ray"], times)


def measured(found: dict[str, Found]) -> str:
    """The table of what was measured."""
    head = (
        "| answers | n | ms here | ms on Ray | speed of a core | with starts | peak MB of a worker "
        "| bytes moved |"
    )
    return "\n".join([head, "|---" * 8 + "|", *(_measured(name, one) for name, one in found.items())])


def _measured(name: str, one: Found) -> str:
    n, ray = one["answers"], one["ray"]
    ms = [used(one[way], SCORING) / n * 1000 for way in ("local", "ray")]
    peaks = ", ".join(f"{max(worker['peak_mb'][at] for worker in ray['workers']):,.0f}" for at in range(3))
    return (
        f"| {name}: {', '.join(one['metrics'])} | {n:,} | {ms[0]:.2f} | {ms[1]:.2f} "
        f"| {speed(one, SCORING):.2f} | {speed(one):.2f} | {peaks} | {ray['bytes'] / n:,.0f} |"
    )


def costs(found: dict[str, Found]) -> str:
    """The table of what more answers take, in proportion, at the price of an hour of a core."""
    head = "| answers | n | hours of a core | price | million network passes | GB moved |"
    rows = [_cost(name, one, n) for name, one in found.items() for n in SIZES]
    return "\n".join([head, "|---" * 6 + "|", *rows])


def _cost(name: str, one: Found, n: int) -> str:
    ray, share = one["ray"], n / one["answers"]
    hours = used(ray, SCORING) * share / 3600
    return (
        f"| {name} | {n:,} | {hours:,.1f} | {hours * PRICE:,.2f} "
        f"| {ray['encoded'] * share / 1e6:,.1f} | {ray['bytes'] * share / 1e9:,.2f} |"
    )


def starts(found: dict[str, Found]) -> str:
    """What starts take, and Ray's own processes while answers are scored, in a sentence."""
    rays = [one["ray"] for one in found.values()]
    workers = max(worker["start"] for ray in rays for worker in ray["workers"])
    own = max(ray["rays_own"]["start"] for ray in rays)
    share = max(ray["rays_own"]["scoring"] / used(ray, SCORING) for ray in rays)
    return (
        f"A worker's start takes up to {workers:.1f} seconds of a core, that of Ray's own processes, where "
        f"the cluster is started for the command, up to {own:.1f}. While answers are scored Ray's own take "
        f"up to {share:.1%} of all that is used."
    )


def target(found: dict[str, Found]) -> str:
    """Whether the target is met, of the answers that were enough to tell."""
    told = f"The target, at least {TARGET} at {AT:,} answers, is"
    enough = {name: one for name, one in found.items() if one["answers"] >= AT}
    if not enough:
        return f"{told} unmeasured: the answers were fewer."
    return f"{told} {'; '.join(_verdict(name, one) for name, one in enough.items())}."


def _verdict(name: str, one: Found) -> str:
    return ", ".join(
        f"{'met' if speed(one, times) >= TARGET else 'missed'} by {name} {words} ({speed(one, times):.2f})"
        for times, words in ((SCORING, "without starts"), (ALL, "with starts"))
    )


def block(found: dict[str, Found]) -> str:
    """All of the page that is measured, between its two marks."""
    told = "\n".join(_wrapped(f"{starts(found)} {target(found)}"))
    price = (
        f"By these figures, in proportion, starts left out, at {PRICE:g} an hour of a core in any currency:"
    )
    return "\n\n".join([BEGIN, measured(found), told, price, costs(found), END])


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 108, break_on_hyphens=False)


def renewed(page: str, found: dict[str, Found]) -> str:
    """The page with the block of what was found."""
    before, rest = page.split(BEGIN)
    return before + block(found) + rest.split(END)[1]


def renew() -> None:
    """Write the page anew from bench/scale.json."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    renew()
