"""How long the demonstration and the example take on a machine of a known speed."""

import re

from ragassay import provenance

READ_THEN = 69  # sentences a second that the encoder read when these seconds were taken, on two busy cores
SECONDS_THEN = {  # of `ragassay run params/bank.yml` with an empty cache, by the records of its run folder
    "00_scope": 12,
    "01_test_generation": 184,
    "02_functionality": 394,
    "03_risk_safety": 306,
    "04_calibration": 55,
    "05_robustness": 118,
    "06_weakness": 11,
    "07_conclusion": 4,
}
DEMO_THEN = (65, 242)  # sentences a second, and the seconds of `time ragassay demo`, both as above
SLOWEST = 3  # notebooks that are named
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
SHORTEST = 20  # letters of a sentence that is read


def sentences() -> list[str]:
    """Those of the example's documents, each once, to measure the speed on."""
    files = sorted(provenance.source("bundled:documents").glob("*.md"))
    texts = (path.read_text(encoding="utf-8") for path in files)
    parts = (part.strip() for text in texts for part in _SENTENCE.split(text))
    return list(dict.fromkeys(part for part in parts if len(part) >= SHORTEST))


def in_words(speed: float) -> str:
    """The estimates for the first run of the demonstration and of the example, with its slowest notebooks; a
    second run takes what was computed from the cache.

    speed : sentences that the encoder reads in a second
    """
    share = READ_THEN / speed
    slow = sorted(SECONDS_THEN, key=lambda name: -SECONDS_THEN[name])[:SLOWEST]
    named = ", ".join(f"{name} {_minutes(SECONDS_THEN[name] * share)}" for name in slow)
    whole = _minutes(sum(SECONDS_THEN.values()) * share)
    then, seconds = DEMO_THEN
    return (
        f"the first time `ragassay demo` takes about {_minutes(seconds * then / speed)}, the example bank "
        f"{whole} (slowest: {named})"
    )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
