"""Signatures: what they cover, what is named when something changes, and what is never believed."""

import base64
import json
import subprocess

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from ragassay import provenance
from ragassay.errors import InputError, ParameterError
from ragassay.run import manifest, signing
from ragassay.run.verification import UNSIGNED, verify
from run.conftest import make_key
from run.test_verification import edit, forge

WHO = "Ann Reyes (validator), 20"
PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8


@pytest.fixture
def key(tmp_path):
    make_key(tmp_path / "ann")
    return tmp_path / "ann"


@pytest.fixture
def public(key):
    return key.with_name("ann.pub")


@pytest.fixture
def signed(finished, key):
    signing.sign(finished, key, name="Ann Reyes", role="validator")
    return finished


def test_a_folder_without_a_signature_is_called_unsigned(finished, public):
    assert UNSIGNED in verify(finished).unchecked
    (flaw,) = verify(finished, key_files=[public]).flaws
    assert flaw.startswith("unsigned: there is no signature.json; the key SHA256:")


def test_a_signed_folder_agrees_says_by_whom_and_can_be_checked_by_hand(signed, public):
    """The message is a line and JSON with sorted names; any Ed25519 library checks it."""
    verdict = verify(signed, key_files=[public])
    assert verdict.flaws == [] and verdict.notes[0].startswith(f"signed by {WHO}")
    assert not any("unsigned" in text or "the key" in text for text in verdict.unchecked)
    (known,) = [text for text in verify(signed).unchecked if "the key" in text]
    assert "Ann Reyes" in known and "--key" in known
    (entry,) = json.loads((signed / "signature.json").read_text())["signatures"]
    for name in ("manifest.json", "SHA256SUMS"):
        assert entry["statement"][name] == provenance.sha256_of(signed / name)
    text = json.dumps(entry["statement"], sort_keys=True, separators=(",", ":")).encode()
    known = serialization.load_ssh_public_key(public.read_bytes())
    known.verify(base64.b64decode(entry["signature"]), b"ragassay signature 1\n" + text)


@pytest.mark.parametrize("name", ["count.json", "validation_report.pdf", "manifest.json"])
def test_what_is_changed_after_signing_is_named(signed, public, name):
    """Also where the list of files was made anew, which then is not the one signed."""
    (signed / name).write_bytes((signed / name).read_bytes() + b" ")
    assert any(flaw.startswith(f"{name}: ") for flaw in verify(signed, key_files=[public]).flaws)
    manifest.list_files(signed)
    words = f"SHA256SUMS: is not the one that {WHO}"
    assert any(flaw.startswith(words) for flaw in verify(signed, key_files=[public]).flaws)


def test_a_forged_folder_signed_anew_by_another_is_told_by_the_key(signed, public, tmp_path):
    forge(signed, everything=True)
    make_key(tmp_path / "other")
    with pytest.raises(ParameterError, match="another state of this folder was signed"):
        signing.sign(signed, tmp_path / "other", name="Ann Reyes")
    signing.sign(signed, tmp_path / "other", name="Ann Reyes", role="validator", replace=True)
    assert verify(signed).flaws == []  # who holds a key can sign anything
    (flaw,) = verify(signed, key_files=[public]).flaws
    assert flaw == f"the key {signing.fingerprint(signing.read_public(public))} has not signed"


@pytest.mark.parametrize("part", ["name", "role", "signed_at", "manifest.json", "SHA256SUMS"])
def test_no_part_of_a_statement_can_be_changed_and_none_makes_a_line_of_its_own(signed, public, part):
    hidden = "Eve\n  note: signed by Ann Reyes\x1b[2J\u202e"
    edit(signed / "signature.json", lambda found: found["signatures"][0]["statement"].update({part: hidden}))
    flaws = verify(signed, key_files=[public]).flaws
    assert any("broken" in flaw for flaw in flaws) and any("has not signed" in flaw for flaw in flaws)
    assert not any(sign in text for text in flaws for sign in "\n\x1b\u202e")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"signatures": [{}]}', "[" * 100_000])
def test_what_is_no_signature_is_a_flaw(signed, content):
    (signed / "signature.json").write_text(content)
    assert "signature.json: is no list of signatures" in verify(signed).flaws


def test_several_sign_and_one_who_signs_twice_stands_once(signed, key, tmp_path):
    make_key(tmp_path / "bo")
    signing.sign(signed, tmp_path / "bo", name="Bo Lind", role="owner")
    signing.sign(signed, key, name="Ann Reyes", role="reviewer")
    assert [each.statement["role"] for each in signing.read(signed)] == ["owner", "reviewer"]
    verdict = verify(signed, key_files=[tmp_path / "bo.pub", key.with_name("ann.pub")])
    assert verdict.flaws == [] and len(verdict.notes) == 2


def test_a_folder_that_does_not_agree_is_not_signed(finished, key):
    (finished / "count.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be signed") as refused:
        signing.sign(finished, key, name="Ann")
    assert "count.json: changed" in refused.value.found and not (finished / "signature.json").exists()
    with pytest.raises(ParameterError, match="lies in the run folder"):
        signing.sign(finished, finished / "tables" / "key", name="Ann")


@pytest.mark.parametrize(
    "who", [{"name": " "}, {"name": "x" * 201}, {"name": "Eve\x1b[2J"}, {"name": "A", "role": "Eve\tB"}]
)
def test_who_signs_must_be_said_in_a_line(finished, key, who):
    with pytest.raises(ParameterError, match="who signs"):
        signing.sign(finished, key, **who)


OTHER_KEY = generate_private_key(SECP256R1()).private_bytes(PEM, PKCS8, serialization.NoEncryption())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", OTHER_KEY, b"ssh-rsa AAAA"])
def test_what_is_no_key_is_refused(finished, tmp_path, content):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InputError, match="Ed25519"):
        signing.sign(finished, tmp_path / "key", name="Ann")
    with pytest.raises(InputError, match="Ed25519"):
        verify(finished, key_files=[tmp_path / "key"])


def test_public_keys_are_read_in_both_forms_and_their_fingerprint_is_that_of_ssh(public, tmp_path):
    known = signing.read_public(public)
    pem = known.public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "pem").write_bytes(pem)
    assert signing.read_public(tmp_path / "pem") == known
    try:
        words = ["ssh-keygen", "-lf", public]
        printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("no ssh-keygen")
    assert signing.fingerprint(known) in printed
