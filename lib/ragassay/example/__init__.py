"""The bundled example: Alder Quay Bank, a fictional retail bank, with everything needed to validate an
assistant end to end.

    documents/     the bank's documents, written for this project: terms, fees, procedures, policies in two
    versions, two in Spanish and Portuguese
    bank.sql       the facts that the documents state: branches, employees, products, fees
    questions/     questions of customers and staff, with the quotations that answer them; some the documents
    do not answer
    assistant.py   the system under test: a real extractive assistant over the documents
    demo/          what `ragassay demo` copies: eight of the documents, their questions and labels, parameters
    labels.csv     the maintainers' judgements of its answers

Nobody and nothing in it is real.
"""
