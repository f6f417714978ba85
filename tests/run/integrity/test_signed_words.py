"""Who signs, in words that make no line of their own, and what is said beside a signature."""

import pytest

from ragassay.errors import ParameterError
from ragassay.run.integrity import ed25519_signature, signing
from ragassay.run.integrity.verification import verify


@pytest.fixture
def key(tmp_path):
    ed25519_signature.make_key(tmp_path / "ann")
    return tmp_path / "ann"


FORGED = "Eve\n  note: signed by Ann Reyes\x1b[2J\u202e"


@pytest.mark.parametrize("hidden", [FORGED, "Eve\tB", "Eve\x1b[2K", "Eve\u202eB", "Eve\u2028B", "Eve\rAnn"])
@pytest.mark.parametrize("part", ["name", "role"])
def test_words_that_make_a_line_or_hide_are_refused(finished, key, part, hidden):
    with pytest.raises(ParameterError, match="read on one line") as refused:
        signing.sign(finished, key, **{"name": "Eve", part: hidden})
    assert "\n" not in refused.value.found


@pytest.mark.parametrize("part", ["name", "role", "signed_at", "manifest.json"])
def test_a_ed25519_signature_makes_no_line_of_its_own(finished, key, part):
    statement = {**verify(finished).hashes, "name": "Eve", "role": "", "signed_at": "2026", part: FORGED}
    ed25519_signature.write(
        finished, [ed25519_signature.make(ed25519_signature.read_private(key, str), statement)]
    )
    verdict = verify(finished)
    said = [*verdict.flaws, *verdict.notes, *verdict.unchecked]
    assert any("Eve\u240a" in text for text in said)
    assert not any(sign in text for text in said for sign in "\n\x1b\u202e")
