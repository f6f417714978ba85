"""Errors: every part given is said, long values are shortened, and they survive the way between processes."""

import pickle

from ragassay.errors import DocumentError, InputError, KitError, install


def test_every_part_is_said():
    text = str(KitError("it is empty", where="row 3", found=0, expected="1 or more", do="fill it"))
    assert text == "it is empty\n  where: row 3\n  found: 0\n  expected: 1 or more\n  do: fill it"


def test_long_values_are_shortened():
    assert "(100000 characters)" in str(KitError("too long", found="x" * 100_000))
    assert len(str(KitError("too long", found="x" * 100_000))) < 600


def test_one_family():
    assert issubclass(DocumentError, InputError) and issubclass(InputError, KitError)


def test_pickled_and_back():
    error = pickle.loads(pickle.dumps(DocumentError("no text", where="a.pdf", do="scan it")))
    assert isinstance(error, DocumentError) and error.where == "a.pdf"


def test_parts_are_installed_from_a_checkout():
    assert install("judge") == "in a checkout of the kit: pip install -c constraints.txt -e '.[judge]'"
