"""Compare sentence splitters on our golden sentences: F1 of boundaries, exact texts, sentences per second; licence and version.

python tests/documents/compare_splitters.py          # needs pysbd and syntok installed beside sentencex; what is missing is skipped
"""

import importlib.metadata
import json
import time
from collections.abc import Callable
from pathlib import Path

from ragassay.documents import sentence_splitting

GOLD = Path(__file__).with_name("golden_sentences.jsonl")
Splitter = Callable[[str, str], list[str]]


def gold() -> list[dict]:
    """The golden cases: kind, language, text, and the set of boundaries, counted in visible characters before them."""
    cases = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()]
    return [
        {**case, "text": case["marked"].replace("¶", ""), "boundaries": boundaries(case["marked"].split("¶"))}
        for case in cases
    ]


def boundaries(parts: list[str]) -> set[int]:
    """Where parts meet, as the number of visible characters before; the end of the text is not a boundary."""
    lengths = [sum(not c.isspace() and c != "|" for c in part) for part in parts]
    return {sum(lengths[:i]) for i in range(1, len(lengths))}


def score(split: Splitter, cases: list[dict]) -> tuple[float, float, float, list[dict]]:
    """Precision, recall and F1 of the boundaries, and the cases that are not exactly right."""
    found = [
        boundaries([part for part in split(case["text"], case["language"]) if part.strip()]) for case in cases
    ]
    right = sum(len(f & case["boundaries"]) for f, case in zip(found, cases, strict=True))
    precision, recall = right / sum(map(len, found)), right / sum(len(case["boundaries"]) for case in cases)
    wrong = [case | {"found": f} for f, case in zip(found, cases, strict=True) if f != case["boundaries"]]
    return precision, recall, 2 * precision * recall / (precision + recall), wrong


def speed(split: Splitter, cases: list[dict]) -> float:
    """Sentences per second over the golden texts, best of three."""
    n = sum(len(case["boundaries"]) + 1 for case in cases)
    return max(n / _seconds(split, cases) for _ in range(3))


def _seconds(split: Splitter, cases: list[dict]) -> float:
    start = time.perf_counter()
    for case in cases:
        split(case["text"], case["language"])
    return time.perf_counter() - start


def with_rules(library: Splitter) -> Splitter:
    """Our rules around a library, uncached."""
    return lambda text, language: [
        piece for _, piece in sentence_splitting.split_lines(text, language, library)
    ]


def libraries() -> dict[str, Splitter]:
    """The candidates that are installed."""
    found: dict[str, Splitter] = {"sentencex": sentence_splitting.sentencex_split}
    try:
        import pysbd

        segmenters = {code: pysbd.Segmenter(language=code, clean=False) for code in ("en", "es")}
        found["pysbd"] = lambda text, language: segmenters.get(language, segmenters["es"]).segment(text)
    except ImportError:
        print("pysbd is not installed: skipped")
    try:
        from syntok import segmenter

        found["syntok"] = lambda text, language: [
            "".join(token.spacing + token.value for token in sentence)
            for paragraph in segmenter.process(text)
            for sentence in paragraph
        ]
    except ImportError:
        print("syntok is not installed: skipped")
    return found


def main() -> None:
    """Print the table, for the texts that the rules were written against and for those written after them."""
    for label, held_out in (("seen while writing the rules", False), ("held out", True)):
        cases = [case for case in gold() if bool(case.get("held_out")) == held_out]
        print(f"\n{label}: {len(cases)} texts, {sum(len(case['boundaries']) for case in cases)} boundaries")
        for name, split in libraries().items():
            print(_row(f"{name} {importlib.metadata.version(name)}", split, cases))
            print(_row("  with our rules", with_rules(split), cases))


def _row(label: str, split: Splitter, cases: list[dict]) -> str:
    precision, recall, f1, wrong = score(split, cases)
    exact, rate = 1 - len(wrong) / len(cases), speed(split, cases)
    return f"{label:20} precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  texts right {exact:.2f}  {rate:9.0f} sentences/s"


if __name__ == "__main__":
    main()
