"""What the tests of rules are given, by test: rows of sentence, question and key fact, or of text and reason."""

import json
from pathlib import Path

EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))
