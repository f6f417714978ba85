"""A run's tables at hand: `open_run(dir)` in a notebook of the kit, or in an empty one."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance, tables
from ragassay.analysis.case_scores import case_clusters
from ragassay.errors import TableError
from ragassay.scores import mask_answers, own_metrics
from ragassay.scores.display_names import display_name, topic_words, with_names
from ragassay.scores.text_reading import answer_state

RATES = ("declined", "rates")  # those that hold what was counted of each answer: declined, harmful


def open_run(run_dir: str | Path) -> "Run":
    """The run of this folder; it is made by what is first written. Shown in a notebook it lists its tables.

    Example: `run = open_run("reports/bank"); run.scores("support").value.mean()`
    """
    pd.set_option("display.html.use_mathjax", False)  # amounts in $ are no formulas
    own_metrics.of_run(run_dir)
    return Run(Path(run_dir))


@dataclass(frozen=True)
class Run:
    """The tables and records of one run folder, as data frames; of answers and scores those of the system
    validated. A table that no notebook has written raises TableError, but for `labels`, `verdicts` and
    `scores(part=...)`, which are then empty."""

    dir: Path

    @property
    def engagement(self) -> dict[str, Any]:
        """What the owner declared, and what is validated: the record of notebook 00."""
        return self.load("engagement")

    def read(self, name: str, part: str = "") -> pd.DataFrame:
        """A table, or a part of it (`read("scores", part="human")`), checked against its declaration."""
        if name not in tables.TABLES:
            raise TableError("there is no such table", found=name, expected=", ".join(tables.TABLES))
        return tables.read(self.dir, name, part=part)

    def read_parts(self, name: str) -> pd.DataFrame:
        """All named parts of a table, one below the other."""
        return tables.read_parts(self.dir, name)

    def has(self, name: str, part: str = "") -> bool:
        """Whether the table was written."""
        return tables.exists(self.dir, name, part=part)

    def write(self, name: str, frame: pd.DataFrame, part: str = "") -> None:
        """Check the frame against the table's declaration and keep it for later notebooks and the report."""
        tables.write(self.dir, name, frame, part=part)
        if name == "scores":
            own_metrics.keep(self.dir, frame["metric"].unique())

    def load(self, name: str) -> dict[str, Any]:
        """A record that a notebook saved: a JSON object."""
        return provenance.load(self.dir, f"{name}.json")

    def save(self, name: str, record: dict[str, Any]) -> None:
        """Keep a record as `NAME.json`."""
        provenance.save(self.dir, f"{name}.json", record)

    def documents(self) -> pd.DataFrame:
        """One row a document."""
        return self.read("documents")

    def chunks(self) -> pd.DataFrame:
        """One row a passage; with topic, x and y once notebook 01 has divided them."""
        return self.read("chunks", part="strata" if self.has("chunks", "strata") else "")

    def topics(self) -> dict[str, str]:
        """The name of each topic, by its number."""
        return topic_words(self.chunks())

    def cases(self, part: str = "") -> pd.DataFrame:
        """One row a question."""
        return self.read("cases", part=part)

    def answers(self, part: str = "") -> pd.DataFrame:
        """One row an answer: the first to each question; of a part all that it holds."""
        given = self.read("answers", part=part)
        return given if part else given[given.repeat == 0].reset_index(drop=True)

    def scores(self, metric: str = "", part: str = "") -> pd.DataFrame:
        """One row an answer and metric: of one metric, or of all; `part="human"` is what raters accept."""
        if part and not self.has("scores", part):
            return self._empty("scores").astype({"value": float})
        found = self.read("scores", part=part)
        return found[found.metric == metric].reset_index(drop=True) if metric else found

    def all_scores(self) -> pd.DataFrame:
        """The scores of every system, and those that came with the log."""
        parts = [self.scores(part=part) for part in ("", "challengers", "given")]
        return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)

    def clusters(self) -> pd.Series:
        """By case_id, what was drawn independently: a conversation, wordings of one question, else it."""
        return case_clusters(self.cases())

    def labels(self) -> pd.DataFrame:
        """One row a rater's label; none where nobody has labelled."""
        return self.read("labels") if self.has("labels") else self._empty("labels")

    def verdicts(self) -> pd.DataFrame:
        """One row an answer: probability, prediction set, decision, and the part it played in calibration."""
        return self.read("verdicts") if self.has("verdicts") else self._empty("verdicts")

    def wide(self) -> pd.DataFrame:
        """One row a question: its columns, its topic by name, its answer, every score, rate and judgement
        (`judged_*`) as a column; NaN where there is none."""
        measured = [self.scores(), *(self.scores(part=part) for part in (*RATES, "human"))]
        values = pd.concat(measured).pivot_table(index="case_id", columns="metric", values="value")
        rows = self.cases().merge(self.answers()[["case_id", "answer"]], on="case_id", how="left")
        if "topic" in rows:
            rows["topic"] = rows.topic.astype("string").map(self.topics()).fillna(rows.topic)
        return rows.merge(values.reset_index(), on="case_id", how="left")

    def named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with the names that readers know, of metrics and slices, and topics by their words."""
        return with_names(frame, self.topics())

    def name_of(self, metric: str) -> str:
        """The name of a metric that readers know."""
        return display_name(metric)

    def evidence(self, metric: str) -> pd.DataFrame:
        """One row a sentence of an answer: question, sentence, its score, the passage that meets it best;
        empty for a metric that looks at whole answers. Personal data are masked."""
        if metric not in (known := set(self.scores().metric)):
            raise TableError("the run has no scores of it", found=metric, expected=", ".join(sorted(known)))
        columns = ["case_id", "question", "sentence", "score", "passage", "passage_id"]
        questions = mask_answers(self.cases().assign(answer="")).set_index("case_id").question
        parts, rows = ("text", "score", "evidence", "evidence_id"), []
        for row in self.scores(metric).itertuples():
            found = json.loads(row.detail) if isinstance(row.detail, str) else []
            for one in found.get("sentences", []) if isinstance(found, dict) else found:
                if isinstance(one, dict) and {"text", "score"} <= one.keys():
                    rows.append((row.case_id, questions.get(row.case_id), *map(one.get, parts)))
        return pd.DataFrame(rows, columns=columns).astype({"score": float})

    def ask(self, cases: pd.DataFrame, part: str) -> pd.DataFrame:
        """Put questions to the assistant and keep them and the answers as a part of `cases` and `answers`.
        What an earlier run asked is not asked again; a log of answers cannot be asked, so that gives none."""
        from ragassay import answers

        given = answers.collect_answers(self.engagement, cases, run_dir=self.dir, journal=part)
        answer_state.read_ahead((text, "en") for text in given["answer"].dropna())
        self.write("cases", cases, part=part)
        self.write("answers", given, part=part)
        return given

    def input(self, name: str | Path) -> Path | None:
        """A user's file, noted as an input of this notebook; None where none is named."""
        return provenance.reads_input(name) if name else None

    def tables(self) -> pd.DataFrame:
        """What the run holds: table, part, rows, columns."""
        rows = []
        for path in sorted((provenance.find(self.dir) / "tables").glob("*.parquet")):
            name, _, part = path.stem.partition(".")
            held = pd.read_parquet(path)
            rows.append((name, part, len(held), ", ".join(held)))
        return pd.DataFrame(rows, columns=["table", "part", "rows", "columns"])

    def _repr_html_(self) -> str:
        return self.tables().to_html(index=False, escape=True)

    def _empty(self, name: str) -> pd.DataFrame:
        return pd.DataFrame(columns=list(tables.TABLES[name].columns))
