"""How texts are read by rules: words, clauses, claims, citations, refusals; and the lists of words."""
