"""The examples that end the help of every verb: lines to copy, each of which parses (tested)."""

import click

KEPT_AS_WRITTEN = "\b"  # click wraps a paragraph unless it begins so
START = ("demo", "init my-assistant", "run params/my-assistant.yml", "score answers.jsonl")
EXAMPLES: dict[str, tuple[str, ...]] = {
    "adopt": (
        "adopt reports/bank-explore/notebooks/06_weakness.ipynb",
        "adopt my_weakness.ipynb --engagement params/bank.yml --as 06_weakness",
    ),
    "calibrate": (
        "calibrate --scores scores.parquet --labels labels.csv --metric support --dimension grounded "
        "--out calibrated",
    ),
    "demo": ("demo", "demo --out tried"),
    "diagnose": ("diagnose --results results.jsonl", "diagnose --results results.csv --json"),
    "diff": ("diff reports/last-year reports/bank --out last-year-to-now",),
    "doctor": ("doctor",),
    "explore": ("explore reports/bank", "explore reports/bank --out tried --no-open"),
    "gate": ("gate reports/bank", "gate reports/bank --out build --replace"),
    "grounded": (
        "grounded --db sqlite:///bank.db --out cases.jsonl --save-templates templates.json",
        "grounded --made-up company --out cases.jsonl",
    ),
    "init": (
        "init my-assistant",
        "init my-assistant --documents policies --assistant my_assistant.py:ask",
        "init my-logs --log answers.jsonl",
    ),
    "instruments": ("instruments --scorer offline", "instruments suite.jsonl --scorer rules --json"),
    "label": ("label plan --n 100,200,400", "label export --run reports/bank --out sheet.xlsx --rater ann"),
    "label export": (
        "label export --run reports/bank --out sheet.xlsx --rater ann",
        "label export --run reports/bank --out sheets.csv --raters ann,ben,cleo --overlap 50",
    ),
    "label import": ("label import sheet.xlsx --run reports/bank --out labels.csv",),
    "label plan": ("label plan --n 100,200,400 --accepted 0.7",),
    "questions": ("questions --documents policies --n 60 --out cases.jsonl",),
    "report": ("report reports/bank", "report reports/bank --template bank.dotx"),
    "run": (
        "run params/bank.yml",
        "run params/bank.yml --dry-run",
        "run params/bank.yml -p 04_calibration.alpha=0.2 --reports trials",
        "run params/bank.yml --from 4",
        "run params/bank.yml --only 4,7 -v",
        "run params/bank.yml --quiet --json",
    ),
    "score": (
        "score answers.jsonl",
        "score answers.csv --map question=prompt --metrics support,citations_valid --out scores.parquet",
        "score answers.jsonl --list",
    ),
    "serve": ("serve --port 8000", "serve --port 0 --calibration calibrated --answers 16"),
    "sign": ("sign reports/bank --key ann --name 'Ann Reyes' --role validator",),
    "verify": ("verify reports/bank", "verify reports/bank --key ann.pub --rerun"),
}


def with_examples(verb: click.Command, words: str = "") -> click.Command:
    """The verb, and those below it, each with its examples below its options."""
    words = words or str(verb.name)
    verb.epilog = format_examples(EXAMPLES.get(words, ()))
    for name, below in verb.commands.items() if isinstance(verb, click.Group) else ():
        with_examples(below, f"{words} {name}")
    return verb


def format_examples(lines: tuple[str, ...]) -> str:
    """The examples as they end a help; each line is what follows the word `ragassay`."""
    shown = [KEPT_AS_WRITTEN, "Examples:", *(f"  ragassay {line}" for line in lines)]
    return "\n".join(shown) if lines else ""
