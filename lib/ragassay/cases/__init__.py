"""Cases: what will be asked, and why these (HCAT section 2 and 6.1).

strata.py     build, project, compare: passages -> strata with words, map and ranking    (clustering.py, topics.py: its arrays and its words)
sweep.py      sweep: every way to cluster, ranked by silhouette and stability
near.py       near_duplicates: passages that say the same;   contradictions.py  contradictions: those that may say the opposite
sampling.py   allocate, draw: how many per stratum, and which;   twins.py  standing_for: a few passages distributed as a stratum is
traffic.py    what customers ask about, by stratum
questions/    generate: questions from the passages by rules, without a language model
by_model/     generate: the same by a language model, where the user names one
selection.py  what a question must pass: near its passage, answerable from it, not asked already
grounded/     generate: questions whose answers a database knows, in semantic groups
variants.py   spelling, casual: the same asked less well; screen, out_of_scope: what the documents do not hold
own.py        read_cases: the user's questions; quotes.py finds their evidence
probing.py    probes: questions that try to make the assistant misbehave
adequacy.py   adequacy, needed, power: whether there are enough;   preregistration.py  plan: their hash, before any answer exists
collection.py collect: the test set as one table
"""

from ragassay.cases import by_model, grounded, question_log
from ragassay.cases.adequacy import adequacy, power, required_sample_size
from ragassay.cases.attack_probes import probes
from ragassay.cases.collection import Collection, collect, composition, coverage_limits, rejections
from ragassay.cases.contradictions import contradictions
from ragassay.cases.near import near_duplicates
from ragassay.cases.own_questions import read_cases
from ragassay.cases.perturbations import add_typos, make_informal, out_of_scope, sample_parents, screen
from ragassay.cases.preregistration import kept as plan_kept
from ragassay.cases.preregistration import plan
from ragassay.cases.questions import generate
from ragassay.cases.representatives import representative_passages
from ragassay.cases.sampling import allocate, draw
from ragassay.cases.strata import Strata, build, compare, project

__all__ = [
    "Collection",
    "Strata",
    "add_typos",
    "adequacy",
    "allocate",
    "build",
    "by_model",
    "collect",
    "compare",
    "composition",
    "contradictions",
    "coverage_limits",
    "draw",
    "generate",
    "grounded",
    "make_informal",
    "near_duplicates",
    "out_of_scope",
    "plan",
    "plan_kept",
    "power",
    "probes",
    "project",
    "question_log",
    "read_cases",
    "rejections",
    "representative_passages",
    "required_sample_size",
    "sample_parents",
    "screen",
]
