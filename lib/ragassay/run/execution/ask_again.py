"""Whether a notebook that asked the assistant must ask it again though nothing that it read has changed:
because questions failed, it may reach other endpoints now, or it says that it is another version."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragassay.answers import load_system
from ragassay.answers.engagement_answers import in_days
from ragassay.answers.system_under_test import endpoints
from ragassay.errors import KitError
from ragassay.run import answered_versions
from ragassay.sanitized_text import clean

LONGEST = 500  # characters of a line
IDENTITY_S = 60.0  # seconds that identity() may take
FAILED = "{} question(s) failed and are asked again"
ENDPOINTS = "the assistant may reach other endpoints than when it was asked: it is asked again"
OTHER = "the assistant says that it is another version, or does not say: it is asked again"


class Assistants:
    """The assistants of a run, each asked at most once which version it is, and only if it says.

    Parameters
    ----------
    allow : endpoints that this run may reach
    """

    def __init__(self, allow: Sequence[str]):
        self.allow = tuple(allow)
        self._said: dict[tuple[str, str], str | None] = {}

    def why_ask_again(self, record: Mapping[str, Any] | None) -> str:
        """Why a notebook of this record asks again; "" if it does not, or never asked."""
        asked = (record or {}).get("system")
        if not isinstance(asked, dict):
            return ""
        if asked.get("failed"):
            return FAILED.format(asked["failed"])
        if asked.get("allow") != endpoints(str(asked.get("assistant")), self.allow):
            return ENDPOINTS
        return OTHER if asked.get("offers_identity") and self._now(asked) != asked.get("said") else ""

    def _now(self, asked: Mapping[str, Any]) -> str | None:
        """What the assistant says now of its version; None if it does not, which its notebook then tells."""
        named = str(asked.get("assistant")), str(asked.get("documents") or "")
        if named not in self._said:
            try:
                with load_system(*named, allow=self.allow) as system:
                    self._said[named] = system.say_identity(IDENTITY_S)
            except KitError:
                self._said[named] = None
        return self._said[named]


def of_all_sets(entries: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What a notebook's trace says of the assistant, over all sets of questions put to it: the last entry,
    with the failures and the answers not asked now of them all; None if nothing was asked."""
    asked = [entry for entry in entries if entry["event"] == "system"]
    if not asked:
        return None
    failed, why = sum(each.get("failed") or 0 for each in asked), Counter[str]()
    for each in asked:
        why.update(each.get("why") or {})
    counted = {name: _together([each.get(name) for each in asked]) for name in ("taken_up", "reused")}
    return {**asked[-1], "failed": failed, "why": dict(why), **counted}


def _together(counts: Iterable[dict[str, Any] | None]) -> dict[str, Any] | None:
    """Answers of earlier times, n from the first day to the last, of several sets as one."""
    known = [each for each in counts if each]
    if not known:
        return None
    first, last = min(each["first"] for each in known), max(each["last"] for each in known)
    return {"n": sum(each["n"] for each in known), "first": first, "last": last}


def reuse_in_words(record: Mapping[str, Any] | None) -> list[str]:
    """Of a notebook executed now: the questions that failed and why, and the answers that were not asked now,
    a line each for earlier runs and for this one."""
    asked = (record or {}).get("system") or {}
    earlier, own, failed = asked.get("reused"), asked.get("taken_up"), asked.get("failed")
    return [
        *_replaced_in_words(record or {}),
        *([f"{failed} question(s) failed; the next run asks them again"] if failed else []),
        *(clean(f"  {n} of them: {why}", LONGEST) for why, n in (asked.get("why") or {}).items()),
        *([f"{earlier['n']} answers reused from an earlier run, {in_days(earlier)}"] if earlier else []),
        *([f"{own['n']} answers taken up from the interrupted run, {in_days(own)}"] if own else []),
    ]


def _replaced_in_words(record: Mapping[str, Any]) -> list[str]:
    """Answers of before that were not taken, since the assistant says another version by now."""
    again: Counter[str] = Counter()
    for event in answered_versions.events_of(record):
        again.update(event.get("again") or {})
    return [
        clean(f"{n} answers of version '{version}' were asked again: by now its replies say another", LONGEST)
        for version, n in again.items()
    ]
