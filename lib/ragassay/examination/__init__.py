"""Unit tests of evaluators: what a scorer or judge gets right on answers whose marks are known, before it is
believed (GroUSE 4.2).

suite       tests in GroUSE's format, and the sixteen types they are of
records     a JSON Lines file as records, each with its place
conditions  "==5", "<5", "==None": does a mark meet what is expected; the two marks derived from nullness
scorers     who gives the marks: our offline metrics, a language model, rules alone
examine     every test, every mark: passed, failed or unparsed; pass rates with intervals
probes      minimal pairs: which change of an answer does a metric see, which should it not mind
bars        which metrics may not stand in a gate, and why
judges      how far two judges agree; prompts compared
"""
