"""The report of an unfinished run full of hostile text: complete, readable, inert, and the same each time."""

import base64
import hashlib
import io
import re
import shutil
import zipfile
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from small_run import HOSTILE, make_run

from ragassay import report
from ragassay.report.blocks import NOTEBOOKS


class Page(HTMLParser):
    """Collects tags with their attributes, ids and letters."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.letters = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.letters.append(data)

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]

    @property
    def text(self):
        return "".join(self.letters)


@pytest.fixture(scope="module")
def html(built):
    return built["html"].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


@pytest.fixture(scope="module")
def pdf(built):
    import pypdf

    return pypdf.PdfReader(built["pdf"])


@pytest.fixture(scope="module")
def sheets(pdf):
    return [sheet.extract_text() for sheet in pdf.pages]


@pytest.fixture(scope="module")
def pdf_text(sheets):
    return "\n".join(sheets)


@pytest.fixture(scope="module")
def word(built):
    return zipfile.ZipFile(built["docx"]).read("word/document.xml").decode()


@pytest.fixture(scope="module")
def word_text(word):
    return unescape(re.sub(r"<[^>]*>", "", word))


def letters(text):
    """Text without anything that lines and break opportunities put between letters."""
    return re.sub(r"[\s\u200b]", "", text)


def test_html_holds_no_script_and_fetches_nothing(page, html):
    assert not {tag for tag, _ in page.tags} & {"script", "link", "iframe", "object"}
    named = [(name, value) for _, attributes in page.tags for name, value in attributes.items()]
    addresses = [value for name, value in named if name in ("src", "href", "action", "srcset", "poster")]
    known = ("#", "data:image/svg+xml;base64,", "data:image/png;base64,", "attachments/")
    assert addresses and all(value.startswith(known) for value in addresses)
    assert not [name for name, _ in named if name.startswith("on") or name == "style"]
    assert "@import" not in html and "url(" not in html
    policy = next(meta["content"] for meta in page.all("meta") if meta.get("http-equiv"))
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    assert f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")


def test_html_can_be_read_by_ear(page):
    assert page.all("html") == [{"lang": "en"}]
    assert all(image["alt"] and image["alt"] != "UNDESCRIBED" for image in page.all("img"))
    assert len(page.all("img")) == len(page.all("figcaption")) == 1
    assert {head["scope"] for head in page.all("th")} == {"col", "row"}
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("text", [text for text in HOSTILE if not set("\x00\u202e") & set(text)])
def test_hostile_text_is_shown_letter_for_letter(page, pdf_text, word_text, text):
    begins = letters(text)[:600]
    assert begins in letters(word_text) and begins in letters(page.text)
    assert begins in letters(pdf_text) or not text.isascii() or len(text) > 1000


def test_word_holds_no_field_but_the_writers_own(word):
    said = {field.split()[0] for field in re.findall(r"<w:instrText[^>]*>([^<]*)<", word)}
    assert said == {"TOC"} and "TargetMode" not in word and "w:fldSimple" not in word


def test_pdf_states_its_standards(pdf):
    packet = pdf.trailer["/Root"]["/Metadata"].get_data().decode()
    assert "<pdfaid:part>3</pdfaid:part>" in packet and "<pdfuaid:part>1</pdfuaid:part>" in packet
    assert "<pdfaid:conformance>A</pdfaid:conformance>" in packet
    assert pdf.trailer["/Root"]["/Lang"] == "en" and pdf.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert pdf.metadata.creation_date.date().isoformat() == "2026-11-20"


def test_pdf_carries_the_manifest_and_the_small_tables(pdf, run_dir):
    assert pdf.attachments["manifest.json"] == [(run_dir / "manifest.json").read_bytes()]
    names = {"engagement.json", "decision.json", "scorecard.csv", "gates.csv", "findings.csv"}
    assert names <= set(pdf.attachments) and "'=cmd" in pdf.attachments["findings.csv"][0].decode()


def test_an_unfinished_run_is_marked_and_says_what_is_missing(sheets, page, pdf_text):
    assert "INCOMPLETE" in sheets[0] and all("INCOMPLETE" in sheet[:300] for sheet in sheets[1:])
    assert all("version 1.4.2 · Confidential" in sheet[:200] for sheet in sheets[1:])
    assert f"page 3 of {len(sheets)}" in sheets[2]
    said = ("01_test_generation", "06_weakness", "TableError", "'labels' does not exist yet", "hold first")
    assert all(words in text for text in (page.text, pdf_text) for words in said)


def test_the_same_run_gives_the_same_bytes(built, tmp_path):
    again = report.build(make_run(tmp_path / "elsewhere" / "tide-assistant"))
    assert all(path.read_bytes() == built[name].read_bytes() for name, path in again.items())
    assert not list((tmp_path / "elsewhere" / "tide-assistant").glob(".*draft"))


def test_an_empty_run_has_a_report_that_says_so(tmp_path):
    import pypdf

    made = report.build(tmp_path)
    sheets = pypdf.PdfReader(io.BytesIO(made["pdf"].read_bytes())).pages
    text = letters("".join(sheet.extract_text() for sheet in sheets))
    assert "INCOMPLETE" in text and all(name in text for name in NOTEBOOKS)
    assert "manifest.json" in made["html"].read_text()


@pytest.mark.parametrize(
    "name, content",
    [("engagement.json", "[]"), ("notebooks/06_weakness.ipynb", "no json"), ("manifest.json", None)],
)
def test_a_broken_piece_or_one_without_end_is_a_gap(run_dir, tmp_path, name, content):
    copy = shutil.copytree(run_dir, tmp_path / "run")
    (copy / name).unlink(missing_ok=True)
    if content is None:
        (copy / name).symlink_to("/dev/zero")
    else:
        (copy / name).write_text(content)
    summary = report.assemble(copy).chapters[0]
    assert name.split("/")[-1].split(".")[0] in str(summary.blocks[0])


def test_a_script_that_the_pdf_has_no_font_for_is_told(run_dir, monkeypatch, capsys):
    monkeypatch.setattr(report, "unprinted_scripts", lambda text: {"THAI": 1_200} if "nul" in text else {})
    reading = report.assemble(run_dir).chapters[1]
    for said in (str(reading.blocks), capsys.readouterr().err):
        assert "THAI (1,200 letters)" in said and "Noto" in said
