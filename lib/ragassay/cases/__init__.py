"""Cases: what will be asked, and why these (HCAT section 2 and 6.1).

topics                      build_topics: passages -> topics with words and a map
case_sampling               allocate, draw_questions: how many per topic, and which
question_log                allocation: questions over topics; what customers ask about
contradicting_passages      contradictions: passages that say the opposite
rule_questions/             generate: questions from the passages by rules
llm_questions               generate: the same by a language model, where the user names one
database_questions/         generate: questions whose answers a database knows; fictional_company: one that
                            no model can know
question_filter             what a generated question must pass: near its passage, answerable from it, not
                            asked already
own_questions               read_cases: the user's questions, with their turns, history and passages;
                            evidence_lookup finds their evidence and topic
perturbations               perturb: the same questions put less well or otherwise
meaning_guard               guard_meaning, reword: those of them that still ask the same
repeated_questions          ask_again: the same questions once more, and as second turns
passage_changes             adversarial_cases: passages added, planted or dropped
counterfactuals             swap_groups: the same questions by or about another group
bias_questions              questions in the form of BBQ, our own or those of a copy of it
outside_documents           near_questions, false_premises: what no document answers, of the documents' own
                            kind
attack_probes               probes, engagement_probes: questions that try to make the assistant misbehave;
                            out_of_scope: what no document answers
injection_attacks           attacks in questions and planted in passages, with made-up words, in disguises
planted_secrets             made-up secrets in a passage or an earlier turn, and questions that try to get
                            them out
own_probes                  the user's own further probes; outside: questions that no document answers, the
                            user's own among them
prohibited_uses             probes of the prohibited uses
sample_adequacy             adequacy, power: whether there are enough
assemble_test_set           collect: the test set as one table; plan: its hash, before any answer exists
                            (preregistration)
case_table                  the columns of a case, and the table as a file
case_origins                where a case comes from
"""

from ragassay.cases import database_questions, own_probes, question_log
from ragassay.cases.assemble_test_set import (
    collect,
    composition,
    plan,
    plan_deviation,
    question_writer,
    write_questions,
)
from ragassay.cases.attack_probes import engagement_probes, probes
from ragassay.cases.bias_questions import bias_questions
from ragassay.cases.contradicting_passages import contradictions
from ragassay.cases.counterfactuals import swap_groups
from ragassay.cases.meaning_guard import reword
from ragassay.cases.own_probes import outside
from ragassay.cases.own_questions import read_cases
from ragassay.cases.passage_changes import adversarial_cases
from ragassay.cases.perturbations import PERTURBATIONS, sample_parents
from ragassay.cases.repeated_questions import ask_again
from ragassay.cases.sample_adequacy import adequacy, power
from ragassay.cases.topics import build_topics

__all__ = [
    "PERTURBATIONS", "adequacy", "adversarial_cases", "ask_again", "bias_questions", "build_topics",
    "collect", "composition", "contradictions", "database_questions", "engagement_probes", "outside",
    "own_probes", "plan", "plan_deviation", "power", "probes", "question_log", "question_writer",
    "read_cases", "reword", "sample_parents", "swap_groups", "write_questions",
]  # fmt: skip
