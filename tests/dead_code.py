"""What nothing calls: vulture over the library, with the notebooks, benches and training scripts as callers, and not the tests.

`make lint` runs it. A name goes on a list below only if somebody outside the tree calls it.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).parents[1]
HOOKS = [  # called by a library under a name of its own choosing
    "__getattr__", "__dir__", "_repr_*_", "file_extension", "autoescape",
    "model_config", "import_", "_agrees", "_fill", "_one_each", "writeable", "exclude", "include", "return_dict", "modified",
    "data_type", "quotePrefix", "allow_blank", "showErrorMessage", "font", "freeze_panes",
    "intra_op_num_threads", "create_module", "finalize", "use_deterministic_compute", "AuditHTMLExporter", "AuditPDFExporter", "AuditDOCXExporter", "open_assistant",
    "is_linked_to_previous", "format_commands", "premise_spans", "token_vectors", "send_signal", "terminate",
]  # fmt: skip
READ_TOGETHER = [  # fields of a record that is read whole: a judge's reply, the features of support
    "safety_pass", "citations_valid", "groundedness", "answer_relevancy", "right_reference", "undistorted", "paraphrases", "verbs_reworded", "numbers_missing",
    "number_words_missing", "dates_missing", "names_missing", "quantifiers_missing", "words_together", "pairs_found", "weekday", "n_rows_total", "passage_ids",
]  # fmt: skip
IN_QUOTES = ["Engine", "Axes", "Styler", "reference_sentences"]  # named in annotations or tables alone
IN_TEMPLATES = ["italic"]
FOR_USERS = ["parameter_form", "share_accepted"]  # documented calls, and what a lab copy calls
TABLE = ROOT / "lib" / "ragassay" / "scores" / "families" / "metrics.csv"


def measures() -> list[str]:
    """The functions that the table of metrics names."""
    with TABLE.open(encoding="utf-8", newline="") as rows:
        return [row["measure"].split()[0].split(".")[1] for row in csv.DictReader(rows)]


def main() -> int:
    """Print what nothing calls; 1 if there is anything."""
    found = Vulture(ignore_names=[*HOOKS, *READ_TOGETHER, *IN_QUOTES, *IN_TEMPLATES, *FOR_USERS, *measures()])
    with tempfile.TemporaryDirectory() as folder:
        for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
            cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
            (Path(folder) / f"notebook_{notebook.stem}.py").write_text(code, encoding="utf-8")
        found.scavenge([str(ROOT / name) for name in ("lib", "bench", "training")] + [folder])
    unused = [item for item in found.get_unused_code() if ROOT / "lib" in Path(item.filename).parents]
    for item in unused:
        print(f"{Path(item.filename).relative_to(ROOT)}:{item.first_lineno}: nothing calls {item.name}")
    return int(bool(unused))


if __name__ == "__main__":
    sys.exit(main())
