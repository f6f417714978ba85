"""A document that says of itself that it is superseded is taken at its word, and no other, unless it is marked."""

import json
import shutil

import pytest

from ragassay import documents, provenance, tables

SUPERSEDED = [
    "# Tariff sheet 2023\n\nValid from 1 January 2023. This sheet has been superseded by the tariff sheet 2025 and is kept for earlier periods only.",
    "# Price list, 2024\n\nThis price list is no longer valid since 1 January 2026. It has been superseded by the list 2026.",
    "# Overdraft\n\nStatus: superseded by the Overdraft Policy 2026. This version was in force until 2025.",
    "# Travel policy\n\nWITHDRAWN\n\nTrips are booked by the office.",
    "# Premiums 2024\n\nThis document is outdated. It applied until 31 December 2025.",
    "# Tarifas 2024\n\nEsta lista de precios ya no es válida desde el 1 de enero de 2026.",
    "# Tarifas 2024\n\nEste documento ha sido sustituido por las tarifas de 2026.",
    "# Preçário 2024\n\nEste preçário já não está em vigor.",
]  # fmt: skip
NOT = [
    "# Withdrawn, lost and stolen cards\n\nReplaced by a new card? Withdrawn by 4 pm, funds arrive the same day.\n\nThis policy is no longer in force on the death of the insured.\n\nThis agreement is withdrawn on 30 days' notice.",
    "# Fees 2026\n\nThis edition replaces the 2023 edition, which is superseded.\n\nThis agreement has been replaced in part by Annex C.\n\nThis document was superseded in 2020 and reinstated in 2023.\n\nRevogado pela presente norma o Despacho 4/2020.",
    "# Fees 2026\n\nThe 2024 price list was superseded by this one. It is no longer valid.",
    "# Terms\n\nThis agreement is superseded by any written agreement of the parties.",
    "# Document control\n\nEach document has a status:\n\n- current\n- withdrawn\n- superseded by another on a date, such as 1 May 2025",
    "# Fees\n\nVersion history\n\nVersion 1 (2023). Superseded by version 2 in 2024.\n\nVersion 2 (2024). In force.",
    "# Fees\n\nThis policy will be superseded by the Policy 2027 on 1 January 2027. It is valid until it is withdrawn.",
    "# Tarifas 2026\n\nEsta tarifa sustituye a la de 2024, que ha sido derogada. El consentimiento puede ser retirado.",
    "# Contrato\n\nEstado: vigente\n\nEste contrato es válido desde 2025.",
]  # fmt: skip


def status_of(folder, text):
    (folder / "a.md").write_text(text)
    return tables.check("documents", documents.load(folder)[0])["status"][0]


@pytest.mark.parametrize("text", SUPERSEDED)
def test_a_document_that_says_so_of_itself_is_superseded(folder, text):
    assert status_of(folder, text) == "superseded"


@pytest.mark.parametrize("text", NOT)
def test_a_document_that_says_so_of_another_or_only_might_be_is_not_marked(folder, text):
    assert status_of(folder, text) is None


@pytest.mark.parametrize("mark", ["current", "superseded"])
def test_a_mark_of_the_user_wins(folder, mark):
    (folder / "documents.csv").write_text(f"path,status,audience\na.md,{mark},staff\n")
    (folder / "a.md").write_text(SUPERSEDED[0])
    row = documents.load(folder)[0].iloc[0]
    assert (row["status"], row["at_its_word"]) == (mark, False)
    (folder / "documents.csv").write_text("path,status,audience\na.md,,staff\n")
    assert documents.load(folder)[0].iloc[0][["status", "audience"]].tolist() == ["superseded", "staff"]


def test_an_assistant_s_own_passages_are_taken_at_their_word_too(folder, monkeypatch):
    monkeypatch.chdir(folder)
    old = {"text": "This tariff was replaced by the tariff 2026."}
    passages = [
        old | {"id": "a"},
        old | {"id": "b", "status": "current"},
        {"id": "c", "text": "A fee is due."},
    ]
    (folder / "mine.jsonl").write_text("".join(json.dumps(each) + "\n" for each in passages))
    read = documents.read_collection("mine.jsonl").documents
    assert read["status"].fillna("").tolist() == ["superseded", "current", ""]
    assert read["at_its_word"].tolist() == [True, False, False]


def test_the_bundled_documents_keep_their_marks(folder):
    """Their documents.csv says all of it; without one, the two that are superseded say so, and no other."""
    marks = {"card-agreement-2023": "superseded", "card-agreement-2025": "current"}
    marks |= {"overdraft-policy-2024": "superseded", "overdraft-policy-2026": "current"}
    bundled = provenance.source("bundled:documents")
    read = documents.load(bundled)[0].set_index("doc_id")
    assert read["status"].dropna().to_dict() == marks and not read["at_its_word"].any()
    for path in bundled.glob("*.[!c]*"):
        shutil.copy(path, folder)
    read = documents.load(folder)[0].query("at_its_word")
    assert read["doc_id"].tolist() == [name for name, mark in marks.items() if mark == "superseded"]
