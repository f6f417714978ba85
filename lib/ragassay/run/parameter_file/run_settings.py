"""The section `run` of a parameter file: how the runner itself behaves."""

from ragassay.run.parameters import parse

DECLARED = """
cell_timeout_s: int = 0  # seconds after which a cell is given up; 0 sets no limit; in [0, inf)
# documents that the report is written as, none where it is empty; one of html, pdf, docx
formats: list[str] = ["html", "pdf", "docx"]
allow: list[str] = []  # endpoints host:port that a sealed run may reach; none by default
# questions asked at a time, each of an assistant loaded in a process of its own; the answers are the
# same; in [1, 64]
concurrency: int = 1
per_minute: float = 0.0  # questions begun in a minute, at most; 0 sets no limit; in [0, inf)
# what an answer costs, in any one currency, for `ragassay run --dry-run`; in [0, inf)
price_per_answer: float = 0.0
# folder of a sentence-transformers or Hugging Face model for all sentence vectors;
# empty: all-MiniLM-L6-v2
encoder: Model = ""
# folder of a Hugging Face model that judges entailment, FOLDER#LABEL,LABEL,LABEL where its labels do not
# name themselves; empty: the kit's own
entailment: Model = ""
# file of the thresholds that training/thresholds.py chose for that model of entailment; empty: the kit's
# own, and one half for another model
thresholds: File = ""
# folder of a Hugging Face model that judges whether a context supports a sentence, FOLDER#LABEL where its
# label does not name itself; empty: the kit's own logistic model
support: Model = ""
# folder of a Hugging Face model that judges whether a sentence is toxic, FOLDER#LABEL where its label
# does not name itself; empty: the kit's own head
toxicity: Model = ""
# folder of a Hugging Face causal language model, for perplexity alone; empty: none, and perplexity is not
# measured
language_model: Model = ""
# where encoder, heads and named models compute; the last bits of results differ between devices; one of
# cpu, cuda, mps
device: str = "cpu"
"""  # as the parameters cell of a notebook
SETTINGS = tuple(parse(DECLARED, "the section run"))
# settings that name a model of the user's, or the thresholds chosen for one
MODELS = ("encoder", "entailment", "thresholds", "support", "toxicity", "language_model")
