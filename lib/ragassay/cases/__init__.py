"""Cases: what will be asked, and why these (HCAT section 2 and 6.1).

strata.py     build, project, compare: passages -> strata with words, map and ranking    (clustering.py, topics.py: its arrays and its words)
near.py       near_duplicates: passages that say the same
sampling.py   allocate, draw: how many per stratum, and which
questions/    generate: questions from the passages by rules, without a language model
by_model/     generate: the same by a language model, where the user names one
variants.py   spelling, casual: the same asked less well; screen, out_of_scope: what the documents do not hold
own.py        read_cases: the user's questions; quotes.py finds their evidence
probing.py    probes: questions that try to make the assistant misbehave
adequacy.py   adequacy, power: whether there are enough
collection.py collect: the test set as one table
"""

from ragassay.cases import by_model
from ragassay.cases.adequacy import adequacy, power
from ragassay.cases.collection import Collection, collect, composition, coverage_limits, rejections
from ragassay.cases.near import near_duplicates
from ragassay.cases.own import read_cases
from ragassay.cases.probing import probes
from ragassay.cases.questions import generate
from ragassay.cases.sampling import allocate, draw
from ragassay.cases.strata import Strata, build, compare, project
from ragassay.cases.variants import casual, out_of_scope, screen, spelling

__all__ = [
    "Collection",
    "Strata",
    "adequacy",
    "allocate",
    "build",
    "by_model",
    "casual",
    "collect",
    "compare",
    "composition",
    "coverage_limits",
    "draw",
    "generate",
    "near_duplicates",
    "out_of_scope",
    "power",
    "probes",
    "project",
    "read_cases",
    "rejections",
    "screen",
    "spelling",
]
