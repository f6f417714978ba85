"""Naming the assistant: what may be named, what is asked, and what each mistake says."""

import pytest

from ragassay.answers import load_system
from ragassay.answers.system_under_test import identity_of
from ragassay.errors import SystemUnderTestError

SOURCE = """
def ask(question): return "asked " + question
def make(documents): return lambda question: documents
def make_plain(): return ask
class Bot:
    def __init__(self, documents="none"): self.documents = documents
    def __call__(self, question): return "bot"
class Instance:
    def __call__(self, question): return "instance"
ready = Instance()
number = 3
def broken_factory(): raise RuntimeError("no key")
def empty_factory(): return None
def other(prompt): return ""
def keywords(**options): return lambda q: options["documents"]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("text")
    path = tmp_path / "bot_for_tests.py"
    path.write_text(SOURCE)
    return path


def answer_of(spec, question, documents=None):
    with load_system(spec, documents) as system:
        return system(question)["answer"]


@pytest.mark.parametrize(
    ("name", "reply"),
    [("ask", "asked hello"), ("make_plain", "asked hello"), ("Bot", "bot"), ("ready", "instance")],
)
@pytest.mark.parametrize("place", ["bot_for_tests.py", "./bot_for_tests.py"])
def test_functions_and_factories(file, place, name, reply):
    assert answer_of(f"{place}:{name}", "hello") == reply


@pytest.mark.parametrize("name", ["make", "keywords"])
def test_a_factory_is_handed_the_folder(file, name):
    assert answer_of(f"{file}:{name}", "x", "docs") == str(file.parent / "docs")


def test_a_file_may_import_its_neighbour(file):
    (file.parent / "sub").mkdir()
    (file.parent / "sub" / "neighbour_for_tests.py").write_text("answer = 'from next door'")
    (file.parent / "sub" / "main_bot.py").write_text(
        "import neighbour_for_tests as n\ndef ask(question): return n.answer"
    )
    assert answer_of("sub/main_bot.py:ask", "x") == "from next door"


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("bot_for_tests", "not named as it should"),
        (":ask", "not named as it should"),
        ("", "not named as it should"),
        ("no_such_module_here:ask", "no module 'no_such_module_here'"),
        ("missing.py:ask", "file does not exist"),
        ("bot_for_tests.py:aks", "did you mean 'ask'"),
        ("bot_for_tests.py:zzzzzz", "name a function of that module"),
        ("bot_for_tests.py:number", "cannot be called"),
        ("bot_for_tests.py:broken_factory", "RuntimeError: no key"),
        ("bot_for_tests.py:empty_factory", "a NoneType"),
        ("bot_for_tests.py:other", "required parameters .'prompt'."),
    ],
)
def test_each_mistake_is_named(file, spec, complaint):
    with pytest.raises(SystemUnderTestError, match=complaint):
        load_system(spec)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("import no_such_library", "No module named 'no_such_library'"),
        ("def ask(:", "SyntaxError"),
        ("raise SystemExit(2)", "SystemExit"),
    ],
)
@pytest.mark.parametrize("form", ["{0}.py:ask", "{0}:ask"])
def test_a_module_that_cannot_be_imported(file, source, complaint, form):
    name = f"broken_{abs(hash((source, form)))}"
    (file.parent / f"{name}.py").write_text(source)
    with pytest.raises(SystemUnderTestError, match=complaint):
        load_system(form.format(name))


def test_the_identity_changes_with_the_source_and_with_the_documents(file):
    def now():
        with load_system(f"{file}:ask", "docs") as system:
            return identity_of(system)

    first = now()
    assert now() == first
    (file.parent / "docs" / "a.txt").write_text("another text")
    second = now()
    file.write_text(SOURCE + "# changed\n")
    assert len({first, second, now()}) == 3
